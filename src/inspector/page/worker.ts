import { layouts, setBackend } from '../../index.js';
import type { ExportFormat, Pieces } from '../decode/export.js';
import { Inspection, type StatisticsView, type View } from '../decode/inspection.js';
import { type RoutedKeys, routeRead } from '../decode/keys/plan.js';
import { KeyReader, type KeySource } from '../decode/keys/read.js';
import type { PlanSettings } from '../decode/keys/routing.js';
import type { Settings } from '../decode/settings.js';
import type { TableRow } from '../decode/table.js';
import { type InputText, joined, openFiles, plainText, utf8Of } from '../read/open.js';
import { tellProgress } from '../read/progress.js';

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
  | { readonly kind: 'progress'; readonly of: number; readonly done: number } // of what is opened
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
  let version = Date.now(); // after those of a worker before this one
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

  // One after the other: a file takes a while to read, and settings that come in the meantime are for it.
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data: request }) => {
    const answered = () => answer(request).catch((error) => fail(request, error));
    before = before.then(answered).then(() => tellProgress(undefined));
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

/** Characters that are posted at once: copying 95 MB would hold up the page for 110 ms. */
const PART = 2 ** 24;

/** What changes faster than it is answered is answered once: only the last of the requests that wait is sent. */
type Queue = { isBusy: boolean; next?: Request | undefined };

export type Client = ReturnType<typeof connect>;

/**
 * @param script the page's own, which knows when it is run as a worker's
 * @param hear is told all answers but those about an earlier source
 */
export function connect(script: string, hear: (answer: Answer) => void) {
  let of = 0;
  /** undefined until the worker has begun: what is posted to one that never does is lost. */
  let post: ((request: Request) => void) | undefined;
  const unsent: Request[] = [];
  const views: Queue = { isBusy: false };
  const routes: Queue = { isBusy: false };

  const begin = (posted: (request: Request) => void) => {
    post = posted;
    unsent.forEach(posted);
  };
  const send = (request: Request) => {
    if (post === undefined) unsent.push(request);
    else post(request);
  };
  const sendInTurn = (queue: Queue, request: Request) => {
    if (queue.isBusy) queue.next = request;
    else send(request);
    queue.isBusy = true;
  };
  const answered = (answer: Answer) => {
    const about = answer.kind === 'failed' ? answer.during : answer.kind;
    const isRoute = about === 'route' || about === 'routed';
    const isOfKeys = isRoute || about === 'moves';
    if (!isOfKeys && 'of' in answer && answer.of !== of) return;
    const isOfView = answer.kind === 'view' || (answer.kind === 'failed' && !isOfKeys && about !== 'export');
    const queue = isRoute ? routes : isOfView ? views : undefined;
    const next = queue?.next;
    if (queue !== undefined) Object.assign(queue, { isBusy: false, next: undefined });
    hear(answer);
    if (queue !== undefined && next !== undefined) sendInTurn(queue, next);
  };
  const sendText = (source: number, text: string, sendLast: (text: string) => void) => {
    if (source !== of) return;
    if (text.length <= PART) return sendLast(text);
    const end = /[\ud800-\udbff]/.test(text[PART - 1]) ? PART - 1 : PART; // both halves of a character
    send({ kind: 'part', of, text: text.slice(0, end) });
    setTimeout(() => sendText(source, text.slice(end), sendLast));
  };

  let worker: Worker | undefined;
  const serveInPage = () => {
    worker = undefined;
    begin(serveHere(answered));
  };
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const launch = () => {
    worker = new Worker(url);
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.kind === 'ready') begin((request) => worker?.postMessage(request));
      else answered(data);
    };
    // A policy that refuses the worker, as `worker-src 'none'` does, is told by an event in some browsers.
    worker.onerror = (event) => {
      event.preventDefault();
      if (post === undefined) serveInPage();
      else hear({ kind: 'failed', of, during: 'open', message: event.message });
    };
  };
  try {
    launch();
  } catch {
    serveInPage();
  }

  return {
    /** Whether an answer to settings is still awaited. */
    isBusy: () => views.isBusy,
    open: (source: PastedSource, settings: Settings) => {
      of++;
      views.isBusy = true;
      views.next = undefined;
      const sendLast = (rest: PastedSource) => send({ kind: 'open', of, source: rest, settings, now: Date.now() });
      if ('text' in source) sendText(of, source.text, (text) => sendLast({ text }));
      else sendLast(source);
    },
    /** Ends the worker, which may be in a long loop: a new one has nothing open. If none is allowed, its answers are dropped. */
    stop: () => {
      of++;
      for (const queue of [views, routes]) Object.assign(queue, { isBusy: false, next: undefined });
      if (worker === undefined) return;
      worker.terminate();
      post = undefined;
      unsent.length = 0;
      launch();
    },
    /** @param chosen the row that is taken apart: the answer has it as it is then */
    change: (settings: Settings, chosen: number | undefined) =>
      sendInTurn(views, { kind: 'settings', of, settings, chosen }),
    route: (keys: KeySource, settings: PlanSettings) => sendInTurn(routes, { kind: 'route', of, keys, settings }),
    ask: (asked: Asked) => send({ ...asked, of }),
  };
}

/** Does the worker's work in the page itself, where no worker is allowed: large files then hold up the page. */
function serveHere(hear: (answer: Answer) => void) {
  setBackend('auto'); // the page has chosen BigInt for the few ids that it decodes
  const scope: WorkerScope = {
    onmessage: null,
    postMessage: (answer) => {
      if (answer.kind !== 'ready') setTimeout(() => hear(answer));
    },
  };
  serve(scope);
  return (request: Request) => scope.onmessage?.({ data: request });
}
