import { DirectMoves } from './direct-moves.js';
import type { MapNode } from './nodes.js';
import { sharesOf, spread } from './shares.js';

/** The node of each shard of which there is one copy, as an index; nodes have no zones. */
export type OneCopy = Uint16Array;

/** Where a new shard map puts the shards. @param nodes sorted by name */
export function placeShards(nodes: readonly MapNode[], shards: number): OneCopy {
  return spread(sharesOf(nodes, shards, 1), shards, 1);
}

/** Where the second version of a shard map puts them, with as few moves as possible. */
export function moveShards(before: OneCopy, from: readonly MapNode[], to: readonly MapNode[]): OneCopy {
  const indexes = new Map(to.map(({ name }, index) => [name, index]));
  const cells = before.map((node) => indexes.get(from[node].name) ?? to.length);
  return new DirectMoves(cells, 1, 1, sharesOf(to, before.length, 1), 1).run();
}
