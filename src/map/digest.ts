import { Xxh64 } from '../hash/xxh64.js';
import type { MapNode } from './nodes.js';

/** The parts of an assignment except its copies. */
interface Assigned {
  readonly shards: number;
  readonly replicas: number;
  readonly nodes: readonly MapNode[];
}

/**
 * The digest of an assignment: XXH64 with the seed 0, as 16 hexadecimal digits, of these bytes, one after the other:
 *
 * 1. the UTF-8 bytes of `[shards,replicas,[[name,weight,zone],…]]` as `JSON.stringify` writes it. The nodes are sorted by
 *    name, by code units; `null` stands for the zone of a node without one.
 * 2. a newline, which the JSON has nowhere else
 * 3. for each shard, the indexes of its nodes among these, the primary first: 16 bits each, little-endian
 *
 * Two stores compare these digests, so nothing of this may change.
 * @param cells the indexes; their memory is hashed as it is, because all engines that run this are little-endian
 */
export function digestOf({ shards, replicas, nodes }: Assigned, cells: Uint16Array): string {
  const rows = nodes.map(({ name, weight, zone = null }) => [name, weight, zone]);
  return new Xxh64()
    .update(`${JSON.stringify([shards, replicas, rows])}\n`)
    .update(cells)
    .digestHex();
}
