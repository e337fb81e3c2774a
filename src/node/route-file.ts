import type { Writable } from 'node:stream';
import {
  checkInteger,
  checkOneOf,
  checkOptions,
  checkRecord,
  checkString,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { kernelsWithColumns } from '../kernels/resident-columns.js';
import type { Batch } from '../lines/batch.js';
import { Header } from '../lines/batch-source.js';
import { checkLineKeys } from '../lines/line-router.js';
import { type RowFormat, rowWriter } from '../lines/row-writer.js';
import { checkRows } from '../lines/rows.js';
import { checkShardNames, type ShardNames } from '../lines/shard-names.js';
import { checkRouting, isOurs, type Routing } from '../routing/routing.js';
import { type Input, isPlainFile } from './files/input.js';
import { checkLineJob, checkOnReject, checkProgress, type LineJobOptions, type Progress } from './files/line-jobs.js';
import { checkOutput, openOutput } from './files/output.js';
import { routeInputs } from './files/routed-lines.js';
import { drain } from './files/row-sink.js';
import type { SegmentJob } from './files/segment-router.js';
import { routeSegments } from './threads/route-segments.js';
import { MOST_THREADS } from './threads/workers.js';

export interface RouteFileOptions extends LineJobOptions {
  router: Routing;
  /**
   * Where the rows go, in the order of the keys: a path, or a stream, which stays open. A file appears only when it is
   * complete. It may be one of the inputs, which is then replaced after the last row.
   */
  out: string | Writable;
  /** `tsv` (default), `shard` or `u32`. With `rows`, the default is records with one more column, and `tsv` is refused. */
  format?: RowFormat | undefined;
  /** The name of the column that is added to `rows`. The default is `shard`. The input must not have such a column. */
  asColumn?: string | undefined;
  /**
   * Names to write instead of shards, such as those of nodes: `name <TAB> key \n` for a line; with `rows`, in the added
   * column. Not with the formats `shard` and `u32`.
   */
  names?: ShardNames | undefined;
  /**
   * The number of threads, 1 (default) to 256, including this one. Only plain files of lines or NDJSON can be split. One
   * thread reads streams, pipes, compressed files and CSV, and everything with `onReject`. The rows do not depend on the
   * number. A Routing of your own cannot be used on other threads.
   */
  threads?: number | undefined;
}

const ROW_OPTIONS = ['out', 'format', 'asColumn', 'names', 'threads'] as const;
const JOB_OPTIONS = ['router', 'keys', 'rows', 'signal', 'onReject', 'onProgress'] as const;

/**
 * Routes every line of a file. A line ends at `\n` or `\r\n`. An empty line is the empty key, and bytes after the last
 * newline are a line, too. A UTF-8 byte order mark at the start is not part of the first key. Memory does not grow with
 * the file, except for its longest line, which may have up to 512 MiB.
 * @param input a path, or a stream of bytes; or several, one after the other
 * @returns how many keys and bytes there were
 * @throws TypeError or RangeError for options of the wrong kind or value; RangeError, with the line,
 *   for bad data; Error with the code `ERR_UNSUPPORTED_FORMAT` for a file that is not lines of text, such as Parquet;
 *   Node's own errors of reading and writing. All as rejections
 * @example
 * const router = new Router({ shards: 1024 });
 * await routeFile('keys.txt', { router, out: 'keys.tsv' });
 */
export async function routeFile(input: Input | readonly Input[], options: RouteFileOptions): Promise<Progress> {
  checkRecord('options', options);
  const given = checkOptions(options, [...JOB_OPTIONS, ...ROW_OPTIONS]);
  const { router, out, threads = 1, keys: kind, signal, onReject, onProgress } = given;
  const { format, rows } = checkFormat(given);
  checkRouting('router', router);
  const names = checkShardNames(given.names, router.shards);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  const keys = checkLineKeys(router, kind, given.rows);
  checkInteger('threads', threads, 1, MOST_THREADS);
  if (threads > 1 && !isOurs(router)) throw wrongKind('router', 'a Router or a Partitioner with "threads"', router);
  checkProgress(onProgress);
  checkOutput(out);
  const paths = threads > 1 && onReject === undefined && rows?.format !== 'csv' ? plainFiles(inputs) : undefined;
  const output = openOutput(out, signal);
  const sink = <T>(bytesOf: (batch: T) => Uint8Array) => ({
    write: (batch: T) => output.write(bytesOf(batch)),
    finish: () => output.finish(),
    discard: () => output.discard(),
  });
  if (paths !== undefined) {
    const job = { routing: router, keys, format, rows, names };
    const segments = routeSegments(paths, job, threads, signal);
    return drain(
      segments,
      sink<{ rows: Uint8Array }>((segment) => segment.rows),
      onProgress,
    );
  }
  const writer = rowWriter(kernelsWithColumns(), format, rows, names);
  // Rows are written only when they are requested, because other work in between may grow the memory.
  const bytesOf = (piece: Batch | Header) => (piece instanceof Header ? writer.header(piece) : writer.write(piece));
  const routed = routeInputs(inputs, router, { keys, rows, names }, { signal, onReject });
  return drain(routed, sink(bytesOf), onProgress).finally(() => writer.free());
}

/** Checks how rows are written, and whether a column is added. */
function checkFormat({ format, asColumn, rows, names }: RouteFileOptions): Pick<SegmentJob, 'format' | 'rows'> {
  if (format !== undefined) checkOneOf('format', format, ['tsv', 'shard', 'u32']);
  if (names !== undefined && format !== undefined && format !== 'tsv') {
    throw wrongValue('format', "'tsv' or undefined with names", format);
  }
  if (asColumn !== undefined) checkString('asColumn', asColumn);
  if (rows === undefined || format !== undefined) {
    if (rows !== undefined && format === 'tsv') throw wrongValue('format', "'shard' or 'u32' with rows", format);
    if (asColumn !== undefined) throw wrongValue('asColumn', 'undefined except with rows and without format', asColumn);
    return { format: format ?? 'tsv', rows: checkRows(rows) };
  }
  return { format: 'tsv', rows: checkRows(rows, [asColumn ?? 'shard']) };
}

/** The paths of inputs, if all are plain files. */
function plainFiles(inputs: readonly Input[]): readonly string[] | undefined {
  return inputs.every((input) => typeof input === 'string' && isPlainFile(input)) ? (inputs as string[]) : undefined;
}
