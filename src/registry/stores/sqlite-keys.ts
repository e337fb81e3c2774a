import { xxh64Many } from '../../hash/xxh64.js';
import type { Value } from './sqlite-driver.js';
import type { KeyStatements } from './sqlite-tables.js';

/** Text as SQLite is to keep it: as bytes if it has a NUL, where node:sqlite of Node 22 would cut it when reading. */
export function stored(text: string): Value {
  return text.includes('\0') ? Buffer.from(text) : text;
}

/** The text of what is kept. */
export function textOf(value: Value | null): string {
  return typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString();
}

/** Keys with their hashes, to be found and added in the order of the hashes: neighbours in the index share pages. */
export interface HashedKeys {
  readonly keys: readonly string[];
  readonly hashes: BigInt64Array;
  /** Rows, ascending by hash. */
  readonly order: Uint32Array;
}

export function hashKeys(keys: readonly string[], seed: bigint): HashedKeys {
  const hashes = new BigInt64Array(xxh64Many(keys, { seed }).buffer, 0, keys.length);
  const halves = new Int32Array(hashes.buffer, 0, 2 * keys.length);
  // The upper half decides, but for one pair in 2^32: then the order is another one, and nothing else.
  const order = Uint32Array.from({ length: keys.length }, (_, row) => row);
  order.sort((a, b) => (halves[2 * a + 1] as number) - (halves[2 * b + 1] as number));
  return { keys, hashes, order };
}

/** The ids of keys, in the order of the keys; 0 for those that have none. */
export function findKeys(statements: KeyStatements, { keys, hashes, order }: HashedKeys): BigUint64Array {
  const ids = new BigUint64Array(keys.length);
  for (const row of order) {
    const found = statements.find.get(hashes[row] as bigint, stored(keys[row] as string));
    if (found !== undefined) ids[row] = BigInt.asUintN(64, found.id as bigint);
  }
  return ids;
}

/** Adds those of some keys that `rows` has, in both directions. */
export function addKeys(
  statements: KeyStatements,
  { keys, hashes, order }: HashedKeys,
  ids: BigUint64Array,
  isNew: (row: number) => boolean,
): void {
  for (let row = 0; row < keys.length; row++) {
    if (isNew(row)) statements.addKey.run(BigInt.asIntN(64, ids[row] as bigint), stored(keys[row] as string));
  }
  for (const row of order) {
    if (isNew(row)) statements.addHash.run(hashes[row] as bigint, BigInt.asIntN(64, ids[row] as bigint));
  }
}
