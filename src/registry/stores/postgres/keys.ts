import { wrongValue } from '../../../arguments.js';
import { detailsOf, StoreConflictError } from '../../../errors.js';
import { STATE_SETTING } from '../../identity.js';
import {
  allTooFarAhead,
  type Block,
  checkMark,
  contradicts,
  type Entries,
  type LeaseGrant,
  recordsByShard,
  type Space,
  type Store,
} from '../../store.js';
import { checkedShard } from '../../values.js';
import { piecesOf } from '../shared/pieces.js';
import type { HashKey } from '../shared/string-hashes.js';
import type { Connection } from './connection.js';
import { codeOf } from './errors.js';
import { collision, keysIn, parametersOf, storeHashKey } from './hashes.js';
import { type AssignAnswer, COLLISION, KNOWN, keyStatements, OUTRUN } from './key-statements.js';
import { leaseStatements } from './lease-statements.js';
import { checkTables } from './schema.js';
import { block, fromAscii, MAX_SIGNED, type Tables, tablesIn, toAscii } from './statements.js';

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
const MIN_SIGNED = 0n - MAX_SIGNED - 1n;
const RESTORES_TRIED = 3;

const MAX_IDS = 5000;
const CALLS_WHEN_OUTRUN = 16;
// The first try takes the best shard. If others take it at the same time, later tries choose among more and more.
const CHOICES = [1, 16, 256, 4096];

/** A store. A call without rows runs no statement, but still needs an open store. */
export class PostgresStore implements Store {
  readonly timeoutMs: number;
  readonly #connection: Connection;
  readonly #schema: string;
  readonly #tables: Tables;
  readonly #leases: ReturnType<typeof leaseStatements>;
  readonly #keys: { readonly [S in Space]: ReturnType<typeof keyStatements> };
  readonly #hashKey: ReturnType<typeof storeHashKey>;
  /** For how many more calls others are likely to insert the same keys of a space at the same time. */
  readonly #outrun = { strings: 0, types: 0 };

