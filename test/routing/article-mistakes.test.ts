import { expect, it } from 'vitest';
import { jumpHashMany, planReshard, Router } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

// What is written about sharding and is not so, each with what is so instead.

onBothBackends('resharding, as it is and not as it is told', () => {
  const ROWS = 100_000;
  const keys = randomU64s(ROWS);
  const sd = (share: number): number => Math.sqrt(ROWS * share * (1 - share));

  it('modulo from 3 to 4 shards moves exactly the keys 3 to 8 of 0 to 8', () => {
    const nine = BigUint64Array.from({ length: 9 }, (_, i) => BigInt(i));
    const three = new Router({ shards: 3, strategy: 'modulo', hash: 'none' });
    expect([...planReshard(nine, three, three.with({ shards: 4 })).rows]).toEqual([3, 4, 5, 6, 7, 8]);
  });

  it('modulo from n to n + 1 shards moves n keys in n + 1, jump 1, and fastrange half', () => {
    const moved = (strategy: 'jump' | 'modulo' | 'fastrange') => {
      const ten = new Router({ shards: 10, strategy, hash: 'none' });
      return planReshard(keys, ten, ten.with({ shards: 11 })).moved;
    };
    expect(Math.abs(moved('modulo') - (ROWS * 10) / 11)).toBeLessThan(4 * sd(10 / 11));
    expect(Math.abs(moved('jump') - ROWS / 11)).toBeLessThan(4 * sd(1 / 11));
    expect(Math.abs(moved('fastrange') - ROWS / 2)).toBeLessThan(4 * sd(1 / 2));
  });

  it('a power of two of shards is the last bits of the hash: that is modulo', () => {
    const eight = new Router({ shards: 8, strategy: 'modulo', hash: 'none' });
    expect(eight.route(0b10101100n)).toBe(0b100);
    expect(eight.routeMany(keys)).toEqual(Uint32Array.from(keys, (key) => Number(key & 7n)));
  });

  // Kept are the keys of 0, 1 and 2, and 1 in 9 of those of the last: 31 / 90. The other 31 / 45,
  // or 68.9 %, move, when 10 % have to. (FeatureBaseDB/featurebase#2035, zalando/skipper#1803)
  it('removing shard 3 of 10 by renumbering the others moves 68.9 %, by marking it down 10 %', () => {
    const before = jumpHashMany(keys, 10);
    const renumbered = jumpHashMany(keys, 9).map((shard) => (shard < 3 ? shard : shard + 1));
    const moved = renumbered.filter((shard, row) => shard !== before[row]).length;
    expect(Math.abs(moved - (ROWS * 31) / 45)).toBeLessThan(4 * sd(31 / 45));
    expect((moved / ROWS).toFixed(2)).toBe('0.69');

    const ten = new Router({ shards: 10, hash: 'none' });
    const plan = planReshard(keys, ten, ten.with({ down: [3] }));
    expect(Math.abs(plan.moved - ROWS / 10)).toBeLessThan(4 * sd(1 / 10));
    expect(plan.flows.every(({ from }) => from === 3)).toBe(true);
  });

  it('removing the last shard is the one removal that renumbers nothing', () => {
    const ten = new Router({ shards: 10, hash: 'none' });
    const plan = planReshard(keys, ten, ten.with({ shards: 9 }));
    expect(plan.flows.every(({ from }) => from === 9)).toBe(true);
    expect(Math.abs(plan.moved - ROWS / 10)).toBeLessThan(4 * sd(1 / 10));
  });

  it('jump is a walk of H(n) jumps, not of one: each n that is a record moves the key', () => {
    // A key is moved at n + 1 with probability 1 / (n + 1), so 1 / 2 + … + 1 / n times up to n.
    const few = keys.subarray(0, 5000);
    let moves = 0;
    let before = jumpHashMany(few, 1);
    for (let n = 2; n <= 100; n++) {
      const now = jumpHashMany(few, n);
      moves += now.filter((shard, row) => shard !== before[row]).length;
      before = now;
    }
    let harmonic = 0;
    for (let n = 1; n <= 100; n++) harmonic += 1 / n;
    expect(harmonic).toBeCloseTo(5.19, 2);
    expect(1 + moves / few.length).toBeCloseTo(harmonic, 0);
    expect(Math.abs(moves / few.length - (harmonic - 1))).toBeLessThan(4 * Math.sqrt(harmonic / few.length));
  });
});
