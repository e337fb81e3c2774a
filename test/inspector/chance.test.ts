import { describe, expect, it } from 'vitest';
import {
  emptyByChance,
  extremeByChance,
  movedByChance,
  type PlaceClass,
  type Range,
} from '../../src/inspector/decode/keys/chance.js';

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const RUNS = 4000;

const equal = (count: number): PlaceClass[] => [{ count, share: 1 / count, fair: 1 / count }];

/** In 4000 runs, for each figure the values in order. */
function simulated(keys: number, classes: readonly PlaceClass[]) {
  const random = randomFrom(keys);
  const places = classes.flatMap(({ count, share, fair }) => Array.from({ length: count }, () => ({ share, fair })));
  const ends: number[] = [];
  for (const { share } of places) ends.push((ends.at(-1) ?? 0) + share);
  const scales = Float64Array.from(places, ({ fair }) => fair * places.length);
  const counts = new Uint32Array(places.length);
  const draws = Array.from({ length: RUNS }, () => {
    counts.fill(0);
    for (let key = 0; key < keys; key++) {
      const at = random();
      const place =
        classes.length === 1
          ? Math.floor(at * places.length)
          : Math.max(
              0,
              ends.findIndex((end) => at < end),
            );
      counts[place]++;
    }
    const draw = { most: 0, least: Number.POSITIVE_INFINITY, empty: 0 };
    for (let place = 0; place < counts.length; place++) {
      const scaled = counts[place] / scales[place];
      if (scaled > draw.most) draw.most = scaled;
      if (scaled < draw.least) draw.least = scaled;
      if (scaled === 0) draw.empty++;
    }
    return draw;
  });
  const sorted = (name: 'most' | 'least' | 'empty') => draws.map((draw) => draw[name]).sort((a, b) => a - b);
  return { most: sorted('most'), least: sorted('least'), empty: sorted('empty') };
}

/** Both ends are as far out as those of the simulation, give or take one key and 1.5 %. */
function expectAlike({ low, high }: Range, values: readonly number[], what: string): void {
  const [from, to] = [values[RUNS * 0.025], values[RUNS * 0.975 - 1]] as [number, number];
  expect(Math.abs(low - from), `${what}: low ${low}, simulated ${from}`).toBeLessThanOrEqual(1 + 0.015 * from);
  expect(Math.abs(high - to), `${what}: high ${high}, simulated ${to}`).toBeLessThanOrEqual(1 + 0.015 * to);
  const inside = values.filter((value) => value >= low - 1e-9 && value <= high + 1e-9).length / RUNS;
  expect(inside, `${what}: share inside ${low} to ${high}`).toBeGreaterThan(0.93);
}

const WEIGHTED: PlaceClass[] = [
  { count: 3, share: 0.1, fair: 0.1 },
  { count: 2, share: 0.2, fair: 0.2 },
  { count: 1, share: 0.3, fair: 0.3 },
];

describe('what chance gives', () => {
  it.each<[keys: number, places: string, classes: PlaceClass[]]>([
    [1, '16', equal(16)],
    [20, '16', equal(16)],
    [300, '16', equal(16)],
    [300, '2', equal(2)],
    [1000, '3', equal(3)],
    [1000, '5', equal(5)],
    [2000, '12', equal(12)],
    [500, '500', equal(500)],
    [100, '5000', equal(5000)],
    [1500, 'weighted', WEIGHTED],
    [60, 'weighted', WEIGHTED],
    [
      1200,
      'unevenly filled',
      [
        { count: 2, share: 5 / 16, fair: 1 / 3 },
        { count: 1, share: 6 / 16, fair: 1 / 3 },
      ],
    ],
  ])('is what a simulation has: %i keys over %s places', (keys, _, classes) => {
    const { most, least, empty } = simulated(keys, classes);
    expectAlike(extremeByChance(keys, classes), most, 'fullest');
    expectAlike(extremeByChance(keys, classes, true), least, 'emptiest');
    expectAlike(emptyByChance(keys, classes), empty, 'empty');
  });

  it.each([
    [100, 0.01],
    [1000, 1 / 17],
    [100, 0.5],
    [100, 0.98],
    [5, 0.2],
  ])('of %i keys that move with probability %d', (keys, share) => {
    const random = randomFrom(keys);
    const moved = Array.from(
      { length: RUNS },
      () => Array.from({ length: keys }, random).filter((x) => x < share).length,
    );
    expectAlike(
      movedByChance(keys, share),
      moved.sort((a, b) => a - b),
      'moved',
    );
  });

  it('has no range where nothing is left to chance', () => {
    expect(extremeByChance(300, equal(1))).toEqual({ low: 300, high: 300 });
    expect(extremeByChance(300, equal(1), true)).toEqual({ low: 300, high: 300 });
    expect(emptyByChance(300, equal(1))).toEqual({ low: 0, high: 0 });
    expect(movedByChance(300, 0)).toEqual({ low: 0, high: 0 });
    expect(movedByChance(300, 1)).toEqual({ low: 300, high: 300 });
  });

  it('is known for millions of keys, and for 2^31 shards', () => {
    const { low, high } = extremeByChance(5_000_000, equal(16));
    expect(low).toBeGreaterThan(312_500);
    expect(high / 312_500).toBeLessThan(1.006);
    expect(extremeByChance(1_000_000, equal(2147483647))).toEqual({ low: 2, high: 3 }); // three meet in 3.6 %
    expect(extremeByChance(1_000_000, equal(2147483647), true)).toEqual({ low: 0, high: 0 });
    const { low: least } = emptyByChance(1_000_000, equal(2147483647));
    expect(least).toBeGreaterThan(2146483647);
    expect(movedByChance(1_000_000, 1 / 17)).toEqual({ low: 58362, high: 59285 });
  });
});
