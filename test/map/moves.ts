// Moves between maps, looked up and applied by simpler means than the library's.

import type { ShardMap } from '../../src/map/index.js';
import type { Problem } from './exact-flow.js';
import { copiesAZone, neighbors, placementOf, zoneOf } from './reading.js';

/** How many copies are made on the way to another map. */
export function copiesMade(before: ShardMap, after: ShardMap): number {
  return before.movesTo(after).filter(({ to }) => to !== undefined).length;
}

/** What the oracle is asked: what was held, and what must hold. */
export function problemOf(before: ShardMap, after: ShardMap): Problem {
  const { nodes, replicas } = after;
  const indexes = new Map(nodes.map(({ name }, index) => [name, index]));
  const zones = [...new Set(nodes.map(zoneOf))];
  return {
    held: placementOf(before).map((names) => names.flatMap((name) => indexes.get(name) ?? [])),
    replicas,
    bounds: after.balance().map(({ ideal }) => neighbors(ideal)),
    zones: nodes.map((node) => zones.indexOf(zoneOf(node))),
    copiesAZone: copiesAZone(after),
  };
}

/** What moves come to when they are made one after the other, or words about the first that cannot be made. */
export function applied(before: ShardMap, after: ShardMap): string[] {
  const held = placementOf(before).map((names) => new Set(names));
  let last = 0;
  for (const { shard, from, to, primary } of before.movesTo(after)) {
    const nodes = held[shard];
    const [was, is] = [before.nodesOf(shard)[0], after.nodesOf(shard)[0]];
    if (shard < last) return [`shard ${shard} comes after shard ${last}`];
    if (from === undefined && to === undefined) return [`nothing moves in shard ${shard}`];
    if (from !== undefined && !nodes.delete(from)) return [`${from} does not hold shard ${shard}`];
    if (to !== undefined && nodes.has(to)) return [`${to} holds shard ${shard} already`];
    if (to !== undefined) nodes.add(to);
    if (primary !== (to === undefined ? from === was : to === is)) return [`shard ${shard}: primary is ${primary}`];
    last = shard;
  }
  return held.map((names) => [...names].sort().join());
}

/** What applied moves should come to. */
export function holdings(map: ShardMap): string[] {
  return placementOf(map).map((names) => [...names].sort().join());
}
