import { layouts } from '../../index.js';
import type { ExportFormat } from '../decode/export.js';
import { Inspection, type StatisticsView, type View } from '../decode/inspection.js';
import type { Settings } from '../decode/settings.js';
import type { TableRow } from '../decode/table.js';
import { type InputText, joined, openFiles, plainText, utf8Of } from '../read/open.js';
import { tellProgress } from '../read/progress.js';
import { fileOf, LatestOnly, serveInTurn, startWorker, type WorkerScope } from './background.js';

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
  | AskedFile;

/** A file of the rows that are shown. */
export type AskedFile = { readonly kind: 'export'; readonly format: ExportFormat };

/** From the page to the worker. `of` counts the sources: answers about an earlier one are dropped. */
export type Request = Asked & { readonly of: number };

/** From the worker to the page. `version` counts views: rows are of one of them. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'view'; readonly of: number; readonly version: number; readonly view: View }
  | { readonly kind: 'rows'; readonly version: number; readonly from: number; readonly rows: readonly TableRow[] }
  | { readonly kind: 'statistics'; readonly version: number; readonly statistics: StatisticsView }
  | { readonly kind: 'progress'; readonly of: number; readonly done: number } // of what is opened
  | { readonly kind: 'export'; readonly of: number; readonly done: number | Blob } // a share of the file, or all
  | { readonly kind: 'failed'; readonly of: number; readonly during: Request['kind']; readonly message: string };

/** Answers the page: all work on ids is done here. */
export function serve(scope: WorkerScope<Request, Answer>): void {
  let inspection: Inspection | undefined;
  let opened = 0;
  let parts: Uint8Array[] = [];
  let version = Date.now(); // after those of a worker before this one

  const fail = ({ of, kind }: Request, error: Error) => {
    scope.postMessage({ kind: 'failed', of, during: kind, message: error.message });
  };

  const show = (of: number, settings: Settings, chosen?: number) => {
    const view = inspection?.view(settings, chosen);
    if (view) scope.postMessage({ kind: 'view', of, version: ++version, view });
  };

  const answer = async (request: Request) => {
    const { kind, of } = request;
    if (kind === 'part' || kind === 'open') {
      if (of !== opened) parts = [];
      opened = of;
      inspection = undefined;
    }
    if (kind === 'part') parts.push(utf8Of(request.text));
    else if (kind === 'export') {
      const made = inspection?.export(request.format);
      // Not awaited: rows are scrolled and settings changed meanwhile.
      const tell = (done: number | Blob) => {
        scope.postMessage({ kind, of, done });
        return of === opened;
      };
      if (made) fileOf(made, tell).catch((error) => fail(request, error));
    } else if (kind === 'open') {
      tellProgress((done) => scope.postMessage({ kind: 'progress', of, done }));
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

  serveInTurn(scope, (request) => answer(request).finally(() => tellProgress(undefined)), fail);
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
  const ids = BigUint64Array.from({ length: MILLION }, (_, row) => {
    const day = (DAYS * row) / MILLION;
    const timestamp = Math.floor(start + ((day + 0.6 * Math.sin(day)) / DAYS) * WEEK_MS);
    return layouts.snowflake.pack({ timestamp, shard: random(64), sequence: Math.random() < 0.9 ? 0 : random(4) });
  });
  return ids.join('\n');
}

/** Characters that are posted at once: copying 95 MB would hold up the page for 110 ms. */
const PART = 2 ** 24;

export type Client = ReturnType<typeof connect>;

/**
 * @param script the page's own, which knows when it is run as a worker's
 * @param hear is told all answers but those about an earlier source
 */
export function connect(script: string, hear: (answer: Answer) => void) {
  let of = 0;
  const answered = (answer: Answer) => {
    if ('of' in answer && answer.of !== of) return;
    const isOfView = answer.kind === 'view' || (answer.kind === 'failed' && answer.during !== 'export');
    if (isOfView) views.answered(() => hear(answer));
    else hear(answer);
  };
  const worker = startWorker([script], '', serve, answered, (message) =>
    hear({ kind: 'failed', of, during: 'open', message }),
  );
  const send = worker.post;
  const views = new LatestOnly<Request>(send);
  const sendText = (source: number, text: string, sendLast: (text: string) => void) => {
    if (source !== of) return;
    if (text.length <= PART) return sendLast(text);
    const end = /[\ud800-\udbff]/.test(text[PART - 1]) ? PART - 1 : PART; // both halves of a character
    send({ kind: 'part', of, text: text.slice(0, end) });
    setTimeout(() => sendText(source, text.slice(end), sendLast));
  };

  return {
    /** Whether an answer to settings is still awaited. */
    isBusy: () => views.isBusy,
    open: (source: PastedSource, settings: Settings) => {
      of++;
      views.clear();
      views.isBusy = true;
      const sendLast = (rest: PastedSource) => send({ kind: 'open', of, source: rest, settings, now: Date.now() });
      if ('text' in source) sendText(of, source.text, (text) => sendLast({ text }));
      else sendLast(source);
    },
    /** Ends the worker, which may be in a long loop: a new one has nothing open. If none is allowed, its answers are dropped. */
    stop: () => {
      of++;
      views.clear();
      worker.restart();
    },
    /** @param chosen the row that is taken apart: the answer has it as it is then */
    change: (settings: Settings, chosen: number | undefined) =>
      views.request({ kind: 'settings', of, settings, chosen }),
    ask: (asked: Asked) => send({ ...asked, of }),
  };
}
