import { detailsOf, hasCode, StoreUnavailableError } from '../../../errors.js';
import type { StateGuard } from '../../identity.js';
import { closed } from '../../store.js';
import type { PostgresClient } from './client.js';
import { codeOf, insideTransaction, mayBeCommitted, postgresError } from './errors.js';
import {
  answerIn,
  expectedState,
  guardedBy,
  OTHER_STATE,
  type PostgresAnswer,
  type PostgresStatement,
  reading,
  selectAnswer,
} from './guarded-statements.js';

const NOTHING = reading(selectAnswer('null'));

const MAX_SIGNED = 2n ** 63n - 1n; // of a bigint of the database

// A server has some hundreds of connections; poolers bring new ones.
const CONNECTIONS_KEPT = 1000;
const READS_TRIED = 3;
const BUSY_MS = 100;

/**
 * Runs statements over a client, each for a limited time. It throws only the errors of a store.
 *
 * After a write in doubt (one that may be committed, but not on a standby that may take over) no answer is given before
 * a later commit is on the standby, and with it all that the answer may rest on: the server sends its commits in order.
 */
export class Connection {
  readonly #client: PostgresClient;
  readonly timeoutMs: number;
  readonly guard: StateGuard;
  readonly isDeaf: boolean;
  /** When the last statement of each connection of the server began. */
  readonly #began = new Map<number, string>();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  #barrier: PostgresStatement<boolean> | undefined;
  #guarded: ReturnType<typeof guardedBy> | undefined;
  #hasWritten = false;
  #failures = 0;
  #settled: number;
  #settling: Promise<void> | undefined;

  constructor(client: PostgresClient, timeoutMs: number, guard: StateGuard) {
    this.#client = client;
    this.isDeaf = client.isDeaf;
    this.timeoutMs = timeoutMs;
    this.guard = guard;
    this.#settled = this.#doubts;
  }

  /**
   * From now on every statement reads the state of the store, and gives an answer only if the state allows it. A write
   * changes nothing unless the state is the one that was read last.
   * @param settings the table of settings
   * @param barrier a small write, with which the doubts about earlier ones end
   */
  use(settings: string, barrier: PostgresStatement<boolean>): void {
    this.#barrier = barrier;
    this.#guarded = guardedBy(settings);
  }

