import { describe, expect, it } from 'vitest';
import { jumpHashMany, Router, type Strategy } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

// The value that chi-squared stays under in 999 of 1000 cases, by degrees of freedom (NIST/SEMATECH
// e-Handbook of Statistical Methods, 1.3.6.7.4). The keys are the same on every run, so a case that
// passes always does.
const CRITICAL = { 9: 27.877, 29: 58.301, 99: 148.23 } as const;

function chiSquared(observed: readonly number[], expected: readonly number[]): number {
  return observed.reduce((sum, count, i) => sum + (count - expected[i]) ** 2 / expected[i], 0);
}

/** Chi-squared of two samples of the same size, over the cells that any of them is in. */
function twoSamples(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, count, i) => {
    const other = b[i];
    return count + other === 0 ? sum : sum + (count - other) ** 2 / (count + other);
  }, 0);
}

function countsOf(values: Iterable<number>, cells: number): number[] {
  const counts = new Array<number>(cells).fill(0);
  for (const value of values) counts[value] = counts[value] + 1;
  return counts;
}

onBothBackends('keys are spread evenly', () => {
  const ROWS = scaled(50_000);
  const texts = Array.from({ length: ROWS }, (_, i) => `user:${i}`);
  const integers = BigUint64Array.from({ length: ROWS }, (_, i) => BigInt(i));

  describe.each<Strategy>(['jump', 'fastrange', 'modulo'])('by %s', (strategy) => {
    it.each([
      [10, CRITICAL[9]],
      [100, CRITICAL[99]],
    ])('over %i shards: numbered texts, and integers in a row', (shards, critical) => {
      const router = new Router({ shards, strategy });
      const even = new Array(shards).fill(ROWS / shards);
      expect(chiSquared(countsOf(router.routeMany(texts), shards), even)).toBeLessThan(critical);
      expect(chiSquared(countsOf(router.routeMany(integers), shards), even)).toBeLessThan(critical);
    });

    it('over the shards that are up', () => {
      const router = new Router({ shards: 13, strategy, down: [0, 5, 12] });
      const counts = countsOf(router.routeMany(texts), 13);
      expect([counts[0], counts[5], counts[12]]).toEqual([0, 0, 0]);
      const up = counts.filter((count) => count > 0);
      expect(chiSquared(up, new Array(10).fill(ROWS / 10))).toBeLessThan(CRITICAL[9]);
    });

    it('those of a shard that is down over all others', () => {
      const router = new Router({ shards: 11, strategy });
      const before = router.routeMany(texts);
      const after = router.with({ down: [4] }).routeMany(texts);
      const counts = countsOf(
        after.filter((_, row) => before[row] === 4),
        11,
      ).filter((_, shard) => shard !== 4);
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(chiSquared(counts, new Array(10).fill(total / 10))).toBeLessThan(CRITICAL[9]);
    });
  });

  it('by jump even when they are not hashed', () => {
    const counts = countsOf(new Router({ shards: 100, hash: 'none' }).routeMany(integers), 100);
    expect(chiSquared(counts, new Array(100).fill(ROWS / 100))).toBeLessThan(CRITICAL[99]);
  });
});

/**
 * The walk that jump consistent hash speeds up (Lamping and Veach, 2014, section 2): at each new
 * bucket, a key jumps there with probability 1 / (buckets so far + 1). It has the same distribution
 * but not the same values.
 */
function naiveWalk(key: bigint, buckets: number): number {
  const random = randomU64s(buckets, Number(key));
  let bucket = 0;
  for (let next = 1; next < buckets; next++) {
    if ((random[next] * BigInt(next + 1)) >> 64n === 0n) bucket = next;
  }
  return bucket;
}

onBothBackends('jump consistent hash against the naive walk', () => {
  const ROWS = scaled(20_000);
  const keys = BigUint64Array.from({ length: ROWS }, (_, i) => BigInt(i));
  const walked = (buckets: number) => Array.from(keys, (key) => naiveWalk(key, buckets));

  it('has the same distribution', () => {
    const ours = countsOf(jumpHashMany(keys, 10), 10);
    const naive = countsOf(walked(10), 10);
    expect(chiSquared(ours, new Array(10).fill(ROWS / 10))).toBeLessThan(CRITICAL[9]);
    expect(twoSamples(ours, naive)).toBeLessThan(CRITICAL[9]);
  });

  // Together: where a key is with 5 buckets and where with 10. 5 cells for those that stay, and 25
  // for those that go on to one of the 5 new buckets.
  it('has the same distribution of moves', () => {
    const pairs = (five: ArrayLike<number>, ten: ArrayLike<number>) =>
      countsOf(
        Array.from({ length: ROWS }, (_, row) => five[row] * 10 + ten[row]),
        50,
      );
    const ours = pairs(jumpHashMany(keys, 5), jumpHashMany(keys, 10));
    const naive = pairs(walked(5), walked(10));
    expect(ours.filter((count) => count > 0)).toHaveLength(30);
    expect(ours.map((count) => count > 0)).toEqual(naive.map((count) => count > 0));
    expect(twoSamples(ours, naive)).toBeLessThan(CRITICAL[29]);
  });

  it('has other values: it is an oracle of distribution only', () => {
    const ours = jumpHashMany(keys, 10);
    const same = walked(10).filter((bucket, row) => bucket === ours[row]).length;
    expect(Math.abs(same - ROWS / 10)).toBeLessThan(4 * Math.sqrt(ROWS / 10)); // as many as by chance
  });
});
