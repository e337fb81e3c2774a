// Random clusters, and random changes to them.

import fc from 'fast-check';
import { type NodeSpec, ShardMap, type ShardMapOptions } from '../../src/map/index.js';

/** What a map is made of. */
export interface Cluster {
  readonly shards: number;
  readonly replicas: number;
  readonly nodes: readonly NodeSpec[];
}

/** Changes a cluster. */
export type Change = (cluster: Cluster) => Cluster;

const MAX_NODES = 12;
const MAX_REPLICAS = 4;
// Twice as many as there are nodes at a time, so that a node that was removed may come back.
const NAMES = Array.from({ length: 2 * MAX_NODES }, (_, i) => `n${i}`);
const ZONES = ['v', 'w', 'x', 'y', 'z'];

const names = fc.constantFrom(...NAMES);
const weights = fc.oneof(
  fc.integer({ min: 1, max: 8 }),
  fc.integer({ min: 1, max: 80 }).map((tenths) => tenths / 10),
  fc.double({ min: 0.01, max: 8, noNaN: true }),
);

/** Zones by how many there are; with the last of them, some nodes have none. */
const zonings = [[undefined], ...[1, 2, 3, 5].map((count) => ZONES.slice(0, count)), [undefined, 'x', 'y']];
const anyZone = fc.constantFrom(undefined, ...ZONES);

function clusterOf(shards: number, replicas: number, nodes: readonly NodeSpec[]): Cluster {
  return { shards, replicas: Math.min(replicas, nodes.length), nodes };
}

/** Random clusters. `zoned` is false for those without zones. */
export function clusters({ nodes = MAX_NODES, shards = 64, zoned = true } = {}): fc.Arbitrary<Cluster> {
  const node = fc.record({ name: names, weight: weights, zone: fc.nat({ max: 59 }) });
  return fc
    .record({
      shards: fc.integer({ min: 1, max: shards }),
      replicas: fc.integer({ min: 1, max: MAX_REPLICAS }),
      zoning: fc.constantFrom(...(zoned ? zonings : [[undefined]])),
      nodes: fc.uniqueArray(node, { selector: ({ name }) => name, minLength: 1, maxLength: nodes, size: 'max' }),
    })
    .map((drawn) => {
      const zoneOf = (number: number) => drawn.zoning[number % drawn.zoning.length];
      const zoned = drawn.nodes.map(({ name, weight, zone }) => ({ name, weight, zone: zoneOf(zone) }));
      return clusterOf(drawn.shards, drawn.replicas, zoned);
    });
}

/** Changes the node with this number, counted round the cluster. */
function edit(cluster: Cluster, number: number, change: Partial<NodeSpec>): Cluster {
  const at = number % cluster.nodes.length;
  return { ...cluster, nodes: cluster.nodes.map((node, i) => (i === at ? { ...node, ...change } : node)) };
}

function adding({ shards, replicas, nodes }: Cluster, node: NodeSpec): Cluster {
  const others = nodes.filter(({ name }) => name !== node.name);
  return clusterOf(shards, replicas, [...others.slice(others.length === MAX_NODES ? 1 : 0), node]);
}

function removing({ shards, replicas, nodes }: Cluster, number: number): Cluster {
  if (nodes.length === 1) return { shards, replicas, nodes };
  const at = number % nodes.length;
  return clusterOf(
    shards,
    replicas,
    nodes.filter((_, i) => i !== at),
  );
}

/** One change, with its parts as JSON, which is how a counterexample shows it. */
function shown(parts: readonly unknown[], change: Change): Change {
  return Object.assign(change, { [fc.toStringMethod]: () => JSON.stringify(parts) });
}

const number = fc.nat({ max: MAX_NODES - 1 });
const edits: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({ name: names, weight: weights, zone: anyZone })
    .map((node) => shown(['add', node], (cluster) => adding(cluster, node))),
  number.map((which) => shown(['remove', which], (cluster) => removing(cluster, which))),
  fc
    .tuple(number, weights)
    .map(([which, weight]) => shown(['weigh', which, weight], (cluster) => edit(cluster, which, { weight }))),
  fc
    .tuple(number, anyZone)
    .map(([which, zone]) => shown(['move', which, zone], (cluster) => edit(cluster, which, { zone }))),
  fc
    .integer({ min: 1, max: MAX_REPLICAS })
    .map((replicas) => shown(['copy', replicas], ({ shards, nodes }) => clusterOf(shards, replicas, nodes))),
);

/** Random changes: mostly to one node, sometimes to up to three at once. */
export const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: edits },
  {
    weight: 1,
    arbitrary: fc
      .array(edits, { minLength: 2, maxLength: 3 })
      .map((all) => shown(all.map(fc.stringify), (cluster) => all.reduce((result, each) => each(result), cluster))),
  },
);

export function create({ shards, replicas, nodes }: Cluster): ShardMap {
  return ShardMap.create({ shards, replicas, nodes } satisfies ShardMapOptions);
}

export function changed(map: ShardMap, { replicas, nodes }: Cluster): ShardMap {
  return map.with({ replicas, nodes });
}
