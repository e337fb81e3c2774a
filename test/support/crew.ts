// Processes that use one store, as `working-process.mjs` does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { Ledger, type Log, STRING_HEAD } from './ledger.js';

const SCRIPT = 'test/support/working-process.mjs';
const POLL_MS = 30;
const PATIENCE_MS = 60_000;
const TTL_MS = 3000; // shorter leases are lost on a busy machine

/** Few prefixes are soon met again, by processes that must not give the same numbers. */
export const PREFIX_BITS = 4;

const LATE = /has ended: it could not be renewed in time$/;

type Job = 'intern' | 'mint' | 'watch';

export interface WorkerOptions {
  readonly jobs?: readonly Job[];
  readonly ttlMs?: number;
  /** How many shards there are to lease. */
  readonly shards?: number;
  /** Options of node itself. */
  readonly node?: readonly string[];
  /** How many strings it interns in a call. */
  readonly strings?: number;
  readonly prefixBits?: number;
  /** How many ids it mints in a call. */
  readonly ids?: number;
  /** The number of the last string that there is. */
  readonly last?: number;
  /** How long it waits between two calls. */
  readonly pauseMs?: number;
}

/** What the tests of procedures need: little, all the time. */
const DEFAULTS = {
  jobs: ['intern', 'mint'] as readonly Job[],
  ttlMs: TTL_MS,
  shards: 6,
  node: [] as readonly string[],
  strings: 8,
  prefixBits: PREFIX_BITS,
  ids: 20,
  last: Number.MAX_SAFE_INTEGER,
  pauseMs: 100,
};

export interface Worker {
  readonly log: Log;
  /** Its place among those on duty. */
  readonly lane: number;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
}

export class Crew {
  readonly ledger = new Ledger();
  readonly #folder: string;
  readonly #workers = new Set<Worker>();
  #made = 0;
  /** Those that are replaced when they are killed, and the store in which they work. */
  #onDuty: Worker[] = [];
  readonly #options: WorkerOptions;
  readonly #size: number;

  /** @param folder for logs */
  constructor(folder: string, onFinished: (end: () => Promise<void>) => void, size: number, options: WorkerOptions) {
    this.#folder = folder;
    this.#size = size;
    this.#options = options;
    onFinished(async () => {
      await Promise.all(Array.from(this.#workers, (worker) => worker.kill()));
    });
  }

  /**
   * Starts a process that is not on duty: nobody replaces it.
   * @param lane which of the strings it takes, if it is on duty
   */
  start(store: string, options: WorkerOptions = {}, lane?: number): Worker {
    const { node, ...task } = { ...DEFAULTS, ...this.#options, ...options };
    const log = this.ledger.open(join(this.#folder, `log-${this.#made++}`));
    const [lanes, from] = [lane === undefined ? 1 : this.#size, this.ledger.firstMissing()];
    const told = JSON.stringify({ ...task, head: STRING_HEAD, from, lane: lane ?? 0, lanes });
    const child = spawn(process.execPath, [...node, SCRIPT, store, log.path, told], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit').then(() => {
      log.isEnded = true;
      this.#workers.delete(worker);
    });
    const worker: Worker = {
      log,
      lane: lane ?? 0,
      signal: (signal) => void child.kill(signal),
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
    };
    this.#workers.add(worker);
    return worker;
  }

  /** Starts the processes on duty. @returns those that were on duty before, which go on */
  begin(store: string, options?: WorkerOptions): readonly Worker[] {
    const before = this.#onDuty;
    this.#onDuty = Array.from({ length: this.#size }, (_, lane) => this.start(store, options, lane));
    return before;
  }

  /** Kills the processes on duty. */
  async stop(): Promise<void> {
    await Promise.all(this.#onDuty.splice(0).map((worker) => worker.kill()));
  }

  /** The processes on duty. */
  get onDuty(): readonly Worker[] {
    return this.#onDuty;
  }

  /** Starts processes in the place of those on duty that have ended. */
  replace(store: string, options?: WorkerOptions): void {
    this.#onDuty = this.#onDuty.map((worker) =>
      worker.log.isEnded ? this.start(store, options, worker.lane) : worker,
    );
  }

  /** Kills the processes on duty, if there are any, and starts others in their place. */
  async crash(store: string): Promise<void> {
    if (this.#onDuty.length === 0) return;
    await this.stop();
    this.begin(store);
  }

  /** Resolves when every process on duty does its jobs. */
  async working(): Promise<void> {
    await Promise.all(this.#onDuty.map((worker) => this.works(worker)));
  }

  /** Resolves when a process has been given something more by each of its jobs. */
  async works(worker: Worker, ...jobs: ('interned' | 'minted')[]): Promise<void> {
    const { log } = worker;
    this.ledger.read([log]);
    const before = { ...log.count };
    const needed = jobs.length > 0 ? jobs : (['interned', 'minted'] as const);
    await this.#until(
      log,
      () => needed.every((job) => log.count[job] > before[job]),
      () => `${log.path} does not go on: ${JSON.stringify(log)}`,
    );
  }

  /** Resolves when a process renews its lease. */
  async renews({ log }: Worker): Promise<void> {
    this.ledger.read([log]);
    const before = log.count.renewed;
    await this.#until(
      log,
      () => log.count.renewed > before,
      () => `${log.path} does not renew its lease`,
    );
  }

  /** Pauses a process of one job between two calls, until {@link Worker.signal} sends it SIGUSR2 again. */
  async pause(worker: Worker): Promise<void> {
    const { log } = worker;
    worker.signal('SIGUSR2');
    await this.#until(
      log,
      () => log.count.paused > 0,
      () => `${log.path} goes on: ${JSON.stringify(log.count)}`,
    );
  }

  /** Resolves when the processes on duty have ended by themselves, all of whose jobs have failed with such an error. */
  async refused(message: RegExp): Promise<void> {
    for (const worker of this.#onDuty.splice(0)) await this.isRefused(worker, message);
  }

  /** Resolves when a process has ended by itself, because its jobs have failed with such an error again and again. */
  async isRefused(worker: Worker, message: RegExp): Promise<void> {
    await this.#until(
      worker.log,
      () => worker.log.isEnded,
      () => `${worker.log.path} goes on: ${JSON.stringify(worker.log)}`,
    );
    const { failures } = worker.log;
    // On a busy machine, a process may have lost its lease before that.
    const others = failures.filter((failure) => !message.test(failure.message) && !LATE.test(failure.message));
    expect(others).toEqual([]);
    expect(failures.filter(({ isTransient }) => isTransient)).toEqual([]);
    expect(failures).not.toEqual([]);
  }

  /** Resolves when a process has lost its lease. */
  async losesLease({ log }: Worker): Promise<void> {
    await this.#until(
      log,
      () => log.failures.length > 0,
      () => `${log.path} goes on: ${JSON.stringify(log.count)}`,
    );
    expect(log.failures[0]?.message).toMatch(/^the lease of shard \d+ has ended/);
  }

  async #until(log: Log, isSo: () => boolean, otherwise: () => string): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; ; await setTimeout(POLL_MS)) {
      this.ledger.read([log]);
      if (isSo()) return;
      if (performance.now() > end) throw new Error(otherwise());
    }
  }
}
