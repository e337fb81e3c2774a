import type { Router, TextFormat } from '../../index.js';
import type { LayoutChoice } from './layout-choice.js';

export const ROUTING_STRATEGIES = ['jump', 'fastrange', 'modulo'] as const satisfies readonly Router['strategy'][];
export const FORMATS = ['dec', 'hex', 'base62', 'crockford32', 'sortable32'] as const satisfies readonly TextFormat[];
export const SHOWN = ['all', 'good', 'bad'] as const;

/** All that is chosen, besides the ids. */
export interface Settings {
  /** What ids are read as. */
  readonly read: TextFormat | 'guess';
  /** The name of the column that has them; undefined: guessed. */
  readonly column: string | undefined;
  /** undefined: guessed. */
  readonly layout: LayoutChoice | undefined;
  readonly shards: number;
  readonly strategy: Router['strategy'];
  /** What ids are shown as. */
  readonly as: TextFormat;
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
  readonly filter: string;
  readonly show: (typeof SHOWN)[number];
  /** What the second chart counts ids by: a field, or `routed`; undefined: the field called shard, if there is one. */
  readonly per: string | undefined;
  /** The date to find ids of. */
  readonly date: string;
}

export const DEFAULTS: Settings = {
  read: 'guess',
  column: undefined,
  layout: undefined,
  shards: 1024,
  strategy: 'jump',
  as: 'dec',
  sort: undefined,
  filter: '',
  show: 'all',
  per: undefined,
  date: '',
};