  constructor(connection: Connection, schema: string) {
    const tables = tablesIn(schema);
    this.timeoutMs = connection.timeoutMs;
    this.#connection = connection;
    this.#schema = schema;
    this.#tables = tables;
    this.#leases = leaseStatements(tables);
    this.#keys = { strings: keyStatements('strings', tables), types: keyStatements('types', tables) };
    this.#hashKey = storeHashKey(connection, tables);
    connection.use(tables.settings, this.#leases.barrier);
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    this.#connection.checkOpen();
    const ids = new BigUint64Array(keys.length);
    for (const [from, to] of statementsOf(keys)) {
      if (isTooLong(keys[from])) continue; // it is alone in its piece, and has no id
      const hashKey = await this.#hashKey.find();
      if (hashKey === undefined) continue; // nothing has an id yet
      ids.set(await this.#lookupPiece(space, hashKey, keys.slice(from, to)), from);
    }
    return ids;
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    this.#connection.checkOpen();
    const keys = new Array<string | undefined>(ids.length).fill(undefined);
    for (let from = 0; from < ids.length; ) {
      const some = new BigInt64Array(ids.slice(from, from + MAX_IDS));
      const page = await this.#connection.ask(this.#keys[space].resolve, `{${some}}`, MAX_BYTES);
      const rows = page.rows ?? [];
      for (const [i, key] of keysIn(page).entries()) keys[from + rows[i] - 1] = key;
      from += rows.length < page.found ? rows[rows.length - 1] : some.length;
    }
    return keys;
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    this.#connection.checkOpen();
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
    return BigInt(await this.#connection.ask<string>(this.#keys[space].counter, prefix));
  }

  async #lookupPiece(space: Space, hashKey: HashKey, keys: readonly string[]): Promise<BigUint64Array> {
    const found = await this.#connection.ask(this.#keys[space].lookup, ...parametersOf(keys, hashKey));
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
  async #assignPiece(space: Space, block: Block, keys: readonly string[], rest: number) {
    const hashKey = await this.#hashKey.findOrMake();
    const numbers = [block.prefix, BigInt.asIntN(64, block.base), block.max, rest];
    const params = [...parametersOf(keys, hashKey), hashKey, ...numbers];
    const done = await this.#assignOnce(space, params);
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

  /** Takes the keys for new ones, unless some of them are likely to have ids, or there is no room unless they have. */
  async #assignOnce(space: Space, params: readonly (string | number | bigint)[]): Promise<AssignAnswer> {
    const { assign, assignNew } = this.#keys[space];
    try {
      if (this.#outrun[space] > 0) this.#outrun[space]--;
      else {
        const done = await this.#connection.ask(assignNew, ...params);
        if (done.verdict !== 'full') return done;
      }
    } catch (error) {
      if (codeOf(detailsOf(error).cause) !== KNOWN) throw error;
      this.#outrun[space] = CALLS_WHEN_OUTRUN;
    }
    try {
      return await this.#connection.ask(assign, ...params);
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
    const lastOf = (page: { count: number; last: string | null }) => (page.count < MAX_ROWS_COUNTED ? null : page.last);
    const pages = this.#connection.pages(this.#keys[space].count, MIN_SIGNED, lastOf, MAX_ROWS_COUNTED);
    for await (const { count } of pages) all += count;
    return all;
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    const lastOf = ({ ids }: { ids: string[] | null }) => ids?.at(-1);
    const pages = this.#connection.pages(this.#keys[space].entries, MIN_SIGNED, lastOf, MAX_ROWS_READ, MAX_BYTES);
    for await (const page of pages) if (page.ids !== null) yield { keys: keysIn(page), ids: idsOf(page.ids) };
  }

  async counters(space: Space): Promise<Map<number, bigint>> {
    const all = new Map<number, bigint>();
    const lastOf = ({ prefixes }: { prefixes: number[] | null }) => prefixes?.[MAX_ROWS_READ - 1];
    for await (const page of this.#connection.pages(this.#keys[space].counters, 0n, lastOf, MAX_ROWS_READ)) {
      for (const [i, prefix] of (page.prefixes ?? []).entries()) all.set(prefix, BigInt(page.last[i]));
    }
    return all;
  }

  async restore(space: Space, { keys, ids }: Entries): Promise<void> {
    this.#connection.checkOpen();
    checkLengths(keys);
    for (const [from, to] of statementsOf(keys)) {
      await this.#restorePiece(space, keys.slice(from, to), ids.slice(from, to));
    }
  }

  async restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void> {
    this.#connection.checkOpen();
    const rows = Array.from(counters, ([prefix, last]) => ({ prefix, last: String(last) }));
    for (let from = 0; from < rows.length; from += MAX_ROWS_READ) {
      const some = JSON.stringify(rows.slice(from, from + MAX_ROWS_READ));
      await this.#connection.ask(this.#keys[space].restoreCounters, some);
    }
  }

  check(): Promise<void> {
    return checkTables(this.#connection, this.#schema);
  }

  async #restorePiece(space: Space, keys: readonly string[], ids: BigUint64Array): Promise<void> {
    const signed = `{${new BigInt64Array(ids)}}`;
    for (let tries = 0; tries < RESTORES_TRIED; tries++) {
      const hashKey = await this.#hashKey.findOrMake();
      const params = [...parametersOf(keys, hashKey), hashKey, signed];
      const done = await this.#connection.ask(this.#keys[space].restore, ...params);
      this.#hashKey.check(hashKey, done.hashKey);
      if (done.collision !== null) throw collision(keys[done.collision - 1]);
      if (done.other !== null) throw contradicts(ids[done.other - 1]);
      if (done.inserted + done.kept === keys.length) return;
    }
    throw new StoreConflictError('another process is inserting the same keys or ids');
  }

  now(): Promise<number> {
    return this.#connection.askAlways(this.#leases.now); // a restore that was interrupted asks before it goes on
  }

  async setting(name: string): Promise<string | undefined> {
    const value = await this.#connection.askAlways(this.#leases.setting, toAscii(name));
    return value === null ? undefined : fromAscii(value);
  }

  replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean> {
    const { insertSetting, replaceSetting } = this.#leases;
    if (expected === undefined) return this.#connection.ask(insertSetting, toAscii(name), toAscii(value));
    return this.#connection.ask(replaceSetting, toAscii(name), toAscii(value), toAscii(expected));
  }

  place(): Promise<string> {
    return this.#connection.place();
  }

  /**
   * Replaces the state, and then waits until every statement that writes and began before has ended: each of them locks its
   * tables before it reads the state. One table is locked at a time, because statements lock theirs in various orders.
   */
  async replaceState(expected: string | undefined, state: string): Promise<boolean> {
    const { settings } = this.#tables;
    const [from, to] = [expected ?? '', state].map((text) => `'${toAscii(text).replaceAll("'", "''")}'`);
    const replace = `update ${settings} set value = ${to} where name = '${STATE_SETTING}' and value = ${from}`;
    await this.#connection.run(block([replace]));
    for (const table of Object.values(this.#tables)) {
      await this.#connection.run(block([`lock table ${table} in share mode`]));
    }
    const isReplaced = (await this.setting(STATE_SETTING)) === state;
    if (isReplaced) this.#connection.guard.own(state);
    return isReplaced;
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): Promise<LeaseGrant | undefined> {
    const { shards, owner, ttlMs, mintFrom, mintUntil } = request;
    for (const choices of CHOICES) {
      const params = [shards, toAscii(owner), ttlMs, mintFrom, mintUntil, choices];
      const { now, isOpen, isFree, taken } = await this.#connection.ask(this.#leases.acquire, ...params);
      checkMark(request, now);
      if (!isOpen) throw allTooFarAhead(shards);
      if (!isFree) return undefined;
      if (taken !== null) return { shard: taken.shard, token: BigInt(taken.token), mintedUntil: taken.mark };
    }
    throw new StoreConflictError('other holders took the shards');
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    const { shard, token, owner, ttlMs, mintUntil } = request;
    const params = [shard, toAscii(owner), token, ttlMs, mintUntil];
    const { now, wasHeld, isRenewed } = await this.#connection.ask(this.#leases.renew, ...params);
    if (isRenewed || !wasHeld) return isRenewed;
    checkMark(request, now);
    throw new StoreConflictError('another holder took the shard');
  }

  async releaseLease({ shard, token, owner, mintedUntil }: Parameters<Store['releaseLease']>[0]): Promise<void> {
    await this.#connection.ask(this.#leases.release, shard, toAscii(owner), token, mintedUntil);
  }

  freeShard(shard: number): Promise<boolean> {
    return this.#connection.ask(this.#leases.free, shard);
  }

  resetMark(shard: number): ReturnType<Store['resetMark']> {
    return this.#connection.ask(this.#leases.resetMark, shard);
  }

  async shards(): ReturnType<Store['shards']> {
    const records: Awaited<ReturnType<Store['shards']>>[number][] = [];
    const lastOf = (page: readonly { shard: number }[] | null) => page?.[MAX_ROWS_READ - 1]?.shard;
    for await (const page of this.#connection.pages(this.#leases.list, 0n, lastOf, MAX_ROWS_READ)) {
      for (const record of page ?? []) {
        const { shard, owner, token } = record;
        records.push(checkedShard(shard, { ...record, owner: fromAscii(owner), token: BigInt(token) }));
      }
    }
    return records;
  }

  async restoreShards(records: Parameters<Store['restoreShards']>[0]): Promise<void> {
    this.#connection.checkOpen();
    const json = Array.from(recordsByShard(records), ([shard, record]) =>
      JSON.stringify({ ...record, shard, owner: toAscii(record.owner), token: String(record.token) }),
    );
    for (let from = 0; from < json.length; from += MAX_ROWS_READ) {
      await this.#connection.ask(this.#leases.restore, `[${json.slice(from, from + MAX_ROWS_READ)}]`);
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
