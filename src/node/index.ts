/**
 * Route and hash files, use several threads, and keep high-water marks, in Node, Bun and Deno.
 * @module shardbits/node
 */

// Lines, and what they are routed to.

export type { BytesColumn } from '../columns/keys.js';
export type { Lines } from '../lines/batch.js';
export type { LineHashOptions, LineKeys } from '../lines/line-hasher.js';
export type { RoutedLines, RowFormat } from '../lines/row-writer.js';
export type { Rows } from '../lines/rows.js';
export type { ShardNames } from '../lines/shard-names.js';
export { lineStream, type RecordColumns, recordStream, routeStream } from '../lines/streams.js';
export { type Balance, balanceOf } from '../routing/balance.js';

// Files.

export { highWaterFile } from './files/high-water-file.js';
export type { Input } from './files/input.js';
export { discardUnfinished } from './files/output.js';

// The lines of files, in batches.

export { type HashedLines, hashLines } from './files/hashed-lines.js';
export { lineColumns } from './files/line-columns.js';
export type { LineJobOptions, LineReadOptions, LineRejectOptions, Progress, RejectedLine } from './files/line-jobs.js';
export { routeLines } from './files/routed-lines.js';

// Whole files: what moves, and the rows as one file.

export { planLines } from './files/plan-lines.js';
export { type RouteFileOptions, routeFile } from './route-file.js';

// A file for every shard.

export { type RouteToDirectoryOptions, routeToDirectory } from './files/route-to-directory.js';

// Columns in memory, on several threads.

export { type PoolKeys, WorkerPool } from './threads/worker-pool.js';
