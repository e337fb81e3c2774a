import { describe, expect, it } from 'vitest';
import { leastByChance, mostByChance } from '../../src/inspector/decode/keys/chance.js';

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
const TAIL = 0.025;

/** The fullest and the emptiest of equal places in 4000 runs, in order. */
function simulated(keys: number, places: number) {
  const random = randomFrom(keys);
  const counts = new Uint32Array(places);
  const draws = Array.from({ length: RUNS }, () => {
    counts.fill(0);
    for (let key = 0; key < keys; key++) counts[Math.floor(random() * places)]++;
    return [counts.reduce((a, b) => Math.max(a, b)), counts.reduce((a, b) => Math.min(a, b))] as const;
  });
  const sorted = (end: 0 | 1) => draws.map((draw) => draw[end]).sort((a, b) => a - b);
  return { most: sorted(0), least: sorted(1) };
}

describe('what chance gives', () => {
  it.each([
    [1, 16],
    [20, 16],
    [300, 16],
    [300, 2],
    [1000, 3],
    [1000, 5],
    [2000, 12],
    [500, 500],
    [100, 5000],
  ])('is what a simulation has: %i keys over %i places', (keys, places) => {
    const { most, least } = simulated(keys, places);
    const [high, low] = [most[RUNS * (1 - TAIL) - 1], least[RUNS * TAIL]] as [number, number];
    expect(Math.abs(mostByChance(keys, 1 / places, places, TAIL) - high)).toBeLessThanOrEqual(1 + 0.015 * high);
    expect(Math.abs(leastByChance(keys, 1 / places, places, TAIL) - low)).toBeLessThanOrEqual(1 + 0.015 * low);
  });

  it.each([
    [100, 0.01],
    [1000, 1 / 17],
    [100, 0.5],
    [100, 0.98],
    [5, 0.2],
  ])('of %i keys that move with probability %d', (keys, share) => {
    const random = randomFrom(keys);
    const draw = () => Array.from({ length: keys }, random).filter((x) => x < share).length;
    const moved = Array.from({ length: RUNS }, draw).sort((a, b) => a - b);
    const high = moved[RUNS * (1 - TAIL) - 1] as number;
    expect(Math.abs(mostByChance(keys, share, 1, TAIL) - high)).toBeLessThanOrEqual(1 + 0.015 * high);
  });

  it('is all or nothing where nothing is left to chance', () => {
    expect([mostByChance(300, 1, 1), leastByChance(300, 1, 1)]).toEqual([300, 300]);
    expect([mostByChance(300, 0, 1), leastByChance(300, 0, 1)]).toEqual([0, 0]);
  });

  it('is known for millions of keys, and for 2^31 shards', () => {
    expect(mostByChance(5_000_000, 1 / 16, 16) / 312_500).toBeLessThan(1.008);
    expect(mostByChance(1_000_000, 2 ** -31, 2 ** 31, TAIL)).toBe(3); // three meet in 3.6 %
    expect(mostByChance(100, 2 ** -31, 2 ** 31)).toBe(1);
    expect(leastByChance(1_000_000, 2 ** -31, 2 ** 31)).toBe(0);
  });
});
