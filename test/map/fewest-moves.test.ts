import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { IS_FULL, swept } from '../support/scale.js';
import { changed, changes, clusters, create } from './clusters.js';
import { fewestCopies } from './exact-flow.js';
import { applied, copiesMade, holdings, problemOf } from './moves.js';
import { neighbors, sumOf } from './reading.js';

const CHANGES = IS_FULL ? swept(2000) : 50;
const LONG = 600_000; // in milliseconds, for the full run on a busy machine

// Small enough for the oracle, which is slow.
const small = clusters({ nodes: 8, shards: 24 });

/** A few changes before the one that counts, as maps that have just been made are more regular than others. */
const sequences = fc.array(changes, { minLength: 1, maxLength: 4, size: 'max' });

/** Clusters whose nodes have the same weight and no zone. */
const sizes = fc.record({ shards: fc.integer({ min: 1, max: 300 }), count: fc.integer({ min: 1, max: 20 }) });
const alike = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}` }));

describe('a change makes no more copies than any way to the same shares must', () => {
  it(
    'whatever the cluster and the change',
    () => {
      const seen = { none: 0, some: 0, around: 0 };
      fc.assert(
        fc.property(small, sequences, (first, all) => {
          let cluster = first;
          let map = create(cluster);
          let next = map;
          for (const change of all) {
            cluster = change(cluster);
            map = next;
            next = changed(map, cluster);
          }
          const made = copiesMade(map, next);
          const problem = problemOf(map, next);
          expect(made).toBe(fewestCopies(problem));
          seen[made === 0 ? 'none' : 'some']++;
          // What the nodes lack, each on its own: more than that takes a way around.
          const lacks = problem.bounds.map(([fewest], node) => {
            return Math.max(0, fewest - problem.held.filter((nodes) => nodes.includes(node)).length);
          });
          if (made > sumOf(lacks)) seen.around++;
        }),
        { numRuns: CHANGES },
      );
      expect(seen.none).toBeGreaterThan(CHANGES / 100);
      expect(seen.some).toBeGreaterThan(CHANGES / 3);
      expect(seen.around).toBeGreaterThan(CHANGES / 20);
    },
    LONG,
  );

  it('also from a map that somebody else has made, which is far from its shares', () => {
    fc.assert(
      fc.property(small, fc.array(fc.nat(), { minLength: 24, maxLength: 24, size: 'max' }), (cluster, starts) => {
        const json = create(cluster).toJSON();
        const copies = json.copies.map((column, copy) =>
          column.map((_, shard) => (starts[shard] + copy) % json.nodes.length),
        );
        const uneven = ShardMap.from({ ...json, copies });
        const next = uneven.with({});
        expect(copiesMade(uneven, next)).toBe(fewestCopies(problemOf(uneven, next)));
      }),
      { numRuns: CHANGES / 2 },
    );
  });

  it('one more node of the same weight only gets what it holds then, and nothing else moves', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 4 }), ({ shards, count }, most) => {
        const map = ShardMap.create({ shards, nodes: alike(count), replicas: Math.min(most, count) });
        const next = map.with({ nodes: [...map.nodes, { name: 'new' }] });
        expect(copiesMade(map, next)).toBe(next.shardsOf('new').length);
        expect(map.movesTo(next).every(({ to }) => to === 'new')).toBe(true);
      }),
    );
  });

  it('one more node of any weight does, too, if all shares are whole', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 8 }), (old, weight) => {
        const nodes = old.map((each, i) => ({ name: `n${i}`, weight: each }));
        const shards = sumOf(old) * (sumOf(old) + weight);
        const map = ShardMap.create({ shards, nodes, replicas: 2 });
        const next = map.with({ nodes: [...nodes, { name: 'new', weight }] });
        fc.pre(map.limited.length + next.limited.length === 0);
        expect(next.shardsOf('new').length).toBe(2 * weight * sumOf(old));
        expect(copiesMade(map, next)).toBe(2 * weight * sumOf(old));
        expect(map.movesTo(next).every(({ to }) => to === 'new')).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('as many copies as a removed node held, if the others have the same weight', () => {
    const nodes = alike(9);
    const map = ShardMap.create({ shards: 720, nodes, replicas: 3 });
    for (const { name } of nodes) {
      const moves = map.movesTo(map.with({ nodes: nodes.filter((node) => node.name !== name) }));
      expect(moves.map(({ shard }) => shard)).toEqual([...map.shardsOf(name)]);
      expect(moves.every(({ from }) => from === name)).toBe(true);
    }
  });
});

describe('moves', () => {
  it(
    'lead from one map to the other, whatever lies between them',
    () => {
      fc.assert(
        fc.property(clusters(), fc.array(changes, { minLength: 1, maxLength: 3 }), (first, all) => {
          const map = create(first);
          const cluster = all.reduce((result, change) => change(result), first);
          const next = changed(map, cluster);
          expect(applied(map, next)).toEqual(holdings(next));
          expect(applied(next, map)).toEqual(holdings(map)); // and back again
          expect(applied(map, create(cluster))).toEqual(holdings(create(cluster)));
        }),
        { numRuns: 2 * CHANGES },
      );
    },
    LONG,
  );

  it('are none between a map and itself, and none to a map read from its JSON', () => {
    const map = ShardMap.create({ shards: 30, nodes: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], replicas: 2 });
    for (const same of [map, ShardMap.from(JSON.stringify(map)), map.with({})]) {
      expect(map.movesTo(same)).toEqual([]);
      expect(map.primaryChangesTo(same)).toEqual([]);
    }
  });

  it('have no `from` for one more copy, and no `to` for one less', () => {
    const nodes = [{ name: 'a' }, { name: 'b' }];
    const one = ShardMap.create({ shards: 2, nodes });
    const two = one.with({ replicas: 2 });
    const [first, second] = [0, 1].map((shard) => one.nodesOf(shard)[0]);
    const other = (name: string | undefined) => (name === 'a' ? 'b' : 'a');
    expect(one.movesTo(two)).toEqual([
      { shard: 0, to: other(first), primary: two.nodesOf(0)[0] !== first },
      { shard: 1, to: other(second), primary: two.nodesOf(1)[0] !== second },
    ]);
    const less = two.with({ replicas: 1 });
    const gone = [0, 1].map((shard) => other(less.nodesOf(shard)[0]));
    expect(two.movesTo(less)).toEqual([
      { shard: 0, from: gone[0], primary: two.nodesOf(0)[0] === gone[0] },
      { shard: 1, from: gone[1], primary: two.nodesOf(1)[0] === gone[1] },
    ]);
  });

  it('drop copies only, where there are to be fewer of them and nothing else changes', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 2, max: 4 }), ({ shards, count }, replicas) => {
        fc.pre(replicas <= count);
        const map = ShardMap.create({ shards, nodes: alike(count), replicas });
        const next = map.with({ replicas: 1 });
        expect(copiesMade(map, next)).toBe(0);
        expect(map.movesTo(next)).toHaveLength(shards * (replicas - 1));
      }),
    );
  });
});

describe('neighbors, which give the oracle its bounds', () => {
  it.each([
    [3, [3, 3]],
    [3.5, [3, 4]],
    [2.9999999, [3, 3]],
    [3.0000001, [3, 3]],
    [3.00001, [3, 4]],
  ])('of %d are %o', (share, bounds) => {
    expect(neighbors(share)).toEqual(bounds);
  });
});
