import { Worker } from 'node:worker_threads';
import { getBackend } from '../../kernels/active.js';
import type { JobKind, Jobs, Reply, WorkerData } from './serve.js';

/** Runs several tasks at a time. */
export interface Executor<T, R> {
  /** Whether it can take another task. */
  readonly hasRoom: boolean;
  run(task: T): Promise<R>;
}

/**
 * Runs each task on the first executor that has room, and yields the results in the order of the tasks.
 * @param tasks asked for the next task when an executor has room
 * @param ahead how many tasks may be running or done before their results are taken
 */
export async function* inOrder<T, R>(
  tasks: Iterator<T, void> | AsyncIterator<T, void>,
  executors: readonly Executor<T, R>[],
  ahead: number,
): AsyncGenerator<{ task: T; result: R }, void> {
  const results: Promise<{ task: T; result: R }>[] = [];
  let isOver = false;
  let isAsking = false;
  let onChange = (): void => {};
  const giveOut = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      while (!isOver && results.length < ahead) {
        const executor = executors.find(({ hasRoom }) => hasRoom);
        if (executor === undefined) break;
        const next = await tasks.next();
        isOver = next.done === true;
        if (!next.done) add(executor, next.value);
      }
    } catch (error) {
      isOver = true;
      const failed = Promise.reject(error);
      failed.catch(() => {}); // thrown when its turn comes
      results.push(failed);
    }
    isAsking = false;
    onChange();
  };
  const add = (executor: Executor<T, R>, task: T): void => {
    const result = (async () => ({ task, result: await executor.run(task) }))();
    result.then(giveOut, () => {}); // a failure is thrown when its turn comes
    results.push(result);
    onChange();
  };
  void giveOut();
  while (!isOver || results.length > 0) {
    const next = results.shift();
    if (next !== undefined) {
      yield await next;
      void giveOut();
    } else {
      await new Promise<void>((resolve) => {
        onChange = resolve;
      });
    }
  }
}

export const MAX_THREADS = 256;

/** How many tasks a thread has at once, so that the next one is there when one is done. */
export const TASKS_A_THREAD = 2;

interface Waiting {
  resolve(result: unknown): void;
  reject(cause: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Waiting[];
}

/**
 * Threads that all do one kind of task. A task that fails does not affect others. If a thread dies, all threads end:
 * every unfinished task and every later one fails with the cause.
 */
export class Workers<K extends JobKind> {
  readonly #threads: readonly Thread[];
  #failure: Error | undefined;

  /** @param script what the threads run: it calls `serve` */
  constructor(
    count: number,
    kind: K,
    options: Jobs[K]['options'],
    private readonly script = new URL('./worker.cjs', import.meta.url),
  ) {
    const workerData: WorkerData<K> = { backend: getBackend(), kind, options };
    this.#threads = Array.from({ length: count }, () => this.#start(workerData));
  }

  /** Whether some thread can take a task. */
  get hasRoom(): boolean {
    return this.#threads.some(({ waiting }) => waiting.length < TASKS_A_THREAD);
  }

  /** Runs a task on the thread that has the fewest. */
  run(task: Jobs[K]['task'], transfer: readonly ArrayBuffer[] = []): Promise<Jobs[K]['result']> {
    const { worker, waiting } = this.#threads.reduce((a, b) => (b.waiting.length < a.waiting.length ? b : a));
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      waiting.push({ resolve: resolve as Waiting['resolve'], reject });
      worker.ref(); // keeps the process alive while there is something to wait for
      worker.postMessage(task, transfer);
    });
  }

  /** Ends all threads. Unfinished tasks fail. */
  async close(): Promise<void> {
    this.#fail(new Error('it was closed'));
    await Promise.all(
      this.#threads.map(({ worker }) => {
        // A reply that comes while a thread ends would `unref` the thread. With nothing else to wait for, the process
        // would then end during this `await`, with exit code 13.
        worker.removeAllListeners('message');
        return worker.terminate();
      }),
    );
  }

  #start(workerData: WorkerData<K>): Thread {
    const worker = new Worker(this.script, { workerData });
    const waiting: Waiting[] = [];
    worker.on('message', (reply: Reply) => {
      const next = waiting.shift();
      if (next) settle(next, reply); // nobody waits after all threads have ended
      if (waiting.length === 0) worker.unref();
    });
    worker.on('error', (cause) => this.#fail(cause));
    worker.on('exit', (code) => this.#fail(new Error(`exit code ${code}`)));
    worker.unref();
    return { worker, waiting };
  }

  #fail(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new Error(`a worker thread has ended: ${why}`, { cause });
    for (const { waiting } of this.#threads) {
      for (const { reject } of waiting.splice(0)) reject(this.#failure);
    }
  }
}

function settle(waiting: Waiting, reply: Reply): void {
  if ('result' in reply) waiting.resolve(reply.result);
  else waiting.reject(Object.assign(reply.error, reply.fields));
}
