import type { Keys } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import { partitionerFrom } from '../../partitioners/index.js';
import { Router } from '../../routing/router.js';
import { type Routing, type RoutingKeys, shardsOf } from '../../routing/routing.js';
import { type Segment, type SegmentJob, SegmentRouter, type SegmentRows } from '../files/segments.js';

/** Makes a Router or a partitioner from its JSON, in another thread. */
function routingFrom(json: object): Routing<any> {
  return 'system' in json ? partitionerFrom(json) : Router.from(json);
}

/** Rows of a column to route, or to hash; plain data, for another thread. */
export interface ColumnTask {
  readonly keys: Exclude<RoutingKeys, readonly string[]>;
  readonly to: { readonly routing: object } | { readonly seed: bigint };
  /** Shared memory for the results, if there is any. */
  readonly out?: Uint32Array | BigUint64Array | undefined;
}

function doColumnTask({ keys, to, out }: ColumnTask): Uint32Array | BigUint64Array {
  if ('routing' in to) return shardsOf(routingFrom(to.routing), keys, out as Uint32Array | undefined);
  return xxh64Many(keys as Keys, { seed: to.seed, ...(out && { out: out as BigUint64Array }) });
}

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

/** Starts a job of each kind. */
export const JOBS: {
  readonly [K in JobKind]: (options: Jobs[K]['options']) => (task: Jobs[K]['task']) => TaskOutcome;
} = {
  columns: () => (task) => {
    const result = doColumnTask(task);
    return { result, transfer: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
  },
  segments: (job) => {
    const router = new SegmentRouter(kernelsWithColumns(), { ...job, routing: routingFrom(job.routing) });
    return (task) => {
      const result = router.route(task);
      return { result, transfer: 'rows' in result ? [result.rows.buffer] : [] };
    };
  },
};
