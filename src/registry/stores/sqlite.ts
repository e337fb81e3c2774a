// `shardbits/stores/sqlite`
import { linkSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkBoolean, checkOptions, checkString, wrongValue } from '../../arguments.js';
import { syncDirectory, syncFile } from '../../durable.js';
import { StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../../errors.js';
import {
  acquireIn,
  freeIn,
  releaseIn,
  renewIn,
  resetMarkIn,
  type ShardRecord,
  type ShardTable,
} from '../shard-records.js';
import {
  type Block,
  closed,
  contradicts,
  type Entries,
  type Space,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from '../store.js';
import { checkInPlace, identityOf, soleName } from './sole-name.js';
import { patiently, SqliteConnection } from './sqlite-connection.js';
import { checkDatabase, openDatabase, prepare, type Row, type SqliteDatabase } from './sqlite-driver.js';
import { storeError } from './sqlite-errors.js';
import { createFile, exists, hasTables, makeTables, openFile, setUp, temporaryName } from './sqlite-file.js';
import { addKeys, findKeys, type HashedKeys, hashKeys, missingRows, stored, textOf } from './sqlite-keys.js';
import { type KeyStatements, prepareAll, type Statements } from './sqlite-tables.js';

export type { SqliteDatabase } from './sqlite-driver.js';

export interface SqliteStoreOptions {
  /** Opens the file for reading only, and fails if it is missing; false by default. */
  readOnly?: boolean | undefined;
}

// A page of entries is a few MB at most. A piece of a large batch is sized so that its commit takes about PIECE_MS.
const ENTRIES_A_PAGE = 5000n;
const PIECE_MS = 50;
const FIRST_PIECE = 2000;
const SMALLEST_PIECE = 100;
const LARGEST_PIECE = 20_000;

const ALL_IDS = -(1n << 63n);
const UNNAMED = 'the database';

/**
 * A store in a SQLite file, for several processes and threads on one machine: the default. It needs Node.js 22.13 or
 * later, or the package better-sqlite3. While the store is in use, the files `path-wal` and `path-shm` lie beside its
 * file and belong to it. A copy of the file alone is not a backup; `Store.backup` makes one.
 *
 * The file is made at the first write. A commit is on disk when a call resolves. SQLite works on the calling thread:
 * about 10 ms for a thousand new strings. Calls made at the same time are committed together, and large batches are cut
 * into pieces, so that other processes get their turn.
 *
 * Leases end by the machine's clock. If it is wrong when a shard is leased, only the next holder can find out.
 * @param where the path of a file on a local disk; or an open database of `node:sqlite` or better-sqlite3, which
 *   {@link Store.close} leaves open. The tables begin with `shardbits_`, and all commits wait for the disk from then on
 * @throws TypeError or RangeError for arguments of the wrong kind or value
 * @throws StoreCorruptError if the file is not a store or is damaged; StoreUnavailableError if it cannot be opened
 * @example
 * const store = await sqliteStore('./ids.db');
 */
export async function sqliteStore(where: string | SqliteDatabase, options?: SqliteStoreOptions): Promise<Store> {
  const { readOnly = false } = checkOptions(options, ['readOnly']);
  checkBoolean('readOnly', readOnly);
  if (typeof where !== 'string') return overDatabase(checkDatabase('where', where), readOnly);
  if (where === ':memory:') return overDatabase(await openDatabase(where, { readOnly: false }), false);
  if (where === '') throw wrongValue('where', 'a path', where);
  const path = soleName(where);
  if (readOnly && !exists(path)) throw new StoreUnavailableError(`${path}: no such file`, { isTransient: false });
  const store = new SqliteStore(path, readOnly);
  await store.open();
  return store;
}

async function overDatabase(database: SqliteDatabase, readOnly: boolean): Promise<Store> {
  await patiently(UNNAMED, () => {
    setUp(database, readOnly);
    if (!readOnly) makeTables(database);
    else if (!hasTables(database, UNNAMED)) throw new StoreCorruptError('the database has no tables of shardbits');
  });
  return new SqliteStore(UNNAMED, readOnly, new OpenStore(database, UNNAMED));
}

/** An open database, with what is read from it only once. */
class OpenStore {
  readonly connection: SqliteConnection;
  readonly statements: Statements;
  readonly seed: bigint;
  readonly shards: ShardTable;

  constructor(database: SqliteDatabase, name: string) {
    this.connection = new SqliteConnection(database, name);
    this.statements = prepareAll(database);
    this.seed = BigInt(this.setting('hash seed') as string);
    this.shards = {
      now: Date.now,
      get: (shard) => {
        const row = this.statements.shard.get(BigInt(shard));
        return row && recordOf(row);
      },
      put: (shard, record) => this.putShard(shard, record),
      lastToken: () => BigInt(this.setting(TOKENS_SETTING) ?? 0),
    };
  }

  setting(name: string): string | undefined {
    const row = this.statements.setting.get(stored(name));
    return row && textOf(row.value ?? null);
  }

  /** How many numbers every counter of a space has skipped. */
  skipped(space: Space): bigint {
    return BigInt(this.setting(skippedSetting(space)) ?? 0);
  }

  putShard(shard: number, { owner, token, expires, mintedUntil }: ShardRecord): void {
    const times = [expires, mintedUntil].map((ms) => BigInt(Math.ceil(ms)));
    this.statements.putShard.run(BigInt(shard), stored(owner), token, ...times);
  }
}

class SqliteStore implements Store {
  readonly #path: string;
  readonly #readOnly: boolean;
  /** Whether the caller opened the database, and closes it. */
  readonly #isGiven: boolean;
  #opening: Promise<OpenStore> | undefined;
  #identity: string | undefined;
  #isClosed = false;
  #pieceRows = FIRST_PIECE;
  /** Keys of which the last look-up found none. Usually they are assigned next, and need not be looked up again. */
  #unknown: { readonly space: Space; readonly hashed: HashedKeys; readonly state: string } | undefined;

  constructor(path: string, readOnly: boolean, given?: OpenStore) {
    this.#path = path;
    this.#readOnly = readOnly;
    this.#isGiven = given !== undefined;
    if (given) this.#opening = Promise.resolve(given);
  }

  /** Opens the file if it exists. */
  async open(): Promise<OpenStore | undefined> {
    if (this.#isClosed) throw closed();
    if (this.#opening === undefined && !exists(this.#path)) return undefined;
    this.#opening ??= patiently(this.#path, async () => {
      const open = new OpenStore(await openFile(this.#path, this.#readOnly), this.#path);
      this.#identity = identityOf(this.#path);
      return open;
    }).catch((error) => {
      this.#opening = undefined; // the next call tries again
      throw error;
    });
    return this.#opening;
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    const ids = new BigUint64Array(keys.length);
    const open = await this.open();
    if (open === undefined) return ids;
    const statements = open.statements[space];
    for (const [from, to] of piecesOf(keys.length)) {
      const hashed = hashKeys(keys.slice(from, to), open.seed);
      const { found, state } = await open.connection.read(() => {
        return { found: findKeys(statements, hashed), state: open.connection.state() };
      });
      ids.set(found, from);
      this.#unknown = found.every((id) => id === 0n) ? { space, hashed, state } : undefined;
    }
    return ids;
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const open = await this.open();
    const keys: (string | undefined)[] = new Array(ids.length).fill(undefined);
    if (open === undefined) return keys;
    const { keyOf } = open.statements[space];
    for (const [from, to] of piecesOf(ids.length)) {
      await open.connection.read(() => {
        for (let row = from; row < to; row++) {
          const found = keyOf.get(BigInt.asIntN(64, ids[row] as bigint));
          if (found !== undefined) keys[row] = textOf(found.key ?? null);
        }
      });
    }
    return keys;
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const open = await this.#forWriting();
    const all = new BigUint64Array(keys.length);
    // If there is more than one piece, the first one has to know whether there is room for all.
    let needed = 0;
    if (keys.length > this.#pieceRows) needed = missingRows(await this.lookup(space, keys)).length;
    for (let from = 0; from < keys.length; ) {
      const some = keys.slice(from, from + this.#pieceRows);
      const ids = await this.#assignPiece(open, space, block, some, needed);
      if (ids === undefined && from === 0) return undefined;
      if (ids === undefined) throw new StoreConflictError('others took the last numbers of the prefix');
      all.set(ids, from);
      from += some.length;
      needed = 0;
    }
    return all;
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    const open = await this.open();
    if (open === undefined) return 0n;
    return open.connection.read(() => counterOf(open.statements[space], prefix) + open.skipped(space));
  }

  async setting(name: string): Promise<string | undefined> {
    const open = await this.open();
    return open?.connection.read(() => open.setting(name));
  }

  async replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean> {
    return this.#commit((open) => {
      if (open.setting(name) !== expected) return false;
      open.statements.set.run(stored(name), stored(value));
      return true;
    });
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    return this.#commit(({ shards }) => acquireIn(shards, request));
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    return this.#commit(({ shards }) => renewIn(shards, request));
  }

  async releaseLease(holder: Parameters<Store['releaseLease']>[0]): Promise<void> {
    return this.#commit(({ shards }) => releaseIn(shards, holder));
  }

  async shards(): ReturnType<Store['shards']> {
    const open = await this.open();
    if (open === undefined) return [];
    const rows = await open.connection.read(() => open.statements.shards.all());
    return rows.map((row) => ({ shard: Number(row.shard), ...recordOf(row) }));
  }

  async freeShard(shard: number): Promise<boolean> {
    if ((await this.open()) === undefined) return false;
    return this.#commit(({ shards }) => freeIn(shards, shard));
  }

  async resetMark(shard: number): ReturnType<Store['resetMark']> {
    if ((await this.open()) === undefined) return 'absent';
    return this.#commit(({ shards }) => resetMarkIn(shards, shard));
  }

  async count(space: Space): Promise<number> {
    const open = await this.open();
    if (open === undefined) return 0;
    return Number((await open.connection.read(() => open.statements[space].count.get()))?.count);
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    const open = await this.open();
    for (let from = ALL_IDS; open !== undefined; ) {
      if (this.#isClosed) throw closed();
      const rows = await open.connection.read(() => open.statements[space].page.all(from, ENTRIES_A_PAGE));
      if (rows.length > 0) yield entriesOf(rows);
      if (rows.length < ENTRIES_A_PAGE) return;
      from = (rows.at(-1)?.id as bigint) + 1n;
    }
  }

  async counters(space: Space): Promise<Map<number, bigint>> {
    const open = await this.open();
    if (open === undefined) return new Map();
    const rows = await open.connection.read(() => open.statements[space].counters.all());
    return new Map(rows.map(({ prefix, last }) => [Number(prefix), last as bigint]));
  }

  async restore(space: Space, { keys, ids }: Entries): Promise<void> {
    const open = await this.#forWriting();
    for (const [from, to] of piecesOf(keys.length)) {
      const hashed = hashKeys(keys.slice(from, to), open.seed);
      await open.connection.commit(() => restoreKeys(open.statements[space], hashed, ids.subarray(from, to)));
    }
  }

  async restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void> {
    await this.#commit(({ statements }) => {
      for (const [prefix, last] of counters) statements[space].raise.run(BigInt(prefix), last);
    });
  }

  async restoreShards(records: Parameters<Store['restoreShards']>[0]): Promise<void> {
    await this.#commit((open) => {
      for (const { shard, ...record } of records) open.putShard(shard, record);
    });
  }

  async check(): Promise<void> {
    const open = await this.open();
    await open?.connection.alone((database) => {
      const [found] = prepare(database, 'pragma integrity_check(1)').all();
      if (found?.integrity_check !== 'ok') throw new StoreCorruptError(`${this.#path}: ${found?.integrity_check}`);
    });
  }

  async backup(path: string): Promise<void> {
    checkString('path', path);
    const open = await this.open();
    if (open === undefined) throw new StoreUnavailableError(`${this.#path}: no such file`, { isTransient: false });
    await open.connection.alone((database) => backUp(database, path));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const open = await this.#opening?.catch(() => undefined);
    await open?.connection.alone((database) => {
      if (!this.#isGiven) database.close();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #forWriting(): Promise<OpenStore> {
    if (this.#readOnly) {
      throw new StoreUnavailableError(`${this.#path}: the store is open for reading only`, { isTransient: false });
    }
    const open = await this.open();
    if (open !== undefined) {
      // What is written to a file that has lost its name is lost when it is closed.
      if (!this.#isGiven) checkInPlace(this.#path, this.#identity);
      return open;
    }
    await patiently(this.#path, () => createFile(this.#path));
    return (await this.open()) as OpenStore;
  }

  async #commit<T>(work: (open: OpenStore) => T): Promise<T> {
    const open = await this.#forWriting();
    return open.connection.commit(() => work(open));
  }

  async #assignPiece(open: OpenStore, space: Space, block: Block, keys: readonly string[], needed: number) {
    const statements = open.statements[space];
    const unknown =
      this.#unknown?.space === space && areSame(this.#unknown.hashed.keys, keys) ? this.#unknown : undefined;
    const hashed = unknown?.hashed ?? hashKeys(keys, open.seed);
    return open.connection.commit(() => {
      const began = performance.now();
      const isUnknown = unknown !== undefined && unknown.state === open.connection.state();
      const ids = isUnknown ? new BigUint64Array(keys.length) : findKeys(statements, hashed);
      const missing = missingRows(ids);
      const last = counterOf(statements, block.prefix);
      const skipped = open.skipped(space);
      if (skipped + last + BigInt(Math.max(missing.length, needed)) > block.max) return undefined;
      if (missing.length > 0) {
        let next = block.base + skipped + last;
        for (const row of missing) ids[row] = ++next;
        addKeys(statements, hashed, ids, missing);
        statements.raise.run(BigInt(block.prefix), last + BigInt(missing.length));
      }
      this.#adapt(ids.length, performance.now() - began);
      return ids;
    });
  }

  /** Sets the size of pieces by how long the last one took. */
  #adapt(rows: number, ms: number): void {
    if (rows < this.#pieceRows / 2) return; // too few to tell
    const fitting = Math.round((rows * PIECE_MS) / Math.max(ms, 1));
    this.#pieceRows = Math.min(Math.max(fitting, SMALLEST_PIECE), LARGEST_PIECE, 2 * this.#pieceRows);
  }
}

const ROWS_A_READ = 10_000;

/** Splits rows into pieces to read at a time, so that the thread is not blocked for long. */
function* piecesOf(rows: number): Generator<[from: number, to: number]> {
  for (let from = 0; from < rows; from += ROWS_A_READ) yield [from, Math.min(rows, from + ROWS_A_READ)];
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((key, row) => key === others[row]);
}

function counterOf(statements: KeyStatements, prefix: number): bigint {
  return (statements.counter.get(BigInt(prefix))?.last as bigint | undefined) ?? 0n;
}

function recordOf({ owner, token, expires, minted_until }: Row): ShardRecord {
  return {
    owner: textOf(owner ?? null),
    token: token as bigint,
    expires: Number(expires),
    mintedUntil: Number(minted_until),
  };
}

function entriesOf(rows: readonly Row[]): Entries {
  return {
    keys: rows.map(({ key }) => textOf(key ?? null)),
    ids: BigUint64Array.from(rows, ({ id }) => BigInt.asUintN(64, id as bigint)),
  };
}

function restoreKeys(statements: KeyStatements, hashed: HashedKeys, ids: BigUint64Array): void {
  const known = findKeys(statements, hashed);
  for (const [row, id] of ids.entries()) {
    const key = statements.keyOf.get(BigInt.asIntN(64, id))?.key;
    const isSame = known[row] === 0n ? key === undefined : known[row] === id;
    if (!isSame) throw contradicts(id);
  }
  addKeys(statements, hashed, ids, missingRows(known));
}

/** Writes a snapshot, complete or not at all. */
function backUp(database: SqliteDatabase, path: string): void {
  const temporary = temporaryName(path);
  try {
    prepare(database, 'vacuum into ?').run(temporary);
    syncFile(temporary);
    linkSync(temporary, path); // fails if the file exists
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw storeError(error, path);
    throw new StoreUnavailableError(`${path}: the file exists already`, { isTransient: false, cause: error });
  } finally {
    rmSync(temporary, { force: true });
  }
  syncDirectory(dirname(path));
}