  /** The value that a statement selects; see `selectAnswer`. */
  async ask<T>({ text, isRead }: PostgresStatement<T>, ...values: readonly (string | number | bigint)[]): Promise<T> {
    const params = values.map(String);
    const answer = await (isRead ? this.#read<T>(text, params) : this.#guardedWrite<T>(text, params));
    if (isRead) this.guard.check(answer.text, 'read', answer.place);
    await this.#settle();
    return answer.value;
  }

  /**
   * The pages of a read, each from the number that comes after the last one of the page before.
   * @param lastOf the last number of a page; none if there are no more pages
   */
  async *pages<T>(
    statement: PostgresStatement<T>,
    first: bigint,
    lastOf: (page: T) => string | number | null | undefined,
    ...limits: readonly number[]
  ): AsyncGenerator<T> {
    for (let from = first; from <= MAX_SIGNED; ) {
      const page = await this.ask(statement, from, ...limits);
      yield page;
      from = BigInt(lastOf(page) ?? MAX_SIGNED) + 1n;
    }
  }

  /** Like `ask`, for a read and whatever state the store has. */
  async askAlways<T>({ text }: PostgresStatement<T>, ...values: readonly string[]): Promise<T> {
    return (await this.#readAlways<T>(text, values)).value;
  }

  async place(): Promise<string> {
    return (await this.#readAlways(NOTHING.text)).place ?? '';
  }

  /** Runs a write without parameters and without an answer. */
  run(text: string): Promise<void> {
    return this.#write(text, [], () => {});
  }

  checkOpen(): void {
    if (this.#closing !== undefined) throw closed();
  }

  /** Waits until all running statements are answered or late. */
  close(): Promise<void> {
    // After a lost connection, end() of postgres.js waits for its query for ever (porsager/postgres#1097).
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#client.close());
    return this.#closing;
  }

  /**
   * If the state is another one than expected, the statement fails as a whole. Then the state is read and checked, as it is
   * if the last one that was read allows no writes.
   */
  async #guardedWrite<T>(text: string, params: readonly string[]): Promise<PostgresAnswer<T>> {
    const { guard } = this;
    const guarded = this.#guarded?.writing(text, params.length) ?? text;
    for (;;) {
      if (guard.refusal(guard.text, 'write', guard.place) === undefined) {
        try {
          const known = expectedState(guard.text, guard.place);
          return await this.#write(guarded, [...params, known], (rows) => this.#answerIn<T>(rows));
        } catch (error) {
          if (codeOf(detailsOf(error).cause) !== OTHER_STATE) throw error;
        }
      }
      const { text: now, place } = await this.#readAlways(NOTHING.text);
      guard.check(now, 'write', place);
    }
  }

  async #readAlways<T>(text: string, params: readonly string[] = []): Promise<PostgresAnswer<T>> {
    const answer = await this.#read<T>(text, params);
    this.guard.meet(answer.text, answer.place);
    await this.#settle();
    return answer;
  }

  /** An answer that is incomplete says nothing, so the statement is run again. */
  async #read<T>(text: string, params: readonly string[]): Promise<PostgresAnswer<T>> {
    const withState = this.#guarded?.reading(text) ?? text;
    for (let tries = 1; ; tries++) {
      const rows = await this.#send(withState, params);
      try {
        return this.#answerIn<T>(rows);
      } catch (error) {
        const canRunAgain = hasCode(error, 'ERR_STORE_UNAVAILABLE') && error.isTransient;
        if (!canRunAgain || tries === READS_TRIED) throw error;
      }
    }
  }

  async #write<T>(text: string, params: readonly string[], resultOf: (rows: unknown) => T): Promise<T> {
    this.#hasWritten = true;
    const { warnings } = this.#client;
    const before = warnings.count;
    try {
      const rows = await this.#send(text, params);
      // The client may have several connections, and does not say which of them was warned.
      if (warnings.count !== before) {
        const why = 'the server stopped waiting for its synchronous standby';
        throw new StoreUnavailableError(`${why}: what it has committed may be missing there`);
      }
      return resultOf(rows);
    } catch (error) {
      if (mayBeCommitted(error)) this.#failures++;
      throw error;
    }
  }

  /**
   * Also notices a client that is inside a transaction, where `now()` stands still: two statements of one connection that
   * began at the same microsecond are in the same transaction.
   */
  #answerIn<T>(rows: unknown): PostgresAnswer<T> {
    const answer = answerIn<T>(rows);
    if (this.#began.get(answer.pid) === answer.began) throw insideTransaction();
    if (this.#began.size >= CONNECTIONS_KEPT) this.#began.clear();
    this.#began.set(answer.pid, answer.began);
    return answer;
  }

  /** How many reasons for doubt there have been. A warning can also come after this connection has given up a write. */
  get #doubts(): number {
    return this.#failures + this.#client.warnings.count;
  }

  /** Waits until nothing is in doubt. A connection that has never written need not be able to, so it does not wait. */
  async #settle(): Promise<void> {
    const barrier = this.#barrier;
    if (barrier === undefined || !this.#hasWritten) return;
    while (this.#settled < this.#doubts) {
      this.#settling ??= this.#commit(barrier).finally(() => {
        this.#settling = undefined;
      });
      await this.#settling;
    }
  }

  async #commit(barrier: PostgresStatement<boolean>): Promise<void> {
    const doubts = this.#doubts; // those that come while it is running are settled by another one
    await this.#write(barrier.text, [], (rows) => this.#answerIn(rows));
    this.#settled = doubts;
  }

  async #send(text: string, params: readonly string[]): Promise<unknown> {
    this.checkOpen();
    const answer = this.#answerInTime(text, params);
    this.#running.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw postgresError(error);
    } finally {
      this.#running.delete(answer);
    }
  }

  async #answerInTime(text: string, params: readonly string[]): Promise<unknown> {
    const { rows, giveUp } = this.#client.send(text, params);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const wait = (): void => {
        const due = performance.now() + this.timeoutMs;
        timer = setTimeout(() => {
          // If the timer itself is late, this process was busy and could not read the answer.
          if (performance.now() > due + BUSY_MS) return wait();
          reject(new StoreUnavailableError(`the server did not answer within ${this.timeoutMs} ms`));
          giveUp();
        }, this.timeoutMs);
      };
      wait();
    });
    try {
      return await Promise.race([rows, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
