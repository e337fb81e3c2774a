/**
 * Route and hash files, use several threads, and keep high-water marks, in Node, Bun and Deno.
 * @module shardbits/node
 */

// Lines, and what they are routed to.

export type { BytesColumn } from '../columns/keys.js';
export { type Balance, balanceOf } from '../routing/plan.js';
export type { Lines } from '../rows/batch.js';
export type { RecordFormat } from '../rows/format.js';
export type { LineHashOptions, LineKeys } from '../rows/keys.js';
export type { OutputFormat as RowFormat, RoutedLines, ShardNames } from '../rows/sinks/rows.js';
export { lineStream, type RecordColumns, recordStream, routeStream } from '../rows/streams.js';

// Files.

export type { Compression } from './files/compressed.js';
export { highWaterFile } from './files/high-water-file.js';
export type { Encoding, GivenInput, Input } from './files/input.js';
export { discardUnfinished } from './files/output.js';

// The lines of files, in batches.

export type {
  HashedLines,
  LineJobOptions,
  LineReadOptions,
  LineRejectOptions,
  MissingKeyOptions,
} from './jobs/lines.js';
export { hashLines, lineColumns, type Progress, type RejectedLine } from './jobs/lines.js';
export { routeLines } from './jobs/route.js';

// Whole files: what moves, and the rows as one file.

export { planLines, type RouteFileOptions, routeFile } from './jobs/route.js';

// A file for every shard.

export { type RouteToDirectoryOptions, routeToDirectory } from './jobs/split.js';

// Columns in memory, on several threads.

export { type PoolKeys, WorkerPool } from './threads/worker-pool.js';
