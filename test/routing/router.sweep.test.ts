import { describe, expect, it } from 'vitest';
import { fastRange, jumpHash, type Key, type Keys, Router, type Strategy, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { IS_FULL } from '../support/scale.js';

const UNTOUCHED = 0x55555555;
const STRATEGIES: readonly Strategy[] = ['jump', 'fastrange', 'modulo'];

/** What each strategy is, by its definition. */
const place: Record<Strategy, (hash: bigint, shards: number) => number> = {
  jump: jumpHash,
  fastrange: fastRange,
  modulo: (hash, shards) => Number(hash % BigInt(shards)),
};

const texts = ['', 'user:42', 'ж', '你好😀', '\ud800', 'x'.repeat(500), 'y'.repeat(300_000)];
const u64s = [0n, 1n, 255n, 1n << 63n, 0xffffffffffffffffn];
const bytes = [new Uint8Array(), Uint8Array.of(1, 2, 3), new Uint16Array(40).fill(7), new ArrayBuffer(9)];

onBothBackends('a Router', () => {
  it('routes by jumpHash of xxh64 unless told otherwise', () => {
    const router = new Router({ shards: 1024 });
    for (const key of [...texts, ...u64s, ...bytes] satisfies Key[]) {
      expect(router.route(key)).toBe(jumpHash(xxh64(key), 1024));
    }
    expect(router).toMatchObject({ shards: 1024, strategy: 'jump', hash: 'xxh64', seed: 0n, down: [] });
  });

  describe.each(STRATEGIES)('with %s', (strategy) => {
    it.each([1, 2, 3, 10, 1024, 65537, 2 ** 31 - 1])('places the hash of a key among %i shards', (shards) => {
      const router = new Router({ shards, strategy, seed: 99n });
      for (const key of [...texts, ...u64s, ...bytes] satisfies Key[]) {
        expect(router.route(key)).toBe(place[strategy](xxh64(key, 99n), shards));
      }
      const keys = randomU64s(100);
      expect(router.routeMany(keys)).toEqual(Uint32Array.from(keys, (key) => place[strategy](xxh64(key, 99n), shards)));
    });

    it.each([1, 3, 10, 65537, 2 ** 31 - 1])('places a key as it is among %i shards, without a hash', (shards) => {
      const router = new Router({ shards, strategy, hash: 'none' });
      for (const key of u64s) expect(router.route(key)).toBe(place[strategy](key, shards));
      const keys = randomU64s(100);
      expect(router.routeMany(keys)).toEqual(Uint32Array.from(keys, (key) => place[strategy](key, shards)));
    });

    const data = randomBytes(51_000);
    const columns: [string, Keys, (row: number) => Key, number][] = [
      ['strings', texts, (row) => texts[row], texts.length],
      ['many strings', Array.from({ length: 17_000 }, (_, i) => `k${i}`), (row) => `k${row}`, 17_000],
      [
        'bytes',
        { data, offsets: Uint32Array.from({ length: 17_001 }, (_, row) => row * 3) },
        (row) => data.subarray(row * 3, row * 3 + 3),
        17_000,
      ],
      ['u64s', randomU64s(17_000), (row) => randomKeys[row], 17_000],
      ['signed u64s', new BigInt64Array(randomU64s(100).buffer), (row) => randomKeys[row], 100],
    ];
    const randomKeys = randomU64s(17_000);

    it.each(columns)('routes a column as its rows: %s', (_, keys, keyOf, rows) => {
      for (const down of [[], [3]]) {
        const router = new Router({ shards: 10, strategy, seed: 5n, down });
        const step = IS_FULL || rows < 1000 ? 1 : 7;
        expect(router.routeMany(keys).filter((_, row) => row % step === 0)).toEqual(
          Uint32Array.from({ length: Math.ceil(rows / step) }, (_, i) => router.route(keyOf(i * step))),
        );
      }
    });

    it('routes a column without a hash as its rows', () => {
      const router = new Router({ shards: 10, strategy, hash: 'none', down: [3] });
      const expected = Uint32Array.from(randomKeys, (key) => router.route(key));
      expect(router.routeMany(randomKeys)).toEqual(expected);
      expect(router.routeMany(new BigInt64Array(randomKeys.buffer))).toEqual(expected);
      expect(randomKeys).toEqual(randomU64s(17_000));
    });
  });

  // The rows of a piece lie next to the hashes on their way to the shards.
  it.each([-1, 0, 1, 8, 40, 64])('routes rows that fill an internal piece of 256 KiB, and %i bytes more', (more) => {
    const lengths = [10, 10, 10, 256 * 1024 - 30 + more, 5, 256 * 1024 + more, 0, 3];
    const offsets = new Uint32Array(lengths.length + 1);
    for (const [row, length] of lengths.entries()) offsets[row + 1] = offsets[row] + length;
    const data = randomBytes(offsets.at(-1) as number);
    const router = new Router({ shards: 1_000_000 });
    expect(router.routeMany({ data, offsets })).toEqual(
      Uint32Array.from(lengths, (_, row) => router.route(data.subarray(offsets[row], offsets[row + 1]))),
    );
  });

  it('takes the seed modulo 2^64', () => {
    const keys = randomU64s(200);
    const shards = (seed: bigint) => [...new Router({ shards: 1000, seed }).routeMany(keys)];
    expect(shards(-1n)).toEqual(shards((1n << 64n) - 1n));
    expect(shards((1n << 64n) + 1n)).toEqual(shards(1n));
    expect(shards(1n)).not.toEqual(shards(0n));
    expect(new Router({ shards: 1000, seed: -1n }).route('a')).toBe(jumpHash(xxh64('a', -1n), 1000));
  });

  it('routes no keys to no shards', () => {
    const router = new Router({ shards: 3, down: [1] });
    for (const keys of [[], new BigUint64Array(), { data: new Uint8Array(), offsets: new Uint32Array() }]) {
      expect(router.routeMany(keys)).toEqual(new Uint32Array());
    }
  });

  it('writes to out, gives it back, and writes nothing beside it', () => {
    for (const down of [[], [3]]) {
      const router = new Router({ shards: 10, down });
      const around = new Uint32Array(20_002).fill(UNTOUCHED);
      const out = around.subarray(1, 20_001);
      const keys = randomU64s(20_000);
      expect(router.routeMany(keys, { out })).toBe(out);
      expect(out).toEqual(router.routeMany(keys));
      expect([around[0], around[20_001]]).toEqual([UNTOUCHED, UNTOUCHED]);
      const shared = new Uint32Array(new SharedArrayBuffer(80_000));
      expect(router.routeMany(keys, { out: shared })).toBe(shared);
      expect(Uint32Array.from(shared)).toEqual(out);
    }
  });

  it('does not disturb one that is routing by another hash in between', () => {
    const router = new Router({ shards: 100 });
    const expected = router.routeMany(['a', 'b', 'c']);
    const hashes = xxh64Many(['a', 'b', 'c']);
    new Router({ shards: 7, seed: 1n, down: [2] }).routeMany(['d', 'e', 'f']);
    expect(router.routeMany(['a', 'b', 'c'])).toEqual(expected);
    expect(xxh64Many(['a', 'b', 'c'])).toEqual(hashes);
  });

  it('takes down from anything that can be gone through, in any order and with repeats', () => {
    function* generate() {
      yield* [7, 3, 7];
    }
    for (const down of [
      [7, 3],
      new Set([3, 7]),
      Uint8Array.of(3, 7, 3),
      generate(),
      new Map([
        [7, 'a'],
        [3, 'b'],
      ]).keys(),
    ]) {
      expect(new Router({ shards: 10, down }).down).toEqual([3, 7]);
    }
    expect(new Router({ shards: 20, down: [10, 9, 2] }).down).toEqual([2, 9, 10]);
    expect(new Router({ shards: 10, down: [] }).down).toEqual([]);
  });

  it('refuses an out that is the very memory of the data, unless the shards come out right', () => {
    const rows = 20_000;
    const out = new Uint32Array(rows).fill(7);
    const data = new Uint8Array(out.buffer);
    const offsets = new Uint32Array(rows + 1);
    offsets[rows] = data.length;
    const many = new Router({ shards: 2 ** 31 - 1 });
    const expected = many.routeMany({ data: data.slice(), offsets });
    const before = out.slice();
    let refused: unknown;
    try {
      many.routeMany({ data, offsets }, { out });
    } catch (error) {
      refused = error;
    }
    if (refused !== undefined) expect(refused).toBeInstanceOf(RangeError);
    expect(out.at(-1)).toBe((refused === undefined ? expected : before).at(-1));
  });
});
