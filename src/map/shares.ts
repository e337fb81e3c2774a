import type { MapNode } from './nodes.js';

export function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

/** By how much each count is above another one; 0 if it is not. */
export function excess(counts: Float64Array, bounds: Float64Array): Float64Array {
  return counts.map((count, node) => Math.max(0, count - bounds[node]));
}

/** What each node of a map should hold. */
export type Shares = Readonly<ReturnType<typeof sharesOf>>;

/**
 * The shares by weight, as far as possible: no node holds a shard twice, and no zone does if there are as many zones as
 * copies. With fewer zones, a zone holds as few copies of a shard as the weights allow. What a full zone or node cannot
 * take is divided among the others by their weights.
 */
export function sharesOf(nodes: readonly MapNode[], shards: number, replicas: number) {
  const zoneOf = (node: MapNode) => node.zone ?? node; // a node without a zone is its own
  const indexes = new Map([...new Set(nodes.map(zoneOf))].map((zone, index) => [zone, index]));
  const zones = Uint16Array.from(nodes, (node) => indexes.get(zoneOf(node)) ?? 0);
  const count = indexes.size;
  const weights = Float64Array.from(nodes, ({ weight }) => weight);
  const all = nodes.map((_, node) => node);
  const inZone = Array.from(indexes, (): number[] => []);
  for (const node of all) inZone[zones[node]].push(node);

  const total = shards * replicas;
  const copies = new Float64Array(nodes.length);
  share(copies, weights, all, total, shards);
  const sumOf = (zone: readonly number[]) => sum(zone.map((node) => copies[node]));
  let copiesAZone = 1;
  if (count < replicas) {
    const largest = Math.max(...inZone.map(sumOf));
    copiesAZone = Math.max(Math.ceil(replicas / count), Math.ceil(rounded(largest / shards)));
  }
  let [open, rest] = [inZone, total];
  for (;;) {
    const full = open.filter((zone) => rounded(sumOf(zone) - copiesAZone * shards) > 0);
    if (full.length === 0) break;
    for (const zone of full) share(copies, weights, zone, copiesAZone * shards, shards);
    open = open.filter((zone) => !full.includes(zone));
    rest -= full.length * copiesAZone * shards;
    const among = open.flat().sort((a, b) => a - b);
    share(copies, weights, among, rest, shards);
  }

  const weight = sum(weights);
  return {
    /** The share of all copies for each node. A node should hold this number, rounded up or down. */
    copies: copies.map(rounded),
    /** The share of the primaries for each node. */
    primaries: weights.map((one) => rounded((shards * one) / weight)),
    /** The nodes that get less than their share by weight, because they or their zone cannot hold more. */
    limited: all.filter((node) => rounded((total * weights[node]) / weight - copies[node]) > 0),
    /** The zone of each node. */
    zones,
    zoneCount: count,
    /** How many copies of one shard a zone may hold. */
    copiesAZone,
  };
}

/** Divides a total among nodes by their weights, at most `most` for each of them. */
function share(
  shares: Float64Array,
  weights: Float64Array,
  among: readonly number[],
  total: number,
  most: number,
): void {
  let [open, rest] = [among, total];
  for (;;) {
    const weight = open.reduce((sum, node) => sum + weights[node], 0);
    const shareOf = (node: number) => (rest * weights[node]) / weight;
    const full = open.filter((node) => shareOf(node) >= most);
    if (full.length === 0) {
      for (const node of open) shares[node] = shareOf(node);
      return;
    }
    for (const node of full) shares[node] = most;
    open = open.filter((node) => shareOf(node) < most);
    rest -= full.length * most;
  }
}

// Divisions may make an integer share slightly inexact. It is at most 2^24 and sums of integer weights are exact, so the
// error is below 1e-8; sums of fractional weights may add a little.
const NEARLY = 1e-6;

function rounded(share: number): number {
  const integer = Math.round(share);
  return Math.abs(share - integer) < NEARLY ? integer : share;
}

/** The node that holds each copy: `width` cells for each shard, one shard after the other. No node holds a shard twice. */
export type CopyCells = Readonly<ReturnType<typeof cellsOf>>;

