import fc from 'fast-check';
import { expect } from 'vitest';
import { IdSet, loadSets } from '../../src/sets/index.js';
import { sameBytes } from '../support/bytes.js';
import { randomU64s } from '../support/random.js';
import { IS_FULL } from '../support/scale.js';

await loadSets(); // in browsers it is not there from the start

/** Ids that meet: few high words and few lower ones, with all bounds, and any. */
export const anId: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n),
  fc
    .tuple(fc.constantFrom(0n, 1n, 2n ** 31n, 2n ** 32n - 1n), fc.constantFrom(0n, 65535n, 65536n), fc.bigInt(0n, 40n))
    .map(([high, middle, low]) => (high << 32n) | (middle + low)),
  fc.bigInt(0n, 2n ** 64n - 1n),
);

/** How long runs are. Long ones, which are kept in another form, take nearly all the time; the quick run has fewer. */
const runLength = fc.oneof(
  { weight: IS_FULL ? 9 : 29, arbitrary: fc.nat(30) },
  { weight: 1, arbitrary: fc.constant(5000) },
);

/** Some ids, single and in runs, in disorder and with duplicates. */
export const someIds: fc.Arbitrary<bigint[]> = fc
  .array(fc.tuple(anId, runLength), { maxLength: 12 })
  .map((parts) => parts.flatMap(([first, length]) => Array.from({ length }, (_, i) => first + BigInt(i))))
  .map((ids) => ids.filter((id) => id < 2n ** 64n));

/** The same ids, of any number; a difference is shown. */
export function expectIds(ids: BigUint64Array, expected: BigUint64Array): void {
  if (!sameBytes(ids, expected)) expect(ids).toEqual(expected);
}

export const column = (ids: Iterable<bigint>): BigUint64Array => BigUint64Array.from(ids);

/** A set of 16 MB: 2,048 containers of 4,097 ids each, which are kept as bits because they do not make runs. */
export function large(): IdSet {
  const ids = new BigUint64Array(2048 * 4097);
  const words = new Uint32Array(ids.buffer);
  for (let row = 0; row < ids.length; row++) words[2 * row] = Math.floor(row / 4097) * 65536 + 15 * (row % 4097);
  return IdSet.from(ids);
}

/** What a column of the ids of a set has to be. */
export function ascending(ids: Iterable<bigint>): BigUint64Array {
  return column(ids)
    .sort()
    .filter((id, row, sorted) => id !== sorted[row - 1]);
}

/** A hundred high words, and for each ten thousand ids or so, the first half of which touch. */
export function manyIds(length: number): BigUint64Array {
  return randomU64s(length).map((value, row) => {
    const high = (value % 100n) << 32n;
    return high | (row % 2 === 0 ? BigInt(row >> 1) : BigInt.asUintN(32, value >> 32n));
  });
}
