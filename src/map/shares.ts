import { type MapNode, zonesOf } from './nodes.js';

/** What each node of a map should hold. */
export interface Shares {
  /** The share of all copies for each node. A node should hold this number, rounded up or down. */
  readonly copies: Float64Array;
  /** The share of the primaries for each node. */
  readonly primaries: Float64Array;
  /** The nodes that get less than their share by weight, because they or their zone cannot hold more. */
  readonly limited: readonly number[];
  /** The zone of each node. */
  readonly zones: Uint16Array;
  readonly zoneCount: number;
  /** How many copies of one shard a zone may hold. */
  readonly copiesAZone: number;
}

/**
 * The shares by weight, as far as possible: no node holds a shard twice, and no zone does if there are as many zones as
 * copies. With fewer zones, a zone holds as few copies of a shard as the weights allow. What a full zone or node cannot
 * take is divided among the others by their weights.
 */
export function sharesOf(nodes: readonly MapNode[], shards: number, replicas: number): Shares {
  const { zones, count } = zonesOf(nodes);
  const weights = Float64Array.from(nodes, ({ weight }) => weight);
  const all = nodes.map((_, node) => node);
  const inZone = Array.from({ length: count }, (): number[] => []);
  for (const node of all) inZone[zones[node] as number]?.push(node);

  const total = shards * replicas;
  const copies = new Float64Array(nodes.length);
  share(copies, weights, all, total, shards);
  const sumOf = (zone: readonly number[]) => zone.reduce((sum, node) => sum + (copies[node] as number), 0);
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
    share(copies, weights, open.flat().sort(byNumber), rest, shards);
  }

  const weight = weights.reduce((sum, one) => sum + one, 0);
  return {
    copies: copies.map(rounded),
    primaries: weights.map((one) => rounded((shards * one) / weight)),
    limited: all.filter((node) => rounded((total * (weights[node] as number)) / weight - (copies[node] as number)) > 0),
    zones,
    zoneCount: count,
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
    const weight = open.reduce((sum, node) => sum + (weights[node] as number), 0);
    const shareOf = (node: number) => (rest * (weights[node] as number)) / weight;
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

function byNumber(a: number, b: number): number {
  return a - b;
}
