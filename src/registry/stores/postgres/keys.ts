import { wrongValue } from '../../../arguments.js';
import { detailsOf, StoreConflictError } from '../../../errors.js';
import { type Block, contradicts, type Entries, type Space, type Store } from '../../store.js';
import { piecesOf } from '../shared/pieces.js';
import type { HashKey } from '../shared/string-hashes.js';
import type { Connection } from './connection.js';
import { codeOf } from './errors.js';
import { collision, hashesOf, StoreHashKey } from './hashes.js';
import { type AssignVerdict, COLLISION, KNOWN, keyStatements, OUTRUN } from './key-statements.js';
import { PostgresLeases } from './leases.js';
import { checkTables } from './schema.js';
import { tablesIn } from './tables.js';

// How keys are sent: the bytes of all of them in one column in base64, and where each key starts.

/** Keys, as parameters of a statement. */
function parametersOf(keys: readonly string[]): [bytes: string, starts: string, lengths: string] {
  const lengths = keys.map((key) => Buffer.byteLength(key));
  const starts: number[] = [];
  let next = 1; // SQL counts from 1
  for (const length of lengths) {
    starts.push(next);
    next += length;
  }
  let bytes = Buffer.from(keys.join(''));
  // Joining two keys can join the halves of a surrogate pair, which changes the bytes.
  if (bytes.length !== next - 1) bytes = Buffer.concat(keys.map((key) => Buffer.from(key)));
  return [bytes.toString('base64'), `{${starts}}`, `{${lengths}}`];
}

/** The keys of an answer. */
function keysOf(bytes: string | null, lengths: readonly number[] | null): string[] {
  const column = Buffer.from(bytes ?? '', 'base64');
  let next = 0;
  return (lengths ?? []).map((length) => {
    const start = next;
    next += length;
    return column.toString('utf8', start, next);
  });
}

/** The most rows and bytes in one statement, which takes 0.1 s with 5,000 strings of 70 characters. */
const MAX_ROWS = 5000;
const MAX_BYTES = 2 ** 23;

/** Splits keys into pieces for one statement each. A character has three bytes at most. */
const statementsOf = (keys: readonly string[]) =>
  piecesOf(keys.length, MAX_ROWS, (row) => 3 * keys[row].length, MAX_BYTES);

/** Ids from the database, which stores them as signed integers. */
function idsOf(signed: readonly string[]): BigUint64Array {
  return BigUint64Array.from(signed, (id) => BigInt.asUintN(64, BigInt(id)));
}

// In PostgreSQL a value, and the text of a parameter, have at most 1 GiB.
const MAX_KEY = 2 ** 26;

/** Whether a key is longer than a store can keep; such a key has no id. */
function isTooLong(key: string): boolean {
  // A character has three bytes at most.
  return 3 * key.length > MAX_KEY && Buffer.byteLength(key) > MAX_KEY;
}

/** @throws RangeError if a key is longer than a store can keep */
function checkLengths(keys: readonly string[]): void {
  const row = keys.findIndex(isTooLong);
  if (row < 0) return;
  throw wrongValue('keys', `strings of at most ${MAX_KEY} bytes`, Buffer.byteLength(keys[row]), row);
}

const MAX_ROWS_READ = 10_000;
const MAX_ROWS_COUNTED = 1_000_000;
const FIRST_SIGNED = -(2n ** 63n);
const LAST_SIGNED = 2n ** 63n - 1n;
const RESTORES_TRIED = 3;

const MAX_IDS = 5000;
const CALLS_WHEN_OUTRUN = 16;

interface AssignAnswer {
  readonly verdict: AssignVerdict;
  /** Null if nothing has been done. */
  readonly last: string | null;
  readonly known: readonly (readonly [row: number, id: string])[] | null;
}

/** A store, with its settings and leases. A call without rows runs no statement, but still needs an open store. */
export class PostgresStore extends PostgresLeases implements Store {
  readonly #schema: string;
  readonly #hashKey: StoreHashKey;
  readonly #statements: { readonly [S in Space]: ReturnType<typeof keyStatements> };
  /** For how many more calls others are likely to insert the same keys of a space at the same time. */
  readonly #outrun = { strings: 0, types: 0 };

