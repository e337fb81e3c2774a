import { describe, expect, it } from 'vitest';
import { duplicatesIn, gapsIn, hotIn, statisticsOf } from '../../src/inspector/decode/statistics.js';
import { paceText } from '../../src/inspector/page/rows/table-panel.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

const rowsOf = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const NOTHING = { repeated: 0, spare: 0, gaps: [], top: [], values: 0, maxToMean: 0, rate: undefined, peak: undefined };

describe('statistics of ids', () => {
  it('of none are none', () => {
    const times = { values: new BigUint64Array(0), unitMs: 1 };
    expect(statisticsOf(rowsOf(0), new BigUint64Array(0), times, new Uint16Array(0))).toEqual(NOTHING);
  });

  it('count what is there more than once', () => {
    const ids = BigUint64Array.of(7n, 9n, 7n, 7n, 2n ** 63n, 9n, 1n, 2n ** 63n + 1n);
    const seen = statisticsOf(rowsOf(8), ids, undefined, new Uint8Array(8));
    expect(seen).toMatchObject({ repeated: 2, spare: 3, rate: undefined, gaps: [] });
    expect(statisticsOf(Uint32Array.of(0, 1, 4), ids, undefined, new Uint8Array(8))).toMatchObject({ repeated: 0 });
  });

  it('have the longest gaps and the rate, whatever the order of the rows', () => {
    const values = BigUint64Array.of(5000n, 0n, 1000n, 1010n, 90_000n, 2000n, 7000n, 7001n, 80_000n);
    const seen = statisticsOf(rowsOf(9), values, { values, unitMs: 10 }, new Uint8Array(9));
    expect(seen.gaps.slice(0, 3)).toEqual([
      { from: 7001n, to: 80_000n },
      { from: 80_000n, to: 90_000n },
      { from: 2000n, to: 5000n },
    ]);
    expect(seen.gaps).toHaveLength(5);
    expect(seen.rate).toBeCloseTo(8 / 900, 12);
  });

  it('have the first of the busiest seconds, wherever it begins', () => {
    const values = BigUint64Array.of(950n, 3000n, 1020n, 1000n, 1949n, 1950n, 4000n, 4001n, 4002n, 4003n);
    const { peak } = statisticsOf(rowsOf(10), values, { values, unitMs: 1 }, undefined);
    expect(peak).toEqual({ from: 950n, to: 1950n, count: 4 });
    const seconds = BigUint64Array.of(7n, 8n, 9n, 9n);
    expect(statisticsOf(rowsOf(4), seconds, { values: seconds, unitMs: 1000 }, undefined).peak).toEqual({
      from: 9n,
      to: 10n,
      count: 2,
    });
  });

  it('mark the rows that are duplicates, of those that are asked for', () => {
    const ids = BigUint64Array.of(7n, 9n, 7n, 0n, 2n ** 63n, 0n, 2n ** 63n + 1n);
    expect([...duplicatesIn(rowsOf(7), ids)]).toEqual([1, 0, 1, 1, 0, 1, 0]);
    expect([...duplicatesIn(Uint32Array.of(0, 1, 2, 3, 4), ids)]).toEqual([1, 0, 1, 0, 0, 0, 0]);
  });

  it('have the commonest values, and how far the first is above the mean', () => {
    const by = Uint16Array.of(3, 1, 3, 2, 3, 1);
    expect(statisticsOf(rowsOf(6), new BigUint64Array(6), undefined, by)).toMatchObject({
      top: [
        { value: 3n, count: 3 },
        { value: 1n, count: 2 },
        { value: 2n, count: 1 },
      ],
      values: 3,
      maxToMean: 1.5,
    });
  });

  it('of many random ids agree with a plain count', () => {
    const ids = randomU64s(scaled(50_000)).map((id) => id & 0xffffn);
    const by = Uint16Array.from(ids, (id) => Number(id) % 97);
    const counts = new Map<bigint, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    const seen = statisticsOf(rowsOf(ids.length), ids, { values: ids, unitMs: 1 }, by);
    expect(seen.repeated).toBe([...counts.values()].filter((count) => count > 1).length);
    expect(seen.spare).toBe(ids.length - counts.size);
    expect(seen.values).toBe(97);
    expect(seen.top[0]?.count).toBe(
      Math.max(...[...new Set(by)].map((one) => by.filter((value) => value === one).length)),
    );
    const sorted = [...ids].sort((a, b) => Number(a - b));
    const widths = sorted.slice(1).map((id, i) => Number(id - sorted[i]));
    expect(seen.gaps.map(({ from, to }) => Number(to - from))).toEqual(widths.sort((a, b) => b - a).slice(0, 5));
  });
});

it.each([
  [1234567, '1,230,000 a second'],
  [14.549, '14.5 a second'],
  [1, '1 a second'],
  [1 / 1.2096, 'one every 1.21 seconds'],
  [1 / 150, 'one every 2 minutes, 30 seconds'],
  [1 / 86_401, 'one every 1 day'],
  [1 / 59.99, 'one every 1 minute'],
])('a rate of %d has three digits: %s', (rate, text) => {
  expect(paceText(rate)).toBe(text);
});

describe('a histogram', () => {
  const of = (...counts: number[]) => ({ from: 0, width: 1, counts: Uint32Array.from(counts) });

  it('has gaps where chance leaves no bar empty', () => {
    expect(gapsIn(of(20, 20, 0, 20, 0, 0, 20))).toEqual([
      [4, 5],
      [2, 2],
    ]);
    expect(gapsIn(of(1, 0, 1, 1, 0, 0, 1))).toEqual([]);
    expect(gapsIn(of(0, 30, 30, 0))).toEqual([]);
    expect(gapsIn(of())).toEqual([]);
  });

  it('has few gaps and few hot bars if ids come evenly at random', () => {
    let [gaps, hot] = [0, 0];
    for (const mean of [0.5, 2, 10, 100, 1000]) {
      for (let trial = 0; trial < scaled(20); trial++) {
        const counts = new Uint32Array(160);
        for (const value of randomU64s(160 * mean)) counts[Number(value % 160n)]++;
        gaps += gapsIn(of(...counts)).length;
        hot += hotIn(of(...counts)).length;
      }
    }
    expect(gaps).toBeLessThan(5);
    expect(hot).toBeLessThan(5);
  });

  it('has hot bars: those much fuller than most', () => {
    expect(hotIn(of(100, 90, 110, 95, 300, 105))).toEqual([4]);
    expect(hotIn(of(0, 0, 100, 90, 0, 110, 300))).toEqual([6]);
    expect(hotIn(of(100, 90, 110, 130, 105))).toEqual([]);
    expect(hotIn(of(10, 1000, 1000, 10, 10))).toEqual([]);
    expect(hotIn(of(5, 500))).toEqual([]);
  });
});
