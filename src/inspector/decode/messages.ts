import type { View } from './inspection.js';
import type { KeyRouting, RoutedKeys } from './key-routing.js';
import type { Settings } from './settings.js';
import type { Statistics } from './statistics.js';
import type { TableRow } from './table.js';

/** Where ids come from. */
export type Source =
  | { readonly text: string }
  | { readonly files: readonly File[] }
  | { readonly example: 'million'; readonly now: number };

/** From the page to the worker. `of` counts the sources: answers about an earlier one are dropped. */
export type Request =
  /** The next part of a long text, whose last one is opened. */
  | { readonly kind: 'part'; readonly of: number; readonly text: string }
  | {
      readonly kind: 'open';
      readonly of: number;
      readonly source: Source;
      readonly settings: Settings;
      readonly now: number;
    }
  | {
      readonly kind: 'settings';
      readonly of: number;
      readonly settings: Settings;
      /** The row that is taken apart. */
      readonly chosen: number | undefined;
    }
  | { readonly kind: 'rows'; readonly of: number; readonly version: number; readonly from: number; readonly to: number }
  | { readonly kind: 'statistics'; readonly of: number; readonly version: number }
  | { readonly kind: 'export'; readonly of: number }
  /** Keys are not of a source: they are routed whatever the ids are. */
  | { readonly kind: 'route'; readonly of: number; readonly keys: string; readonly routing: KeyRouting };

/** From the worker to the page. `version` counts views: rows are of one of them. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'view'; readonly of: number; readonly version: number; readonly view: View }
  | { readonly kind: 'rows'; readonly version: number; readonly from: number; readonly rows: readonly TableRow[] }
  | { readonly kind: 'statistics'; readonly version: number; readonly statistics: Statistics }
  | { readonly kind: 'exporting'; readonly of: number; readonly share: number }
  | { readonly kind: 'export'; readonly of: number; readonly csv: Blob }
  | { readonly kind: 'routed'; readonly routed: RoutedKeys }
  | {
      readonly kind: 'failed';
      readonly of: number;
      readonly during: Request['kind'];
      readonly message: string;
    };
