import type { LineKeys } from '../lines/line-hasher.js';
import { FlowCounts, planReshard, type ReshardPlan } from '../routing/plan.js';
import { checkRouter, type Router } from '../routing/router.js';
import type { Input } from './input.js';
import { hashLines, type LineReadOptions, type Progress } from './routed-lines.js';

export interface PlanLinesOptions extends LineReadOptions {
  /** `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64. */
  keys?: LineKeys;
  /** Told now and then how far it is. */
  onProgress?: (progress: Progress) => void;
}

/**
 * What moves when routers change, over the lines of inputs: as `planReshard`, without the rows. Both
 * routers hash alike.
 */
export async function planLines(
  input: Input | readonly Input[],
  from: Router,
  to: Router,
  { keys, signal, onProgress }: PlanLinesOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  const before = checkRouter('from', from).with({ hash: 'none' });
  const after = checkRouter('to', to).with({ hash: 'none' });
  const counts = new FlowCounts();
  let total = 0;
  let moved = 0;
  let ideal = 0;
  for await (const batch of hashLines(input, { keys, hash: from.hash, seed: from.seed, signal })) {
    const plan = planReshard(batch.hashes, before, after);
    total += plan.total;
    moved += plan.moved;
    ideal += plan.ideal;
    for (const flow of plan.flows) counts.add(flow.from, flow.to, flow.count);
    onProgress?.(batch.progress);
  }
  return { total, moved, ideal, flows: counts.list() };
}
