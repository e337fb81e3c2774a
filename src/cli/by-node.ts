import type { ShardMap } from '../map/index.js';
import type { ShardNames } from '../node/index.js';

/** For each shard the index of the node that is its primary. */
export function primariesOf(map: ShardMap): Uint16Array {
  return map.nodeColumn(Uint32Array.from({ length: map.shards }, (_, shard) => shard));
}

/** The names of the primaries, which stand for the shards. */
export function nodeNames(map: ShardMap): ShardNames {
  return { texts: map.nodes.map(({ name }) => name), ofShard: primariesOf(map) };
}

/** Counts for each node, of those for each shard. */
export function countsByNode(map: ShardMap, counts: Float64Array): Float64Array {
  const sums = new Float64Array(map.nodes.length);
  for (const [shard, node] of primariesOf(map).entries()) {
    sums[node] = (sums[node] as number) + (counts[shard] as number);
  }
  return sums;
}
