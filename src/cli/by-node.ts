import type { ShardMap } from '../map/index.js';
import type { ShardNames } from '../node/index.js';

/** The index of the primary node of each shard. */
export function primariesOf(map: ShardMap): Uint16Array {
  return map.nodeColumn(Uint32Array.from({ length: map.shards }, (_, shard) => shard));
}

/** The names of the primary nodes, to write instead of shards. */
export function nodeNames(map: ShardMap): ShardNames {
  return { texts: map.nodes.map(({ name }) => name), ofShard: primariesOf(map) };
}

/** Adds up the counts of shards by primary node. */
export function countsByNode(map: ShardMap, counts: Float64Array): Float64Array {
  const sums = new Float64Array(map.nodes.length);
  for (const [shard, node] of primariesOf(map).entries()) {
    sums[node] = (sums[node] as number) + (counts[shard] as number);
  }
  return sums;
}
