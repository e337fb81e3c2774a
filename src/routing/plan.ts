import type { Keys } from '../columns/keys.js';
import { xxh64Many } from '../hash/xxh64.js';
import { abilitiesOf, checkRouting, type Hashing, type Routing, type RoutingKeys, shardsOf } from './routing.js';

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

export interface Flow {
  from: number;
  to: number;
  count: number;
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
  const rows = new Uint32Array(before.length);
  const counts = new FlowCounts(from, to);
  const moved = counts.add(before, after, rows);
  const total = before.length;
  return { total, moved, ideal: total * leastMoved(from, to), flows: counts.list(), rows: rows.slice(0, moved) };
}

/** How two routings hash keys, if both do it alike. */
export function sharedHashing(from: Routing<any>, to: Routing<any>): [Hashing, Hashing] | undefined {
  const [a, b] = [abilitiesOf(from).hashing, abilitiesOf(to).hashing];
  return a && b && a.hash === b.hash && a.seed === b.seed ? [a, b] : undefined;
}

// A count for each pair of shards, up to 8 MB of them.
const MAX_PAIRS = 1 << 20;

/** Counts moves by old and new shard, in an array of all pairs once there are more keys than pairs. */
export class FlowCounts {
  readonly #width: number;
  readonly #pairs: number;
  readonly #ofLeft = new Map<number, Map<number, number>>();
  #ofPair: Float64Array | undefined;
  #keys = 0;

  constructor(from: Pick<Routing, 'shards'>, to: Pick<Routing, 'shards'>) {
    this.#width = to.shards;
    this.#pairs = from.shards * to.shards;
  }

  /**
   * Counts the keys that move.
   * @param rows gets the rows of these keys
   * @returns how many keys move
   */
  add(before: Uint32Array, after: Uint32Array, rows?: Uint32Array): number {
    this.#keys += before.length;
    if (this.#pairs <= Math.min(this.#keys, MAX_PAIRS)) this.#ofPair ??= new Float64Array(this.#pairs);
    const ofPair = this.#ofPair;
    let moved = 0;
    for (let row = 0; row < before.length; row++) {
      const left = before[row];
      const joined = after[row];
      if (left === joined) continue;
      if (rows) rows[moved] = row;
      moved++;
      if (ofPair) ofPair[left * this.#width + joined]++;
      else this.#count(left, joined, 1);
    }
    return moved;
  }

  list(): Flow[] {
    this.#ofPair?.forEach((count, pair) => {
      if (count > 0) this.#count(Math.floor(pair / this.#width), pair % this.#width, count);
    });
    this.#ofPair = undefined;
    const flows = [...this.#ofLeft].flatMap(([from, joined]) =>
      [...joined].map(([to, count]) => ({ from, to, count })),
    );
    return flows.sort((a, b) => a.from - b.from || a.to - b.to);
  }

  #count(left: number, joined: number, count: number): void {
    const counts = this.#ofLeft.get(left) ?? new Map<number, number>();
    this.#ofLeft.set(left, counts);
    counts.set(joined, (counts.get(joined) ?? 0) + count);
  }
}

/**
 * The share of evenly spread keys that has to move: what each shard that is up afterwards holds beyond what it
 * held before.
 */
export function leastMoved(from: Routing<any>, to: Routing<any>): number {
  const { down: downBefore = [] } = abilitiesOf(from);
  const { down: downAfter = [] } = abilitiesOf(to);
  const upBefore = from.shards - downBefore.length;
  const upAfter = to.shards - downAfter.length;
  const shared = Math.min(from.shards, to.shards);
  const downInShared = new Set([...downBefore, ...downAfter].filter((shard) => shard < shared)).size;
  const upInBoth = shared - downInShared;
  return (upAfter - upInBoth) / upAfter + upInBoth * Math.max(0, 1 / upAfter - 1 / upBefore);
}
