import type { Shares } from './shares.js';

/**
 * Which node holds which copy: `width` cells for each shard, one shard after the other. No node holds a shard twice.
 */
export interface CopyCells {
  readonly nodes: Uint16Array;
  readonly width: number;
  /** The zone of each node. */
  readonly zones: Uint16Array;
  /** How many copies of one shard each zone may hold. */
  readonly mostInZone: Uint16Array;
  /** What stands for a copy that a node has yet to get: the number behind the last node. */
  readonly missing: number;
  /** What stands for a copy that there is not to be any more: the next number. */
  readonly dropped: number;
}

/** `width` cells for each shard, of which `replicas` are to hold nodes. */
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

/** Whether a shard may have this node in one of its cells, instead of what is there. */
export function fits({ nodes, width, zones, mostInZone, missing }: CopyCells, cell: number, node: number): boolean {
  const first = cell - (cell % width);
  const zone = zones[node] as number;
  let room = mostInZone[zone] as number;
  if (room === 0) return false;
  for (let other = first; other < first + width; other++) {
    if (other === cell) continue;
    const held = nodes[other] as number;
    if (held === node && held < missing) return false;
    if (zones[held] === zone && --room === 0) return false;
  }
  return true;
}

/** The first cell of a shard with a node, or -1. */
export function cellOf(nodes: Uint16Array, width: number, shard: number, node: number): number {
  for (let cell = shard * width; cell < (shard + 1) * width; cell++) if (nodes[cell] === node) return cell;
  return -1;
}
