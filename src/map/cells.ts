import type { Shares } from './shares.js';

/**
 * The node that holds each copy: `width` cells for each shard, one shard after the other. No node holds a shard twice.
 */
export interface CopyCells {
  readonly nodes: Uint16Array;
  readonly width: number;
  /** The zone of each node. */
  readonly zones: Uint16Array;
  /** How many copies of one shard each zone may hold. */
  readonly mostInZone: Uint16Array;
  /** The number for a copy that has no node yet: one more than the last node. */
  readonly missing: number;
  /** The number for a copy that is to be dropped: one more than `missing`. */
  readonly dropped: number;
}

/** Makes the cells: `width` for each shard, of which `replicas` are to get nodes. */
export function cellsOf(shares: Shares, nodes: Uint16Array, width: number, replicas: number): CopyCells {
  const { zones, zoneCount, copiesAZone } = shares;
  const mostInZone = new Uint16Array(zoneCount + 2).fill(copiesAZone);
  mostInZone[zoneCount] = 0;
  mostInZone[zoneCount + 1] = width - replicas;
  return {
    nodes,
    width,
    zones: Uint16Array.of(...zones, zoneCount, zoneCount + 1), // the last two are in zones of their own
    mostInZone,
    missing: zones.length,
    dropped: zones.length + 1,
  };
}

/** Whether a node may replace the one in a cell. */
export function fits(cells: CopyCells, cell: number, node: number): boolean {
  const { nodes, width, zones, missing } = cells;
  const first = cell - (cell % width);
  for (let other = first; other < first + width; other++) {
    if (other !== cell && nodes[other] === node && node < missing) return false;
  }
  return roomInZone(cells, cell, zones[node] as number) > 0;
}

/** How many more copies a shard may have in a zone, without counting one of its cells. */
export function roomInZone({ nodes, width, zones, mostInZone }: CopyCells, cell: number, zone: number): number {
  const first = cell - (cell % width);
  let room = mostInZone[zone] as number;
  for (let other = first; room > 0 && other < first + width; other++) {
    if (other !== cell && zones[nodes[other] as number] === zone) room--;
  }
  return room;
}

/** The first cell of a shard with a node, or -1. */
export function cellOf(nodes: Uint16Array, width: number, shard: number, node: number): number {
  for (let cell = shard * width; cell < (shard + 1) * width; cell++) if (nodes[cell] === node) return cell;
  return -1;
}
