import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Keys, planReshard, Router, type RouterOptions, setBackend } from '../../src/index.js';
import { jsKernels } from '../../src/kernels/js/core.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

const CASES: readonly (readonly [string, RouterOptions, Partial<RouterOptions>])[] = [
  ['one shard more', { shards: 10 }, { shards: 11 }],
  ['one shard fewer', { shards: 10 }, { shards: 9 }],
  ['twice as many shards', { shards: 8 }, { shards: 16 }],
  ['from one shard', { shards: 1 }, { shards: 4 }],
  ['to one shard', { shards: 4 }, { shards: 1 }],
  ['a shard that goes down', { shards: 10 }, { down: [3] }],
  ['a shard that comes back', { shards: 10, down: [3, 7] }, { down: [7] }],
  ['one that goes down and one that comes back', { shards: 10, down: [3] }, { down: [4] }],
  ['more shards with one down', { shards: 10, down: [3] }, { shards: 12 }],
  ['fewer shards, and the dead one among those that go', { shards: 10, down: [9] }, { shards: 9, down: [] }],
  ['all shards replaced', { shards: 4, down: [2, 3] }, { down: [0, 1] }],
  ['another strategy', { shards: 10 }, { strategy: 'fastrange' }],
  ['another hash', { shards: 10 }, { hash: 'none' }],
  ['another seed', { shards: 10 }, { seed: 1n }],
  ['more shards with the same seed', { shards: 10, seed: 7n }, { shards: 12 }],
  ['more pairs of shards than keys', { shards: 120, strategy: 'modulo' }, { shards: 150 }],
  ['nothing', { shards: 10, down: [3] }, {}],
];

/** What the shards that are up would gain at the least, if keys were spread evenly over them. */
function leastMoved(from: Router, to: Router): number {
  const share = (router: Router, shard: number) =>
    shard >= router.shards || router.down.includes(shard) ? 0 : 1 / (router.shards - router.down.length);
  let least = 0;
  for (let shard = 0; shard < to.shards; shard++) least += Math.max(0, share(to, shard) - share(from, shard));
  return least;
}

it.each<[what: string, changes: Partial<RouterOptions>, times: number]>([
  ['once where both routers hash alike', { shards: 11, down: [3], strategy: 'fastrange' }, 1],
  ['twice where their seeds differ', { seed: 1n }, 2],
  ['once where only one of them hashes', { hash: 'none' }, 1],
])('planReshard hashes %s', (_, changes, times) => {
  setBackend('bigint');
  const hashing = vi.spyOn(jsKernels, 'xxh64U64Column');
  onTestFinished(() => {
    hashing.mockRestore();
    setBackend('auto');
  });
  const from = new Router({ shards: 10 });
  planReshard(randomU64s(20_000), from, from.with(changes));
  expect(hashing.mock.calls.reduce((rows, [keys]) => rows + keys.length, 0)).toBe(times * 20_000);
});

