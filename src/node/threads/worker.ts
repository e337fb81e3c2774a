// A thread of `Workers`. It runs tasks one after the other and sends their results in order.

import { parentPort, workerData } from 'node:worker_threads';
import type { Keys } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { setBackend } from '../../kernels/active.js';
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

/** How a worker starts. */
export interface WorkerData<K extends JobKind> {
  backend: 'wasm' | 'bigint';
  kind: K;
  options: Jobs[K]['options'];
}

/** A worker's reply to a task. */
export type Reply = { result: unknown } | { error: object; fields: object };

/** The result of a task, and its memory to transfer. */
interface TaskOutcome {
  readonly result: Jobs[JobKind]['result'];
  readonly transfer: ArrayBuffer[];
}

/** Starts a job of each kind. */
const JOBS: {
  readonly [K in JobKind]: (options: Jobs[K]['options']) => (task: Jobs[K]['task']) => TaskOutcome;
} = {
  columns: () => (task) => {
    const result = doColumnTask(task);
    return { result, transfer: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
  },
  segments: (job) => {
    const router = new SegmentRouter({ ...job, routing: routingFrom(job.routing) });
    return (task) => {
      const result = router.route(task);
      return { result, transfer: 'rows' in result ? [result.rows.buffer] : [] };
    };
  },
};

const { backend, kind, options }: WorkerData<JobKind> = workerData;
setBackend(backend);
const work = JOBS[kind](options as never) as (task: Jobs[JobKind]['task']) => TaskOutcome;

parentPort?.on('message', (task: Jobs[JobKind]['task']) => {
  let reply: Reply;
  let memory: ArrayBuffer[] = [];
  try {
    const { result, transfer } = work(task);
    reply = { result };
    memory = transfer;
  } catch (error) {
    // The copy of an error has its message, but not its other properties, such as the code of a system call.
    reply = { error: Object(error), fields: { ...detailsOf(error) } };
  }
  parentPort?.postMessage(reply, memory);
});
