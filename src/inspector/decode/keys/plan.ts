import { planReshard, type Routing } from '../../../index.js';
import { CSV_TYPE, type Pieces, piecesOf, quoted, ROWS_A_PIECE } from '../export.js';
import { emptiestByChance, emptyByChance, fullestByChance, movedByChance, type Range, sumOf } from './chance.js';
import { idsIn, type KeyList, repeatedIn, shortened } from './list.js';
import { nounOf, type Routings } from './routing.js';
import { type Side, type Sides, sidesOf } from './sides.js';

const MAX_SHOWN = 50;
const MAX_BARS = 128;
const MAX_FLOWS = 5;
/** More nodes are seen in the pictures alone. */
const MAX_LISTED = 100;
/** So many moves can be copied. */
const MAX_COPIED = 1000;

/** A figure, and what chance alone gives. */
export interface Figure {
  readonly value: number;
  readonly chance: Range;
}

/** The page's plan: plain data. */
export type KeyPlan = ReturnType<typeof planKeys>['plan'];

export type SideView = KeyPlan['now'];

export type Moves = NonNullable<KeyPlan['moves']>;

let counted: { readonly keys: KeyList; readonly repeated: ReturnType<typeof repeatedIn> } | undefined;

/** @throws a TypeError or RangeError for a key that a system does not have */
export function planKeys(keys: KeyList, routings: Routings) {
  const sides = sidesOf(routings);
  const { now, next, names } = sides;
  const to = typeof next === 'string' ? undefined : next;
  const hasTokens = now.routing.shards === 0; // and nothing else, because a ring says where they lie
  if (counted?.keys !== keys) counted = { keys, repeated: repeatedIn(keys) };
  const [before, after] = columnsOf(keys, sides);
  const [from, joined] = [placesOf(now, before), to && placesOf(to, after)];
  const { rows, flows } =
    to && joined ? planReshard(keys.column, ofColumn(now, from), ofColumn(to, joined)) : { rows: NONE, flows: [] };
  const isNew = (place: number) => (names ? now.fairOf(place) === 0 : place >= now.places);
  const barWidth = Math.ceil(Math.max(now.places, to?.places ?? 0) / MAX_BARS) || 1;

  const viewOf = (side: Side, places: Uint32Array, end: 'from' | 'to') => {
    const counts = countsOf(places);
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
      /** What a shard is called. */
      noun: nounOf(side.by),
      /** 0: keys have tokens only. */
      shards: side.routing.shards,
      /** undefined: there are no keys, or tokens only. */
      balance: counts.size === 0 ? undefined : balanceOf(counts, keys.count, side),
      /** Keys of each bar of a picture: that stay, move to a new place, and move to another one. */
      bars,
    };
  };

  const table: MovesTable = { keys, rows, before, after, names, from: now, to };
  const shown = Math.min(MAX_SHOWN, keys.count);
  const tokens = hasTokens ? tokensOf(keys, now, shown) : undefined;
  const nowView = viewOf(now, from, 'from');
  const thenView = to && joined ? viewOf(to, joined, 'to') : undefined;
  const plan = {
    keys: keys.count,
    repeated: counted.repeated,
    now: nowView,
    /** A text says why there is nothing to tell. */
    next: thenView ?? String(next),
    /** The names of nodes, by number; undefined: places are shards. */
    names,
    /** Some keys, each with its shard or token now, and its shard then; and its nodes. */
    some: Array.from({ length: shown }, (_, row) => {
      const key = keys.text(row);
      return {
        key: shortened(key),
        now: tokens?.[row] ?? String(before[row]),
        next: to && String(after[row]),
        nodes: names && ([from, joined].map((places) => places && names[places[row]]) as (string | undefined)[]),
        isMoved: joined !== undefined && from[row] !== joined[row],
      };
    }),
    /** How many places a bar stands for. */
    barWidth,
    /** The keys of each node, if nodes are few. */
    perNode: names && names.length <= MAX_LISTED ? listOf(names, [from, joined], [now, to]) : undefined,
    moves: to && {
      moved: { value: rows.length, chance: movedByChance(keys.count, sides.ideal) },
      /** How many keys would have to move if they were spread evenly. */
      ideal: sides.ideal * keys.count,
      flows: [...flows].sort((a, b) => b.count - a.count).slice(0, MAX_FLOWS),
      /** With nodes: how many keys get another shard, on whichever node. */
      otherShard: names && before.reduce((sum, shard, row) => sum + (shard === after[row] ? 0 : 1), 0),
      shardsMoved: sides.shardsMoved,
      /** CSV of the moves; undefined if they are too many to be copied. */
      csv: rows.length > 0 && rows.length <= MAX_COPIED ? [...movesCsv(table).pieces].join('') : undefined,
    },
  };
  return { plan, table };
}

const NONE = new Uint32Array(0);