  constructor(connection: Connection, schema: string) {
    const tables = tablesIn(schema);
    super(connection, tables);
    this.#schema = schema;
    this.#hashKey = new StoreHashKey(connection, tables);
    this.#statements = { strings: keyStatements('strings', tables), types: keyStatements('types', tables) };
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    this.connection.checkOpen();
    if (keys.some(isTooLong)) {
      const others = keys.filter((key) => !isTooLong(key));
      const found = await this.lookup(space, others);
      let next = 0;
      return BigUint64Array.from(keys, (key) => (isTooLong(key) ? 0n : found[next++]));
    }
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of statementsOf(keys)) {
      const hashKey = await this.#hashKey.find();
      if (hashKey === undefined) continue; // nothing has an id yet
      ids.set(await this.#lookupPiece(space, hashKey, keys.slice(from, to)), from);
    }
    return ids;
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    this.connection.checkOpen();
    const keys = new Array<string | undefined>(ids.length).fill(undefined);
    for (let from = 0; from < ids.length; ) {
      const some = new BigInt64Array(ids.slice(from, from + MAX_IDS));
      const page = await this.connection.ask<{
        rows: number[] | null;
        lengths: number[] | null;
        bytes: string | null;
        found: number;
      }>(this.#statements[space].resolve, `{${some}}`, MAX_BYTES);
      const rows = page.rows ?? [];
      for (const [i, key] of keysOf(page.bytes, page.lengths).entries()) keys[from + rows[i] - 1] = key;
      from += rows.length < page.found ? rows[rows.length - 1] : some.length;
    }
    return keys;
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    this.connection.checkOpen();
    checkLengths(keys);
    const ids = await this.#assignPieces(space, block, keys);
    if (ids !== undefined || keys.length === 1) return ids;
    // There may be room after all, if some of the keys have ids already.
    const known = await this.lookup(space, keys);
    const missing = keys.filter((_, row) => known[row] === 0n);
    if (missing.length === keys.length) return undefined;
    const assigned = await this.#assignPieces(space, block, missing);
    let next = 0;
    return assigned && known.map((id) => id || assigned[next++]);
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    return BigInt(await this.connection.ask<string>(this.#statements[space].counter, prefix));
  }

  async #lookupPiece(space: Space, hashKey: HashKey, keys: readonly string[]): Promise<BigUint64Array> {
    const params = [hashesOf(keys, hashKey), ...parametersOf(keys)];
    const found = await this.connection.ask<{ hashKey: HashKey | null; ids: string[] }>(
      this.#statements[space].lookup,
      ...params,
    );
    this.#hashKey.check(hashKey, found.hashKey);
    if (found.ids.includes(COLLISION)) throw collision(keys[found.ids.indexOf(COLLISION)]);
    return idsOf(found.ids);
  }

  /** Like `assign`, but counts all keys after the first piece as new when it checks for room. */
  async #assignPieces(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of statementsOf(keys)) {
      const given = await this.#assignPiece(space, block, keys.slice(from, to), keys.length - to);
      if (given === undefined && from > 0) throw new StoreConflictError('others have taken numbers of the prefix');
      if (given === undefined) return undefined;
      ids.set(given, from);
    }
    return ids;
  }

