import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { IS_FULL, swept } from '../support/scale.js';
import { type Change, changed, changes, clusters, create } from './clusters.js';
import { faultsOf } from './faults.js';
import { placementOf } from './reading.js';

const CLUSTERS = IS_FULL ? swept(10_000) : 300;
const SEQUENCES = IS_FULL ? swept(1000) : 30;
const CHANGES = 20;
const LONG = 600_000; // in milliseconds, for the full run on a busy machine

describe('what a map promises', () => {
  it(
    'holds for the first map of any cluster',
    () => {
      const seen = { limited: 0, crowded: 0 };
      fc.assert(
        fc.property(clusters(), (cluster) => {
          const map = create(cluster);
          expect(faultsOf(map)).toEqual([]);
          expect(map).toMatchObject({ version: 1, shards: cluster.shards, replicas: cluster.replicas });
          if (map.limited.length > 0) seen.limited++;
          const zones = new Set(map.nodes.map(({ name, zone }) => zone ?? `only ${name}`));
          if (zones.size < map.replicas) seen.crowded++;
        }),
        { numRuns: CLUSTERS },
      );
      // The random clusters are worth nothing if they have no zones that matter.
      expect(seen.limited).toBeGreaterThan(CLUSTERS / 20);
      expect(seen.crowded).toBeGreaterThan(CLUSTERS / 50);
    },
    LONG,
  );

  it(
    `holds after each of ${CHANGES} changes, and the map before stays as it was`,
    () => {
      const sequences = fc.array(changes, { minLength: CHANGES, maxLength: CHANGES, size: 'max' });
      fc.assert(
        fc.property(clusters(), sequences, (first, all: Change[]) => {
          let cluster = first;
          let map = create(cluster);
          for (const [i, change] of all.entries()) {
            cluster = change(cluster);
            const before = JSON.stringify(map);
            const next = changed(map, cluster);
            expect(JSON.stringify(map)).toBe(before);
            expect(faultsOf(next), `after change ${i}`).toEqual([]);
            expect(next).toMatchObject({ version: i + 2, shards: first.shards, replicas: cluster.replicas });
            expect(next.nodes.map(({ name }) => name)).toEqual(cluster.nodes.map(({ name }) => name).sort());
            map = next;
          }
        }),
        { numRuns: SEQUENCES },
      );
    },
    LONG,
  );

  it('holds again after a change to a map that came from somewhere else, however uneven it was', () => {
    const runs = IS_FULL ? swept(2000) : 60;
    fc.assert(
      fc.property(clusters(), fc.nat(), (cluster, start) => {
        const map = create(cluster);
        // Each shard on nodes that follow each other, from anywhere, which minds neither weights nor zones.
        const copies = map
          .toJSON()
          .copies.map((column, copy) => column.map((_, shard) => start + shard * shard + copy));
        const uneven = copies.map((column) => column.map((node) => node % map.nodes.length));
        expect(faultsOf(ShardMap.from({ ...map.toJSON(), copies: uneven }).with({}))).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  it('holds for the largest and the smallest weights that there may be', () => {
    const weights = fc.constantFrom(1e9, 999_999_999.5, 1, 0.3, 1e-9, 1e-300, Number.MIN_VALUE);
    fc.assert(
      fc.property(fc.array(weights, { minLength: 1, maxLength: 6 }), fc.nat({ max: 5 }), (some, more) => {
        const nodes = some.map((weight, i) => ({ name: `n${i}`, weight }));
        const replicas = 1 + (more % nodes.length);
        const map = ShardMap.create({ shards: 50, nodes, replicas });
        expect(faultsOf(map)).toEqual([]);
        expect(faultsOf(map.with({ nodes: nodes.map((node) => ({ ...node, weight: 1 })) }))).toEqual([]);
      }),
    );
  });
});

describe('a map never changes', () => {
  const nodes = ['a', 'b', 'c'].map((name) => ({ name, zone: `zone of ${name}` }));
  const map = ShardMap.create({ shards: 12, nodes, replicas: 2 });
  const before = JSON.stringify(map);
  const places = JSON.stringify(placementOf(map));

  it.each<[what: string, change: () => unknown]>([
    ['the nodes it was made of', () => Object.assign(nodes[0] as object, { name: 'z', zone: 'z' })],
    ['the list of them', () => nodes.pop()],
    ['the nodes of a shard', () => (map.nodesOf(0) as string[]).reverse()],
    ['the shards of a node', () => map.shardsOf('a').fill(0)],
    ['a column', () => map.nodeColumn(Uint32Array.of(0, 1, 2)).fill(7)],
    ['a balance', () => map.balance().map((balance) => Object.assign(balance, { ideal: 0 }))],
    ['what becomes JSON', () => map.toJSON().copies.map((column) => (column as number[]).fill(0))],
    [
      'what it was read from',
      () => {
        const json = JSON.parse(before);
        const read = ShardMap.from(json);
        json.copies[0].fill(0);
        json.nodes[0].name = 'z';
        expect(JSON.stringify(read)).toBe(before);
      },
    ],
  ])('when somebody changes %s', (_, change) => {
    change();
    expect(JSON.stringify(map)).toBe(before);
    expect(JSON.stringify(placementOf(map))).toBe(places);
  });

  it.each(['version', 'shards', 'replicas', 'nodes', 'limited'] as const)('when somebody assigns to %s', (name) => {
    expect(() => Object.assign(map, { [name]: 0 })).toThrow(TypeError);
    expect(JSON.stringify(map)).toBe(before);
  });

  it('when nothing is changed, which only counts the version up', () => {
    expect(map.with({}).toJSON()).toEqual({ ...map.toJSON(), version: 2, parent: map.digest });
    expect(map.with({ nodes: undefined, replicas: undefined }).toJSON()).toEqual(map.with({}).toJSON());
    expect(map.version).toBe(1);
  });
});
