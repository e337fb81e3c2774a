import { describe, expect, it } from 'vitest';
import { Router, type Strategy } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { RENDEZVOUS } from '../vectors/down.js';

const all = (shards: number, but: readonly number[]): number[] =>
  Array.from({ length: shards }, (_, shard) => shard).filter((shard) => !but.includes(shard));

/** A router of so many shards of which all are down but these. */
const onlyUp = (strategy: Strategy, shards: number, up: readonly number[]): Router =>
  new Router({ shards, strategy, hash: 'none', down: all(shards, up) });

// So few are up that probing does not find them for many keys and routing has to go on otherwise.
onBothBackends('when nearly all shards are down', () => {
  it('routing is pinned', () => {
    const router = onlyUp('jump', RENDEZVOUS.shards, RENDEZVOUS.up);
    const keys = BigUint64Array.from(RENDEZVOUS.routes, (_, key) => BigInt(key));
    expect([...router.routeMany(keys)]).toEqual(RENDEZVOUS.routes);
    expect(Array.from(keys, (key) => router.route(key))).toEqual(RENDEZVOUS.routes);
    for (const { key, shard } of RENDEZVOUS.lastProbe) expect(router.route(key)).toBe(shard);
  });

  describe.each<Strategy>(['jump', 'fastrange', 'modulo'])('%s', (strategy) => {
    const keys = randomU64s(scaled(400));

    it.each([
      [1000, [0]],
      [1000, [999]],
      [1000, [421]],
      [300, [17, 250]],
      [300, [0, 299]],
      [5000, [1, 2, 4998]],
    ])('of %i only %j get keys, and one alone goes where it does in a column', (shards, up) => {
      const router = onlyUp(strategy, shards, up);
      const many = router.routeMany(keys);
      expect(new Set(many)).toEqual(new Set(up));
      const alone = scaled(60);
      expect(Uint32Array.from(keys.subarray(0, alone), (key) => router.route(key))).toEqual(many.subarray(0, alone));
    });

    it('one more that goes down moves its own keys only, in either order', () => {
      const up = [17, 100, 250];
      const three = onlyUp(strategy, 300, up).routeMany(keys);
      for (const dead of up) {
        const rest = up.filter((shard) => shard !== dead);
        const two = onlyUp(strategy, 300, rest).routeMany(keys);
        expect([...keys.keys()].filter((row) => two[row] !== three[row])).toEqual(
          [...keys.keys()].filter((row) => three[row] === dead),
        );
        for (const last of rest) {
          const one = onlyUp(strategy, 300, [last]).routeMany(keys);
          expect([...keys.keys()].every((row) => one[row] === last)).toBe(true);
        }
      }
    });

    it('splits the keys evenly between two that are left', () => {
      const many = onlyUp(strategy, 300, [17, 250]).routeMany(keys);
      const first = many.filter((shard) => shard === 17).length;
      expect(Math.abs(first - keys.length / 2)).toBeLessThan(4 * Math.sqrt(keys.length / 4)); // 4 standard deviations
    });

    it('depends on the set only', () => {
      const down = all(300, [17, 250]);
      const router = new Router({ shards: 300, strategy, hash: 'none', down: [...down].reverse() });
      const roundabout = new Router({ shards: 300, strategy, hash: 'none' }).with({ down: [17] }).with({ down });
      expect(router.routeMany(keys)).toEqual(onlyUp(strategy, 300, [17, 250]).routeMany(keys));
      expect(roundabout.routeMany(keys)).toEqual(router.routeMany(keys));
    });

    it('routes texts too, by their hash', () => {
      const texts = Array.from({ length: 50 }, (_, i) => `user:${i}`);
      const router = new Router({ shards: 1000, strategy, down: all(1000, [3, 600]) });
      const many = router.routeMany(texts);
      expect(new Set(many)).toEqual(new Set([3, 600]));
      expect(Uint32Array.from(texts, (text) => router.route(text))).toEqual(many);
    });
  });

  it('growing moves keys only to the new shard, by jump', () => {
    const keys = randomU64s(400);
    const two = onlyUp('jump', 300, [17, 250]);
    const before = two.routeMany(keys);
    const after = two.with({ shards: 301 }).routeMany(keys);
    const moved = [...keys.keys()].filter((row) => after[row] !== before[row]);
    expect(moved.every((row) => after[row] === 300)).toBe(true);
    expect(Math.abs(moved.length - 400 / 3)).toBeLessThan(4 * Math.sqrt((400 * 2) / 9)); // 4 standard deviations
  });
});
