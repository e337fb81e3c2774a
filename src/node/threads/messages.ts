// What a thread and the one that started it send each other.

import type { RoutingKeys } from '../../routing/routing.js';
import type { Chunk } from '../files/chunks.js';
import type { ChunkJob, ChunkResult, SentOptions } from './chunk-work.js';

/** Rows of a column to route, or to hash; plain data, for another thread. */
export interface ColumnTask {
  readonly keys: Exclude<RoutingKeys, readonly string[]>;
  readonly to: { readonly routing: object } | { readonly seed: bigint };
  /** Shared memory for the results, if there is any. */
  readonly out?: Uint32Array | BigUint64Array | undefined;
}

/** A chunk to work on, and memory for the result. */
export interface ChunkTask {
  readonly chunk: Chunk;
  readonly spare: readonly ArrayBuffer[];
}

/** The kinds of jobs for threads. Tasks and results are plain data. */
export interface Jobs {
  chunks: {
    options: ChunkJob<SentOptions> & { readonly operation: string };
    task: ChunkTask;
    result: ChunkResult<any>;
  };
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

/** Sent once, when a thread has started. */
export const UP = 'up';
