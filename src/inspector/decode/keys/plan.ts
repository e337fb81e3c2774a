import { planReshard, Router, type Routing } from '../../../index.js';
import { leastMoved, type MapNode, placementOf, ShardMap } from '../../../map/index.js';
import type { Partitioner } from '../../../partitioners/index.js';
import { CSV_TYPE, inPieces, type Pieces, quoted } from '../export.js';
import { memo } from '../inspection.js';
import { allRows } from '../order.js';
import { leastByChance, mostByChance } from './chance.js';
import { commandFor } from './command.js';
import { movingBy } from './moving.js';
import { idsIn, type KeyList, type ReadKeys, repeatedIn, shortened } from './read.js';
import {
  isRing,
  type KeyRouting,
  nodesIn,
  nounOf,
  type PlanSettings,
  type Routings,
  routingsOf,
  strategyOf,
} from './routing.js';
import { waysOf } from './ways.js';

const MAX_SHOWN = 50;
const MAX_BARS = 128;
const MAX_FLOWS = 5;
/** More nodes are seen in the pictures alone. */
const MAX_LISTED = 100;
/** So many moves can be copied. */
const MAX_COPIED = 1000;

const repeatedOnce = memo(repeatedIn);

export type RoutedKeys = ReturnType<typeof routeRead>['routed'];

/** Routes keys by two mappings, for the page and for a file. @throws as {@link routingsOf} and {@link planKeys} */
export function routeRead({ keys, ...about }: ReadKeys, settings: PlanSettings) {
  const routings = routingsOf(settings); // rings take a while to make
  const { plan, movesCsv } = planKeys(keys, routings);
  /** What tells the same on the command line; undefined: nothing does. */
  const command = commandFor(routings, about.files);
  const { by } = routings.to;
  return { routed: { ...plan, ...about, command, moving: movingBy(by), ways: waysOf(keys, routings) }, movesCsv };
}

/** @throws a TypeError or RangeError for a key that a system does not have */
export function planKeys(keys: KeyList, routings: Routings) {
  const sides = sidesOf(routings);
  const { now, to, names } = sides;
  const [before, after = NONE] = columnsOf(keys, to ? [now.routing, to.routing] : [now.routing]);
  const from = placesOf(now, before);
  const joined = to && placesOf(to, after);
  const [counts, countsThen] = [from, joined ?? NONE].map(countsOf);
  const { rows, flows } =
    to && joined ? planReshard(keys.column, ofColumn(now, from), ofColumn(to, joined)) : { rows: NONE, flows: [] };
  const isNew = (place: number) => (names ? now.fairOf(place) === 0 : place >= now.places);
  const barWidth = Math.ceil(Math.max(now.places, to?.places ?? 0) / MAX_BARS) || 1;

  const viewOf = (side: Side, counts: ReadonlyMap<number, number>, end: 'from' | 'to') => {
    const bars = [0, 1, 2].map(() => new Array<number>(Math.ceil(side.places / barWidth)).fill(0));
    const add = (kind: number, place: number, count: number) => {
      bars[kind][Math.floor(place / barWidth)] += count;
    };
    for (const [place, count] of counts) add(0, place, count);
    for (const flow of flows) {
      add(0, flow[end], -flow.count);
      add(isNew(flow.to) ? 1 : 2, flow[end], flow.count);
    }
    return {
      by: side.by,
      noun: nounOf(side.by),
      /** 0: keys have tokens only. */
      shards: side.routing.shards,
      /** undefined: there are no keys, or tokens only. */
      balance: counts.size === 0 ? undefined : balanceOf(counts, keys.count, side),
      /** Keys of each bar of a picture: that stay, move to a new place, and move to another one. */
      bars,
    };
  };

  /** The moves in CSV (RFC 4180); texts that spreadsheets would run as formulas are made safe. */
  const movesCsv = (): Pieces => {
    const nodeOf = (side: Side | undefined, shard: number) => quoted(names?.[side?.ofShard?.[shard] ?? 0] ?? '');
    const lineOf = (row: number) => {
      const [left, joined] = [before[row], after[row]];
      const nodes = names ? `,${nodeOf(now, left)},${nodeOf(to, joined)}` : '';
      return `${quoted(keys.text(row))},${left},${joined}${nodes}\r\n`;
    };
    const head = `key,from,to${names ? ',from_node,to_node' : ''}\r\n`;
    return inPieces(CSV_TYPE, head, rows, (some) => Array.from(some, lineOf).join(''));
  };
  const shown = Array.from({ length: Math.min(MAX_SHOWN, keys.count) }, (_, row) => keys.text(row));
  const { routing } = now;
  // Without shards there are tokens and nothing else, because a ring says where they lie.
  const tokens = routing.shards === 0 && 'tokens' in routing ? routing.tokens(shown) : undefined;
  const plan = {
    keys: keys.count,
    repeated: repeatedOnce(keys),
    now: viewOf(now, counts, 'from'),
    /** A text says why there is nothing to tell. */
    next: to ? viewOf(to, countsThen, 'to') : String(routings.next),
    /** The names of nodes, by number; undefined: places are shards. */
    names,
    /** How many nodes have keys now, and then. */
    nodes: [now.up, to?.up ?? 0] as const,
    /** Some keys, each with its shard or token now, and its shard then; and its nodes. */
    some: shown.map((key, row) => ({
      key: shortened(key),
      now: String(tokens?.[row] ?? before[row]),
      next: to && String(after[row]),
      nodes: names && [from, joined].map((places) => places && names[places[row]]),
      isMoved: joined !== undefined && from[row] !== joined[row],
    })),
    barWidth,
    perNode:
      names && names.length <= MAX_LISTED
        ? names.map((name, place) => ({ name, keys: [keysOn(now, counts, place), keysOn(to, countsThen, place)] }))
        : undefined,
    moves: to && {
      moved: rows.length,
      /** How many keys would have to move if they were spread evenly. */
      ideal: sides.ideal * keys.count,
      /** Whether no more than these move, except for chance. */
      isLeast: rows.length <= mostByChance(keys.count, sides.ideal, 1),
      flows: [...flows].sort((a, b) => b.count - a.count).slice(0, MAX_FLOWS),
      /** With nodes: how many keys get another shard, on whichever node. */
      otherShard: names && before.reduce((sum, shard, row) => sum + (shard === after[row] ? 0 : 1), 0),
      shardsMoved: sides.shardsMoved,
      /** CSV of the moves; undefined if they are too many to be copied. */
      csv: rows.length > 0 && rows.length <= MAX_COPIED ? [...movesCsv().pieces].join('') : undefined,
    },
  };
  return { plan, movesCsv };
}

