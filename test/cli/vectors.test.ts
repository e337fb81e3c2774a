import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fastRange, jumpHash, Router, xxh64 } from '../../src/index.js';
import { runHere } from '../support/run-here.js';
import { splitMix64 } from '../support/split-mix.js';

interface Vector {
  readonly key: string;
  readonly keys: 'text' | 'u64';
  readonly hash: string;
  readonly seed: string;
  readonly strategy: string;
  readonly shards: number;
  readonly down: readonly number[];
  readonly shard: number;
}

async function vectors(...args: string[]): Promise<{ text: string; all: Vector[] }> {
  const { code, stdout, stderr } = await runHere(['vectors', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  const text = stdout.toString();
  return { text, all: JSON.parse(text).vectors };
}

describe('vectors', () => {
  it('writes 100 keys unless told otherwise, each on a line, and always the same ones first', async () => {
    const { text, all } = await vectors();
    expect(all).toHaveLength(100);
    expect(text.split('\n')).toHaveLength(103);
    for (const count of [1, 1000, 1001]) {
      const { all: others } = await vectors('--keys', String(count));
      expect(others).toHaveLength(count);
      expect(others.slice(0, 100)).toEqual(all.slice(0, count));
    }
  });

  // Programs elsewhere were checked with them. test/docs/other-languages.test.ts compares the shards with a program in C.
  it('never changes them', async () => {
    const { text } = await vectors('--keys', '1000');
    const digest = createHash('sha256').update(text).digest('hex');
    expect(digest).toBe('65e6aa309267634304a725b34008bd1a993a8185859f1dfd005fc14df5280b71');
  });

  it('gives what a Router gives, and has every combination of keys, strategy, seed and shards', async () => {
    const { all } = await vectors('--keys', '5000');
    for (const { key, keys, hash, shard, ...options } of all) {
      const router = Router.from(options);
      const value = keys === 'u64' ? BigInt(key) : key;
      expect([shard, BigInt(`0x${hash}`)]).toEqual([router.route(value), xxh64(value, router.seed)]);
    }
    const combinations = new Set(
      all.map(({ keys, strategy, seed, shards, down }) => [keys, strategy, seed, shards, down.length > 0].join()),
    );
    // Two kinds of keys, three strategies, three seeds, six numbers of shards (one of them cannot be down), and the
    // one with 300 shards.
    expect(combinations.size).toBe(2 * 3 * 3 * (6 + 5) + 1);
    const lengths = new Set(all.map(({ key, keys }) => keys === 'text' && Buffer.byteLength(key)));
    expect([...Array(100).keys()].filter((length) => length > 2 && !lengths.has(length))).toEqual([]);
  });

  it('begins with ten that find the mistakes of which the guide tells', async () => {
    const { all } = await vectors('--keys', '11');
    const hashes = all.map(({ hash }) => BigInt(`0x${hash}`));
    const bytes = all.map(({ key, keys }) => (keys === 'text' ? Buffer.byteLength(key) : 8));
    expect(bytes.slice(0, 5)).toEqual([0, 1, 19, 63, 8]);
    const bigEndian = new DataView(new ArrayBuffer(8));
    bigEndian.setBigUint64(0, BigInt(all[4].key));
    expect(jumpHash(xxh64(bigEndian), 1000)).not.toBe(all[4].shard);
    expect(BigInt(all[5].seed)).toBeGreaterThan(2n ** 63n);
    expect(all[6]).toMatchObject({ shards: 2 ** 31 - 1, shard: 1055079801 });
    expect(jumpRoundingOnce(hashes[6], all[6].shards)).toBe(1055079802);
    for (const row of [7, 8]) expect(hashes[row]).toBeGreaterThan(2n ** 63n);
    expect(all[7]).toMatchObject({ strategy: 'modulo', shard: Number(hashes[7] % 1000n) });
    expect(all[8]).toMatchObject({ strategy: 'fastrange', shard: fastRange(hashes[8], 1000) });
    const tried = [hashes[9], ...splitMix64(3, hashes[9])];
    expect(tried.map((hash) => jumpHash(hash, 10))).toEqual([5, 2, 5, 3]);
    expect(all[9]).toMatchObject({ down: [2, 5], shard: 3 });
    const allTried = [hashes[10], ...splitMix64(256, hashes[10])].map((hash) => jumpHash(hash, 300));
    expect(allTried.filter((shard) => !all[10].down.includes(shard))).toEqual([]);
  });
});

/** Jump hash whose division rounds once. */
function jumpRoundingOnce(hash: bigint, buckets: number): number {
  let [key, bucket, next] = [hash, -1, 0];
  while (next < buckets) {
    bucket = next;
    key = BigInt.asUintN(64, key * 2862933555777941757n + 1n);
    next = Math.floor(((bucket + 1) * 2 ** 31) / (Number(key >> 33n) + 1));
  }
  return bucket;
}
