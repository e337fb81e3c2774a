import { StoreUnavailableError } from '../../errors.js';
import { insideTransaction } from './postgres-errors.js';

/** One statement, which is a transaction of its own. All parameters are text: clients differ in other types. */
export interface PostgresStatement {
  readonly text: string;
  /** Whether it changes nothing, so that it can be run again. */
  readonly isRead: boolean;
}

/**
 * What every statement selects: one row with one text, which is the JSON of a value and of the transaction in which it was
 * read. This shows whether an answer is complete: postgres.js 3.4.9 returns answers with holes after it has reconnected.
 * The column's name is one word, so that clients that convert names do not change it.
 * @param value SQL of a json value
 */
export function selectAnswer(value: string): string {
  return `
    select json_build_object(
      'pid', pg_backend_pid(),
      'began', extract(epoch from now())::text,
      'value', ${value}
    )::text as answer`;
}

interface PostgresAnswer<T> {
  readonly pid: number;
  readonly began: string;
  readonly value: T;
}

/** Reads the rows of an answer. @throws StoreUnavailableError if they are not a whole answer */
export function readAnswer<T>(rows: unknown): PostgresAnswer<T> {
  try {
    const { length, 0: row } = rows as { length: number; 0: { answer: string } };
    const answer = JSON.parse(row.answer);
    if (length === 1 && typeof answer.pid === 'number' && typeof answer.began === 'string') return answer;
  } catch {} // no rows, a hole, another column, or text that was cut off
  throw new StoreUnavailableError("the server's answer was incomplete");
}

// A server has some hundreds of connections; poolers bring new ones.
const CONNECTIONS_KEPT = 1000;

/**
 * Notices a client that is inside a transaction, where `now()` stands still: two statements of one connection that
 * began at the same microsecond are in the same transaction.
 */
export class TransactionGuard {
  readonly #began = new Map<number, string>();

  /** @throws StoreUnavailableError if two answers come from the same transaction */
  check({ pid, began }: PostgresAnswer<unknown>): void {
    if (this.#began.get(pid) === began) throw insideTransaction();
    if (this.#began.size >= CONNECTIONS_KEPT) this.#began.clear();
    this.#began.set(pid, began);
  }
}