/** Both sides; no `to` if there is no plan. */
function sidesOf({ now, next, from: settings, to: settingsThen }: Routings) {
  const then = typeof next === 'string' ? undefined : next;
  const before = nodesOf(settings, now);
  const after = then && nodesOf(settingsThen, then, before);
  /** The names of places; undefined: they are shards. */
  const names = before && [...new Set([...before.nodes, ...(after?.nodes ?? [])].map(({ name }) => name))];
  const from = sideOf(settings.by, now, before, names);
  const to = then && sideOf(settingsThen.by, then, after, names);
  const isMap = before?.map && after?.map && now.shards === then?.shards;
  return {
    now: from,
    to,
    names,
    /** The share of the keys that has to move if they are spread evenly. */
    ideal: then ? leastMoved(placementOf(now, before?.map), placementOf(then, after?.map)) : 0,
    /** How many shards change their node, if their number stays. */
    shardsMoved: isMap ? from.ofShard?.filter((place, shard) => place !== to?.ofShard?.[shard]).length : undefined,
  };
}

type KeyRouter = Router | Partitioner;

interface Nodes {
  readonly nodes: readonly MapNode[];
  /** Of shards on nodes; servers are their own shards. */
  readonly map?: ShardMap;
}

/** @param before what shards stay on as far as they can, if only nodes change */
function nodesOf({ by, nodes }: KeyRouting, { shards }: KeyRouter, before?: Nodes): Nodes | undefined {
  const specs = nodesIn(nodes);
  if (specs.length === 0) return undefined;
  if (isRing(by)) return { nodes: specs.map(({ name, weight = 1 }) => ({ name, weight })) };
  if (!strategyOf(by)) return undefined;
  const map =
    before?.map?.shards === shards ? before.map.with({ nodes: specs }) : ShardMap.create({ shards, nodes: specs });
  return { nodes: map.nodes, map };
}

/** What has the keys now or next: places, which are nodes if they have names, and shards if not. */
type Side = ReturnType<typeof sideOf>;

