import { qualified } from '../../../engines/qualified.js';
import { detailsOf, hasCode, StoreUnavailableError } from '../../../errors.js';
import { STATE_SETTING, type StateGuard } from '../../identity.js';
import { closed } from '../../store.js';
import type { PostgresClient } from './client.js';
import { codeOf, insideTransaction, mayBeCommitted, postgresError } from './errors.js';
import { fromAscii, type PostgresStatement, placeOf, reading, STATE, selectAnswer, toAscii } from './statements.js';

interface PostgresAnswer<T> {
  readonly pid: number;
  readonly began: string;
  /** Null if the statement does not ask for it. */
  readonly state: string | null;
  readonly value: T;
}

/** Answers nothing but the state. */
const NOTHING = reading(selectAnswer('null'));

/** Stands for the last parameter of a write, whose number differs. No name of a schema has a NUL. */
const PARAMETER = `'\0'`;

/** The code of the error of a write that found another state than the one expected. */
const DIVISION_BY_ZERO = '22012';

/** The state of the store and its place, from what `#stateOfStore` selects. */
function stateFrom(found: string | null): { readonly text: string | undefined; readonly place: string | undefined } {
  const [place, kept] = found?.split(/ (.*)/s) ?? [];
  return { text: kept === undefined ? undefined : fromAscii(kept), place };
}

/** Reads the rows of an answer. @throws StoreUnavailableError if they are not a whole answer */
function readAnswer<T>(rows: unknown): PostgresAnswer<T> {
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
class TransactionGuard {
  readonly #began = new Map<number, string>();

  /** @throws StoreUnavailableError if two answers come from the same transaction */
  check({ pid, began }: PostgresAnswer<unknown>): void {
    if (this.#began.get(pid) === began) throw insideTransaction();
    if (this.#began.size >= CONNECTIONS_KEPT) this.#began.clear();
    this.#began.set(pid, began);
  }
}

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
  /** How long it waits for the answer to a statement. */
  readonly timeoutMs: number;
  readonly guard: StateGuard;
  readonly #transactions = new TransactionGuard();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  #barrier: PostgresStatement | undefined;
  /** SQL of the place and the state of the store: in one text, so that a write compares both at once. */
  #stateOfStore = 'null';
  /** SQL of the same that fails unless it is a parameter, for which {@link PARAMETER} stands. */
  #expectedState = 'null';
  #hasWritten = false;
  #failures = 0;
  #settled: number;
  #settling: Promise<void> | undefined;

  constructor(client: PostgresClient, timeoutMs: number, guard: StateGuard) {
    this.#client = client;
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
  use(settings: string, barrier: PostgresStatement): void {
    this.#barrier = barrier;
    const kept = `(select ${placeOf('tableoid')} || ' ' || value from ${settings} where name = '${STATE_SETTING}')`;
    // Not a constant, so the division is done only if the state differs.
    const failing = '(1 / (random() * 0)::integer)::text';
    this.#stateOfStore = qualified(kept);
    this.#expectedState = qualified(
      `case when ${kept} = ${PARAMETER}::text then ${PARAMETER}::text else ${failing} end`,
    );
  }

  /** Whether the client keeps the server's warnings to itself. */
  get isDeaf(): boolean {
    return this.#client.isDeaf;
  }

  /** The value that a statement selects; see `selectAnswer`. */
  async ask<T>(statement: PostgresStatement, ...values: readonly (string | number | bigint)[]): Promise<T> {
    const params = values.map(String);
    const value = await (statement.isRead
      ? this.#guardedRead<T>(statement.text, params)
      : this.#guardedWrite<T>(statement.text, params));
    await this.#settle();
    return value;
  }

  /** Like `ask`, for a read and whatever state the store has. */
  async askAlways<T>({ text }: PostgresStatement, ...values: readonly string[]): Promise<T> {
    return (await this.#readAlways<T>(text, values)).value;
  }

  /** See `Store.place`. */
  async place(): Promise<string> {
    return (await this.#readAlways(NOTHING.text)).place ?? '';
  }

  /** Runs a write without parameters and without an answer. */
  async run(text: string): Promise<void> {
    await this.#inDoubt(() => this.#sendWrite(text, []));
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

  async #guardedRead<T>(text: string, params: readonly string[]): Promise<T> {
    const { state, value } = await this.#read<T>(this.#withState(text), params);
    const { text: kept, place } = stateFrom(state);
    this.guard.check(kept, 'read', place);
    return value;
  }

  /**
   * If the state is another one than expected, the statement fails as a whole. Then the state is read and checked, as it is
   * if the last one that was read allows no writes.
   */
  async #guardedWrite<T>(text: string, params: readonly string[]): Promise<T> {
    const { guard } = this;
    const guarded = this.#withState(
      text,
      this.#expectedState.replaceAll(PARAMETER, () => `$${params.length + 1}`),
    );
    for (;;) {
      if (guard.refusal(guard.text, 'write', guard.place) === undefined) {
        try {
          const known = `${guard.place} ${toAscii(guard.text ?? '')}`;
          return await this.#write<T>(guarded, [...params, known]);
        } catch (error) {
          if (codeOf(detailsOf(error).cause) !== DIVISION_BY_ZERO) throw error;
        }
      }
      const { text: now, place } = await this.#readAlways(NOTHING.text);
      guard.check(now, 'write', place);
    }
  }

  async #readAlways<T>(
    text: string,
    values: readonly string[] = [],
  ): Promise<ReturnType<typeof stateFrom> & { value: T }> {
    const { state, value } = await this.#read<T>(this.#withState(text), values);
    const found = stateFrom(state);
    this.guard.meet(found.text, found.place);
    await this.#settle();
    return { ...found, value };
  }

  /** @param state SQL of what is answered as the state */
  #withState(text: string, state = this.#stateOfStore): string {
    return text.replace(STATE, () => state);
  }

  /** An answer that is incomplete says nothing, so the statement is run again. */
  async #read<T>(text: string, params: readonly string[]): Promise<PostgresAnswer<T>> {
    for (let tries = 1; ; tries++) {
      const rows = await this.#send(text, params);
      try {
        return this.#answerIn<T>(rows);
      } catch (error) {
        const canRunAgain = hasCode(error, 'ERR_STORE_UNAVAILABLE') && error.isTransient;
        if (!canRunAgain || tries === READS_TRIED) throw error;
      }
    }
  }

  #write<T>(text: string, params: readonly string[]): Promise<T> {
    return this.#inDoubt(async () => this.#answerIn<T>(await this.#sendWrite(text, params)).value);
  }

  async #inDoubt<T>(write: () => Promise<T>): Promise<T> {
    this.#hasWritten = true;
    try {
      return await write();
    } catch (error) {
      if (mayBeCommitted(error)) this.#failures++;
      throw error;
    }
  }

  #answerIn<T>(rows: unknown): PostgresAnswer<T> {
    const answer = readAnswer<T>(rows);
    this.#transactions.check(answer);
    return answer;
  }

  async #sendWrite(text: string, params: readonly string[]): Promise<unknown> {
    const { warnings } = this.#client;
    const before = warnings.count;
    const rows = await this.#send(text, params);
    // The client may have several connections, and does not say which of them was warned.
    if (warnings.count !== before) throw notOnStandby();
    return rows;
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

  async #commit(barrier: PostgresStatement): Promise<void> {
    const doubts = this.#doubts; // those that come while it is running are settled by another one
    await this.#write(barrier.text, []);
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

function notOnStandby(): StoreUnavailableError {
  return new StoreUnavailableError(
    'the server stopped waiting for its synchronous standby: what it has committed may be missing there',
  );
}
