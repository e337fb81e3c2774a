import type { Keys } from '../columns/keys.js';
import { xxh64Many } from '../hash/xxh64.js';
import { checkRouter, type Router } from './router.js';

export interface Flow {
  from: number;
  to: number;
  count: number;
}

export interface ReshardPlan {
  /** How many keys there are. */
  total: number;
  /** How many change their shard. */
  moved: number;
  /**
   * How many would have to at the least, if each router spread the keys evenly over its shards that
   * are up. Not rounded.
   */
  ideal: number;
  /** The moves by shard left and shard joined, ascending; their counts add up to `moved`. */
  flows: Flow[];
  /** The rows that move, ascending. */
  rows: Uint32Array;
}

/**
 * What moves when routers change: more shards, fewer, some down, another strategy.
 * @param keys as for {@link Router.routeMany}
 * @throws TypeError or RangeError if the keys are not what both routers take
 * @example
 * const router = new Router({ shards: 10 });
 * planReshard(keys, router, router.with({ shards: 11 })).moved; // 1 in 11
 */
export function planReshard(keys: Keys, from: Router, to: Router): ReshardPlan {
  checkRouter('from', from);
  checkRouter('to', to);
  // What both routers hash alike is hashed once.
  const isAlike = from.hash === 'xxh64' && to.hash === 'xxh64' && from.seed === to.seed;
  const hashed = isAlike ? xxh64Many(keys, { seed: from.seed }) : keys;
  const route = (router: Router) => (isAlike ? router.with({ hash: 'none' }) : router).routeMany(hashed);
  const [before, after] = [route(from), route(to)];
  const rows = new Uint32Array(before.length);
  const counts = new FlowCounts();
  let moved = 0;
  for (let row = 0; row < before.length; row++) {
    const left = before[row] as number;
    const joined = after[row] as number;
    if (left === joined) continue;
    rows[moved++] = row;
    counts.add(left, joined, 1);
  }
  const total = before.length;
  return { total, moved, ideal: total * leastMoved(from, to), flows: counts.list(), rows: rows.slice(0, moved) };
}

/** Counts of moves by shard left and shard joined. */
export class FlowCounts {
  #counts = new Map<number, Map<number, number>>();

  add(from: number, to: number, count: number): void {
    const joined = this.#counts.get(from) ?? new Map<number, number>();
    this.#counts.set(from, joined);
    joined.set(to, (joined.get(to) ?? 0) + count);
  }

  list(): Flow[] {
    const flows = [...this.#counts].flatMap(([from, joined]) =>
      [...joined].map(([to, count]) => ({ from, to, count })),
    );
    return flows.sort((a, b) => a.from - b.from || a.to - b.to);
  }
}

/**
 * The share of evenly spread keys that has to move: what the shards up afterwards hold beyond what
 * they held before.
 */
export function leastMoved(from: Router, to: Router): number {
  const upBefore = from.shards - from.down.length;
  const upAfter = to.shards - to.down.length;
  const shared = Math.min(from.shards, to.shards);
  const downInShared = new Set([...from.down, ...to.down].filter((shard) => shard < shared)).size;
  const upInBoth = shared - downInShared;
  return (upAfter - upInBoth) / upAfter + upInBoth * Math.max(0, 1 / upAfter - 1 / upBefore);
}