/** @param names those of the nodes of both sides */
function sideOf(by: string, routing: KeyRouter, on: Nodes | undefined, names: readonly string[] = []) {
  const down = new Set(routing instanceof Router ? routing.down : []);
  const up = routing.shards - down.size;
  if (!on) {
    const shareOf = (place: number) => (down.has(place) ? 0 : 1 / up);
    return {
      by,
      routing,
      /** How many numbers places have. Those of nodes are the same on both sides. */
      places: routing.shards,
      /** How many places have keys. */
      up,
      /** undefined: a shard is its own place. */
      ofShard: undefined,
      /** What a place gets of all keys. */
      shareOf,
      /** What it should get by its weight, before anything is known of shards; 0: nothing. */
      fairOf: shareOf,
      isWeighted: false,
    };
  }
  const { nodes, map } = on;
  const numbers = new Map(names.map((name, place) => [name, place]));
  const ofNode = nodes.map(({ name }) => numbers.get(name) ?? 0);
  const shards = allRows({ length: routing.shards });
  const ofShard = Uint32Array.from(map?.nodeColumn(shards) ?? shards, (node) => ofNode[node]);
  const total = nodes.reduce((sum, { weight }) => sum + weight, 0);
  const fair = new Float64Array(names.length);
  for (const [node, place] of ofNode.entries()) fair[place] = nodes[node].weight / total;
  const shares = map ? new Float64Array(names.length) : fair;
  if (map) for (const [shard, place] of ofShard.entries()) if (!down.has(shard)) shares[place] += 1 / up;
  return {
    by,
    routing,
    places: names.length,
    up: nodes.length,
    ofShard,
    shareOf: (place: number) => shares[place],
    fairOf: (place: number) => fair[place],
    isWeighted: nodes.some(({ weight }) => weight !== nodes[0].weight),
  };
}

const NONE = new Uint32Array(0);

function columnsOf(keys: KeyList, routings: readonly KeyRouter[]): Uint32Array[] {
  const kinds = routings.map((routing) => ('key' in routing ? routing.key : undefined));
  // A Router takes the ids of Discord as numbers, as it does in the commands.
  const ids = kinds.includes('int64') ? idsIn(keys) : undefined;
  return routings.map((routing: Routing<any>, i) => {
    if (routing.shards === 0) return NONE;
    const takesIds = kinds[i] === undefined || kinds[i] === 'int64';
    return routing.routeMany(takesIds && ids ? ids : keys.column);
  });
}

const ofColumn = ({ places }: Side, column: Uint32Array): Routing<any> => ({
  shards: places,
  route: () => column[0],
  routeMany: () => column,
  toJSON: () => ({}),
});

const placesOf = ({ ofShard }: Side, shards: Uint32Array): Uint32Array =>
  ofShard ? shards.map((shard) => ofShard[shard]) : shards;

function countsOf(places: Uint32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}

/** The keys of a place; undefined: it is not on this side. */
const keysOn = (side: Side | undefined, counts: ReadonlyMap<number, number>, place: number): number | undefined =>
  side?.fairOf(place) ? (counts.get(place) ?? 0) : undefined;

function balanceOf(keysOf: ReadonlyMap<number, number>, keys: number, side: Side) {
  const { places, up, fairOf, isWeighted } = side;
  const counts = new Map(keysOf);
  const empty = up - counts.size;
  // Only the first of the places without keys is looked at, because there may be billions of shards.
  let first = 0;
  while (first < places && (counts.has(first) || fairOf(first) === 0)) first++;
  if (empty > 0) counts.set(first, 0);
  // For its weight: what it should have of a key is 1 for a place of average weight.
  const scaled = (place: number, count: number) => count / (fairOf(place) * up);
  let [fullest, emptiest] = [-1, -1];
  let [most, least] = [-1, Number.POSITIVE_INFINITY];
  for (const [place, count] of counts) {
    const size = scaled(place, count);
    if (size > most || (size === most && place < fullest)) [fullest, most] = [place, size];
    if (size < least || (size === least && place < emptiest)) [emptiest, least] = [place, size];
  }
  return {
    fullest,
    most: counts.get(fullest) ?? 0,
    emptiest,
    least: counts.get(emptiest) ?? 0,
    /** Keys of the fullest ÷ what it should have by its weight. */
    ratio: most / (keys / up),
    empty,
    isWeighted,
    uneven: unevenIn(counts, keys, side),
  };
}

/** The place that is farthest from its share, in standard deviations, if chance alone does not go as far. */
function unevenIn(counts: ReadonlyMap<number, number>, keys: number, { up, shareOf }: Side) {
  const limits = new Map<number, readonly [least: number, most: number]>();
  let worst: { place: number; keys: number; limit: number; isFewer: boolean; distance: number } | undefined;
  for (const [place, count] of counts) {
    const share = shareOf(place);
    const [least, most] = limits.get(share) ?? [leastByChance(keys, share, up), mostByChance(keys, share, up)];
    limits.set(share, [least, most]);
    if (count >= least && count <= most) continue;
    const distance = Math.abs(count - keys * share) / Math.sqrt(keys * share * (1 - share));
    const isFewer = count < least;
    if (distance <= (worst?.distance ?? 0)) continue;
    worst = { place, keys: count, limit: isFewer ? least : most, isFewer, distance };
  }
  return worst;
}
