import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { IS_FULL, swept } from '../support/scale.js';
import { type Change, changed, changes, clusters, create } from './clusters.js';
import { canChoosePrimaries } from './exact-flow.js';
import { placementOf, sumOf } from './reading.js';

const CHANGES = IS_FULL ? swept(4000) : 100;

/** The shards whose primary has gone from them, and which some other node still holds. */
function orphans(before: ShardMap, after: ShardMap): number[] {
  return placementOf(before).flatMap((old, shard) => {
    const nodes = after.nodesOf(shard);
    return !nodes.includes(old[0]) && nodes.some((node) => old.includes(node)) ? [shard] : [];
  });
}

/** Those of them whose primary is now a node that has to get the data first. */
function passedToNew(before: ShardMap, after: ShardMap): number[] {
  return orphans(before, after).filter((shard) => !before.nodesOf(shard).includes(after.nodesOf(shard)[0]));
}

/** Whether all of them could pass to a node that holds them, with no node further than 1 from its share of primaries. */
function canPassToOld(before: ShardMap, after: ShardMap): boolean {
  const indexes = new Map(after.nodes.map(({ name }, index) => [name, index]));
  const gone = new Set(orphans(before, after));
  const holders = placementOf(after).map((nodes, shard) =>
    nodes
      .filter((node) => !gone.has(shard) || before.nodesOf(shard).includes(node))
      .map((node) => indexes.get(node) as number),
  );
  const weight = sumOf(after.nodes.map((node) => node.weight));
  const shares = after.nodes.map((node) => (after.shards * node.weight) / weight);
  return canChoosePrimaries(
    holders,
    shares.map((share) => [Math.max(0, Math.ceil(share - 1)), Math.floor(share + 1)]),
  );
}

describe('a primary that has gone', () => {
  it('passes to a node that holds the shard, when a node is removed from a new map without zones', () => {
    fc.assert(
      fc.property(clusters({ zoned: false }), fc.nat({ max: 11 }), (cluster, which) => {
        fc.pre(cluster.nodes.length >= 3 && cluster.replicas >= 2);
        const map = create(cluster);
        const nodes = map.nodes.filter((_, i) => i !== which % map.nodes.length);
        const next = map.with({ nodes, replicas: Math.min(cluster.replicas, nodes.length) });
        expect(passedToNew(map, next)).toEqual([]);
      }),
      { numRuns: CHANGES },
    );
  });

  it('passes to one after any change by which that is possible', () => {
    const seen = { orphans: 0, impossible: 0 };
    const sequences = fc.array(changes, { minLength: 1, maxLength: 5, size: 'max' });
    fc.assert(
      fc.property(clusters({ shards: 40 }), sequences, (first, all: Change[]) => {
        let cluster = first;
        let map = create(cluster);
        for (const change of all) {
          cluster = change(cluster);
          const next = changed(map, cluster);
          if (orphans(map, next).length > 0) seen.orphans++;
          // The oracle is asked only where it matters, as it is slow.
          if (passedToNew(map, next).length > 0) {
            expect(canPassToOld(map, next)).toBe(false);
            seen.impossible++;
          }
          map = next;
        }
      }),
      { numRuns: CHANGES },
    );
    expect(seen.orphans).toBeGreaterThan(CHANGES / 2);
    expect(seen.impossible).toBeLessThan(seen.orphans / 5);
  });

  it('passes to both other nodes alike, when one of three goes', () => {
    const nodes = ['a', 'b', 'c'].map((name) => ({ name }));
    const map = ShardMap.create({ shards: 90, nodes, replicas: 2 });
    const next = map.with({ nodes: nodes.slice(1) });
    expect(next.balance().map(({ primaries }) => primaries)).toEqual([45, 45]);
    expect(passedToNew(map, next)).toEqual([]);
    expect(map.primaryChangesTo(next).filter(({ from }) => from === 'a')).toHaveLength(30);
  });
});

describe('primaryChangesTo', () => {
  it('lists the shards whose primary is now another node that held them before, and no others', () => {
    let listed = 0;
    fc.assert(
      fc.property(clusters(), fc.array(changes, { minLength: 1, maxLength: 3 }), (first, all) => {
        const map = create(first);
        const next = changed(
          map,
          all.reduce((result, change) => change(result), first),
        );
        const expected = placementOf(map).flatMap((old, shard) => {
          const [from, to] = [old[0], next.nodesOf(shard)[0]];
          return from !== to && old.includes(to) ? [{ shard, from, to }] : [];
        });
        expect(map.primaryChangesTo(next)).toEqual(expected);
        listed += expected.length;
      }),
      { numRuns: CHANGES },
    );
    expect(listed).toBeGreaterThan(CHANGES);
  });

  it('lists nothing that a node has just got', () => {
    const map = ShardMap.create({ shards: 10, nodes: [{ name: 'a' }] });
    const next = map.with({ nodes: [{ name: 'b' }] });
    expect(map.primaryChangesTo(next)).toEqual([]);
    expect(map.movesTo(next)).toHaveLength(10);
    expect(map.movesTo(next).every(({ from, to, primary }) => from === 'a' && to === 'b' && primary)).toBe(true);
  });
});
