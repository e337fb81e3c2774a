import type { ShardRecord, Space } from '../../store.js';
import { checkedShard, damaged } from '../../values.js';
import type { LocalContents } from '../shared/local-store.js';
import { HASH_KEY_SETTING, type HashKey, sipHashes } from '../shared/string-hashes.js';
import { SqliteConnection, type SqliteWaiting } from './connection.js';
import type { SqliteDatabase, Value } from './driver.js';
import { type Insert, prepareAll, ROWS_OF_MANY, type ShardRow, type SqliteKeyStatements } from './tables.js';

/**
 * Text for storage: bytes if it has a NUL, because node:sqlite of Node.js 22 cuts off text there when it reads, or
 * U+FFFE or U+FFFF, because SQLite changes them to U+FFFD in a database whose text is in UTF-16.
 */
function stored(text: string): Value {
  return /[\0\ufffe\uffff]/.test(text) ? Buffer.from(text) : text;
}

export function textOf(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

export type KeyHashes = ReturnType<typeof hashKeys>;

/** Hashes keys, to be found and added in the order of the hashes: neighbours in the index share pages. */
export function hashKeys(keys: readonly string[], hashKey: HashKey) {
  const hashes = hashesOf(keys, hashKey);
  const order = Uint32Array.from({ length: keys.length }, (_, row) => row);
  order.sort((a, b) => hashes[a] - hashes[b]);
  return { keys, hashes, order };
}

/** The upper 48 bits of the hashes, as signed integers. */
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
export function findKeys(
  statements: SqliteKeyStatements,
  { keys, hashes, order }: KeyHashes,
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

export function missingRows(ids: BigUint64Array): number[] {
  const rows: number[] = [];
  for (let row = 0; row < ids.length; row++) if (ids[row] === 0n) rows.push(row);
  return rows;
}

export function addKeys(
  { keys: table, hashes: index }: SqliteKeyStatements,
  { keys, hashes, order }: KeyHashes,
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

  /** One key, outside of a transaction, which would take longer than this statement; undefined if it has no id. */
  findAlone(space: Space, key: string) {
    const [hash] = hashesOf([key], this.hashKey);
    return this.connection.alone(() => this.statements[space].findAlone.get(hash, stored(key)));
  }

  keyOf(space: Space, id: bigint): string | undefined {
    const found = this.statements[space].keyOf.get(BigInt.asIntN(64, id));
    return found && textOf(found.key);
  }
}

export function areSame(some: readonly string[], others: readonly string[]): boolean {
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
