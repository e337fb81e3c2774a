import { checkOptions } from '../../arguments.js';
import { checkLineKeys, lineRouter } from '../../lines/keys.js';
import { FlowCounts, leastMoved, type ReshardPlan, sharedHashing } from '../../routing/plan.js';
import { checkRouting, type Routing } from '../../routing/routing.js';
import type { Input } from '../files/input.js';
import { checkJob, type LineJobOptions, overLines } from './lines.js';

/**
 * Tells which keys move when the routing changes, for the lines of inputs: like `planReshard`, without the rows. Memory
 * grows with the number of pairs of shards between which keys move.
 * @param from a Router, a partitioner or another Routing; so is `to`
 * @throws TypeError or RangeError for arguments of the wrong kind or value; RangeError, with file and line, for bad data;
 *   Node's own errors. All as rejections
 * @example
 * const router = new Router({ shards: 10 });
 * await planLines('keys.txt', router, router.with({ shards: 11 }));
 */
export async function planLines(
  input: Input | readonly Input[],
  from: Routing<any>,
  to: Routing<any>,
  options: LineJobOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  checkRouting('from', from);
  checkRouting('to', to);
  const given = checkOptions(options, ['keys', 'records', 'signal', 'onReject', 'onProgress']);
  const { keys, records, onProgress } = given;
  const kinds = [checkLineKeys(from, keys, records), checkLineKeys(to, keys, records)] as const;
  const counts = new FlowCounts(from, to);
  let total = 0;
  let moved = 0;
  const results = overLines(checkJob(input, given), (kernels) => {
    const before = lineRouter(kernels, from, kinds[0], 'from');
    const after = lineRouter(kernels, to, kinds[1], 'to');
    const ofHashes = sharedHashing(from, to)?.[1].ofHashes();
    return (lines) => {
      const routed = before(lines);
      // Keys that both hash alike are hashed once.
      const joined = ofHashes?.routeMany(routed.hashes) ?? after(lines).shards;
      moved += counts.add(routed.shards, joined);
      total += lines.count;
    };
  });
  for await (const { progress } of results) onProgress?.(progress);
  return { total, moved, ideal: total * leastMoved(from, to), flows: counts.list() };
}
