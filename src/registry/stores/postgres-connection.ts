import { hasCode, StoreUnavailableError } from '../../errors.js';
import { closed } from '../store.js';
import { type PostgresStatement, readAnswer, TransactionGuard } from './postgres-answers.js';
import type { PostgresClient } from './postgres-client.js';
import { postgresError } from './postgres-errors.js';

const READS_TRIED = 3;
const BUSY_MS = 100;

/** Runs statements over a client, each for a limited time. It throws only the errors of a store. */
export class Connection {
  readonly #client: PostgresClient;
  readonly #timeoutMs: number;
  readonly #guard = new TransactionGuard();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** @param timeoutMs how long to wait for the answer to a statement */
  constructor(client: PostgresClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * The value that a statement selects; see `selectAnswer`. An answer that is incomplete says nothing: a statement that
   * only reads is run again, and whether another one took effect stays unknown.
   */
  async ask<T>(statement: PostgresStatement, ...params: string[]): Promise<T> {
    for (let tries = 1; ; tries++) {
      const rows = await this.#send(statement.text, params);
      try {
        const answer = readAnswer<T>(rows);
        this.#guard.check(answer);
        return answer.value;
      } catch (error) {
        const canRunAgain = statement.isRead && hasCode(error, 'ERR_STORE_UNAVAILABLE') && error.isTransient;
        if (!canRunAgain || tries === READS_TRIED) throw error;
      }
    }
  }

  /** Runs a statement without parameters and without an answer. */
  async run(text: string): Promise<void> {
    await this.#send(text, []);
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
        const due = performance.now() + this.#timeoutMs;
        timer = setTimeout(() => {
          // If the timer itself is late, this process was busy and could not read the answer.
          if (performance.now() > due + BUSY_MS) return wait();
          reject(new StoreUnavailableError(`the server did not answer within ${this.#timeoutMs} ms`));
          giveUp();
        }, this.#timeoutMs);
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
