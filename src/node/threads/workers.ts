import { existsSync } from 'node:fs';
import { Module } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { detailsOf } from '../../errors.js';
import { getBackend } from '../../kernels/active.js';
import { precompiled } from '../../kernels/wasm/instance.js';
import type { JobKind, Jobs, Message, Reply, WorkerData } from './worker.js';

/** Runs several tasks at a time. */
export interface Executor<T, R> {
  /** Whether it can take another task. */
  readonly hasRoom: boolean;
  /** Has a function called when it comes up, and has room for the first time. */
  whenUp?(call: () => void): void;
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
  for (const executor of executors) executor.whenUp?.(giveOut);
  void giveOut();
  try {
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
  } finally {
    isOver = true;
    // Not awaited: the next task may wait for bytes that never come.
    void Promise.resolve(tasks.return?.()).catch(() => {});
  }
}

let script: string | undefined;

/**
 * The script of threads: beside this file; for a program that this file is bundled with, beside the program or in the
 * package that it finds in node_modules.
 * @throws Error that says what to do if it is in neither place
 */
function scriptOfThreads(): string {
  if (script !== undefined) return script;
  const url: string | undefined = import.meta.url; // bundlers that make CommonJS leave it out
  const here = url?.startsWith('file:') ? [fileURLToPath(url)] : [];
  const program = process.argv[1] === undefined ? [] : [resolve(process.argv[1])];
  const places = [...here, ...program, process.execPath];
  const installed = (place: string) => {
    try {
      return Module.createRequire(place).resolve('shardbits/worker.cjs');
    } catch {
      return undefined;
    }
  };
  script = places.map((place) => join(dirname(place), 'shardbits-worker.cjs')).find((path) => existsSync(path));
  script ??= places.map(installed).find((path) => path !== undefined);
  if (script !== undefined) return script;
  throw new Error(
    'threads need shardbits-worker.cjs, which is not beside this bundle: bundle shardbits/worker.cjs to that name there, install shardbits there, or use one thread',
  );
}

/** How many tasks a thread has at once, so that the next one is there when one is done. */
export const TASKS_A_THREAD = 2;

/** Whether a thread is missing because the system has no more files, threads or memory for this process. */
const hasNoRoom = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE', 'ERR_WORKER_INIT_FAILED', 'ERR_WORKER_OUT_OF_MEMORY'].includes(String(detailsOf(error).code));

type Waiting = { resolve(result: unknown): void; reject(cause: unknown): void };

type Thread = { readonly worker: Worker; isUp: boolean; readonly waiting: Waiting[] };

/**
 * Threads that all do one kind of task. A task that fails does not affect others. If a thread dies, all threads end:
 * every unfinished task and every later one fails with the cause. A thread for which the system has no room is left out, if no
 * task waits for it yet.
 */
export class Workers<K extends JobKind, T> implements Executor<T, Jobs[K]['result']> {
  #threads: Thread[] = [];
  #failure: Error | undefined;
  #leftOut: unknown;
  #onUp = (): void => {};

  /**
   * Starts threads. They take tasks when {@link Workers.begin} has been called.
   * @param name what they load
   * @param sent what a thread gets for a task, and the memory to transfer
   */
  constructor(
    count: number,
    kind: K,
    name: Jobs[K]['name'],
    private readonly sent: (task: T) => readonly [Jobs[K]['task'], readonly ArrayBuffer[]],
  ) {
    const workerData: WorkerData<K> = { backend: getBackend(), modules: precompiled, kind, name };
    try {
      for (let i = 0; i < count; i++) this.#threads.push(this.#start(workerData));
    } catch (error) {
      if (!hasNoRoom(error)) {
        void this.close();
        throw error;
      }
      this.#leftOut = error; // the next ones would not start either
    }
  }

  /** Tells all threads what they need to know for their tasks. */
  begin(options: Jobs[K]['options']): void {
    for (const { worker } of this.#threads) worker.postMessage({ options } satisfies Message<K>);
  }

  /** Whether some thread has started. */
  get isUp(): boolean {
    return this.#threads.some(({ isUp }) => isUp);
  }

  /** Whether some thread that has started can take a task. After a failure they take it, and fail. */
  get hasRoom(): boolean {
    const canTake = ({ isUp, waiting }: Thread) => isUp && waiting.length < TASKS_A_THREAD;
    return this.#failure !== undefined || this.#threads.some(canTake);
  }

  /** Has a function called when a thread has started, or failed. */
  whenUp(call: () => void): void {
    this.#onUp = call;
  }

  /** Runs a task on the thread that has the fewest, of those that have started if there are any. */
  run(task: T): Promise<Jobs[K]['result']> {
    if (this.#threads.length === 0) this.#fail(this.#leftOut);
    const load = ({ isUp, waiting }: Thread) => (isUp ? waiting.length : Number.MAX_SAFE_INTEGER / 2 + waiting.length);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { worker, waiting } = this.#threads.reduce((a, b) => (load(b) < load(a) ? b : a));
    const [message, transfer] = this.sent(task);
    return new Promise((resolve, reject) => {
      waiting.push({ resolve: resolve as Waiting['resolve'], reject });
      worker.ref(); // keeps the process alive while there is something to wait for
      worker.postMessage({ task: message } satisfies Message<K>, transfer);
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
    // Loaded here, because it takes a millisecond, and as zlib is in files/compressed.ts. Not made by `new`, for which Next.js
    // takes every file that the path could be.
    const threads: typeof import('node:worker_threads') = Module.createRequire(resolve('/'))('node:worker_threads');
    // Its script needs no loaders: those of tsx make a thread start three times as slowly.
    const options = { workerData, execArgv: [] };
    const worker: Worker = Reflect.construct(threads.Worker, [scriptOfThreads(), options]);
    const waiting: Waiting[] = [];
    const thread = { worker, waiting, isUp: false };
    worker.on('message', (reply: Reply) => {
      if (reply === 'up') {
        thread.isUp = true;
        if (waiting.length === 0) worker.unref();
        this.#onUp();
        return;
      }
      const next = waiting.shift(); // nobody waits after all threads have ended
      if ('result' in reply) next?.resolve(reply.result);
      else next?.reject(Object.assign(reply.error, reply.fields));
      if (waiting.length === 0) worker.unref();
    });
    const onEnd = (cause: Error) => {
      if (!this.#threads.includes(thread)) return; // it is left out
      if (thread.isUp || waiting.length > 0 || !hasNoRoom(cause)) return this.#fail(cause);
      this.#leftOut = cause;
      this.#threads = this.#threads.filter((other) => other !== thread);
    };
    worker.on('error', onEnd);
    worker.on('exit', (code) => onEnd(new Error(`exit code ${code}`)));
    return thread;
  }

  #fail(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new Error(`a worker thread has ended: ${why}`, { cause });
    for (const { waiting } of this.#threads) for (const { reject } of waiting.splice(0)) reject(this.#failure);
    this.#onUp();
  }
}