/** Makes the cells: `width` for each shard, of which `replicas` are to get nodes. */
export function cellsOf(shares: Shares, nodes: Uint16Array, width: number, replicas: number) {
  const { zones, zoneCount, copiesAZone } = shares;
  const mostInZone = new Uint16Array(zoneCount + 2).fill(copiesAZone);
  mostInZone[zoneCount] = 0;
  mostInZone[zoneCount + 1] = width - replicas;
  return {
    nodes,
    width,
    zones: Uint16Array.of(...zones, zoneCount, zoneCount + 1), // the last two are in zones of their own
    /** How many copies of one shard each zone may hold. */
    mostInZone,
    /** The number for a copy that has no node yet: one more than the last node. */
    missing: zones.length,
    /** The number for a copy that is to be dropped. */
    dropped: zones.length + 1,
  };
}

export function fits(cells: CopyCells, cell: number, node: number): boolean {
  const { nodes, width, zones, missing } = cells;
  const first = cell - (cell % width);
  for (let other = first; other < first + width; other++) {
    if (other !== cell && nodes[other] === node && node < missing) return false;
  }
  return roomInZone(cells, cell, zones[node]) > 0;
}

/** How many more copies a shard may have in a zone, without counting one of its cells. */
export function roomInZone({ nodes, width, zones, mostInZone }: CopyCells, cell: number, zone: number): number {
  const first = cell - (cell % width);
  let room = mostInZone[zone];
  for (let other = first; room > 0 && other < first + width; other++) {
    if (other !== cell && zones[nodes[other]] === zone) room--;
  }
  return room;
}

/** The first cell of a shard with a node, or -1. */
export function cellOf(nodes: Uint16Array, width: number, shard: number, node: number): number {
  for (let cell = shard * width; cell < (shard + 1) * width; cell++) if (nodes[cell] === node) return cell;
  return -1;
}

/**
 * Makes what gives pseudorandom integers from 0 to limit - 1, the same ones on every machine: SplitMix in 32 bits, with the
 * finalizer of MurmurHash3. The limit is at most 2^32.
 */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return Math.floor(((mixed ^ (mixed >>> 16)) >>> 0) * (limit / 4294967296));
  };
}

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
  const byZone = [...counts.keys()].sort((a, b) => shares.zones[a] - shares.zones[b] || a - b);
  let place = 0;
  for (const node of byZone) {
    for (let left = counts[node]; left > 0; left--, place++) {
      cells[(place % shards) * replicas + Math.floor(place / shards)] = node;
    }
  }
  mix(shares, cells, replicas);
  return cells;
}

/** Rounds shares to integers with the same sum. The largest remainders are rounded up, unless a zone would hold too much. */
function wholeCounts({ copies, zones, zoneCount, copiesAZone }: Shares, shards: number, total: number): Float64Array {
  const counts = copies.map(Math.floor);
  const inZone = new Float64Array(zoneCount);
  let rest = total;
  for (const [node, count] of counts.entries()) {
    inZone[zones[node]] += count;
    rest -= count;
  }
  for (const node of byRemainder(copies)) {
    const zone = zones[node];
    if (rest === 0) break;
    if (inZone[zone] === copiesAZone * shards) continue;
    inZone[zone]++;
    counts[node]++;
    rest--;
  }
  return counts;
}

/** The nodes whose shares are not integers, by descending remainder, then in the order of nodes. */
export function byRemainder(shares: Float64Array): number[] {
  const remainder = (node: number) => shares[node] % 1;
  return [...shares.keys()].filter((node) => remainder(node) > 0).sort((a, b) => remainder(b) - remainder(a) || a - b);
}

function mix(shares: Shares, nodes: Uint16Array, width: number): void {
  const cells = cellsOf(shares, nodes, width, width);
  const random = randomFrom(nodes.length);
  for (let cell = 0; cell < nodes.length; cell++) {
    const other = random(nodes.length);
    const [node, otherNode] = [nodes[cell], nodes[other]];
    if (!fits(cells, cell, otherNode) || !fits(cells, other, node)) continue;
    nodes[cell] = otherNode;
    nodes[other] = node;
  }
}