  /** @param rest how many more numbers the other pieces need */
  async #assignPiece(
    space: Space,
    block: Block,
    keys: readonly string[],
    rest: number,
  ): Promise<BigUint64Array | undefined> {
    const hashKey = await this.#hashKey.findOrMake();
    const numbers = [block.prefix, BigInt.asIntN(64, block.base), block.max, rest];
    const params = [hashesOf(keys, hashKey), ...parametersOf(keys), hashKey, ...numbers];
    const done = (await this.#assignNew(space, params)) ?? (await this.#assignSome(space, params));
    if (done.verdict === 'full') return undefined;
    if (done.verdict === 'rekeyed') this.#hashKey.check(hashKey, null);
    if (done.verdict === 'passed') throw new StoreConflictError('others have taken numbers of the prefix');
    if (done.verdict === 'assigned' || done.verdict === 'known') {
      const ids = new BigUint64Array(keys.length);
      for (const [row, id] of done.known ?? []) ids[row - 1] = BigInt(id); // stored as unsigned
      let next = block.base + BigInt(done.last ?? 0);
      return ids.map((id) => id || ++next);
    }
    const found = await this.#lookupPiece(space, hashKey, keys);
    if (found.includes(0n)) throw new StoreConflictError('another process is inserting the same keys');
    return found;
  }

  /** @returns undefined if nothing was done: some of the keys have ids, or there is no room unless some have */
  async #assignNew(space: Space, params: readonly (string | number | bigint)[]): Promise<AssignAnswer | undefined> {
    if (this.#outrun[space] > 0) {
      this.#outrun[space]--;
      return undefined;
    }
    try {
      const done = await this.connection.ask<AssignAnswer>(this.#statements[space].assignNew, ...params);
      return done.verdict === 'full' ? undefined : done;
    } catch (error) {
      if (codeOf(detailsOf(error).cause) !== KNOWN) throw error;
      this.#outrun[space] = CALLS_WHEN_OUTRUN;
      return undefined;
    }
  }

  async #assignSome(space: Space, params: readonly (string | number | bigint)[]): Promise<AssignAnswer> {
    try {
      return await this.connection.ask<AssignAnswer>(this.#statements[space].assign, ...params);
    } catch (error) {
      // The server repeats what it could not read, in quotation marks of its language. It may also be a setting that
      // is damaged.
      const { cause } = detailsOf(error);
      if (codeOf(cause) !== OUTRUN || !detailsOf(cause).message.includes('outrun: ')) throw error;
      throw new StoreConflictError('another process is inserting the same types', { cause: error });
    }
  }

  async count(space: Space): Promise<number> {
    let all = 0;
    for (let first = FIRST_SIGNED; first <= LAST_SIGNED; ) {
      const page = await this.connection.ask<{ count: number; last: string | null }>(
        this.#statements[space].count,
        first,
        MAX_ROWS_COUNTED,
      );
      all += page.count;
      if (page.last === null || page.count < MAX_ROWS_COUNTED) break;
      first = BigInt(page.last) + 1n;
    }
    return all;
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    for (let first = FIRST_SIGNED; first <= LAST_SIGNED; ) {
      const page = await this.connection.ask<{ ids: string[] | null; lengths: number[] | null; bytes: string | null }>(
        this.#statements[space].entries,
        first,
        MAX_ROWS_READ,
        MAX_BYTES,
      );
      const ids = page.ids ?? [];
      if (ids.length === 0) return;
      yield { keys: keysOf(page.bytes, page.lengths), ids: idsOf(ids) };
      first = BigInt(ids[ids.length - 1]) + 1n;
    }
  }

  async counters(space: Space): Promise<Map<number, bigint>> {
    const all = new Map<number, bigint>();
    for (let first = 0; ; ) {
      const page = await this.connection.ask<{ prefixes: number[] | null; last: string[] }>(
        this.#statements[space].counters,
        first,
        MAX_ROWS_READ,
      );
      const prefixes = page.prefixes ?? [];
      for (const [i, prefix] of prefixes.entries()) all.set(prefix, BigInt(page.last[i]));
      if (prefixes.length < MAX_ROWS_READ) return all;
      first = prefixes[prefixes.length - 1] + 1;
    }
  }

  async restore(space: Space, { keys, ids }: Entries): Promise<void> {
    this.connection.checkOpen();
    checkLengths(keys);
    for (const [from, to] of statementsOf(keys)) {
      await this.#restorePiece(space, keys.slice(from, to), ids.slice(from, to));
    }
  }

  async restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void> {
    this.connection.checkOpen();
    const rows = Array.from(counters, ([prefix, last]) => ({ prefix, last: String(last) }));
    for (let from = 0; from < rows.length; from += MAX_ROWS_READ) {
      const some = JSON.stringify(rows.slice(from, from + MAX_ROWS_READ));
      await this.connection.ask(this.#statements[space].restoreCounters, some);
    }
  }

  check(): Promise<void> {
    return checkTables(this.connection, this.#schema);
  }

  async #restorePiece(space: Space, keys: readonly string[], ids: BigUint64Array): Promise<void> {
    const signed = `{${new BigInt64Array(ids)}}`;
    for (let tries = 0; tries < RESTORES_TRIED; tries++) {
      const hashKey = await this.#hashKey.findOrMake();
      const params = [hashesOf(keys, hashKey), ...parametersOf(keys), hashKey, signed];
      const done = await this.connection.ask<{
        hashKey: HashKey | null;
        inserted: number;
        kept: number;
        collision: number | null;
        other: number | null;
      }>(this.#statements[space].restore, ...params);
      this.#hashKey.check(hashKey, done.hashKey);
      if (done.collision !== null) throw collision(keys[done.collision - 1]);
      if (done.other !== null) throw contradicts(ids[done.other - 1]);
      if (done.inserted + done.kept === keys.length) return;
    }
    throw new StoreConflictError('another process is inserting the same keys or ids');
  }
}
