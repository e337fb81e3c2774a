/**
 * Route and hash files, use several threads, and keep high-water marks, in Node, Bun and Deno.
 * @module shardbits/node
 */

// Lines, and what they are routed to.

export type { BytesColumn } from '../columns/keys.js';
export type { Flow } from '../routing/pair-counts.js';
export { type Balance, balanceOf } from '../routing/plan.js';
export type { Lines } from '../rows/batch.js';
export type { LineKeys, RecordFormat, RowHashOptions as LineHashOptions } from '../rows/format.js';
export type { OutputFormat as RowFormat, RoutedLines } from '../rows/sinks/rows.js';
export { lineStream, type RecordColumns, recordStream, routeStream } from '../rows/streams.js';

// Files.

export type { Compression, Output } from './files/compressed.js';
export { highWaterFile } from './files/high-water-file.js';
export type { Encoding, GivenInput, Input } from './files/input.js';
export { matchingFiles } from './files/matching.js';
export { areOneFile, discardUnfinished, type OutputOptions, openOutput } from './files/output.js';
export type {
  LineJobOptions,
  LineReadOptions,
  LineRejectOptions,
  MissingKeyOptions,
  Progress,
  RejectedLine,
} from './jobs/job.js';
export { parquetFiles } from './jobs/job.js';

// The lines of files, in batches.

export { type HashedLines, hashLines, lineColumns, routeLines } from './jobs/lines.js';

// Whole files: their rows as one file, or counts.

export { type FilesPlan, type LabelFlow, type PlanFilesOptions, planFiles, planLines } from './jobs/compare.js';
export type { GuessedIds } from './jobs/guessed-ids.js';
export {
  type DecodeFileOptions,
  decodeFile,
  type EncodeFileOptions,
  encodeFile,
  type IdFileOptions,
} from './jobs/ids.js';
export { type InternFileOptions, internFile, type ResolveFileOptions, resolveFile } from './jobs/intern.js';
export {
  countShards,
  type HashFileOptions,
  hashFile,
  type PlacingOptions,
  type RouteFileOptions,
  routeFile,
  type ShardCounts,
} from './jobs/route.js';

// Files of rows that say where they are.

export { filesOfShards, type PlacedFile } from './files/files-of-shards.js';
export { type AuditFilesOptions, auditFiles, type FilesAudit, type ShardColumnOptions } from './jobs/compare.js';
export { type DetectFilesOptions, detectFiles, type FilesDetection, type ForeignRow } from './jobs/detect.js';

// A file for every shard.

export { type RouteToDirectoryOptions, routeToDirectory } from './jobs/route.js';

// Columns in memory, on several threads.

export { type PoolKeys, WorkerPool } from './threads/worker-pool.js';
