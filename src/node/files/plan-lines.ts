import { checkOptions, wrongValue } from '../../arguments.js';
import { FlowCounts, leastMoved, type ReshardPlan } from '../../routing/plan.js';
import { checkRouter, type Router } from '../../routing/router.js';
import { hashLines } from './hashed-lines.js';
import type { Input } from './input.js';
import { checkProgress, type LineJobOptions } from './line-jobs.js';

/**
 * What moves when routers change, over the lines of inputs: as `planReshard`, without the rows. Memory
 * grows with the pairs of shards that keys move between.
 * @throws TypeError or RangeError for arguments of the wrong kind or value, such as routers that hash
 *   differently; RangeError, with file and line, for bad data; Node's own errors. All as rejections
 * @example
 * const router = new Router({ shards: 10 });
 * await planLines('keys.txt', router, router.with({ shards: 11 }));
 */
export async function planLines(
  input: Input | readonly Input[],
  from: Router,
  to: Router,
  options: LineJobOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  const before = checkRouter('from', from).with({ hash: 'none' });
  const after = checkRouter('to', to).with({ hash: 'none' });
  const known = ['keys', 'rows', 'signal', 'onReject', 'onProgress'] as const;
  const { keys, rows, signal, onReject, onProgress } = checkOptions(options, known);
  checkProgress(onProgress);
  if (from.hash !== to.hash || from.seed !== to.seed) {
    throw wrongValue('to', 'the hash and seed of "from"', to, undefined, `hash '${to.hash}' and seed ${to.seed}`);
  }
  const counts = new FlowCounts(before, after);
  let total = 0;
  let moved = 0;
  for await (const { hashes, progress } of hashLines(input, {
    keys,
    rows,
    hash: from.hash,
    seed: from.seed,
    signal,
    onReject,
  })) {
    moved += counts.add(before.routeMany(hashes), after.routeMany(hashes));
    total += hashes.length;
    onProgress?.(progress);
  }
  return { total, moved, ideal: total * leastMoved(before, after), flows: counts.list() };
}
