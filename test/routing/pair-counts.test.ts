import { describe, expect, it } from 'vitest';
import { differences, PairCounts } from '../../src/routing/pair-counts.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

const pairsOf = (count: number, from: number, to: number, seed?: number) =>
  Uint32Array.from({ length: 2 * count }, (_, i) =>
    Number(randoms[(i + (seed ?? 0)) % randoms.length] % BigInt(i % 2 ? to : from)),
  );
const SOME = scaled(10_000);
const randoms = randomU64s(20 * SOME);

/** The flows in another way. */
function flowsOf(...batches: readonly Uint32Array[]) {
  const counts = new Map<string, number>();
  for (const pairs of batches) {
    for (let at = 0; at < pairs.length; at += 2) {
      const pair = `${pairs[at]} ${pairs[at + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  const flows = [...counts].map(([pair, count]) => {
    const [from, to] = pair.split(' ').map(Number);
    return { from, to, count };
  });
  return flows.sort((a, b) => a.from - b.from || a.to - b.to);
}

describe('PairCounts', () => {
  it.each([
    [1, 1],
    [12, 7],
    [2048, 2048],
    [2049, 2048],
    [100_000, 3],
    [2 ** 31 - 1, 2 ** 31 - 1],
  ])('counts all pairs, by the shards before and after: %i to %i', (from, to) => {
    const counts = new PairCounts(from, to);
    const batches = [pairsOf(1, from, to), pairsOf(2 * SOME, from, to), pairsOf(SOME, from, to, 77)];
    for (const pairs of batches) counts.add(pairs);
    expect(counts.moved).toBe(3 * SOME + 1);
    const expected = flowsOf(...batches);
    expect([...counts]).toEqual(expected);
    expect([...counts]).toHaveLength(expected.length); // they can be read again
    expect(counts.uncounted).toBe(0);
  });

  it('is exact for as many pairs as are told apart; the keys of later pairs are counted together', () => {
    const shards = 2 ** 20;
    const counts = new PairCounts(shards, shards, 1000);
    const first = pairsOf(1000, shards, shards);
    const more = pairsOf(5 * SOME, shards, shards, 2000);
    for (const pairs of [first, more, first]) counts.add(pairs);
    expect([...counts]).toEqual(flowsOf(first, first));
    expect(counts.uncounted).toBe(5 * SOME);
    expect(counts.moved).toBe(5 * SOME + 2000);
  });

  it('is exact beyond 2^32 keys', () => {
    for (const shards of [2, 3000]) {
      const counts = new PairCounts(shards, shards);
      counts.add(Uint32Array.of(0, 1, 1, 0));
      counts.moved = 2 ** 32;
      counts.add(Uint32Array.of(0, 1));
      expect([...counts]).toEqual([
        { from: 0, to: 1, count: 2 },
        { from: 1, to: 0, count: 1 },
      ]);
    }
  });

  it.each([1, 7, 1000])('counts keys from numbers that nobody knew, after the others: %i at a time', (pairsAtOnce) => {
    const all = pairsOf(1000, 50, 7);
    const counts = new PairCounts(20, 7);
    for (let at = 0; at < all.length; at += 2 * pairsAtOnce) counts.add(all.subarray(at, at + 2 * pairsAtOnce));
    expect([...counts]).toEqual(flowsOf(all));
  });

  it.each([
    1, 7, 20_000, 40_000,
  ])('compares columns that come in pieces of %i rows like all of them at once', (piece) => {
    const [before, after] = [0, 1].map((which) =>
      Uint32Array.from({ length: 40_000 }, (_, i) => (i * (which + 3)) % 11),
    );
    const counts = new PairCounts(11, 11);
    const rows = new Uint32Array(40_000);
    let moved = 0;
    for (let row = 0; row < before.length; row += piece) {
      const found = rows.subarray(moved);
      const pairs = new Uint32Array(2 * piece);
      const count = differences(before.subarray(row, row + piece), after.subarray(row, row + piece), pairs, found);
      counts.add(pairs.subarray(0, 2 * count));
      for (let i = 0; i < count; i++) found[i] += row;
      moved += count;
    }
    const expected = [...before.keys()].filter((row) => before[row] !== after[row]);
    expect([...rows.subarray(0, moved)]).toEqual(expected);
    expect([...counts]).toEqual(flowsOf(Uint32Array.from(expected.flatMap((row) => [before[row], after[row]]))));
  });
});
