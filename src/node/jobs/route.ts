import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  checkInteger,
  checkOneOf,
  checkOptions,
  checkRecord,
  checkString,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { type Batch, LineError, openWorkspace } from '../../lines/batch.js';
import { checkLineKeys, type LineKeys, lineRouter } from '../../lines/keys.js';
import type { RecordFormat } from '../../lines/records.js';
import {
  checkShardNames,
  type OutputFormat,
  type RoutedLines,
  rowWriter,
  type ShardNames,
  withNames,
} from '../../lines/write/rows.js';
import { FlowCounts, leastMoved, type ReshardPlan, sharedHashing } from '../../routing/plan.js';
import { checkRouting, isTransferable, type Routing } from '../../routing/routing.js';
import { type Input, isPlainFile } from '../files/input.js';
import { checkOutput, openOutput } from '../files/output.js';
import { type Segment, type SegmentJob, SegmentRouter, type SegmentRows, segmentsOf } from '../files/segments.js';
import { type Executor, inOrder, MAX_THREADS, Workers } from '../threads/workers.js';
import {
  checkJob,
  drain,
  type LineJob,
  type LineJobOptions,
  type LineRejectOptions,
  type LineResult,
  overLines,
  type Progress,
  withoutHeaders,
} from './lines.js';

/**
 * The lines of one or more inputs with their shards, in batches.
 * @param options.keys `text` (default): a key is the bytes of a line. `u64`: a line is a u64 in decimal. Not for a
 *   partitioner
 * @param options.records for records and their keys instead of lines
 * @throws as {@link hashLines}
 * @example
 * for await (const { shards } of routeLines('keys.txt', router)) console.log(shards[0]);
 */
