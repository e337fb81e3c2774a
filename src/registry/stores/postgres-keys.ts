import { StoreConflictError } from '../../errors.js';
import type { Block } from '../store.js';
import type { Connection } from './postgres-connection.js';
import { codeOf } from './postgres-errors.js';
import { collision, hashesOf, type StoreHashKey } from './postgres-hashes.js';
import { checkLengths, idsOf, isTooLong, keysOf, MOST_BYTES, parametersOf, piecesOf } from './postgres-key-columns.js';
import { type AssignVerdict, COLLISION, KNOWN, type PostgresKeyStatements } from './postgres-key-statements.js';
import type { HashKey } from './string-hashes.js';

const MOST_IDS = 5000;
const CALLS_WHEN_OUTRUN = 16;

/** What assigning answers. */
interface AssignAnswer {
  readonly verdict: AssignVerdict;
  readonly last: string;
  readonly known: readonly (readonly [row: number, id: string])[] | null;
}

/** The keys of one space, and giving ids to them. */
export class PostgresKeys {
  readonly #connection: Connection;
  readonly #hashKey: StoreHashKey;
  readonly #statements: PostgresKeyStatements;
  /** For how many more calls others are likely to insert the same keys at the same time. */
  #outrun = 0;

  constructor(statements: PostgresKeyStatements, connection: Connection, hashKey: StoreHashKey) {
    this.#connection = connection;
    this.#hashKey = hashKey;
    this.#statements = statements;
  }

  async lookup(keys: readonly string[]): Promise<BigUint64Array> {
    if (keys.some(isTooLong)) {
      const found = (await this.lookup(keys.filter((key) => !isTooLong(key)))).values();
      return BigUint64Array.from(keys, (key) => (isTooLong(key) ? 0n : (found.next().value as bigint)));
    }
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of piecesOf(keys)) {
      const hashKey = await this.#hashKey.find();
      if (hashKey === undefined) continue; // nothing has an id yet
      ids.set(await this.#lookupPiece(hashKey, keys.slice(from, to)), from);
    }
    return ids;
  }

  async resolve(ids: BigUint64Array): Promise<(string | undefined)[]> {
    const keys = new Array<string | undefined>(ids.length).fill(undefined);
    for (let from = 0; from < ids.length; ) {
      const some = new BigInt64Array(ids.slice(from, from + MOST_IDS));
      const page = await this.#connection.ask<{
        rows: number[] | null;
        lengths: number[] | null;
        bytes: string | null;
        found: number;
      }>(this.#statements.resolve, `{${some}}`, String(MOST_BYTES));
      const rows = page.rows ?? [];
      for (const [i, key] of keysOf(page.bytes, page.lengths).entries()) keys[from + (rows[i] as number) - 1] = key;
      from += rows.length < page.found ? (rows.at(-1) as number) : some.length;
    }
    return keys;
  }

  async assign(block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    checkLengths(keys);
    const ids = await this.#assignPieces(block, keys);
    if (ids !== undefined || keys.length === 1) return ids;
    // There may be room after all, if some of the keys have ids already.
    const known = await this.lookup(keys);
    const missing = keys.filter((_, row) => known[row] === 0n);
    if (missing.length === keys.length) return undefined;
    const assigned = (await this.#assignPieces(block, missing))?.values();
    return assigned && known.map((id) => id || (assigned.next().value as bigint));
  }

  async counter(prefix: number): Promise<bigint> {
    return BigInt(await this.#connection.ask<string>(this.#statements.counter, String(prefix)));
  }

  async #lookupPiece(hashKey: HashKey, keys: readonly string[]): Promise<BigUint64Array> {
    const params = [hashesOf(keys, hashKey), ...parametersOf(keys)];
    const found = await this.#connection.ask<{ hashKey: HashKey | null; ids: string[] }>(
      this.#statements.lookup,
      ...params,
    );
    this.#hashKey.check(hashKey, found.hashKey);
    if (found.ids.includes(COLLISION)) throw collision(keys[found.ids.indexOf(COLLISION)] as string);
    return idsOf(found.ids);
  }

  /** Like `assign`, but counts all keys after the first piece as new when it checks for room. */
  async #assignPieces(block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of piecesOf(keys)) {
      const given = await this.#assignPiece(block, keys.slice(from, to), keys.length - to);
      if (given === undefined && from > 0) throw new StoreConflictError('others have taken numbers of the prefix');
      if (given === undefined) return undefined;
      ids.set(given, from);
    }
    return ids;
  }

  /** @param rest how many more numbers the other pieces need */
  async #assignPiece(block: Block, keys: readonly string[], rest: number): Promise<BigUint64Array | undefined> {
    const hashKey = await this.#hashKey.findOrMake();
    const from = [block.prefix, BigInt.asIntN(64, block.base), block.max, rest].map(String);
    const params = [hashesOf(keys, hashKey), ...parametersOf(keys), hashKey, ...from];
    const done =
      (await this.#assignNew(params)) ?? (await this.#connection.ask<AssignAnswer>(this.#statements.assign, ...params));
    if (done.verdict === 'full') return undefined;
    if (done.verdict === 'rekeyed') this.#hashKey.check(hashKey, null);
    if (done.verdict === 'passed') throw new StoreConflictError('others have taken numbers of the prefix');
    if (done.verdict === 'assigned' || done.verdict === 'known') {
      const ids = new BigUint64Array(keys.length);
      for (const [row, id] of done.known ?? []) ids[row - 1] = BigInt(id); // stored as unsigned
      let next = block.base + BigInt(done.last);
      return ids.map((id) => id || ++next);
    }
    const found = await this.#lookupPiece(hashKey, keys);
    if (found.includes(0n)) throw new StoreConflictError('another process is inserting the same keys');
    return found;
  }

  /** @returns undefined if nothing was done: some of the keys have ids, or there is no room unless some have */
  async #assignNew(params: readonly string[]): Promise<AssignAnswer | undefined> {
    if (this.#outrun > 0) {
      this.#outrun--;
      return undefined;
    }
    try {
      const done = await this.#connection.ask<AssignAnswer>(this.#statements.assignNew, ...params);
      return done.verdict === 'full' ? undefined : done;
    } catch (error) {
      if (codeOf((error as Error).cause) !== KNOWN) throw error;
      this.#outrun = CALLS_WHEN_OUTRUN;
      return undefined;
    }
  }
}
