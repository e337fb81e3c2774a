import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jumpHash, jumpHashMany } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { IS_FULL, scaled } from '../support/scale.js';
import {
  CHECKSUMS,
  CLICKHOUSE,
  GO_JUMP,
  GOLDEN_100,
  GUAVA,
  LITHAMMER,
  MAX_DIVISOR,
  MAX_N,
  ROUNDING,
} from '../vectors/jump-hash.js';

const U64_MAX = 0xffffffffffffffffn;
const MAX_BUCKETS = 2147483647;
const KNOWN = { GUAVA, LITHAMMER, CLICKHOUSE, MAX_N, MAX_DIVISOR, ROUNDING };

/**
 * jumpHash, and jumpHashMany at every place of columns where all keys go the same way: so few that they
 * are finished one by one, and so many that they stay together to the end.
 */
function everyWay(key: bigint, buckets: number): number[] {
  const columns = [9, 100].map((rows) => jumpHashMany(new BigUint64Array(rows).fill(key), buckets));
  return [jumpHash(key, buckets), ...columns.flatMap((shards) => [...new Set(shards)])];
}

/** Jump as Guava and most ports write it: one rounding fewer. */
function roundedOnce(key: bigint, buckets: number): number {
  let bucket = 0;
  for (let state = key; ; ) {
    state = BigInt.asUintN(64, state * 2862933555777941757n + 1n);
    const next = Math.floor((bucket + 1) / ((Number(state >> 33n) + 1) / 2147483648));
    if (next >= buckets) return bucket;
    bucket = next;
  }
}

/** FNV-1a 64 of a column as little-endian u32, in two halves so that it needs no bigints. */
function fnv1a(column: Uint32Array): bigint {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of new Uint8Array(column.buffer, column.byteOffset, column.byteLength)) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}

onBothBackends('jumpHash gives the buckets of the paper', () => {
  for (const [source, vectors] of Object.entries(KNOWN)) {
    it.each(vectors)(`${source}: key $key in $buckets`, ({ key, buckets, bucket }) => {
      expect(everyWay(key, buckets)).toEqual([bucket, bucket, bucket]);
    });
  }

  it('golden100', () => {
    const keys = BigUint64Array.from(GOLDEN_100, (_, key) => BigInt(key));
    expect(Array.from(keys, (key) => jumpHash(key, 100))).toEqual(GOLDEN_100);
    expect([...jumpHashMany(keys, 100)]).toEqual(GOLDEN_100);
  });

  it.each(GO_JUMP)('go-jump: key $key', ({ key, buckets }) => {
    expect(buckets.map((_, i) => jumpHash(key, i + 1))).toEqual(buckets);
    expect(buckets.map((_, i) => jumpHashMany(BigUint64Array.of(key), i + 1)[0])).toEqual(buckets);
  });

  it.each(ROUNDING)('and not those of one rounding fewer: key $key in $buckets', (vector) => {
    expect(roundedOnce(vector.key, vector.buckets)).toBe(vector.roundedOnce);
    expect(everyWay(vector.key, vector.buckets)).not.toContain(vector.roundedOnce);
  });

  const checksums = CHECKSUMS.filter(({ rows }) => IS_FULL || rows < 1_000_000);

  it.each(checksums)('for $rows keys in 1024 buckets', ({ rows, in1024 }) => {
    const keys = BigUint64Array.from({ length: rows }, (_, i) => BigInt(i));
    expect(fnv1a(jumpHashMany(keys, 1024)).toString(16)).toBe(in1024.toString(16));
  });

  it.each(checksums)('for $rows keys, each in one bucket more', ({ rows, growing }) => {
    const buckets = Uint32Array.from({ length: rows }, (_, i) =>
      jumpHash(BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n), i + 1),
    );
    expect(fnv1a(buckets).toString(16)).toBe(growing.toString(16));
  });
});

onBothBackends('jumpHash', () => {
  const u64 = fc.bigInt({ min: 0n, max: U64_MAX });
  const n = fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: MAX_BUCKETS - 1 }));

  it('puts every key of one bucket into it', () => {
    for (const key of [0n, 1n, U64_MAX]) expect(everyWay(key, 1)).toEqual([0, 0, 0]);
  });

  it('stays below the number of buckets', () => {
    fc.assert(
      fc.property(u64, n, (key, buckets) => {
        for (const bucket of everyWay(key, buckets)) {
          expect(Number.isInteger(bucket) && bucket >= 0 && bucket < buckets).toBe(true);
        }
      }),
    );
  });

  it('moves a key only to the new bucket when there is one more', () => {
    fc.assert(
      fc.property(u64, n, (key, buckets) => {
        expect([jumpHash(key, buckets), buckets]).toContain(jumpHash(key, buckets + 1));
      }),
      { numRuns: scaled(1000) },
    );
  });

  it('moves 1 key in n + 1 when there is one more', () => {
    const keys = BigUint64Array.from({ length: 50_000 }, (_, i) => BigInt(i));
    for (const buckets of [1, 3, 10, 100]) {
      const before = jumpHashMany(keys, buckets);
      const moved = jumpHashMany(keys, buckets + 1).filter((bucket, row) => bucket !== before[row]).length;
      const expected = keys.length / (buckets + 1);
      expect(Math.abs(moved - expected)).toBeLessThan(4 * Math.sqrt(expected)); // 4 standard deviations
    }
  });
});