export function routeLines(
  input: Input | readonly Input[],
  router: Routing<any>,
  options: LineRejectOptions & { keys?: LineKeys | undefined; records?: RecordFormat | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouting('router', router);
  const given = checkOptions(options, ['keys', 'records', 'signal', 'onReject']);
  const keys = checkLineKeys(router, given.keys, given.records);
  return withoutHeaders(routeInputs(checkJob(input, given), router, keys));
}

/** The lines or records of inputs with their shards, or the indexes of their names. */
export function routeInputs(
  job: LineJob,
  router: Routing<any>,
  keys: LineKeys,
  names?: ShardNames,
): AsyncGenerator<LineResult<Batch>> {
  return overLines(job, (kernels) => {
    const routed = lineRouter(kernels, router, keys);
    return (lines) => withNames(routed(lines), names);
  });
}

export interface RouteFileOptions extends LineJobOptions {
  router: Routing<any>;
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
  const known = ['router', 'keys', 'records', 'signal', 'onReject', 'onProgress'] as const;
  const given = checkOptions(options, [...known, 'out', 'format', 'asColumn', 'names', 'threads']);
  const { router, out, format = 'tsv', threads = 1, signal, onReject, onProgress } = given;
  const added = checkFormat(given);
  checkRouting('router', router);
  const names = checkShardNames(given.names, router.shards);
  const job = checkJob(input, given, added);
  const { inputs, records } = job;
  const keys = checkLineKeys(router, given.keys, given.records);
  checkInteger('threads', threads, 1, MAX_THREADS);
  if (threads > 1 && !isTransferable(router))
    throw wrongKind('router', 'a Router or a Partitioner with "threads"', router);
  checkOutput(out);
  const paths = threads > 1 && onReject === undefined && records?.format !== 'csv' ? plainFiles(inputs) : undefined;
  const output = openOutput(out, signal);
  if (paths !== undefined) {
    const segments = routeSegments(paths, { routing: router, keys, format, records, names }, threads, signal);
    return drain(segments, output, ({ rows }) => output.write(rows), onProgress);
  }
  const kernels = openWorkspace();
  const writer = rowWriter(kernels, format, records, names);
  // Rows are written only when they are requested, because other work in between may grow the memory.
  const write = (result: LineResult<Batch>) =>
    output.write(result.kind === 'header' ? writer.header(result.header) : writer.write(result.value));
  return drain(routeInputs(job, router, keys, names), output, write, onProgress).finally(() => kernels.free());
}

/** Checks how rows are written. @returns the columns that are added to records */
function checkFormat({ format, asColumn, records, names }: RouteFileOptions): readonly string[] {
  if (format !== undefined) checkOneOf('format', format, ['tsv', 'shard', 'u32']);
  if (names !== undefined && format !== undefined && format !== 'tsv') {
    throw wrongValue('format', "'tsv' or undefined with names", format);
  }
  if (asColumn !== undefined) checkString('asColumn', asColumn);
  if (records !== undefined && format === undefined) return [asColumn ?? 'shard'];
  if (records !== undefined && format === 'tsv') throw wrongValue('format', "'shard' or 'u32' with records", format);
  if (asColumn !== undefined)
    throw wrongValue('asColumn', 'undefined except with records and without format', asColumn);
  return [];
}

/** The paths of inputs, if all are plain files. */
function plainFiles(inputs: readonly Input[]): readonly string[] | undefined {
  const isPlain = (input: Input): input is string => typeof input === 'string' && isPlainFile(input);
  return inputs.every(isPlain) ? inputs : undefined;
}

/** How many segments may be in progress or waiting to be written: two for each thread, and some in reserve. */
const ahead = (threads: number): number => 2 * threads + 6;

/** Routes files on several threads, including this one. The rows come in the order of the files. */
async function* routeSegments(
  paths: readonly string[],
  job: SegmentJob,
  threads: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ rows: Uint8Array; progress: Progress }> {
  const segments = segmentsOf(paths);
  const workers = new Workers(Math.max(0, Math.min(threads, segments.length) - 1), 'segments', {
    ...job,
    routing: job.routing.toJSON(),
  });
  const router = new SegmentRouter(job);
  const progress: Progress = { keys: 0, bytes: 0 };
  let path: string | undefined;
  let lines = 0;
  try {
    for await (const { task, result } of inOrder(segments.values(), [workers, thisThread(router)], ahead(threads))) {
      signal?.throwIfAborted();
      if (task.path !== path) lines = 0;
      path = task.path;
      progress.keys += result.keys;
      progress.bytes += task.byteLength;
      yield { rows: result.rows, progress };
      const { bad } = result;
      if (bad !== undefined) throw new LineError(lines + bad.line, bad.expected, bad.got, path);
      lines += result.lines;
    }
  } finally {
    await workers.close();
    router.free();
  }
}

/** Routes segments on this thread, between other work such as writing the results of other threads. */
function thisThread(router: SegmentRouter): Executor<Segment, SegmentRows> {
  let hasRoom = true;
  return {
    get hasRoom() {
      return hasRoom;
    },
    async run(segment) {
      hasRoom = false;
      await setImmediate();
      try {
        return router.route(segment);
      } finally {
        hasRoom = true;
      }
    },
  };
}

/**
 * Tells which keys move when the routing changes, for the lines of inputs: like `planReshard`, without the rows. Memory
 * grows with the number of pairs of shards between which keys move.
 * @param from a Router, a partitioner or another Routing; so is `to`
 * @throws TypeError or RangeError for arguments of the wrong kind or value; RangeError, with file and line, for bad data;
 *   Node's own errors. All as rejections
 * @example
 * const router = new Router({ shards: 10 });
 * await planLines('keys.txt', router, router.with({ shards: 11 }));
 */
export async function planLines(
  input: Input | readonly Input[],
  from: Routing<any>,
  to: Routing<any>,
  options: LineJobOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  checkRouting('from', from);
  checkRouting('to', to);
  const given = checkOptions(options, ['keys', 'records', 'signal', 'onReject', 'onProgress']);
  const { keys, records, onProgress } = given;
  const kinds = [checkLineKeys(from, keys, records), checkLineKeys(to, keys, records)] as const;
  const counts = new FlowCounts(from, to);
  let total = 0;
  let moved = 0;
  const results = overLines(checkJob(input, given), (kernels) => {
    const before = lineRouter(kernels, from, kinds[0], 'from');
    const after = lineRouter(kernels, to, kinds[1], 'to');
    const ofHashes = sharedHashing(from, to)?.[1].ofHashes();
    return (lines) => {
      const routed = before(lines);
      // Keys that both hash alike are hashed once.
      const joined = ofHashes?.routeMany(routed.hashes) ?? after(lines).shards;
      moved += counts.add(routed.shards, joined);
      total += lines.count;
    };
  });
  for await (const { progress } of results) onProgress?.(progress);
  return { total, moved, ideal: total * leastMoved(from, to), flows: counts.list() };
}
