import { checkOptions } from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import type { Batch } from '../../lines/batch.js';
import { checkRecordFormat } from '../../lines/records.js';
import { checkLineKeys, LineRouter } from '../../lines/route.js';
import { FlowCounts, hashAlike, leastMoved, type ReshardPlan } from '../../routing/plan.js';
import type { Router } from '../../routing/router.js';
import { checkRouting, type Routing } from '../../routing/routing.js';
import type { Input } from '../files/input.js';
import { checkLineJob, checkOnReject, checkProgress, type LineJobOptions, overLines } from './job.js';

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
  from: Routing,
  to: Routing,
  options: LineJobOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  checkRouting('from', from);
  checkRouting('to', to);
  const known = ['keys', 'records', 'signal', 'onReject', 'onProgress'] as const;
  const { keys, records, signal, onReject, onProgress } = checkOptions(options, known);
  checkOnReject(onReject);
  checkProgress(onProgress);
  const inputs = checkLineJob(input, signal);
  const kinds = [checkLineKeys(from, keys, records), checkLineKeys(to, keys, records)] as const;
  const counts = new FlowCounts(from, to);
  let total = 0;
  let moved = 0;
  const batches = overLines(inputs, checkRecordFormat(records), kernelsWithColumns(), { signal, onReject }, (inUse) => {
    const before = new LineRouter(inUse, from, kinds[0], 'from');
    // Keys that both routers hash alike are hashed once.
    const byHash = hashAlike(from, to) ? (to as Router).with({ hash: 'none' }) : undefined;
    const after = byHash === undefined ? new LineRouter(inUse, to, kinds[1], 'to') : undefined;
    return {
      work(lines: Batch, progress) {
        const routed = before.route(lines);
        const joined = byHash?.routeMany(routed.hashes) ?? (after as LineRouter).route(lines).shards;
        moved += counts.add(routed.shards, joined);
        total += lines.count;
        return progress;
      },
      free() {
        before.free();
        after?.free();
      },
    };
  });
  for await (const progress of batches) onProgress?.(progress);
  return { total, moved, ideal: total * leastMoved(from, to), flows: counts.list() };
}
