import { wordsOf } from '../arguments.js';
import type { Keys } from '../columns/keys.js';
import { xxh64Many } from '../hash/xxh64.js';
import type { Flow } from './pair-counts.js';
import {
  abilitiesOf,
  checkPlacement,
  checkRouting,
  type Hashing,
  type Placement,
  type Routing,
  type RoutingKeys,
  type ShardNames,
  shardsOf,
} from './routing.js';

/** How evenly keys are spread over shards: keys per shard. */
export interface Balance {
  min: number;
  max: number;
  mean: number;
  /** The standard deviation over all shards. */
  deviation: number;
}

/** @param counts how many keys each shard has; at least one shard */
export function balanceOf(counts: ArrayLike<number>): Balance {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i];
    if (count < min) min = count;
    if (count > max) max = count;
    sum += count;
  }
  const mean = sum / counts.length;
  let squares = 0;
  for (let i = 0; i < counts.length; i++) squares += (counts[i] - mean) ** 2;
  return { min, max, mean, deviation: Math.sqrt(squares / counts.length) };
}

export interface ReshardPlan {
  /** How many keys there are. */
  total: number;
  /** How many keys change their shard. */
  moved: number;
  /**
   * The smallest number of keys that any routing has to move, if keys are spread evenly over the shards
   * that are up. Not rounded.
   */
  ideal: number;
  /** The moves by old and new shard, ascending; their counts add up to `moved`. */
  flows: Flow[];
  /** The rows that move, ascending. */
  rows: Uint32Array;
}

/**
 * Tells which keys move when the routing changes: more or fewer shards, some of them down, another strategy.
 * @param keys of a kind that `from` and `to` both take, see {@link Router.routeMany}
 * @param from a Router, a partitioner or another Routing
 * @throws TypeError or RangeError if `from` or `to` does not take the keys
 * @example
 * const router = new Router({ shards: 10 });
 * planReshard(keys, router, router.with({ shards: 11 })).moved; // 1 in 11
 */
export function planReshard(keys: RoutingKeys, from: Routing<any>, to: Routing<any>): ReshardPlan {
  checkRouting('from', from);
  checkRouting('to', to);
  // Keys that both hash alike are hashed once.
  const [first, second] = sharedHashing(from, to) ?? [];
  const isHashed = first?.hash === 'xxh64';
  const hashed = isHashed ? xxh64Many(keys as Keys, { seed: first.seed }) : keys;
  const before = shardsOf(isHashed ? first.ofHashes() : from, hashed, undefined, 'from');
  const after = shardsOf(isHashed && second ? second.ofHashes() : to, hashed, undefined, 'to');
  const total = before.length;
  const rows = rowsMoved(before, after);
  const flows = flowsOf(rows, before, after, from, to);
  return { total, moved: rows.length, ideal: total * leastOfShards(from, to), flows, rows };
}

/** The rows in which two columns of shards differ. */
export function rowsMoved(before: Uint32Array, after: Uint32Array): Uint32Array {
  const rows = new Uint32Array(before.length);
  let count = 0;
  for (let row = 0; row < before.length; row++) if (before[row] !== after[row]) rows[count++] = row;
  return rows.slice(0, count);
}

/** Counts rows by old and new shard: in an array of all pairs, if these are fewer than rows; otherwise the pairs are sorted. */
function flowsOf(
  rows: Uint32Array,
  before: Uint32Array,
  after: Uint32Array,
  { shards }: Pick<Routing, 'shards'>,
  { shards: width }: Pick<Routing, 'shards'>,
): Flow[] {
  const flows: Flow[] = [];
  if (shards * width <= rows.length) {
    const counts = new Uint32Array(shards * width);
    for (const row of rows) counts[before[row] * width + after[row]]++;
    counts.forEach((count, pair) => {
      if (count > 0) flows.push({ from: Math.floor(pair / width), to: pair % width, count });
    });
    return flows;
  }
  const pairs = new BigUint64Array(rows.length);
  const words = wordsOf(pairs);
  rows.forEach((row, i) => {
    words[2 * i] = after[row];
    words[2 * i + 1] = before[row];
  });
  pairs.sort();
  for (let at = 0; at < words.length; at += 2) {
    const [to, from] = [words[at], words[at + 1]];
    const last = flows.at(-1);
    if (last?.from === from && last.to === to) last.count++;
    else flows.push({ from, to, count: 1 });
  }
  return flows;
}

/** How two routings hash keys, if both do it alike. */
export function sharedHashing(from: Routing<any>, to: Routing<any>): [Hashing, Hashing] | undefined {
  const [a, b] = [abilitiesOf(from).hashing, abilitiesOf(to).hashing];
  return a && b && a.hash === b.hash && a.seed === b.seed ? [a, b] : undefined;
}

/**
 * The share of evenly spread keys that has to move: what each shard that is up afterwards holds beyond what it held before.
 * Not shard by shard, because there may be billions.
 */
function leastOfShards(from: Routing<any>, to: Routing<any>): number {
  const { down: downBefore = [] } = abilitiesOf(from);
  const { down: downAfter = [] } = abilitiesOf(to);
  const upBefore = from.shards - downBefore.length;
  const upAfter = to.shards - downAfter.length;
  const shared = Math.min(from.shards, to.shards);
  const downInShared = new Set([...downBefore, ...downAfter].filter((shard) => shard < shared)).size;
  const upInBoth = shared - downInShared;
  return (upAfter - upInBoth) / upAfter + upInBoth * Math.max(0, 1 / upAfter - 1 / upBefore);
}

/**
 * The share of the keys that each name gets, if keys are spread evenly. Of servers on a ring, each is a shard, with its share
 * by weight. Of others, all shards that are up have the same.
 */
function sharesOf({ names, ofShard }: ShardNames, routing: Routing<any>): Float64Array {
  const { servers, down } = abilitiesOf(routing);
  const isDown = new Set(down);
  const weightOf = (shard: number) => servers?.[shard].weight ?? (isDown.has(shard) ? 0 : 1);
  const total = servers?.reduce((sum, { weight }) => sum + weight, 0) ?? routing.shards - isDown.size;
  const shares = new Float64Array(names.length);
  for (const [shard, name] of ofShard.entries()) shares[name] += weightOf(shard) / total;
  return shares;
}

/**
 * The smallest share of the keys that any mapping must move, if keys are spread evenly: what each shard, or each label,
 * holds afterwards beyond what it held before. If only one placement has labels, nothing stays.
 * @returns 0 to 1
 * @example
 * leastMoved(placementOf(new Router({ shards: 10 })), placementOf(new Router({ shards: 11 }))); // 1 / 11
 */
export function leastMoved(from: Placement<any>, to: Placement<any>): number {
  const [before, after] = [checkPlacement('from', from).named, checkPlacement('to', to).named];
  if (before === undefined && after === undefined) return leastOfShards(from.routing, to.routing);
  if (before === undefined || after === undefined) return 1;
  const shares = sharesOf(before, from.routing);
  const held = new Map(before.names.map((name, i) => [name, shares[i]]));
  return sharesOf(after, to.routing).reduce((sum, share, i) => {
    return sum + Math.max(0, share - (held.get(after.names[i]) ?? 0));
  }, 0);
}
