import type { Routing } from '../index.js';
import type { ShardMap } from '../map/index.js';
import { type Input, type LineJobOptions, routeLines } from '../node/index.js';
import { primariesOf } from './by-node.js';

/** What moves between two maps: like a plan of shards, but between the primary nodes of the shards. */
export interface NodePlan {
  readonly total: number;
  readonly moved: number;
  /** The smallest number of keys that has to move, if all shards have equally many keys. */
  readonly ideal: number;
  /** Sorted by the names of nodes. */
  readonly flows: readonly { readonly from: string; readonly to: string; readonly count: number }[];
}

/** @param router has as many shards as both maps, so that every key stays in its shard */
export async function planMaps(
  input: readonly Input[],
  router: Routing,
  [from, to]: readonly [ShardMap, ShardMap],
  { keys, rows, onProgress }: LineJobOptions,
): Promise<NodePlan> {
  const counts = new Float64Array(from.shards);
  for await (const { shards, progress } of routeLines(input, router, { keys, rows })) {
    for (let row = 0; row < shards.length; row++) (counts[shards[row] as number] as number)++;
    onProgress?.(progress);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const flows = flowsOf(counts, from, to);
  const moved = flows.reduce((sum, { count }) => sum + count, 0);
  return { total, moved, ideal: total * leastMoved(from, to), flows };
}

function flowsOf(counts: Float64Array, from: ShardMap, to: ShardMap): NodePlan['flows'] {
  const [left, joined] = [primariesOf(from), primariesOf(to)];
  const ofPair = new Map<number, number>();
  for (const [shard, count] of counts.entries()) {
    const pair = (left[shard] as number) * to.nodes.length + (joined[shard] as number);
    if (count > 0) ofPair.set(pair, (ofPair.get(pair) ?? 0) + count);
  }
  // Nodes are in the order of their names.
  const pairs = [...ofPair].sort(([a], [b]) => a - b);
  const flows = pairs.map(([pair, count]) => {
    return { from: nameOf(from, Math.floor(pair / to.nodes.length)), to: nameOf(to, pair % to.nodes.length), count };
  });
  return flows.filter((flow) => flow.from !== flow.to);
}

function nameOf({ nodes }: ShardMap, node: number): string {
  return nodes[node]?.name as string;
}

/** The share of the shards that nodes gain as primaries. */
function leastMoved(from: ShardMap, to: ShardMap): number {
  const before = new Map(from.balance().map(({ node, primaries }) => [node, primaries]));
  const more = to.balance().map(({ node, primaries }) => Math.max(0, primaries - (before.get(node) ?? 0)));
  return more.reduce((sum, count) => sum + count, 0) / to.shards;
}
