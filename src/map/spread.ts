import { cellsOf, fits } from './cells.js';
import { addCount } from './counts.js';
import { Random } from './random.js';
import type { Shares } from './shares.js';

/**
 * The first placement: the `replicas` nodes that hold each shard, one shard after the other.
 *
 * Imagine the nodes in a line, zone by zone, each as long as the number of copies it holds. The line is cut into pieces of
 * length `shards`, and shard i gets the node at place i of every piece. No node is longer than a piece, and no zone longer
 * than it may be, so no shard gets a node or a zone too often. Then copies change places at random, so that the other copies
 * of a node's shards are on all nodes and not only on its two neighbours.
 */
export function spread(shares: Shares, shards: number, replicas: number): Uint16Array {
  const counts = wholeCounts(shares, shards, shards * replicas);
  const cells = new Uint16Array(shards * replicas);
  const byZone = [...counts.keys()].sort((a, b) => zoneOf(shares, a) - zoneOf(shares, b) || a - b);
  let place = 0;
  for (const node of byZone) {
    for (let left = counts[node] as number; left > 0; left--, place++) {
      cells[(place % shards) * replicas + Math.floor(place / shards)] = node;
    }
  }
  mix(shares, cells, replicas);
  return cells;
}

function zoneOf({ zones }: Shares, node: number): number {
  return zones[node] as number;
}

/** Rounds shares to integers with the same sum. The largest remainders are rounded up, unless a zone would hold too much. */
function wholeCounts({ copies, zones, zoneCount, copiesAZone }: Shares, shards: number, total: number): Float64Array {
  const counts = copies.map(Math.floor);
  const inZone = new Float64Array(zoneCount);
  let rest = total;
  for (const [node, count] of counts.entries()) {
    addCount(inZone, zones[node] as number, count);
    rest -= count;
  }
  for (const node of byRemainder(copies)) {
    const zone = zones[node] as number;
    if (rest === 0) break;
    if (inZone[zone] === copiesAZone * shards) continue;
    addCount(inZone, zone);
    addCount(counts, node);
    rest--;
  }
  return counts;
}

/** The nodes whose shares are not integers, by descending remainder, then in the order of nodes. */
export function byRemainder(shares: Float64Array): number[] {
  const remainder = (node: number) => (shares[node] as number) % 1;
  return [...shares.keys()].filter((node) => remainder(node) > 0).sort((a, b) => remainder(b) - remainder(a) || a - b);
}

function mix(shares: Shares, nodes: Uint16Array, width: number): void {
  const cells = cellsOf(shares, nodes, width, width);
  const random = new Random(nodes.length);
  for (let cell = 0; cell < nodes.length; cell++) {
    const other = random.below(nodes.length);
    const [node, otherNode] = [nodes[cell] as number, nodes[other] as number];
    if (!fits(cells, cell, otherNode) || !fits(cells, other, node)) continue;
    nodes[cell] = otherNode;
    nodes[other] = node;
  }
}
