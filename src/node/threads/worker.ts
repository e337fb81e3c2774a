// A thread of this package's own jobs, and what it and the one that started it send each other.

import { parentPort, workerData } from 'node:worker_threads';
import type { Keys } from '../../columns/keys.js';
import { detailsOf } from '../../errors.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { setBackend } from '../../kernels/active.js';
import { precompiled } from '../../kernels/wasm/instance.js';
import { Router } from '../../routing/router.js';
import { type Routing, type RoutingKeys, shardsOf } from '../../routing/routing.js';
import type { Operation } from '../../rows/operations/operation.js';
import type { Chunk } from '../files/chunks.js';
import { type ChunkJob, type ChunkResult, ChunkWork, type SentOptions } from './chunk-work.js';

/** Those that jobs name. A thread loads only the one that it needs. */
const OPERATIONS: { readonly [name: string]: () => Promise<Operation<any, any, any>> } = {
  route: async () => (await import('../../rows/operations/route.js')).ROUTE,
  hash: async () => (await import('../../rows/operations/route.js')).HASH,
  'route to files': async () => (await import('../files/shard-files.js')).ROUTE_TO_FILES,
  compare: async () => (await import('../../rows/operations/compare.js')).COMPARE,
  decode: async () => (await import('../../rows/operations/decode.js')).DECODE,
  encode: async () => (await import('../../rows/operations/encode.js')).ENCODE,
};

/** Rows of a column to route, or to hash; plain data, for another thread. */
export interface ColumnTask {
  readonly keys: Exclude<RoutingKeys, readonly string[]>;
  readonly to: { readonly routing: object } | { readonly seed: bigint };
  /** Shared memory for the results, if there is any. */
  readonly out?: Uint32Array | BigUint64Array | undefined;
}

/** The kinds of jobs for threads. All of this is plain data. */
export interface Jobs {
  chunks: {
    /** The name of the operation, which is loaded when a thread starts. */
    name: string;
    options: ChunkJob<SentOptions>;
    /** A chunk to work on, and memory for the result. */
    task: { readonly chunk: Chunk; readonly spare: readonly ArrayBuffer[] };
    result: ChunkResult<any>;
  };
  columns: { name: 'columns'; options: null; task: ColumnTask; result: Uint32Array | BigUint64Array };
}
export type JobKind = keyof Jobs;

export interface WorkerData<K extends JobKind> {
  readonly backend: 'wasm' | 'bigint';
  /** Modules of WebAssembly that are compiled already. */
  readonly modules: typeof precompiled;
  readonly kind: K;
  readonly name: Jobs[K]['name'];
}

/** What a thread gets: once options, and then tasks. */
export type Message<K extends JobKind> = { readonly options: Jobs[K]['options'] } | { readonly task: Jobs[K]['task'] };

/** A worker's reply to a task; `up` is sent once, when a thread has started. */
export type Reply = { result: unknown } | { error: object; fields: object } | 'up';

async function routingFrom(json: object): Promise<Routing<any>> {
  return 'system' in json ? (await import('../../partitioners/index.js')).partitionerFrom(json) : Router.from(json);
}

async function doColumnTask({ keys, to, out }: ColumnTask): Promise<Uint32Array | BigUint64Array> {
  if ('routing' in to) return shardsOf(await routingFrom(to.routing), keys, out as Uint32Array | undefined);
  return xxh64Many(keys as Keys, { seed: to.seed, ...(out && { out: out as BigUint64Array }) });
}

interface Done<R> {
  readonly result: R;
  readonly sent: readonly ArrayBuffer[];
}

type Work<K extends JobKind> = (task: Jobs[K]['task']) => Done<Jobs[K]['result']> | Promise<Done<Jobs[K]['result']>>;
type Begin<K extends JobKind> = (options: Jobs[K]['options']) => Promise<Work<K>>;

/** Loads what a job of each kind needs. */
const JOBS: { readonly [K in JobKind]: (name: Jobs[K]['name']) => Promise<Begin<K>> } = {
  columns: async () => async () => async (task) => {
    const result = await doColumnTask(task);
    return { result, sent: result.buffer instanceof ArrayBuffer ? [result.buffer] : [] };
  },
  chunks: async (name) => {
    const operation = await OPERATIONS[name]();
    return async ({ options: { plain, routings }, ...job }) => {
      const made: { [option: string]: Routing<any> } = {};
      for (const [option, json] of Object.entries(routings)) made[option] = await routingFrom(json);
      const work = new ChunkWork(operation, { ...job, options: { ...plain, ...made } });
      return ({ chunk, spare }) => {
        const result = work.run(chunk, spare)();
        const { memory, bytes } = result;
        return { result, sent: bytes?.length ? [...memory, bytes.buffer] : memory };
      };
    };
  },
};

const { backend, modules, kind, name }: WorkerData<JobKind> = workerData;
Object.assign(precompiled, modules);
setBackend(backend);
const loaded = JOBS[kind](name as never);
let work: Work<any> | undefined;

async function answer(message: Message<JobKind>): Promise<void> {
  if ('options' in message) {
    work = await (await loaded)(message.options as never);
    return;
  }
  let reply: Reply;
  let memory: readonly ArrayBuffer[] = [];
  try {
    const { result, sent } = await (work as Work<any>)(message.task);
    reply = { result };
    memory = sent;
  } catch (error) {
    // The copy of an error has its message, but not its other properties, such as the code of a system call.
    reply = { error: Object(error), fields: { ...detailsOf(error) } };
  }
  parentPort?.postMessage(reply, memory);
}

// Tasks are run one after the other, and their results are sent in order.
let last: Promise<void> = loaded.then(() => parentPort?.postMessage('up' satisfies Reply));
parentPort?.on('message', (message) => {
  last = last.then(() => answer(message));
});
