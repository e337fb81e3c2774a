import { describe, expect, it } from 'vitest';
import { fastRange, jumpHash, Router, type Strategy, xxh64 } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { IS_FULL } from '../support/scale.js';
import { DOWN } from '../vectors/down.js';

const STRATEGIES: readonly Strategy[] = ['jump', 'fastrange', 'modulo'];

const place: Record<Strategy, (hash: bigint, shards: number) => number> = {
  jump: jumpHash,
  fastrange: fastRange,
  modulo: (hash, shards) => Number(hash % BigInt(shards)),
};

/** The scheme as it is documented: while the shard is down, the one of SplitMix64's next output. */
function byProbing(hash: bigint, shards: number, down: ReadonlySet<number>, strategy: Strategy): number {
  let state = hash;
  let shard = place[strategy](hash, shards);
  while (down.has(shard)) {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    shard = place[strategy](z ^ (z >> 31n), shards);
  }
  return shard;
}

/** The rows whose shard is not the same. */
function movedRows(before: Uint32Array, after: Uint32Array): number[] {
  return [...before.keys()].filter((row) => before[row] !== after[row]);
}

onBothBackends('routing round shards that are down', () => {
  it.each(DOWN)('is pinned: key $key with $down down', ({ down, key, shard }) => {
    const router = new Router({ shards: 10, hash: 'none', down });
    expect(router.route(key)).toBe(shard);
    expect(router.routeMany(BigUint64Array.of(key, key))).toEqual(Uint32Array.of(shard, shard));
  });

  it('goes by the hash of a key, not by the key', () => {
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const down = [jumpHash(xxh64(key, 8n), 10)];
      const expected = new Router({ shards: 10, hash: 'none', down }).route(xxh64(key, 8n));
      expect(new Router({ shards: 10, seed: 8n, down }).route(key)).toBe(expected);
    }
  });

  describe.each(STRATEGIES)('by %s', (strategy) => {
    const keys = randomU64s(20_000);
    const ten = new Router({ shards: 10, strategy, hash: 'none' });
    const routes = (...down: number[]) => ten.with({ down }).routeMany(keys);

    it.each([
      [10, [3]],
      [10, [0, 9]],
      [10, [0, 1, 2, 3, 4, 6, 7, 8, 9]],
      [2, [0]],
      [2, [1]],
      [1000, [0, 1, 500, 999]],
    ])('is a walk along SplitMix64 (%i shards, %j down)', (shards, down) => {
      const few = keys.subarray(0, 3000);
      const router = new Router({ shards, strategy, hash: 'none', down });
      const expected = Uint32Array.from(few, (key) => byProbing(key, shards, new Set(down), strategy));
      expect(router.routeMany(few)).toEqual(expected);
      expect(Uint32Array.from(few.subarray(0, 300), (key) => router.route(key))).toEqual(expected.subarray(0, 300));
    });

    it('is plain routing when none is down', () => {
      expect(routes()).toEqual(Uint32Array.from(keys, (key) => place[strategy](key, 10)));
    });

    it('moves the keys of a shard that goes down, all of them and no others', () => {
      const before = routes();
      for (const dead of IS_FULL ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] : [0, 3, 9]) {
        const after = routes(dead);
        expect(after).not.toContain(dead);
        expect(movedRows(before, after)).toEqual([...keys.keys()].filter((row) => before[row] === dead));
      }
    });

    it('moves 10 % when 3 of 10 goes down, then no key twice when 7 goes and 3 comes back', () => {
      const none = routes();
      const three = routes(3);
      const both = routes(3, 7);
      const seven = routes(7);
      const share = movedRows(none, three).length / keys.length;
      expect(Math.abs(share - 0.1)).toBeLessThan(4 * Math.sqrt(0.09 / keys.length)); // 4 standard deviations
      expect(movedRows(three, both).every((row) => three[row] === 7)).toBe(true);
      expect(movedRows(both, seven).every((row) => seven[row] === 3)).toBe(true);
      expect(movedRows(seven, none).every((row) => none[row] === 7)).toBe(true);
    });

    it('depends on which are down only, not on the order of events', () => {
      const byEvents = ten
        .with({ down: [3] })
        .with({ down: [7, 3] })
        .with({ down: [7] })
        .with({ down: [7, 1] });
      const otherwise = ten.with({ down: [1] }).with({ down: [1, 7] });
      expect(byEvents.routeMany(keys)).toEqual(otherwise.routeMany(keys));
      expect(byEvents.with({ down: [] }).routeMany(keys)).toEqual(ten.routeMany(keys));
    });

    it('is the same for a key alone and in any column', () => {
      const router = ten.with({ down: [2, 3, 5, 7] });
      const many = router.routeMany(keys);
      for (const [from, to] of [
        [0, 1],
        [5, 22],
        [16_380, 16_390],
        [100, 19_000],
      ] as const) {
        expect(router.routeMany(keys.subarray(from, to))).toEqual(many.subarray(from, to));
      }
      expect(Uint32Array.from(keys.subarray(0, 2000), (key) => router.route(key))).toEqual(many.subarray(0, 2000));
    });
  });

  it('moves keys only to the new shard when jump grows from 10 to 11 with 3 down', () => {
    const keys = randomU64s(50_000);
    const ten = new Router({ shards: 10, hash: 'none', down: [3] });
    const before = ten.routeMany(keys);
    const after = ten.with({ shards: 11 }).routeMany(keys);
    const moved = movedRows(before, after);
    expect(moved.every((row) => after[row] === 10)).toBe(true);
    expect(Math.abs(moved.length / keys.length - 1 / 10)).toBeLessThan(4 * Math.sqrt(0.09 / keys.length)); // 10 are up
  });

  it('moves only keys that the new shard would have when it begins down', () => {
    const keys = randomU64s(20_000);
    const ten = new Router({ shards: 10, hash: 'none' });
    const before = ten.routeMany(keys);
    const begunDown = ten.with({ shards: 11, down: [10] }).routeMany(keys);
    const begunUp = ten.with({ shards: 11 }).routeMany(keys);
    expect(begunDown).not.toContain(10);
    expect(movedRows(before, begunDown).every((row) => begunUp[row] === 10)).toBe(true);
  });
});
