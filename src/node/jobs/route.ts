import type { Writable } from 'node:stream';
import {
  checkInteger,
  checkOneOf,
  checkOptions,
  checkRecord,
  checkString,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import type { Batch } from '../../lines/batch.js';
import type { LineKeys } from '../../lines/hash.js';
import { type CheckedFormat, checkRecordFormat, type RecordFormat } from '../../lines/records.js';
import { checkLineKeys, LineRouter } from '../../lines/route.js';
import { Header } from '../../lines/source.js';
import {
  checkShardNames,
  type OutputFormat,
  type RoutedLines,
  rowWriter,
  type ShardNames,
  withNames,
} from '../../lines/write/rows.js';
import { checkRouting, isOurs, type Routing } from '../../routing/routing.js';
import { type Input, isPlainFile } from '../files/input.js';
import { checkOutput, openOutput } from '../files/output.js';
import type { SegmentJob } from '../files/segments.js';
import { MAX_THREADS } from '../threads/workers.js';
import {
  checkLineJob,
  checkOnReject,
  checkProgress,
  drain,
  type LineJobOptions,
  type LineRejectOptions,
  overLines,
  type Progress,
  type WithProgress,
  withoutHeaders,
} from './job.js';
import { routeSegments } from './route-segments.js';

/**
 * The lines of one or more inputs with their shards, in batches.
 * @param options.keys `text` (default): a key is the bytes of a line. `u64`: a line is a u64 in decimal. Not for a
 *   partitioner
 * @param options.rows for records and their keys instead of lines
 * @throws as {@link hashLines}
 * @example
 * for await (const { shards } of routeLines('keys.txt', router)) console.log(shards[0]);
 */
export function routeLines(
  input: Input | readonly Input[],
  router: Routing,
  options: LineRejectOptions & { keys?: LineKeys | undefined; records?: RecordFormat | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouting('router', router);
  const { keys: given, records, signal, onReject } = checkOptions(options, ['keys', 'records', 'signal', 'onReject']);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  const keys = checkLineKeys(router, given, records);
  return withoutHeaders(
    routeInputs(inputs, router, { keys, records: checkRecordFormat(records) }, { signal, onReject }),
  );
}

/** The format of rows, and how they are routed. */
interface RoutedRecords {
  readonly keys: LineKeys;
  readonly records: CheckedFormat | undefined;
  readonly names?: ShardNames | undefined;
}

/** The lines or records of inputs with their shards, or the indexes of their names. A header comes first, if there is one. */
export function routeInputs(
  inputs: readonly Input[],
  router: Routing,
  { keys, records, names }: RoutedRecords,
  options: LineRejectOptions,
): AsyncGenerator<WithProgress<Batch | Header>> {
  return overLines<WithProgress<Batch | Header>>(inputs, records, kernelsWithColumns(), options, (inUse) => {
    const lineRouter = new LineRouter(inUse, router, keys);
    return {
      work: (lines, progress) => Object.assign(withNames(lineRouter.route(lines), names), { progress }),
      header: (header, progress) => Object.assign(header, { progress }),
      free: () => lineRouter.free(),
    };
  });
}

export interface RouteFileOptions extends LineJobOptions {
  router: Routing;
  /**
   * Where the rows go, in the order of the keys: a path, or a stream, which stays open. A file appears only when it is
   * complete. It may be one of the inputs, which is then replaced after the last row.
   */
  out: string | Writable;
  /** `tsv` (default), `shard` or `u32`. With `records`, the default is records with one more column, and `tsv` is refused. */
  format?: OutputFormat | undefined;
  /** The name of the column that is added to `records`. The default is `shard`. The input must not have such a column. */
  asColumn?: string | undefined;
  /**
   * Names to write instead of shards, such as those of nodes: `name <TAB> key \n` for a line; with `records`, in the added
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
const JOB_OPTIONS = ['router', 'keys', 'records', 'signal', 'onReject', 'onProgress'] as const;

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
  const { format, records } = checkFormat(given);
  checkRouting('router', router);
  const names = checkShardNames(given.names, router.shards);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  const keys = checkLineKeys(router, kind, given.records);
  checkInteger('threads', threads, 1, MAX_THREADS);
  if (threads > 1 && !isOurs(router)) throw wrongKind('router', 'a Router or a Partitioner with "threads"', router);
  checkProgress(onProgress);
  checkOutput(out);
  const paths = threads > 1 && onReject === undefined && records?.format !== 'csv' ? plainFiles(inputs) : undefined;
  const output = openOutput(out, signal);
  const sink = <T>(bytesOf: (batch: T) => Uint8Array) => ({
    write: (batch: T) => output.write(bytesOf(batch)),
    finish: () => output.finish(),
    discard: () => output.discard(),
  });
  if (paths !== undefined) {
    const job = { routing: router, keys, format, records, names };
    const segments = routeSegments(paths, job, threads, signal);
    return drain(
      segments,
      sink<{ rows: Uint8Array }>((segment) => segment.rows),
      onProgress,
    );
  }
  const writer = rowWriter(kernelsWithColumns(), format, records, names);
  // Rows are written only when they are requested, because other work in between may grow the memory.
  const bytesOf = (piece: Batch | Header) => (piece instanceof Header ? writer.header(piece) : writer.write(piece));
  const routed = routeInputs(inputs, router, { keys, records, names }, { signal, onReject });
  return drain(routed, sink(bytesOf), onProgress).finally(() => writer.free());
}

/** Checks how rows are written, and whether a column is added. */
function checkFormat({ format, asColumn, records, names }: RouteFileOptions): Pick<SegmentJob, 'format' | 'records'> {
  if (format !== undefined) checkOneOf('format', format, ['tsv', 'shard', 'u32']);
  if (names !== undefined && format !== undefined && format !== 'tsv') {
    throw wrongValue('format', "'tsv' or undefined with names", format);
  }
  if (asColumn !== undefined) checkString('asColumn', asColumn);
  if (records === undefined || format !== undefined) {
    if (records !== undefined && format === 'tsv') throw wrongValue('format', "'shard' or 'u32' with records", format);
    if (asColumn !== undefined)
      throw wrongValue('asColumn', 'undefined except with records and without format', asColumn);
    return { format: format ?? 'tsv', records: checkRecordFormat(records) };
  }
  return { format: 'tsv', records: checkRecordFormat(records, [asColumn ?? 'shard']) };
}

/** The paths of inputs, if all are plain files. */
function plainFiles(inputs: readonly Input[]): readonly string[] | undefined {
  return inputs.every((input) => typeof input === 'string' && isPlainFile(input)) ? (inputs as string[]) : undefined;
}
