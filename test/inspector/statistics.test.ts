import { describe, expect, it } from 'vitest';
import { statisticsOf } from '../../src/inspector/decode/statistics.js';
import { randomU64s } from '../support/random.js';

const rowsOf = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const NOTHING = { repeated: 0, spare: 0, gaps: [], top: [], values: 0, maxToMean: 0, rate: undefined };

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
    const ids = randomU64s(50_000).map((id) => id & 0xffffn);
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
