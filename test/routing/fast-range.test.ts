import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fastRange, fastRangeMany, xxh64 } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { FAST_RANGE, RAGEDB } from '../vectors/fast-range.js';

const U64_MAX = 0xffffffffffffffffn;
const MAX_N = 4294967295;

const exact = (hash: bigint, n: number): number => Number((hash * BigInt(n)) >> 64n);

/** fastRange, and fastRangeMany in a place where it works in lanes and in one where it does not. */
function everyWay(hash: bigint, n: number): number[] {
  const many = fastRangeMany(new BigUint64Array(5).fill(hash), n);
  return [fastRange(hash, n), many[0], many[3], many[4]];
}

onBothBackends('fastRange is floor(hash * n / 2^64), exactly', () => {
  it.each(FAST_RANGE)('of $hash and $n', ({ hash, n, result }) => {
    expect(everyWay(hash, n)).toEqual([result, result, result, result]);
  });

  it('of the worked example: the hash of "abc" in 1000', () => {
    expect(fastRange(xxh64('abc'), 1000)).toBe(268);
  });

  it.each([1, 2, 3, 10, 1024, 65535, 2 ** 31, MAX_N])('of the ends of the range for n = %i', (n) => {
    expect(everyWay(0n, n)).toEqual([0, 0, 0, 0]);
    expect(everyWay(U64_MAX, n)).toEqual([n - 1, n - 1, n - 1, n - 1]);
  });

  it.each([65535, 65536, 65537, 2 ** 31 - 1, 2 ** 31, MAX_N])('of 20,000 random hashes and n = %i', (n) => {
    const hashes = randomU64s(20_000, n);
    const expected = Uint32Array.from(hashes, (hash) => exact(hash, n));
    expect(fastRangeMany(hashes, n)).toEqual(expected);
    expect(Uint32Array.from(hashes, (hash) => fastRange(hash, n))).toEqual(expected);
  });

  // The least hash of each result, and the greatest of the one before it: the two sides of a step,
  // which the high word alone cannot tell apart.
  it.each([3, 10, 1000, 65535, 2 ** 31 - 1, MAX_N])('on both sides of a step, for n = %i', (n) => {
    const results = [1, 2, n >>> 1, n - 1].filter((result) => result >= 1 && result < n);
    for (const result of [...results, ...Array.from(randomU64s(500), (value) => 1 + Number(value % BigInt(n - 1)))]) {
      const least = ((BigInt(result) << 64n) + BigInt(n) - 1n) / BigInt(n);
      expect(everyWay(least, n)).toEqual([result, result, result, result]);
      expect(everyWay(least - 1n, n)).toEqual(new Array(4).fill(result - 1));
    }
  });

  it('whatever the hash and n', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: U64_MAX }), fc.integer({ min: 1, max: MAX_N }), (hash, n) => {
        expect(everyWay(hash, n)).toEqual(new Array(4).fill(exact(hash, n)));
      }),
    );
  });

  it('so that small integers all go to 0, and have to be hashed first', () => {
    const small = BigUint64Array.from({ length: 1000 }, (_, i) => BigInt(i));
    expect(new Set(fastRangeMany(small, 1000))).toEqual(new Set([0]));
  });

  it('and never falls when the hash grows', () => {
    const sorted = randomU64s(5000).sort();
    const results = fastRangeMany(sorted, 999);
    expect(results).toEqual(results.slice().sort());
  });
});

onBothBackends('fastRange', () => {
  it("reproduces RageDB's table of 4 shards", () => {
    const hashes = BigUint64Array.from(RAGEDB, ({ hash }) => hash);
    expect([...fastRangeMany(hashes, 4)]).toEqual(RAGEDB.map(({ shardOf4 }) => shardOf4));
    for (const { hash, shardOf4 } of RAGEDB) expect(fastRange(hash, 4)).toBe(shardOf4);
  });

  it('moves half of the keys when n grows by one', () => {
    const hashes = randomU64s(50_000);
    for (const n of [10, 100, 1000]) {
      const before = fastRangeMany(hashes, n);
      const moved = fastRangeMany(hashes, n + 1).filter((result, row) => result !== before[row]).length;
      expect(Math.abs(moved - 25_000)).toBeLessThan(4 * Math.sqrt(12_500)); // 4 standard deviations
    }
  });
});
