import { setBackend } from '../../index.js';
import type { Pieces } from '../decode/export.js';

/** What is used of a worker's global scope. */
export interface WorkerScope<Request, Answer> {
  postMessage(answer: Answer): void;
  onmessage: ((event: { readonly data: Request }) => void) | null;
}

/** The name of the worker of keys, which tells it from that of the ids. */
export const SHARDS_WORKER = 'shards';

type Ready = { readonly kind: 'ready' };

/** Answers requests one after the other: a file takes a while to read, and settings that come meanwhile are for it. */
export function serveInTurn<Request, Answer>(
  scope: WorkerScope<Request, Answer | Ready>,
  answer: (request: Request) => Promise<void>,
  fail: (request: Request, error: Error) => void,
): void {
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data: request }) => {
    before = before.then(() => answer(request).catch((error) => fail(request, error)));
  };
  scope.postMessage({ kind: 'ready' });
}

/**
 * Starts a worker, or does its work in the page where no worker is allowed: large files then hold up the page.
 * @param scripts the page's own, which know by the name when they are run as a worker's
 * @param hear is told all answers
 * @returns what posts a request, and what ends the worker, which may be in a long loop, and starts another one
 */
export function startWorker<Request, Answer extends { readonly kind: string }>(
  scripts: readonly string[],
  name: string,
  serve: (scope: WorkerScope<Request, Answer | Ready>) => void,
  hear: (answer: Answer) => void,
  fail: (message: string) => void,
): { post(request: Request): void; restart(): void } {
  /** undefined until the worker has begun: what is posted to one that never does is lost. */
  let post: ((request: Request) => void) | undefined;
  const unsent: Request[] = [];
  const begin = (posted: (request: Request) => void) => {
    post = posted;
    unsent.forEach(posted);
  };
  const beginHere = () => {
    setBackend('auto'); // the page has chosen BigInt for the few ids that it decodes
    const scope: WorkerScope<Request, Answer | Ready> = {
      onmessage: null,
      postMessage: (answer) => {
        if (answer.kind !== 'ready') setTimeout(() => hear(answer as Answer));
      },
    };
    serve(scope);
    begin((request) => scope.onmessage?.({ data: request }));
  };
  let worker: Worker | undefined;
  const url = URL.createObjectURL(new Blob(scripts as string[], { type: 'text/javascript' }));
  const launch = () => {
    worker = new Worker(url, { name });
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.kind === 'ready') begin((request) => worker?.postMessage(request));
      else hear(data);
    };
    // A policy that refuses the worker, as `worker-src 'none'` does, is told by an event in some browsers.
    worker.onerror = (event) => {
      event.preventDefault();
      worker = undefined;
      if (!post) beginHere();
      else fail(event.message);
    };
  };
  try {
    launch();
  } catch {
    beginHere();
  }
  return {
    post: (request) => {
      if (!post) unsent.push(request);
      else post(request);
    },
    restart: () => {
      if (!worker) return;
      worker.terminate();
      post = undefined;
      unsent.length = 0;
      launch();
    },
  };
}

/**
 * Makes a file between other answers: rows are scrolled and settings changed from one piece to the next.
 * @param tell is told how much is done, and returns false if the file is not wanted any more
 */
export async function fileOf({ pieces, count, type }: Pieces, tell: (done: number | Blob) => boolean): Promise<void> {
  const blobs: Blob[] = [];
  for (const piece of pieces) {
    blobs.push(new Blob([piece])); // a blob is not on the heap
    await new Promise((resolve) => setTimeout(resolve));
    if (!tell(blobs.length / count)) return;
  }
  tell(new Blob(blobs, { type }));
}

/** What changes faster than it is answered is answered once: only the last of the requests that wait is sent. */
export class LatestOnly<Request> {
  isBusy = false;
  #next: Request | undefined;

  constructor(private readonly send: (request: Request) => void) {}

  request(request: Request): void {
    if (this.isBusy) this.#next = request;
    else this.send(request);
    this.isBusy = true;
  }

  /** @param hear is called before the next request is sent */
  answered(hear: () => void): void {
    const next = this.#next;
    this.clear();
    hear();
    if (next !== undefined) this.request(next);
  }

  clear(): void {
    this.isBusy = false;
    this.#next = undefined;
  }
}
