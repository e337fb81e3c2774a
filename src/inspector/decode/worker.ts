import { layouts } from '../../index.js';
import { type InputText, joined, openFiles, plainText, utf8Of } from '../read/open.js';
import type { ExportFormat, Pieces } from './export.js';
import { Inspection, type StatisticsView, type View } from './inspection.js';
import { type RoutedKeys, routeRead } from './keys/plan.js';
import { KeyReader, type KeySource } from './keys/read.js';
import type { PlanSettings } from './keys/routing.js';
import type { Settings } from './settings.js';
import type { TableRow } from './table.js';

export type PastedSource =
  | { readonly text: string }
  | { readonly files: readonly File[] }
  | { readonly example: 'million'; readonly now: number };

export type Asked =
  | { readonly kind: 'part'; readonly text: string } // of a long text, whose last part is opened
  | { readonly kind: 'open'; readonly source: PastedSource; readonly settings: Settings; readonly now: number }
  | { readonly kind: 'settings'; readonly settings: Settings; readonly chosen: number | undefined }
  | { readonly kind: 'rows'; readonly version: number; readonly from: number; readonly to: number }
  | { readonly kind: 'statistics'; readonly version: number }
  | { readonly kind: 'route'; readonly keys: KeySource; readonly settings: PlanSettings } // whatever the source is
  | AskedFile;

/** What is written to a file: the rows that are shown, or the moves of what was routed last. */
export type AskedFile = { readonly kind: 'export'; readonly format: ExportFormat } | { readonly kind: 'moves' };

/** From the page to the worker. `of` counts the sources: answers about an earlier one are dropped. */
export type Request = Asked & { readonly of: number };

/** From the worker to the page. `version` counts views: rows are of one of them. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'view'; readonly of: number; readonly version: number; readonly view: View }
  | { readonly kind: 'rows'; readonly version: number; readonly from: number; readonly rows: readonly TableRow[] }
  | { readonly kind: 'statistics'; readonly version: number; readonly statistics: StatisticsView }
  | { readonly kind: AskedFile['kind']; readonly of: number; readonly done: number | Blob } // a share of the file, or all
  | { readonly kind: 'routed'; readonly routed: RoutedKeys }
  | { readonly kind: 'failed'; readonly of: number; readonly during: Request['kind']; readonly message: string };

/** What is used of a worker's global scope. */
export interface WorkerScope {
  postMessage(answer: Answer): void;
  onmessage: ((event: { readonly data: Request }) => void) | null;
}

/** Answers the page: all work on ids is done here. */
export function serve(scope: WorkerScope): void {
  let inspection: Inspection | undefined;
  let opened = 0;
  let parts: Uint8Array[] = [];
  let version = 0;
  const keyReader = new KeyReader();
  let moves: (() => Pieces) | undefined;

  /**
   * Makes a file between other answers: rows are scrolled and settings changed from one piece to the next. Moves stay
   * as they were routed; rows are not wanted any more if something else has been opened.
   */
  const write = async (kind: AskedFile['kind'], of: number, { pieces, count, type }: Pieces) => {
    const blobs: Blob[] = [];
    for (const piece of pieces) {
      blobs.push(new Blob([piece])); // a blob is not on the heap
      await new Promise((resolve) => setTimeout(resolve));
      if (kind === 'export' && of !== opened) return;
      scope.postMessage({ kind, of, done: blobs.length / count });
    }
    scope.postMessage({ kind, of, done: new Blob(blobs, { type }) });
  };

  const fail = ({ of, kind }: Request, error: Error) => {
    scope.postMessage({ kind: 'failed', of, during: kind, message: error.message });
  };

  const show = (of: number, settings: Settings, chosen?: number) => {
    const view = inspection?.view(settings, chosen);
    if (view !== undefined) scope.postMessage({ kind: 'view', of, version: ++version, view });
  };

  const answer = async (request: Request) => {
    const { kind, of } = request;
    if (kind === 'part' || kind === 'open') {
      if (of !== opened) parts = [];
      opened = of;
      inspection = undefined;
    }
    if (kind === 'part') parts.push(utf8Of(request.text));
    else if (kind === 'route') {
      moves = undefined;
      const { routed, movesCsv } = routeRead(await keyReader.read(request.keys), request.settings);
      moves = movesCsv;
      scope.postMessage({ kind: 'routed', routed });
    } else if (kind === 'moves' || kind === 'export') {
      const made = kind === 'moves' ? moves?.() : inspection?.export(request.format);
      if (made !== undefined) write(kind, of, made).catch((error) => fail(request, error));
    } else if (kind === 'open') {
      const texts = await textsOf(request.source, parts);
      parts = [];
      inspection = new Inspection(texts, request.now, request.settings.last);
      show(of, request.settings);
    } else if (kind === 'settings') show(of, request.settings, request.chosen);
    else if (inspection === undefined || request.version !== version) return;
    else if (kind === 'rows') {
      const { from, to } = request;
      scope.postMessage({ kind, version, from, rows: inspection.rows(from, to) });
    } else scope.postMessage({ kind, version, statistics: inspection.statistics() });
  };

  // One after the other: a file takes a while to read, and settings that come in the meantime are for it.
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data: request }) => {
    before = before.then(() => answer(request).catch((error) => fail(request, error)));
  };
  scope.postMessage({ kind: 'ready' });
}

/** @param before the parts of a text that came before the last one */
async function textsOf(
  source: PastedSource,
  before: readonly Uint8Array[],
): Promise<readonly InputText[] | Uint8Array> {
  if ('text' in source) return plainText(joined([...before, utf8Of(source.text)]));
  if ('example' in source) return new TextEncoder().encode(millionIds(source.now));
  const { files } = source;
  return openFiles(files, (name, message) => (files.length === 1 ? message : `${name}: ${message}`));
}

const MILLION = 1_000_000;
const WEEK_MS = 7 * 86_400_000;
const DAYS = 2 * Math.PI * 7;

/**
 * A million snowflakes of the week before an instant, a line each: busier by day than by night, from 64 shards of
 * which the first are the busiest.
 */
function millionIds(before: number): string {
  const start = before - WEEK_MS;
  const random = (most: number) => Math.floor(Math.random() ** 1.5 * most);
  const timestamp = Float64Array.from({ length: MILLION }, (_, row) => {
    const day = (DAYS * row) / MILLION;
    return Math.floor(start + ((day + 0.6 * Math.sin(day)) / DAYS) * WEEK_MS);
  });
  const shard = Uint8Array.from(timestamp, () => random(64));
  const sequence = Uint8Array.from(timestamp, () => (Math.random() < 0.9 ? 0 : random(4)));
  return layouts.snowflake.packMany({ timestamp, shard, sequence }).join('\n');
}
