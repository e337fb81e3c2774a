import { Router } from '../../../index.js';
import { leastMoved, type MapNode, placementOf, ShardMap } from '../../../map/index.js';
import type { Partitioner } from '../../../partitioners/index.js';
import { type PlaceClass, sumOf } from './chance.js';
import { isRing, type KeyRouting, nodesIn, type Routings, strategyOf } from './routing.js';

type KeyRouter = Router | Partitioner;

/** What has the keys now or next: places, which are nodes if they have names, and shards if not. */
export interface Side {
  readonly by: string;
  readonly routing: KeyRouter;
  /** How many numbers places have. Those of nodes are the same on both sides. */
  readonly places: number;
  /** undefined: a shard is its own place. */
  readonly ofShard?: Uint32Array | undefined;
  /** The places that have keys, by how many they get. */
  readonly classes: readonly PlaceClass[];
  /** What a place should have of all keys by its weight, before anything is known of shards; 0: nothing. */
  fairOf(place: number): number;
}

/** Both sides. `next` is a text that says why there is no plan. */
export interface Sides {
  readonly now: Side;
  readonly next: Side | string;
  /** The names of places; undefined: they are shards. */
  readonly names?: readonly string[] | undefined;
  /** The share of the keys that has to move if they are spread evenly. */
  readonly ideal: number;
  /** How many shards change their node, if their number stays. */
  readonly shardsMoved?: number | undefined;
}

export function sidesOf({ now, next, from: settings, to }: Routings): Sides {
  const before = namedOf(settings, now, undefined);
  if (before === undefined) {
    const from = numbered(settings.by, now);
    if (typeof next === 'string') return { now: from, next, ideal: 0 };
    return { now: from, next: numbered(to.by, next), ideal: leastMoved(placementOf(now), placementOf(next)) };
  }
  const after = typeof next === 'string' ? undefined : namedOf(to, next, before);
  const names = [...new Set([...before.nodes, ...(after?.nodes ?? [])].map(({ name }) => name))];
  const from = named(settings.by, now, before, names);
  if (after === undefined || typeof next === 'string') return { now: from, next: next as string, names, ideal: 0 };
  const joined = named(to.by, next, after, names);
  const ideal = leastMoved(placementOf(now, before.map), placementOf(next, after.map));
  const isMap = before.map && after.map && now.shards === next.shards;
  const shardsMoved = isMap ? from.ofShard.filter((place, shard) => place !== joined.ofShard[shard]).length : undefined;
  return { now: from, next: joined, names, ideal, shardsMoved };
}

const downOf = (routing: KeyRouter): readonly number[] => (routing instanceof Router ? routing.down : []);

function numbered(by: string, routing: KeyRouter): Side {
  const down = downOf(routing);
  const up = routing.shards - down.length;
  return {
    by,
    routing,
    places: routing.shards,
    classes: [{ count: up, share: 1 / up, fair: 1 / up }],
    fairOf: (place) => (down.includes(place) ? 0 : 1 / up),
  };
}

interface Named {
  readonly nodes: readonly MapNode[];
  /** Of shards on nodes; servers are their own shards. */
  readonly map?: ShardMap;
}

/** @param before what shards stay on as far as they can, if only nodes change */
function namedOf({ by, nodes }: KeyRouting, routing: KeyRouter, before: Named | undefined): Named | undefined {
  const specs = nodesIn(nodes);
  if (specs.length === 0) return undefined;
  if (isRing(by)) return { nodes: specs.map(({ name, weight = 1 }) => ({ name, weight })) };
  if (!strategyOf(by)) return undefined;
  const { shards } = routing;
  const map =
    before?.map?.shards === shards ? before.map.with({ nodes: specs }) : ShardMap.create({ shards, nodes: specs });
  return { nodes: map.nodes, map };
}

/** @param names those of both sides */
function named(by: string, routing: KeyRouter, { nodes, map }: Named, names: readonly string[]) {
  const numbers = new Map(names.map((name, place) => [name, place]));
  const ofNode = nodes.map(({ name }) => numbers.get(name) ?? 0);
  const shards = Uint32Array.from({ length: routing.shards }, (_, shard) => shard);
  const ofShard = Uint32Array.from(map?.nodeColumn(shards) ?? shards, (node) => ofNode[node]);
  const total = sumOf(nodes.map(({ weight }) => weight));
  const fair = new Float64Array(names.length);
  for (const [node, place] of ofNode.entries()) fair[place] = nodes[node].weight / total;
  const shares = map ? sharesOfShards(routing, ofShard, names.length) : fair;
  return {
    by,
    routing,
    places: names.length,
    ofShard,
    classes: classesOf(shares, fair),
    fairOf: (place: number) => fair[place],
  };
}

function sharesOfShards(routing: KeyRouter, ofShard: Uint32Array, places: number): Float64Array {
  const down = new Set(downOf(routing));
  const shares = new Float64Array(places);
  ofShard.forEach((place, shard) => {
    if (!down.has(shard)) shares[place] += 1 / (ofShard.length - down.size);
  });
  return shares;
}

/** Places that are alike count as one class. */
function classesOf(shares: Float64Array, fair: Float64Array): PlaceClass[] {
  const classes = new Map<string, PlaceClass>();
  for (const [place, share] of shares.entries()) {
    if (fair[place] === 0) continue;
    const key = `${share.toPrecision(9)} ${fair[place].toPrecision(9)}`;
    classes.set(key, { count: (classes.get(key)?.count ?? 0) + 1, share, fair: fair[place] });
  }
  return [...classes.values()];
}