/** The shard of each key now, and then. */
function columnsOf(keys: KeyList, { now, next }: Sides): [Uint32Array, Uint32Array] {
  if (now.routing.shards === 0) return [NONE, NONE];
  const routings = [now.routing, ...(typeof next === 'string' ? [] : [next.routing])];
  const kinds = routings.map((routing) => ('key' in routing ? routing.key : undefined));
  // A Router takes the ids of Discord as numbers, as it does in the commands.
  const ids = kinds.includes('int64') ? idsIn(keys) : undefined;
  const [before, after = NONE] = routings.map((routing, i) => {
    const column = kinds[i] === undefined || kinds[i] === 'int64' ? (ids ?? keys.column) : keys.column;
    return routing.routeMany(column as string[]);
  });
  return [before, after];
}

/** Keys whose places are known. */
const ofColumn = ({ places }: Side, column: Uint32Array): Routing<any> => ({
  shards: places,
  route: () => column[0],
  routeMany: () => column,
  toJSON: () => ({}),
});

function placesOf({ ofShard }: Side, shards: Uint32Array): Uint32Array {
  return ofShard ? shards.map((shard) => ofShard[shard]) : shards;
}

function tokensOf(keys: KeyList, { routing }: Side, count: number): string[] {
  const first = Array.from({ length: count }, (_, row) => keys.text(row));
  return 'tokens' in routing ? Array.from<number | bigint, string>(routing.tokens(first), String) : [];
}

function countsOf(places: Uint32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}

function listOf(
  names: readonly string[],
  columns: readonly (Uint32Array | undefined)[],
  sides: readonly (Side | undefined)[],
) {
  const counts = columns.map((places) => places && countsOf(places));
  return names.map((name, place) => ({
    name,
    keys: counts.map((each, side) => (sides[side]?.fairOf(place) ? (each?.get(place) ?? 0) : undefined)),
  }));
}

/** How evenly keys lie on the places that are up. */
function balanceOf(keysOf: ReadonlyMap<number, number>, keys: number, side: Side) {
  const { classes, places } = side;
  const counts = new Map(keysOf);
  const up = sumOf(classes.map(({ count }) => count));
  const empty = up - counts.size;
  // Only the first of the places without keys is looked at, because there may be billions of shards.
  let first = 0;
  while (first < places && (counts.has(first) || side.fairOf(first) === 0)) first++;
  if (empty > 0) counts.set(first, 0);
  // For its weight: what it should have of a key is 1 for a place of average weight.
  const scaled = (place: number, count: number) => count / (side.fairOf(place) * up);
  let [fullest, emptiest] = [-1, -1];
  let [most, least] = [-1, Number.POSITIVE_INFINITY];
  for (const [place, count] of counts) {
    const size = scaled(place, count);
    if (size > most || (size === most && place < fullest)) [fullest, most] = [place, size];
    if (size < least || (size === least && place < emptiest)) [emptiest, least] = [place, size];
  }
  const mean = keys / up;
  const isWeighted = classes.some(({ fair }) => Math.abs(fair * up - 1) > 1e-9);
  const [high, low] = [fullestByChance(keys, classes), emptiestByChance(keys, classes)];
  return {
    fullest,
    /** For places of different weights, only `ratio` has a range. */
    most: { value: counts.get(fullest) ?? 0, chance: high },
    emptiest,
    least: { value: counts.get(emptiest) ?? 0, chance: low },
    /** Keys of the fullest ÷ what it should have by its weight. */
    ratio: { value: most / mean, chance: { low: high.low / mean, high: high.high / mean } },
    empty: { value: empty, chance: emptyByChance(keys, classes) },
    isWeighted,
  };
}

/** The keys that move, and where. */
export interface MovesTable {
  readonly keys: KeyList;
  /** The keys that move. */
  readonly rows: Uint32Array;
  /** The shard of each key. */
  readonly before: Uint32Array;
  readonly after: Uint32Array;
  /** The names of nodes; undefined: shards have none. */
  readonly names: readonly string[] | undefined;
  readonly from: Side;
  readonly to: Side | undefined;
}

/** The moves in CSV (RFC 4180); texts that spreadsheets would run as formulas are made safe. */
export function movesCsv(table: MovesTable): Pieces {
  return { pieces: csvPieces(table), count: piecesOf(table.rows), type: CSV_TYPE };
}

function* csvPieces({ keys, rows, before, after, names, from, to }: MovesTable): Generator<string> {
  yield `key,from,to${names ? ',from_node,to_node' : ''}\r\n`;
  const nodeOf = (side: Side | undefined, shard: number) => quoted(names?.[side?.ofShard?.[shard] ?? 0] ?? '');
  for (let at = 0; at < rows.length; at += ROWS_A_PIECE) {
    let piece = '';
    for (const row of rows.subarray(at, at + ROWS_A_PIECE)) {
      const [left, joined] = [before[row], after[row]];
      piece += `${quoted(keys.text(row))},${left},${joined}`;
      if (names) piece += `,${nodeOf(from, left)},${nodeOf(to, joined)}`;
      piece += '\r\n';
    }
    yield piece;
  }
}
