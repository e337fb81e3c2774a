// What tests read from a map, by its public parts only.

import type { MapNode, ShardMap } from '../../src/map/index.js';

/** The names of the nodes of each shard, the primary first. */
export function placementOf(map: ShardMap): (readonly string[])[] {
  return Array.from({ length: map.shards }, (_, shard) => map.nodesOf(shard));
}

/** What tells zones apart. A node without one is a zone of its own, and no node's name is the name of a zone. */
export function zoneOf({ name, zone }: MapNode): string {
  return zone === undefined ? `only ${name}` : `zone ${zone}`;
}

// An ideal that is an integer comes out of divisions as nearly one.
const NEARLY = 1e-6;

function rounded(share: number): number {
  return Math.abs(share - Math.round(share)) < NEARLY ? Math.round(share) : share;
}

/** The two integers next to a share, or twice the share if it is one. */
export function neighbors(share: number): [fewest: number, most: number] {
  return [Math.floor(rounded(share)), Math.ceil(rounded(share))];
}

/** The nodes of each zone with their ideal numbers of copies. */
export function zonesOf(map: ShardMap): Map<string, { node: MapNode; ideal: number }[]> {
  const zones = new Map<string, { node: MapNode; ideal: number }[]>();
  for (const [i, { ideal }] of map.balance().entries()) {
    const node = map.nodes[i];
    zones.set(zoneOf(node), [...(zones.get(zoneOf(node)) ?? []), { node, ideal }]);
  }
  return zones;
}

/**
 * How many copies of a shard a zone may hold: one if there are as many zones as copies, as no zone's ideal is above the
 * number of shards then. With fewer zones as many as they need to have room for all copies, or for the largest share.
 */
export function copiesAZone(map: ShardMap): number {
  const zones = [...zonesOf(map).values()];
  const largest = Math.max(...zones.map((nodes) => sumOf(nodes.map(({ ideal }) => ideal))));
  return Math.max(Math.ceil(map.replicas / zones.length), Math.ceil(rounded(largest / map.shards)));
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
