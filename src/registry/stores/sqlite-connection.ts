import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '../../errors.js';
import { closed } from '../store.js';
import { prepare, resultCode, type SqliteDatabase, type SqliteStatement, transaction } from './sqlite-driver.js';
import { isBusy, sqliteError } from './sqlite-errors.js';

// A commit of another process takes some milliseconds. Pauses of random length let several processes take turns.
const LONGEST_PAUSE_MS = 10;
const PATIENCE_MS = 30_000;

// Calls made at the same time are committed together, for at most this long, because other processes wait.
const COMMIT_MS = 40;

interface SqliteCommit {
  work(): void;
  done(): void;
  failed(error: unknown): void;
}

/** Transactions on an open database, one after the other. */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #name: string;
  readonly #waiting: SqliteCommit[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #state: SqliteStatement;
  #isCommitting = false;
  #isClosed = false;

  /** @param name the name of the store, for errors */
  constructor(database: SqliteDatabase, name: string) {
    this.#database = database;
    this.#name = name;
    // `data_version` counts the writes of other connections, `total_changes` those of this one.
    this.#state = prepare(database, `select data_version || ' ' || total_changes() as state from pragma_data_version`);
  }

  /** Within a transaction: a text that changes when anybody has written, over this connection or another one. */
  state(): string {
    return this.#state.get()?.state as string;
  }

  /** Reads as of one instant. @throws the errors of a store */
  read<T>(work: () => T): Promise<T> {
    return this.#running(() => patiently(this.#name, () => transaction(this.#database, 'begin', work)));
  }

  /**
   * Reads and writes. The changes are on disk when this resolves.
   * @param work may run again after its changes were undone; if it throws, its changes are undone
   * @throws the errors of a store; what `work` throws
   */
  commit<T>(work: () => T): Promise<T> {
    const enqueue = (done: (result: T) => void, failed: (error: unknown) => void) => {
      let result: T;
      this.#waiting.push({
        work: () => {
          result = work();
        },
        done: () => done(result),
        failed,
      });
      if (!this.#isCommitting) void this.#commitWaiting();
    };
    return this.#running(() => new Promise<T>(enqueue));
  }

  /** Uses the database outside of transactions, when all earlier calls are done. */
  async alone(work: (database: SqliteDatabase) => void | Promise<void>): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await patiently(this.#name, () => work(this.#database));
  }

  /** Like {@link SqliteConnection.alone}, for the last use. Calls of many pieces fail at their next piece. */
  close(work: (database: SqliteDatabase) => void): Promise<void> {
    return this.alone((database) => {
      this.#isClosed = true;
      work(database);
    });
  }

  #running<T>(start: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(closed());
    const call = start();
    this.#underWay.add(call);
    return call.finally(() => this.#underWay.delete(call));
  }

  async #commitWaiting(): Promise<void> {
    this.#isCommitting = true;
    while (this.#waiting.length > 0) {
      await setImmediate(); // calls made until then are committed together
      let count = 0;
      let isWorking = false;
      try {
        await patiently(this.#name, () => {
          count = 0;
          isWorking = false;
          transaction(this.#database, 'begin immediate', () => {
            for (const end = performance.now() + COMMIT_MS; ; ) {
              const commit = this.#waiting[count];
              if (commit === undefined || (count > 0 && performance.now() > end)) break;
              count++;
              isWorking = true;
              commit.work();
              isWorking = false;
            }
          });
        });
        for (const { done } of this.#waiting.splice(0, count)) done();
      } catch (error) {
        const isOwnFault = isWorking && resultCode((error as Error).cause ?? error) === undefined;
        // If one call's work fails, only that call fails, and the others are tried again. If a write fails, all fail.
        const failed = isOwnFault ? this.#waiting.splice(count - 1, 1) : this.#waiting.splice(0, Math.max(1, count));
        for (const commit of failed) commit.failed(error);
      }
    }
    this.#isCommitting = false;
  }
}

/**
 * Runs work, and runs it again while another connection is writing, without blocking the thread.
 * @param name the name of the store, for errors
 * @throws the errors of a store; errors that are not SQLite's stay as they are
 */
export async function patiently<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw sqliteError(error, name);
      if (performance.now() > end) {
        const message = `${name}: another program has been writing to the file for ${PATIENCE_MS / 1000} s`;
        throw new StoreUnavailableError(message, { cause: error, isTransient: false });
      }
    }
    await setTimeout(Math.random() * LONGEST_PAUSE_MS);
  }
}
