import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import { type SegmentJob, SegmentRouter, type SegmentRows } from '../files/segment-router.js';
import type { Segment } from '../files/segments.js';
import { type ColumnTask, doColumnTask } from './column-tasks.js';
import { routingFrom } from './routing-from.js';

/** The kinds of jobs for threads. Tasks and results are plain data. */
export interface Jobs {
  segments: { options: Omit<SegmentJob, 'routing'> & { readonly routing: object }; task: Segment; result: SegmentRows };
  columns: { options: null; task: ColumnTask; result: Uint32Array | BigUint64Array };
}
export type JobKind = keyof Jobs;

/** The result of a task, and its memory to transfer. */
export interface TaskOutcome {
  readonly result: Jobs[JobKind]['result'];
  readonly transfer: ArrayBuffer[];
}

export function startJob(
  kind: JobKind,
  options: Jobs[JobKind]['options'],
): (task: Jobs[JobKind]['task']) => TaskOutcome {
  if (kind === 'columns') {
    return (task) => {
      const result = doColumnTask(task as ColumnTask);
      return { result, transfer: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
    };
  }
  const job = options as Jobs['segments']['options'];
  const router = new SegmentRouter(kernelsWithColumns(), { ...job, routing: routingFrom(job.routing) });
  return (task) => {
    const result = router.route(task as Segment);
    return { result, transfer: 'rows' in result ? [result.rows.buffer] : [] };
  };
}
