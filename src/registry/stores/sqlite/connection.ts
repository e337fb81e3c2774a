import { setImmediate, setTimeout } from 'node:timers/promises';
import { detailsOf, StoreCorruptError, StoreUnavailableError } from '../../../errors.js';
import { closed } from '../../store.js';
import { prepare, resultCode, type SqliteDatabase, type SqliteStatement, transaction } from './driver.js';
import { commitCounter } from './log.js';

export function isBusy(error: unknown): boolean {
  return ['BUSY', 'LOCKED'].includes(resultCode(error) ?? '');
}

/**
 * Turns an error of SQLite or the file system into an error of the store. Other errors stay as they are.
 * @param path the path of the file, for the message
 */
export function sqliteError(error: unknown, path: string): unknown {
  const code = resultCode(error);
  const { syscall, code: name } = detailsOf(error);
  const isOfFileSystem = typeof syscall === 'string' || name === 'ERR_ACCESS_DENIED'; // of Node's permission model
  if (code === undefined && !isOfFileSystem) return error;
  const message = `${path}: ${MESSAGES[code ?? ''] ?? detailsOf(error).message}`;
  if (code !== undefined && ['CORRUPT', 'NOTADB', 'CONSTRAINT'].includes(code))
    return new StoreCorruptError(message, { cause: error });
  return new StoreUnavailableError(message, { cause: error, isTransient: false });
}

const MESSAGES: { readonly [code: string]: string } = {
  NOTADB: 'not a store of shardbits: it is not a SQLite database',
  CORRUPT: 'the file is damaged or cut short; restore a backup',
  FULL: 'no space left on the disk',
  READONLY: 'the file cannot be written to',
};

// A commit of another process takes some milliseconds. Pauses of random length let several processes take turns.
const MAX_PAUSE_MS = 10;

// Closing needs no lock but that of writing the log back, which is left to others if they hold it.
const CLOSING_MS = 500;

// Calls made at the same time are committed together, for at most this long, because other processes wait.
const COMMIT_MS = 40;

// Calls that wait take memory.
const MAX_WAITING = 65_536;

interface WaitingCall {
  work(): void;
  done(): void;
  failed(error: unknown): void;
  /** When the call gives up, on the monotonic clock. */
  readonly deadline: number;
}

export interface SqliteWaiting {
  readonly name: string;
  /** How long a call waits for other programs, from its start, in milliseconds. */
  readonly timeoutMs: number;
}

/** Transactions on an open database, one after the other. */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #waits: SqliteWaiting;
  readonly #waiting: WaitingCall[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #state: SqliteStatement<{ state: string }>;
  readonly #countCommit: (() => void) | undefined;
  #isCommitting = false;
  #isClosed = false;

  constructor(database: SqliteDatabase, waits: SqliteWaiting) {
    this.#database = database;
    this.#waits = waits;
    this.#countCommit = commitCounter(database);
    // `data_version` counts the writes of other connections, `total_changes` those of this one.
    this.#state = prepare(database, `select data_version || ' ' || total_changes() as state from pragma_data_version`);
  }

  /** Within a transaction: a text that changes when anybody has written, over this connection or another one. */
  state(): string {
    return this.#state.get()?.state ?? '';
  }

  /** Reads as of one instant. @throws the errors of a store */
  read<T>(work: () => T): Promise<T> {
    return this.#running(() => patiently(this.#waits, () => transaction(this.#database, 'begin', work)));
  }

  /** Runs a single statement that reads, without a transaction: at once, if it need not wait. @throws the errors of a store */
  alone<T>(work: () => T): T | Promise<T> {
    if (this.#isClosed) throw closed();
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw sqliteError(error, this.#waits.name);
      return this.#running(() => patiently(this.#waits, work));
    }
  }

  /**
   * Reads and writes. The changes are on disk when this resolves. Calls that wait for other programs fail when their
   * own time is over, whatever waits before them.
   * @param work may run again after its changes were undone; if it throws, its changes are undone
   * @throws the errors of a store; what `work` throws
   */
  commit<T>(work: () => T): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) {
      const message = `${this.#waits.name}: ${MAX_WAITING} calls are waiting to write already`;
      return Promise.reject(new StoreUnavailableError(message));
    }
    return this.#running(() => {
      return new Promise<T>((resolve, failed) => {
        let result: T;
        this.#waiting.push({
          work: () => {
            result = work();
          },
          done: () => resolve(result),
          failed,
          deadline: performance.now() + this.#waits.timeoutMs,
        });
        if (!this.#isCommitting) void this.#commitWaiting();
      });
    });
  }

  outside(work: (database: SqliteDatabase) => void | Promise<void>): Promise<void> {
    return this.#running(() => patiently(this.#waits, () => work(this.#database)));
  }

  /** Like {@link SqliteConnection.outside}, when all calls have ended. Calls of many pieces fail at their next piece. */
  async close(work: (database: SqliteDatabase) => void): Promise<void> {
    this.#isClosed = true;
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await patiently({ ...this.#waits, timeoutMs: CLOSING_MS }, () => work(this.#database));
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
        transaction(this.#database, 'begin immediate', () => {
          const before = this.state();
          for (const end = performance.now() + COMMIT_MS; ; ) {
            const commit = this.#waiting[count];
            if (commit === undefined || (count > 0 && performance.now() > end)) break;
            count++;
            isWorking = true;
            commit.work();
            isWorking = false;
          }
          if (this.state() !== before) this.#countCommit?.();
        });
        for (const { done } of this.#waiting.splice(0, count)) done();
      } catch (error) {
        if (isBusy(error)) await this.#waitForOthers(error);
        else {
          const isOwnFault = isWorking && resultCode(detailsOf(error).cause ?? error) === undefined;
          // If one call's work fails, only that call fails, and the others are tried again. If a write fails, all fail.
          const failed = isOwnFault ? this.#waiting.splice(count - 1, 1) : this.#waiting.splice(0, Math.max(1, count));
          for (const commit of failed) commit.failed(sqliteError(error, this.#waits.name));
        }
      }
    }
    this.#isCommitting = false;
  }

  async #waitForOthers(error: unknown): Promise<void> {
    const now = performance.now();
    const late = this.#waiting.findIndex(({ deadline }) => deadline > now); // the earliest call is the first
    for (const { failed } of this.#waiting.splice(0, late < 0 ? this.#waiting.length : late)) {
      failed(tooLate(this.#waits, error));
    }
    await pause();
  }
}

/**
 * Runs work, and runs it again while another connection is writing, without blocking the thread.
 * @throws the errors of a store; errors that are not SQLite's stay as they are
 */
export async function patiently<T>(waits: SqliteWaiting, work: () => T | Promise<T>): Promise<T> {
  for (const deadline = performance.now() + waits.timeoutMs; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw sqliteError(error, waits.name);
      if (performance.now() > deadline) throw tooLate(waits, error);
    }
    await pause();
  }
}

function pause(): Promise<void> {
  return setTimeout(Math.random() * MAX_PAUSE_MS);
}

function tooLate({ name, timeoutMs }: SqliteWaiting, cause: unknown): StoreUnavailableError {
  const message = `${name}: another program has been writing to the file for ${timeoutMs} ms`;
  return new StoreUnavailableError(message, { cause });
}
