import { outOfRange } from '../../arguments.js';
import { StoreConflictError, StoreCorruptError } from '../../errors.js';
import { type Block, contradicts, type Entries, type Space } from '../store.js';
import type { Connection } from './postgres-connection.js';
import { type HashSeeds, hashesOf, type Seeds } from './postgres-hashes.js';
import { columnOf, keysOf, piecesOf } from './postgres-key-columns.js';
import { COLLISION, type KeyStatements, keyStatements, type Verdict } from './postgres-key-statements.js';
import type { Tables } from './postgres-schema.js';

// A statement of 5,000 strings of 70 characters takes 0.1 s.
const MOST_ROWS = 5000;
const MOST_BYTES = 2 ** 23;
const MOST_ROWS_READ = 10_000;
const MOST_ROWS_COUNTED = 1_000_000;
// PostgreSQL has 1 GiB for a value, and for the text of a parameter.
const LONGEST_KEY = 2 ** 26;
const FIRST_SIGNED = -(2n ** 63n);
const LAST_SIGNED = 2n ** 63n - 1n;
const RESTORES_TRIED = 3;

/** The keys of one space. */
export class Keys {
  readonly #connection: Connection;
  readonly #seeds: HashSeeds;
  readonly #statements: KeyStatements;

  constructor(space: Space, connection: Connection, tables: Tables, seeds: HashSeeds) {
    this.#connection = connection;
    this.#seeds = seeds;
    this.#statements = keyStatements(space, tables);
  }

  async lookup(keys: readonly string[]): Promise<BigUint64Array> {
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of piecesOf(keys, MOST_ROWS, MOST_BYTES)) {
      const seeds = await this.#seeds.find();
      if (seeds === undefined) continue; // nothing has an id yet
      ids.set(await this.#lookupPiece(seeds, keys.slice(from, to)), from);
    }
    return ids;
  }

  async resolve(ids: BigUint64Array): Promise<(string | undefined)[]> {
    const keys = new Array<string | undefined>(ids.length).fill(undefined);
    for (let from = 0; from < ids.length; ) {
      const some = new BigInt64Array(ids.slice(from, from + MOST_ROWS));
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
    const ids = new BigUint64Array(keys.length);
    let isBegun = false;
    for (const [from, to] of piecesOf(keys, MOST_ROWS, MOST_BYTES)) {
      const some = keys.slice(from, to);
      const rest = keys.slice(to);
      let given = await this.#assignPiece(block, some, rest.length);
      // There may be room, if some of the others have ids already.
      if (given === undefined && !isBegun && rest.length > 0) {
        given = await this.#assignPiece(block, some, (await this.lookup(rest)).filter((id) => id === 0n).length);
      }
      if (given === undefined && isBegun) throw new StoreConflictError('others have taken numbers of the prefix');
      if (given === undefined) return undefined;
      ids.set(given, from);
      isBegun = true;
    }
    return ids;
  }

  async counter(prefix: number): Promise<bigint> {
    return BigInt(await this.#connection.ask<string>(this.#statements.counter, String(prefix)));
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

  async *entries(): AsyncIterable<Entries> {
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
    for (const [from, to] of piecesOf(keys, MOST_ROWS, MOST_BYTES)) {
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

  async #lookupPiece(seeds: Seeds, keys: readonly string[]): Promise<BigUint64Array> {
    const params = [hashesOf(keys, seeds), ...columnOf(keys)];
    const found = await this.#connection.ask<{ seeds: Seeds | null; ids: string[] }>(
      this.#statements.lookup,
      ...params,
    );
    this.#seeds.check(seeds, found.seeds);
    if (found.ids.includes(COLLISION)) throw collision(keys[found.ids.indexOf(COLLISION)] as string);
    return idsOf(found.ids);
  }

  /** @param rest how many numbers are needed beside those of these keys */
  async #assignPiece(block: Block, keys: readonly string[], rest: number): Promise<BigUint64Array | undefined> {
    const seeds = await this.#seeds.findOrMake();
    const from = [block.prefix, BigInt.asIntN(64, block.base), block.max, rest].map(String);
    const params = [hashesOf(keys, seeds), ...columnOf(keys), seeds, ...from];
    const done = await this.#connection.ask<{
      verdict: Verdict;
      last: string;
      known: readonly (readonly [row: number, id: string])[] | null;
    }>(this.#statements.assign, ...params);
    if (done.verdict === 'full') return undefined;
    if (done.verdict === 'seeds') this.#seeds.check(seeds, null);
    if (done.verdict === 'passed') throw new StoreConflictError('others have taken numbers of the prefix');
    if (done.verdict === 'assigned' || done.verdict === 'known') {
      const ids = new BigUint64Array(keys.length);
      for (const [row, id] of done.known ?? []) ids[row - 1] = BigInt(id); // which is read as unsigned
      let next = block.base + BigInt(done.last);
      return ids.map((id) => id || ++next);
    }
    const found = await this.#lookupPiece(seeds, keys);
    if (found.includes(0n)) throw new StoreConflictError('others are inserting the same keys');
    return found;
  }

  async #restorePiece(keys: readonly string[], ids: BigUint64Array): Promise<void> {
    const signed = `{${new BigInt64Array(ids)}}`;
    for (let tries = 0; tries < RESTORES_TRIED; tries++) {
      const seeds = await this.#seeds.findOrMake();
      const params = [hashesOf(keys, seeds), ...columnOf(keys), seeds, signed];
      const done = await this.#connection.ask<{
        seeds: Seeds | null;
        inserted: number;
        kept: number;
        collision: number | null;
        other: number | null;
      }>(this.#statements.restore, ...params);
      this.#seeds.check(seeds, done.seeds);
      if (done.collision !== null) throw collision(keys[done.collision - 1] as string);
      if (done.other !== null) {
        throw contradicts(ids[done.other - 1] as bigint);
      }
      if (done.inserted + done.kept === keys.length) return;
    }
    throw new StoreConflictError('others are inserting the same keys or ids');
  }
}

function idsOf(signed: readonly string[]): BigUint64Array {
  return BigUint64Array.from(signed, (id) => BigInt.asUintN(64, BigInt(id)));
}

function checkLengths(keys: readonly string[]): void {
  for (const [row, key] of keys.entries()) {
    // A character has three bytes at most.
    const length = 3 * key.length > LONGEST_KEY ? Buffer.byteLength(key) : 0;
    if (length > LONGEST_KEY) throw outOfRange('keys', `strings of at most ${LONGEST_KEY} bytes`, length, row);
  }
}

function collision(key: string): StoreCorruptError {
  const shown = JSON.stringify(key.length > 60 ? `${key.slice(0, 57)}...` : key);
  return new StoreCorruptError(
    `another string has the same 128-bit hash as ${shown}, which can get no id in this store`,
  );
}
