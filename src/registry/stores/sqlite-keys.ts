import type { SqliteRow, Value } from './sqlite-driver.js';
import { type Insert, ROWS_OF_MANY, type SqliteKeyStatements } from './sqlite-tables.js';
import { type HashKey, hashes64 } from './string-hashes.js';

/**
 * Text for storage: bytes if it has a NUL, because node:sqlite of Node.js 22 cuts off text there when it reads, or
 * U+FFFE or U+FFFF, because SQLite changes them to U+FFFD in a database whose text is in UTF-16.
 */
export function stored(text: string): Value {
  return /[\0\ufffe\uffff]/.test(text) ? Buffer.from(text) : text;
}

/** The text of a stored value. */
export function textOf(value: Value | null): string {
  return typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString();
}

/** Keys with their hashes, to be found and added in the order of the hashes: neighbours in the index share pages. */
export interface HashedKeys {
  readonly keys: readonly string[];
  /** The upper 48 bits, as signed integers. */
  readonly hashes: Float64Array;
  /** Rows, ascending by hash. */
  readonly order: Uint32Array;
}

export function hashKeys(keys: readonly string[], hashKey: HashKey): HashedKeys {
  const words = new Int32Array(hashes64(keys, hashKey).buffer);
  const hashes = new Float64Array(keys.length);
  for (let row = 0; row < keys.length; row++) {
    hashes[row] = (words[2 * row + 1] as number) * 65_536 + ((words[2 * row] as number) >>> 16);
  }
  const order = Uint32Array.from({ length: keys.length }, (_, row) => row);
  order.sort((a, b) => (hashes[a] as number) - (hashes[b] as number));
  return { keys, hashes, order };
}

/**
 * Finds the ids of keys, in the order of their hashes.
 * @param ids where they go, in the order of the keys; those of keys without an id stay 0
 * @param from how many keys have been looked up already
 * @param mostMs after how many milliseconds to stop
 * @returns how many keys have been looked up
 */
export function findKeys(
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
    const row = order[next] as number;
    const hash = hashes[row] as number;
    if (!isLikely && statements.hasHash.get(hash) === undefined) continue;
    const found: SqliteRow | undefined = statements.find.get(hash, stored(keys[row] as string));
    isLikely = found !== undefined;
    if (found !== undefined) signed[row] = found.id as bigint;
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

/** The rows of keys that were not found. */
export function missingRows(ids: BigUint64Array): number[] {
  const rows: number[] = [];
  for (let row = 0; row < ids.length; row++) if (ids[row] === 0n) rows.push(row);
  return rows;
}

/** Adds some of the keys, in both directions. */
export function addKeys(
  { keys: table, hashes: index }: SqliteKeyStatements,
  { keys, hashes, order }: HashedKeys,
  ids: BigUint64Array,
  rows: readonly number[],
): void {
  const signed = new BigInt64Array(ids.buffer, ids.byteOffset, ids.length);
  const isNew = new Uint8Array(keys.length);
  for (const row of rows) isNew[row] = 1;
  insertRows(
    table,
    rows,
    (row) => signed[row] as bigint,
    (row) => stored(keys[row] as string),
  );
  const ofIndex = rows.length === keys.length ? order : order.filter((row) => isNew[row]);
  insertRows(
    index,
    ofIndex,
    (row) => hashes[row] as number,
    (row) => signed[row] as bigint,
  );
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
      values[i++] = first(rows[row] as number);
      values[i++] = second(rows[row] as number);
    }
    many.run(...values);
  }
  for (; row < rows.length; row++) one.run(first(rows[row] as number), second(rows[row] as number));
}
