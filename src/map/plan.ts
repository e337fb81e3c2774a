import type { ShardMap } from './shard-map.js';
import { sum } from './shares.js';

/** What moves between two maps: like a plan of shards, but between the primary nodes of the shards. */
export interface NodePlan {
  readonly total: number;
  readonly moved: number;
  /** The smallest number of keys that has to move, if all shards have equally many keys. */
  readonly ideal: number;
  /** Sorted by the names of nodes. */
  readonly flows: readonly { readonly from: string; readonly to: string; readonly count: number }[];
}

/**
 * Counts the keys that move between nodes.
 * @param to a map with as many shards as `from`
 * @param counts the number of keys in each shard
 */
export function planNodes(from: ShardMap, to: ShardMap, counts: Float64Array): NodePlan {
  const flows = flowsOf(from, to, counts);
  const total = sum(counts);
  return { total, moved: sum(flows.map(({ count }) => count)), ideal: total * leastMoved(from, to), flows };
}

/** The index of the primary node of each shard. */
export function primariesOf(map: ShardMap): Uint16Array {
  return map.nodeColumn(Uint32Array.from({ length: map.shards }, (_, shard) => shard));
}

/** Adds up the counts of shards by primary node. */
export function countsByNode(map: ShardMap, counts: Float64Array): Float64Array {
  const sums = new Float64Array(map.nodes.length);
  for (const [shard, node] of primariesOf(map).entries()) sums[node] += counts[shard];
  return sums;
}

function flowsOf(from: ShardMap, to: ShardMap, counts: Float64Array): NodePlan['flows'] {
  const [left, joined] = [primariesOf(from), primariesOf(to)];
  const width = to.nodes.length;
  const ofPair = new Map<number, number>();
  for (const [shard, count] of counts.entries()) {
    const pair = left[shard] * width + joined[shard];
    if (count > 0) ofPair.set(pair, (ofPair.get(pair) ?? 0) + count);
  }
  // Nodes are in the order of their names.
  return [...ofPair]
    .sort(([a], [b]) => a - b)
    .map(([pair, count]) => ({
      from: from.nodes[Math.floor(pair / width)].name,
      to: to.nodes[pair % width].name,
      count,
    }))
    .filter((flow) => flow.from !== flow.to);
}

/** The share of the shards that nodes gain as primaries. */
function leastMoved(from: ShardMap, to: ShardMap): number {
  const before = new Map(from.balance().map(({ node, primaries }) => [node, primaries]));
  const more = to.balance().map(({ node, primaries }) => Math.max(0, primaries - (before.get(node) ?? 0)));
  return sum(more) / to.shards;
}