onBothBackends('planReshard', () => {
  const keys = randomU64s(scaled(5000));

  describe.each(CASES)('for %s', (_, options, changes) => {
    const from = new Router(options);
    const to = from.with(changes);
    const plan = () => planReshard(keys, from, to);

    it('lists the rows that move, ascending, and no others', () => {
      const { total, moved, rows } = plan();
      const before = from.routeMany(keys);
      const after = to.routeMany(keys);
      const expected = [...keys.keys()].filter((row) => before[row] !== after[row]);
      expect(rows).toBeInstanceOf(Uint32Array);
      expect([...rows]).toEqual(expected);
      expect(moved).toBe(expected.length);
      expect(total).toBe(keys.length);
    });

    it('counts the flows from shard to shard, sorted, none of them empty', () => {
      const { flows, moved } = plan();
      const counts = new Map<string, number>();
      const before = from.routeMany(keys);
      const after = to.routeMany(keys);
      for (const row of keys.keys()) {
        if (before[row] === after[row]) continue;
        const flow = `${before[row]} ${after[row]}`;
        counts.set(flow, (counts.get(flow) ?? 0) + 1);
      }
      expect(Object.fromEntries(flows.map(({ from, to, count }) => [`${from} ${to}`, count]))).toEqual(
        Object.fromEntries(counts),
      );
      expect(flows).toHaveLength(counts.size);
      expect(flows).toEqual([...flows].sort((a, b) => a.from - b.from || a.to - b.to));
      expect(flows.reduce((sum, { count }) => sum + count, 0)).toBe(moved);
    });

    it('knows how many would have to move at the least', () => {
      expect(plan().ideal).toBeCloseTo(keys.length * leastMoved(from, to), 6);
      expect(planReshard(keys, to, from).ideal).toBeCloseTo(keys.length * leastMoved(to, from), 6);
    });

    it('is as large backwards', () => {
      const back = planReshard(keys, to, from);
      const turned = back.flows.map(({ from, to, count }) => ({ from: to, to: from, count }));
      expect(back.moved).toBe(plan().moved);
      expect(back.rows).toEqual(plan().rows);
      expect(turned.sort((a, b) => a.from - b.from || a.to - b.to)).toEqual(plan().flows);
    });
  });

  it('has the ideals that one expects, and jump comes close to them', () => {
    const ten = new Router({ shards: 10 });
    const grown = planReshard(keys, ten, ten.with({ shards: 11 }));
    expect(grown.ideal).toBeCloseTo(keys.length / 11, 6);
    expect(grown.flows.every(({ to }) => to === 10)).toBe(true);
    const down = planReshard(keys, ten, ten.with({ down: [3] }));
    expect(down.ideal).toBeCloseTo(keys.length / 10, 6);
    expect(down.flows.every(({ from }) => from === 3)).toBe(true);
    for (const { moved, ideal } of [grown, down]) {
      expect(Math.abs(moved - ideal)).toBeLessThan(4 * Math.sqrt(ideal)); // 4 standard deviations
    }
  });

  it('sorts flows by number, not by text', () => {
    const two = new Router({ shards: 2, hash: 'none' });
    const flows = planReshard(keys, two, two.with({ shards: 120 })).flows;
    const targets = flows.filter(({ from }) => from === 0).map(({ to }) => to);
    expect(targets.length).toBeGreaterThan(100);
    expect(targets).toEqual(targets.slice().sort((a, b) => a - b));
  });

  it('takes few keys and more shards than there is room to count all pairs of', () => {
    const most = new Router({ shards: 2 ** 31 - 1 });
    const few = keys.subarray(0, 100);
    const { moved, flows, rows } = planReshard(few, most, most.with({ seed: 1n }));
    expect(moved).toBe(100);
    expect(rows).toEqual(Uint32Array.from(few.keys()));
    const sorted = Array.from(most.routeMany(few)).sort((a, b) => a - b);
    expect(flows.map(({ from }) => from)).toEqual(sorted);
  });

  it('takes any kind of keys', () => {
    const from = new Router({ shards: 10 });
    const to = from.with({ shards: 20 });
    const data = randomBytes(3000);
    const texts = Array.from({ length: 1000 }, (_, i) => `user:${i}`);
    const columns: Keys[] = [
      texts,
      { data, offsets: Uint32Array.from({ length: 1001 }, (_, row) => row * 3) },
      new BigInt64Array(randomU64s(1000).buffer),
    ];
    for (const column of columns) {
      const { total, rows, moved } = planReshard(column, from, to);
      const after = to.routeMany(column);
      expect(total).toBe(1000);
      expect([...rows]).toEqual(Array.from(from.routeMany(column).keys()).filter((row) => after[row] >= 10));
      expect(moved).toBe(rows.length);
    }
  });

  it('is empty for no keys', () => {
    const from = new Router({ shards: 10 });
    const plan = planReshard([], from, from.with({ shards: 11 }));
    expect(plan).toEqual({ total: 0, moved: 0, ideal: 0, flows: [], rows: new Uint32Array() });
  });
});
