import { parentPort, workerData } from 'node:worker_threads';
import type { Keys } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { setBackend } from '../../kernels/active.js';
import { partitionerFrom } from '../../partitioners/index.js';
import { Router } from '../../routing/router.js';
import { type Routing, type RoutingKeys, shardsOf } from '../../routing/routing.js';
import type { WorkKind } from '../../rows/operations/operation.js';
import type { Chunk } from '../files/chunks.js';
import { type ChunkJob, type ChunkResult, ChunkWork, type SentOptions } from './chunk-work.js';

/** The options that were sent. */
function received({ plain, routings }: SentOptions): object {
  const made = Object.entries(routings).map(([name, json]) => [name, routingFrom(json)]);
  return { ...plain, ...Object.fromEntries(made) };
}

/** Makes a Router or a partitioner from its JSON. */
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

/** A chunk to work on, and memory for the result. */
export interface ChunkTask {
  readonly chunk: Chunk;
  readonly spare: readonly ArrayBuffer[];
}

/** The kinds of jobs for threads. Tasks and results are plain data. */
export interface Jobs {
  chunks: { options: ChunkJob<SentOptions> & { readonly kind: string }; task: ChunkTask; result: ChunkResult<any> };
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
  readonly sent: ArrayBuffer[];
}

/**
 * Makes this a thread of `Workers`. It runs tasks one after the other and sends their results in order.
 * @param kinds of work on lines, by the names that jobs give them
 */
export function serve(kinds: { readonly [name: string]: WorkKind<any, any, any> }): void {
  /** Starts a job of each kind. */
  const jobs: {
    readonly [K in JobKind]: (options: Jobs[K]['options']) => (task: Jobs[K]['task']) => TaskOutcome;
  } = {
    columns: () => (task) => {
      const result = doColumnTask(task);
      return { result, sent: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
    },
    chunks: ({ kind, options, ...job }) => {
      const work = new ChunkWork(kinds[kind], { ...job, options: received(options) });
      return ({ chunk, spare }) => work.run(chunk, spare);
    },
  };
  const { backend, kind, options }: WorkerData<JobKind> = workerData;
  setBackend(backend);
  const work = jobs[kind](options as never) as (task: Jobs[JobKind]['task']) => TaskOutcome;

  parentPort?.on('message', (task: Jobs[JobKind]['task']) => {
    let reply: Reply;
    let memory: ArrayBuffer[] = [];
    try {
      const outcome = work(task);
      reply = { result: outcome.result };
      memory = outcome.sent;
    } catch (error) {
      // The copy of an error has its message, but not its other properties, such as the code of a system call.
      reply = { error: Object(error), fields: { ...detailsOf(error) } };
    }
    parentPort?.postMessage(reply, memory);
  });
}
