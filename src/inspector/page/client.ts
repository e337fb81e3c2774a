import { setBackend } from '../../index.js';
import type { View } from '../decode/inspection.js';
import type { KeyRouting, RoutedKeys } from '../decode/key-routing.js';
import type { Answer, Request, Source } from '../decode/messages.js';
import type { Settings } from '../decode/settings.js';
import type { Statistics } from '../decode/statistics.js';
import type { TableRow } from '../decode/table.js';
import { serve, type WorkerScope } from '../decode/worker.js';

/** What the page is told. */
export interface Listener {
  onView(view: View, version: number): void;
  onRows(version: number, from: number, rows: readonly TableRow[]): void;
  onStatistics(version: number, statistics: Statistics): void;
  /** @param share from 0 to 1 */
  onExporting(share: number): void;
  onExport(csv: Blob): void;
  onRouted(routed: RoutedKeys): void;
  onFailure(during: Request['kind'], message: string): void;
}

type Post = (request: Request) => void;

/** Characters that are posted at once: copying 95 MB would hold up the page for 110 ms. */
const PART = 2 ** 24;

/** The worker as the page sees it. Settings and keys that change faster than they are answered are answered once. */
export class Client {
  #of = 0;
  #busy = false;
  #waiting: { settings: Settings; chosen: number | undefined } | undefined;
  #isRouting = false;
  #waitingKeys: { keys: string; routing: KeyRouting } | undefined;
  /** undefined until the worker has begun: what is posted to one that never does is lost. */
  #post: Post | undefined;
  #unsent: Request[] = [];

  /** @param script the page's own, which knows when it is run as a worker's */
  constructor(script: string, listener: Listener) {
    const hear = (answer: Answer) => this.#hear(answer, listener);
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if (data.kind === 'ready') this.#begin((request) => worker.postMessage(request));
        else hear(data);
      };
      // A policy that refuses the worker, as `worker-src 'none'` does, is told by an event in some browsers.
      worker.onerror = (event) => {
        event.preventDefault();
        if (this.#post === undefined) this.#begin(serveHere(hear));
        else listener.onFailure('open', event.message);
      };
    } catch {
      this.#begin(serveHere(hear));
    }
  }

  /** Whether settings are yet to be answered. */
  get busy(): boolean {
    return this.#busy;
  }

  open(source: Source, settings: Settings, now: number): void {
    const of = ++this.#of;
    this.#busy = true;
    this.#waiting = undefined;
    const send = (rest: Source) => this.#send({ kind: 'open', of, source: rest, settings, now });
    if ('text' in source) this.#sendText(of, source.text, (text) => send({ text }));
    else send(source);
  }

  #sendText(of: number, text: string, sendLast: (text: string) => void): void {
    if (of !== this.#of) return;
    if (text.length <= PART) {
      sendLast(text);
      return;
    }
    const end = /[\ud800-\udbff]/.test(text[PART - 1] as string) ? PART - 1 : PART; // both halves of a character
    this.#send({ kind: 'part', of, text: text.slice(0, end) });
    setTimeout(() => this.#sendText(of, text.slice(end), sendLast));
  }

  /** @param chosen the row that is taken apart: the answer has it as it is then */
  change(settings: Settings, chosen: number | undefined): void {
    if (this.#busy) {
      this.#waiting = { settings, chosen };
      return;
    }
    this.#busy = true;
    this.#send({ kind: 'settings', of: this.#of, settings, chosen });
  }

  askRows(version: number, from: number, to: number): void {
    this.#send({ kind: 'rows', of: this.#of, version, from, to });
  }

  askStatistics(version: number): void {
    this.#send({ kind: 'statistics', of: this.#of, version });
  }

  route(keys: string, routing: KeyRouting): void {
    if (this.#isRouting) {
      this.#waitingKeys = { keys, routing };
      return;
    }
    this.#isRouting = true;
    this.#send({ kind: 'route', of: this.#of, keys, routing });
  }

  askExport(): void {
    this.#send({ kind: 'export', of: this.#of });
  }

  #begin(post: Post): void {
    this.#post = post;
    for (const request of this.#unsent) post(request);
    this.#unsent = [];
  }

  #send(request: Request): void {
    if (this.#post === undefined) this.#unsent.push(request);
    else this.#post(request);
  }

  #hear(answer: Answer, listener: Listener): void {
    if (answer.kind === 'ready') return;
    if (answer.kind === 'rows') {
      listener.onRows(answer.version, answer.from, answer.rows);
      return;
    }
    if (answer.kind === 'statistics') {
      listener.onStatistics(answer.version, answer.statistics);
      return;
    }
    if (answer.kind === 'routed' || (answer.kind === 'failed' && answer.during === 'route')) {
      const waiting = this.#waitingKeys;
      this.#isRouting = false;
      this.#waitingKeys = undefined;
      if (answer.kind === 'routed') listener.onRouted(answer.routed);
      else listener.onFailure(answer.during, answer.message);
      if (waiting !== undefined) this.route(waiting.keys, waiting.routing);
      return;
    }
    if (answer.of !== this.#of) return;
    if (answer.kind === 'exporting') listener.onExporting(answer.share);
    else if (answer.kind === 'export') listener.onExport(answer.csv);
    else if (answer.kind === 'failed' && answer.during === 'export') listener.onFailure(answer.during, answer.message);
    else {
      this.#busy = false;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (answer.kind === 'view') listener.onView(answer.view, answer.version);
      else listener.onFailure(answer.during, answer.message);
      if (waiting !== undefined) this.change(waiting.settings, waiting.chosen);
    }
  }
}

/** Does the worker's work in the page itself, where no worker is allowed: large files then hold up the page. */
function serveHere(hear: (answer: Answer) => void): Post {
  setBackend('auto'); // the page has chosen BigInt for the few ids that it decodes
  const scope: WorkerScope = {
    onmessage: null,
    postMessage: (answer) => {
      setTimeout(() => hear(answer));
    },
  };
  serve(scope);
  return (request) => scope.onmessage?.({ data: request } as MessageEvent<Request>);
}
