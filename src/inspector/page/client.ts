import { setBackend } from '../../index.js';
import type { KeySource } from '../decode/keys/read.js';
import type { PlanSettings } from '../decode/keys/routing.js';
import type { Settings } from '../decode/settings.js';
import { type Answer, type Asked, type PastedSource, type Request, serve, type WorkerScope } from '../decode/worker.js';

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

  try {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.kind === 'ready') begin((request) => worker.postMessage(request));
      else answered(data);
    };
    // A policy that refuses the worker, as `worker-src 'none'` does, is told by an event in some browsers.
    worker.onerror = (event) => {
      event.preventDefault();
      if (post === undefined) begin(serveHere(answered));
      else hear({ kind: 'failed', of, during: 'open', message: event.message });
    };
  } catch {
    begin(serveHere(answered));
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
