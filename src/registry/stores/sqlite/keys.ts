import { StoreConflictError } from '../../../errors.js';
import { letOthersRun } from '../../calls.js';
import { type Block, contradicts, type Entries, type ShardRecord, type Space, type Store } from '../../store.js';
import { checkedShard, damaged } from '../../values.js';
import { type LocalContents, LocalStore, skippedIn } from '../shared/local-store.js';
import { piecesOf } from '../shared/pieces.js';
import { HASH_KEY_SETTING, type HashKey, sipHashes } from '../shared/string-hashes.js';
import { SqliteConnection, type SqliteWaiting } from './connection.js';
import type { SqliteDatabase, Value } from './driver.js';
import { type Insert, prepareAll, ROWS_OF_MANY, type ShardRow, type SqliteKeyStatements } from './tables.js';

/**
 * Text for storage: bytes if it has a NUL, because node:sqlite of Node.js 22 cuts off text there when it reads, or
 * U+FFFE or U+FFFF, because SQLite changes them to U+FFFD in a database whose text is in UTF-16.
 */
export function stored(text: string): Value {
  return /[\0\ufffe\uffff]/.test(text) ? Buffer.from(text) : text;
}

export function textOf(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

/** Keys with their hashes, to be found and added in the order of the hashes: neighbours in the index share pages. */
interface HashedKeys {
  readonly keys: readonly string[];
  /** The upper 48 bits, as signed integers. */
  readonly hashes: Float64Array;
  readonly order: Uint32Array;
}

export function hashKeys(keys: readonly string[], hashKey: HashKey): HashedKeys {
  const hashes = hashesOf(keys, hashKey);
  const order = Uint32Array.from({ length: keys.length }, (_, row) => row);
  order.sort((a, b) => hashes[a] - hashes[b]);
  return { keys, hashes, order };
}

function hashesOf(keys: readonly string[], hashKey: HashKey): Float64Array {
  const words = new Int32Array(sipHashes(keys, hashKey, 1));
  const hashes = new Float64Array(keys.length);
  for (let row = 0; row < keys.length; row++) {
    hashes[row] = words[2 * row + 1] * 65_536 + (words[2 * row] >>> 16);
  }
  return hashes;
}

/**
 * Finds the ids of keys, in the order of their hashes.
 * @param ids where they go, in the order of the keys; those of keys without an id stay 0
 * @returns how many keys have been looked up
 */
function findKeys(
  statements: SqliteKeyStatements,
  { keys, hashes, order }: HashedKeys,
  ids: BigUint64Array,
  from = 0,
  mostMs = Number.POSITIVE_INFINITY,
): number {
  const signed = new BigInt64Array(ids.buffer, ids.byteOffset, ids.length);
  const isOver = timer(mostMs);
  // After a key that was found, the next one probably exists, too, and one statement is faster. Otherwise a look at the
  // index alone is faster.
  let isLikely = false;
  let next = from;
  for (; next < order.length && !isOver(); next++) {
    const row = order[next];
    const hash = hashes[row];
    if (!isLikely && statements.hasHash.get(hash) === undefined) continue;
    const found = statements.find.get(hash, stored(keys[row]));
    isLikely = found !== undefined;
    if (found !== undefined) signed[row] = found.id;
  }
  return next;
}

const TURNS_A_LOOK = 32; // at the clock

/** Tells whether some time has passed. It looks at the clock every 32 calls, and is never over at the first one. */
export function timer(ms: number): () => boolean {
  const end = performance.now() + ms;
  let turns = 0;
  return () => ++turns % TURNS_A_LOOK === 0 && performance.now() > end;
}

function missingRows(ids: BigUint64Array): number[] {
  const rows: number[] = [];
  for (let row = 0; row < ids.length; row++) if (ids[row] === 0n) rows.push(row);
  return rows;
}

function addKeys(
  { keys: table, hashes: index }: SqliteKeyStatements,
  { keys, hashes, order }: HashedKeys,
  ids: BigUint64Array,
  rows: readonly number[],
): void {
  const signed = new BigInt64Array(ids.buffer, ids.byteOffset, ids.length);
  const isNew = new Uint8Array(keys.length);
  for (const row of rows) isNew[row] = 1;
  const idOf = (row: number) => signed[row];
  insertRows(table, rows, idOf, (row) => stored(keys[row]));
  const ofIndex = rows.length === keys.length ? order : order.filter((row) => isNew[row]);
  insertRows(index, ofIndex, (row) => hashes[row], idOf);
}

/** Inserts rows of two columns, ROWS_OF_MANY with each statement: 9 % faster than one by one. */
function insertRows(
  { one, many }: Insert,
  rows: ArrayLike<number>,
  first: (row: number) => Value,
  second: (row: number) => Value,
): void {
  const values: Value[] = new Array(2 * ROWS_OF_MANY);
  let row = 0;
  while (row + ROWS_OF_MANY <= rows.length) {
    for (let i = 0; i < values.length; row++) {
      values[i++] = first(rows[row]);
      values[i++] = second(rows[row]);
    }
    many.run(...values);
  }
  for (; row < rows.length; row++) one.run(first(rows[row]), second(rows[row]));
}

const ROWS_A_READ = 10_000;
const READ_MS = 5; // at a time, so that timers run at least every 10 ms
const ENTRIES_A_PAGE = 5000n; // a few MB at most
const ALL_IDS = -(1n << 63n);

// A piece of a large batch is sized so that its commit takes about PIECE_MS.
const PIECE_MS = 50;
const FIRST_PIECE = 2000;
const MIN_PIECE = 100;
const MAX_PIECE = 20_000;

/** The contents of an open database. Call its methods inside a transaction of `connection`. */
export class SqliteContents implements LocalContents {
  readonly connection: SqliteConnection;
  readonly statements: ReturnType<typeof prepareAll>;
  readonly hashKey: HashKey;
  readonly settings = {
    get: (name: string) => {
      const row = this.statements.setting.get(stored(name));
      return row && textOf(row.value);
    },
    set: (name: string, value: string) => this.statements.set.run(stored(name), stored(value)),
  };
  readonly records = {
    get: (shard: number) => {
      const row = this.statements.shard.get(BigInt(shard));
      return row && recordOf(row);
    },
    set: (shard: number, { owner, token, expires, strayUntil, ttlMs, mintedUntil }: ShardRecord) => {
      const times = [expires, strayUntil, ttlMs, mintedUntil].map((ms) => BigInt(Math.ceil(ms)));
      this.statements.putShard.run(BigInt(shard), stored(owner), token, ...times);
    },
  };

  constructor(database: SqliteDatabase, waiting: SqliteWaiting) {
    this.connection = new SqliteConnection(database, waiting);
    this.statements = prepareAll(database);
    this.hashKey = this.settings.get(HASH_KEY_SETTING) ?? '';
  }

  shards(): ReturnType<LocalContents['shards']> {
    return this.statements.shards.all().map((row) => ({ shard: Number(row.shard), ...recordOf(row) }));
  }

  count(space: Space): number {
    return Number(this.statements[space].count.get()?.count);
  }

  last(space: Space, prefix: number): bigint {
    return counterOf(space, prefix, this.statements[space].counter.get(BigInt(prefix))?.last ?? 0n);
  }

  raise(space: Space, prefix: number, last: bigint): void {
    this.statements[space].raise.run(BigInt(prefix), last);
  }

  counters(space: Space): Map<number, bigint> {
    const rows = this.statements[space].counters.all();
    return new Map(rows.map(({ prefix, last }) => [Number(prefix), counterOf(space, prefix, last)]));
  }

  keyOf(space: Space, id: bigint): string | undefined {
    const found = this.statements[space].keyOf.get(BigInt.asIntN(64, id));
    return found && textOf(found.key);
  }
}

export abstract class SqliteKeys extends LocalStore<SqliteContents> {
  #pieceRows = FIRST_PIECE;
  /**
   * Keys of which a look-up found none, and the state of the database then, by the caller's object for the look-up. They
   * need not be looked up again.
   */
  readonly #unknown = new WeakMap<object, { readonly hashed: HashedKeys; readonly state: string }>();

  /** Opens the store. It is made if there is none. */
  protected abstract openForWriting(): Promise<SqliteContents>;

  async lookup(space: Space, keys: readonly string[], seen?: object): Promise<BigUint64Array> {
    const ids = new BigUint64Array(keys.length);
    const open = await this.open();
    if (open === undefined) return ids;
    if (keys.length === 1) {
      ids[0] = await this.#findAlone(open, space, keys);
      if (ids[0] !== 0n) return ids;
    }
    for (const [from, to] of piecesOf(keys.length, ROWS_A_READ)) {
      const hashed = hashKeys(keys.slice(from, to), open.hashKey);
      const found = ids.subarray(from, to);
      const states = new Set<string>();
      for (let next = 0; next < found.length; ) {
        await this.checkedRead(({ connection, statements }) => {
          states.add(connection.state());
          next = findKeys(statements[space], hashed, found, next, READ_MS);
        });
        await letOthersRun();
      }
      const [state = '', ...others] = states;
      const isUnknown = others.length === 0 && found.every((id) => id === 0n);
      if (seen && isUnknown) this.#unknown.set(seen, { hashed, state });
    }
    return ids;
  }

  /** The id of one key, 0 if it has none: a transaction for a single statement would take longer than the statement. */
  async #findAlone(contents: SqliteContents, space: Space, keys: readonly string[]): Promise<bigint> {
    const [hash] = hashesOf(keys, contents.hashKey);
    const { findAlone } = contents.statements[space];
    const found = await contents.connection.alone(() => findAlone.get(hash, stored(keys[0])));
    if (found === undefined) return 0n;
    this.guard.check(found.state === null ? undefined : textOf(found.state), 'read');
    return BigInt.asUintN(64, found.id);
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = new Array(ids.length).fill(undefined);
    if ((await this.open()) === undefined) return keys;
    for (let row = 0; row < ids.length; ) {
      await this.checkedRead((contents) => {
        for (const isOver = timer(READ_MS); row < ids.length && !isOver(); row++) {
          keys[row] = contents.keyOf(space, ids[row]);
        }
      });
      await letOthersRun();
    }
    return keys;
  }

  async assign(space: Space, block: Block, keys: readonly string[], seen?: object): ReturnType<Store['assign']> {
    const { hashKey } = await this.openForWriting();
    const all = new BigUint64Array(keys.length);
    // If there is more than one piece, the first one has to know whether there is room for all.
    let needed = 0;
    if (keys.length > this.#pieceRows) needed = missingRows(await this.lookup(space, keys)).length;
    for (let from = 0; from < keys.length; ) {
      const some = keys.slice(from, from + this.#pieceRows);
      const known = seen && this.#unknown.get(seen);
      const unknown = known && areSame(known.hashed.keys, some) ? known : undefined;
      const hashed = unknown?.hashed ?? hashKeys(some, hashKey);
      const ids = await this.#assignPiece(space, block, hashed, needed, unknown?.state);
      if (ids === undefined && from === 0) return undefined;
      if (ids === undefined) throw new StoreConflictError('another process took the last numbers of the prefix');
      all.set(ids, from);
      from += some.length;
      needed = 0;
    }
    return all;
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    for (let from = ALL_IDS; ; ) {
      const page = await this.checkedRead(({ statements }) => statements[space].page.all(from, ENTRIES_A_PAGE));
      const rows = page ?? [];
      const ids = BigUint64Array.from(rows, ({ id }) => BigInt.asUintN(64, id));
      if (rows.length > 0) yield { keys: rows.map(({ key }) => textOf(key)), ids };
      this.checkOpen();
      if (rows.length < ENTRIES_A_PAGE) return;
      from = rows[rows.length - 1].id + 1n;
      await letOthersRun();
    }
  }

  async restore(space: Space, { keys, ids }: Entries): Promise<void> {
    const { hashKey } = await this.openForWriting();
    for (const [from, to] of piecesOf(keys.length, ROWS_A_READ)) {
      const hashed = hashKeys(keys.slice(from, to), hashKey);
      const some = ids.subarray(from, to);
      await this.checkedCommit((contents) => {
        const known = new BigUint64Array(some.length);
        findKeys(contents.statements[space], hashed, known);
        for (const [row, id] of some.entries()) {
          const isSame = known[row] === 0n ? contents.keyOf(space, id) === undefined : known[row] === id;
          if (!isSame) throw contradicts(id);
        }
        addKeys(contents.statements[space], hashed, some, missingRows(known));
      });
    }
  }

  /** @param state that of the database when none of the keys was found; undefined if they were not looked up */
  #assignPiece(space: Space, block: Block, hashed: HashedKeys, needed: number, state: string | undefined) {
    return this.checkedCommit((contents) => {
      const began = performance.now();
      const statements = contents.statements[space];
      const ids = new BigUint64Array(hashed.keys.length);
      if (state === undefined || state !== contents.connection.state()) findKeys(statements, hashed, ids);
      const missing = missingRows(ids);
      const last = contents.last(space, block.prefix);
      const skipped = skippedIn(contents, space);
      const most = Math.max(missing.length, needed);
      if (most > 0 && skipped + last + BigInt(most) > block.max) return undefined;
      if (missing.length > 0) {
        let next = block.base + skipped + last;
        for (const row of missing) ids[row] = ++next;
        addKeys(statements, hashed, ids, missing);
        contents.raise(space, block.prefix, last + BigInt(missing.length));
      }
      this.#adapt(ids.length, performance.now() - began);
      return ids;
    });
  }

  #adapt(rows: number, ms: number): void {
    if (rows < this.#pieceRows / 2) return; // too few to tell
    const fitting = Math.round((rows * PIECE_MS) / Math.max(ms, 1));
    this.#pieceRows = Math.min(Math.max(fitting, MIN_PIECE), MAX_PIECE, 2 * this.#pieceRows);
  }
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((key, row) => key === others[row]);
}

/** SQLite keeps values of any kind in its columns. */
function counterOf(space: Space, prefix: unknown, last: unknown): bigint {
  if (Number.isInteger(Number(prefix)) && typeof last === 'bigint' && last >= 0n) return last;
  throw damaged(`the counter of prefix ${prefix} of ${space}`, 'a number', last);
}

function recordOf({ shard, owner, token, expires, stray_until, ttl_ms, minted_until }: ShardRow): ShardRecord {
  const msOf = (value: unknown) => (typeof value === 'bigint' ? Number(value) : Number.NaN);
  return checkedShard(Number(shard), {
    owner: textOf(owner),
    token,
    expires: msOf(expires),
    strayUntil: msOf(stray_until),
    ttlMs: msOf(ttl_ms),
    mintedUntil: msOf(minted_until),
  });
}
