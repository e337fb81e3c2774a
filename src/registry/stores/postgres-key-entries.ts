import { StoreConflictError } from '../../errors.js';
import { contradicts, type Entries } from '../store.js';
import type { Connection } from './postgres-connection.js';
import { collision, hashesOf, type StoreHashKey } from './postgres-hashes.js';
import { checkLengths, idsOf, keysOf, MOST_BYTES, parametersOf, piecesOf } from './postgres-key-columns.js';
import type { PostgresKeyStatements } from './postgres-key-statements.js';
import type { HashKey } from './string-hashes.js';

const MOST_ROWS_READ = 10_000;
const MOST_ROWS_COUNTED = 1_000_000;
const FIRST_SIGNED = -(2n ** 63n);
const LAST_SIGNED = 2n ** 63n - 1n;
const RESTORES_TRIED = 3;

/** All entries of one space, for counting, checking and copying. */
export class KeyEntries {
  readonly #connection: Connection;
  readonly #hashKey: StoreHashKey;
  readonly #statements: PostgresKeyStatements;

  constructor(statements: PostgresKeyStatements, connection: Connection, hashKey: StoreHashKey) {
    this.#connection = connection;
    this.#hashKey = hashKey;
    this.#statements = statements;
  }

  async count(): Promise<number> {
    let all = 0;
    for (let first = FIRST_SIGNED; first <= LAST_SIGNED; ) {
      const params = [String(first), String(MOST_ROWS_COUNTED)];
      const page = await this.#connection.ask<{ count: number; last: string | null }>(
        this.#statements.count,
        ...params,
      );
      all += page.count;
      if (page.last === null || page.count < MOST_ROWS_COUNTED) break;
      first = BigInt(page.last) + 1n;
    }
    return all;
  }

  async *all(): AsyncIterable<Entries> {
    for (let first = FIRST_SIGNED; first <= LAST_SIGNED; ) {
      const params = [first, MOST_ROWS_READ, MOST_BYTES].map(String);
      const page = await this.#connection.ask<{ ids: string[] | null; lengths: number[] | null; bytes: string | null }>(
        this.#statements.entries,
        ...params,
      );
      const ids = page.ids ?? [];
      if (ids.length === 0) return;
      yield { keys: keysOf(page.bytes, page.lengths), ids: idsOf(ids) };
      first = BigInt(ids.at(-1) as string) + 1n;
    }
  }

  async counters(): Promise<Map<number, bigint>> {
    const all = new Map<number, bigint>();
    for (let first = 0; ; ) {
      const page = await this.#connection.ask<{ prefixes: number[] | null; last: string[] | null }>(
        this.#statements.counters,
        String(first),
        String(MOST_ROWS_READ),
      );
      const prefixes = page.prefixes ?? [];
      for (const [i, prefix] of prefixes.entries()) all.set(prefix, BigInt(page.last?.[i] as string));
      if (prefixes.length < MOST_ROWS_READ) return all;
      first = (prefixes.at(-1) as number) + 1;
    }
  }

  async restore({ keys, ids }: Entries): Promise<void> {
    checkLengths(keys);
    for (const [from, to] of piecesOf(keys)) {
      await this.#restorePiece(keys.slice(from, to), ids.slice(from, to));
    }
  }

  async restoreCounters(counters: ReadonlyMap<number, bigint>): Promise<void> {
    const rows = Array.from(counters, ([prefix, last]) => ({ prefix, last: String(last) }));
    for (let from = 0; from < rows.length; from += MOST_ROWS_READ) {
      const some = JSON.stringify(rows.slice(from, from + MOST_ROWS_READ));
      await this.#connection.ask(this.#statements.restoreCounters, some);
    }
  }

  async #restorePiece(keys: readonly string[], ids: BigUint64Array): Promise<void> {
    const signed = `{${new BigInt64Array(ids)}}`;
    for (let tries = 0; tries < RESTORES_TRIED; tries++) {
      const hashKey = await this.#hashKey.findOrMake();
      const params = [hashesOf(keys, hashKey), ...parametersOf(keys), hashKey, signed];
      const done = await this.#connection.ask<{
        hashKey: HashKey | null;
        inserted: number;
        kept: number;
        collision: number | null;
        other: number | null;
      }>(this.#statements.restore, ...params);
      this.#hashKey.check(hashKey, done.hashKey);
      if (done.collision !== null) throw collision(keys[done.collision - 1] as string);
      if (done.other !== null) throw contradicts(ids[done.other - 1] as bigint);
      if (done.inserted + done.kept === keys.length) return;
    }
    throw new StoreConflictError('another process is inserting the same keys or ids');
  }
}
