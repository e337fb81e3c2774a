// A thread of this package's own jobs, and what it and the one that started it send each other.

import { parentPort, workerData } from 'node:worker_threads';
import type { Keys } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { setBackend } from '../../kernels/active.js';
import { partitionerFrom } from '../../partitioners/index.js';
import { Router } from '../../routing/router.js';
import { type Routing, type RoutingKeys, shardsOf } from '../../routing/routing.js';
import { COMPARE } from '../../rows/operations/compare.js';
import { DECODE } from '../../rows/operations/decode.js';
import { ENCODE } from '../../rows/operations/encode.js';
import type { Operation } from '../../rows/operations/operation.js';
import { HASH, ROUTE } from '../../rows/operations/route.js';
import type { Chunk } from '../files/chunks.js';
import { ROUTE_TO_FILES } from '../files/shard-files.js';
import { type ChunkJob, type ChunkResult, ChunkWork, type SentOptions } from './chunk-work.js';

/** Those that jobs name. */
const OPERATIONS: readonly Operation<any, any, any>[] = [ROUTE, ROUTE_TO_FILES, HASH, COMPARE, DECODE, ENCODE];

/** Rows of a column to route, or to hash; plain data, for another thread. */
export interface ColumnTask {
  readonly keys: Exclude<RoutingKeys, readonly string[]>;
  readonly to: { readonly routing: object } | { readonly seed: bigint };
  /** Shared memory for the results, if there is any. */
  readonly out?: Uint32Array | BigUint64Array | undefined;
}

/** The kinds of jobs for threads. Tasks and results are plain data. */
export interface Jobs {
  chunks: {
    options: ChunkJob<SentOptions> & { readonly operation: string };
    /** A chunk to work on, and memory for the result. */
    task: { readonly chunk: Chunk; readonly spare: readonly ArrayBuffer[] };
    result: ChunkResult<any>;
  };
  columns: { options: null; task: ColumnTask; result: Uint32Array | BigUint64Array };
}
export type JobKind = keyof Jobs;

export interface WorkerData<K extends JobKind> {
  backend: 'wasm' | 'bigint';
  kind: K;
  options: Jobs[K]['options'];
}

/** A worker's reply to a task; `up` is sent once, when a thread has started. */
export type Reply = { result: unknown } | { error: object; fields: object } | 'up';

function routingFrom(json: object): Routing<any> {
  return 'system' in json ? partitionerFrom(json) : Router.from(json);
}

function doColumnTask({ keys, to, out }: ColumnTask): Uint32Array | BigUint64Array {
  if ('routing' in to) return shardsOf(routingFrom(to.routing), keys, out as Uint32Array | undefined);
  return xxh64Many(keys as Keys, { seed: to.seed, ...(out && { out: out as BigUint64Array }) });
}

/** Starts a job of each kind. Its work gives the result of a task, and the memory to transfer. */
const JOBS: {
  readonly [K in JobKind]: (
    options: Jobs[K]['options'],
  ) => (task: Jobs[K]['task']) => { readonly result: Jobs[K]['result']; readonly sent: readonly ArrayBuffer[] };
} = {
  columns: () => (task) => {
    const result = doColumnTask(task);
    return { result, sent: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
  },
  chunks: ({ operation: name, options: { plain, routings }, ...job }) => {
    const operation = OPERATIONS.find((one) => one.name === name) as Operation<any, any, any>;
    const made = Object.entries(routings).map(([option, json]) => [option, routingFrom(json)]);
    const work = new ChunkWork(operation, { ...job, options: { ...plain, ...Object.fromEntries(made) } });
    return ({ chunk, spare }) => {
      const result = work.run(chunk, spare);
      const { memory, bytes } = result;
      return { result, sent: bytes?.length ? [...memory, bytes.buffer] : memory };
    };
  },
};

// Tasks are run one after the other, and their results are sent in order.
const { backend, kind, options }: WorkerData<JobKind> = workerData;
setBackend(backend);
const work = JOBS[kind](options as never);

parentPort?.on('message', (task) => {
  let reply: Reply;
  let memory: readonly ArrayBuffer[] = [];
  try {
    const { result, sent } = work(task);
    reply = { result };
    memory = sent;
  } catch (error) {
    // The copy of an error has its message, but not its other properties, such as the code of a system call.
    reply = { error: Object(error), fields: { ...detailsOf(error) } };
  }
  parentPort?.postMessage(reply, memory);
});
parentPort?.postMessage('up' satisfies Reply);
