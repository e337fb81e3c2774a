import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupByShard, Router } from '../../src/index.js';
import { randomU64s } from '../support/random.js';

/** The rows of each shard, by looking through all of them for each. */
function naive(shards: Uint32Array, count: number): number[][] {
  return Array.from({ length: count }, (_, shard) => [...shards.keys()].filter((row) => shards[row] === shard));
}

/** What groupByShard says, shard by shard. */
function grouped(shards: Uint32Array, count: number): number[][] {
  const { offsets, rows } = groupByShard(shards, count);
  return Array.from({ length: count }, (_, shard) => [...rows.subarray(offsets[shard], offsets[shard + 1])]);
}

// It uses no kernels, and so no backend.
describe('groupByShard', () => {
  it('gives the worked example', () => {
    expect(groupByShard(Uint32Array.of(1, 0, 1), 2)).toEqual({
      offsets: Uint32Array.of(0, 1, 3),
      rows: Uint32Array.of(1, 0, 2),
    });
  });

  it('gives each shard its rows, in the order of the input', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }).chain((count) =>
          fc.record({
            count: fc.constant(count),
            shards: fc.uint32Array({ max: count - 1, maxLength: 200, size: 'max' }),
          }),
        ),
        ({ count, shards }) => {
          expect(grouped(shards, count)).toEqual(naive(shards, count));
          const { offsets, rows } = groupByShard(shards, count);
          expect(offsets).toHaveLength(count + 1);
          expect(rows).toHaveLength(shards.length);
          expect([offsets[0], offsets[count]]).toEqual([0, shards.length]);
          expect([...rows].sort((a, b) => a - b)).toEqual([...shards.keys()]);
        },
      ),
    );
  });

  it('gives what a router gave', () => {
    const shards = new Router({ shards: 64, down: [5] }).routeMany(randomU64s(5000));
    const rows = grouped(shards, 64);
    expect(rows).toEqual(naive(shards, 64));
    expect(rows[5]).toEqual([]);
    expect(rows.reduce((sum, { length }) => sum + length, 0)).toBe(5000);
  });

  it('has empty shards at the beginning, in between and at the end', () => {
    expect(groupByShard(Uint32Array.of(3, 3, 1), 6)).toEqual({
      offsets: Uint32Array.of(0, 0, 1, 1, 3, 3, 3),
      rows: Uint32Array.of(2, 0, 1),
    });
  });

  it('takes no rows, and one shard', () => {
    expect(groupByShard(new Uint32Array(), 3)).toEqual({ offsets: new Uint32Array(4), rows: new Uint32Array() });
    expect(groupByShard(new Uint32Array(3), 1)).toEqual({
      offsets: Uint32Array.of(0, 3),
      rows: Uint32Array.of(0, 1, 2),
    });
  });

  it.each([Uint8Array, Uint16Array, Uint32Array])('takes the shards that layouts give, too: %o', (Type) => {
    const shards = Type.of(3, 0, 255, 3);
    const { offsets, rows } = groupByShard(shards, 256);
    expect([...rows]).toEqual([1, 0, 3, 2]);
    expect([offsets[3], offsets[4], offsets[255], offsets[256]]).toEqual([1, 3, 3, 4]);
  });

  it('takes shared memory, and a part of an array', () => {
    const shared = new Uint32Array(new SharedArrayBuffer(12));
    shared.set([1, 0, 1]);
    expect(groupByShard(shared, 2).rows).toEqual(Uint32Array.of(1, 0, 2));
    expect(groupByShard(Uint32Array.of(9, 1, 0, 1, 9).subarray(1, 4), 2).rows).toEqual(Uint32Array.of(1, 0, 2));
  });

  it('leaves the input as it was', () => {
    const shards = Uint32Array.of(2, 0, 1);
    groupByShard(shards, 3);
    expect(shards).toEqual(Uint32Array.of(2, 0, 1));
  });
});
