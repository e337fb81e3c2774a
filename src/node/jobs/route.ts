import type { Writable } from 'node:stream';
import { checkOneOf, checkOptions, checkRecord, checkString, wrongValue } from '../../arguments.js';
import { leastMoved, type ReshardPlan } from '../../routing/plan.js';
import { checkRouting, type Routing } from '../../routing/routing.js';
import type { RecordFormat } from '../../rows/format.js';
import { checkLineKeys, type LineKeys, lineRouter } from '../../rows/keys.js';
import { LINE_WORK, u32sOf } from '../../rows/operations/operation.js';
import { checkFields } from '../../rows/sinks/fields.js';
import { checkShardNames, type OutputFormat, type RoutedLines, type ShardNames } from '../../rows/sinks/rows.js';
import { type Compression, checkCompression, compressedOutput } from '../files/compressed.js';
import type { GivenInput } from '../files/input.js';
import { checkOutput, openOutput } from '../files/output.js';
import {
  checkJob,
  checkMissingKey,
  drain,
  type LineJobOptions,
  type LineRejectOptions,
  type MissingKeyOptions,
  overLines,
  type Progress,
  withoutHeaders,
} from './lines.js';
import { MoveCounts } from './moves.js';
import { checkThreads, doWork } from './work.js';

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
  input: GivenInput | readonly GivenInput[],
  router: Routing<any>,
  options: LineRejectOptions & { keys?: LineKeys | undefined; records?: RecordFormat | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouting('router', router);
  const given = checkOptions(options, ['keys', 'records', 'encoding', 'signal', 'onReject']);
  const keys = checkLineKeys(router, given.keys, given.records);
  return withoutHeaders(overLines(checkJob(input, given), (kernels) => lineRouter(kernels, router, keys)));
}

export interface RouteFileOptions extends LineJobOptions, MissingKeyOptions {
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
  /** Compresses what is written. zstd needs Node 22.15, 23.8 or later. */
  compress?: Compression | undefined;
}

/**
 * Routes every line of a file. A line ends at `\n` or `\r\n`. An empty line is the empty key, and bytes after the last
 * newline are a line, too. A UTF-8 byte order mark at the start is not part of the first key. Memory does not grow with
 * the file, except for its longest line, which may have up to 16 MiB.
 * @param input a path, or a stream of bytes; or several, one after the other
 * @returns how many keys and bytes there were
 * @throws TypeError or RangeError for options of the wrong kind or value; RangeError, with the line,
 *   for bad data; Error with the code `ERR_UNSUPPORTED_FORMAT` for a file that is not lines of text, such as Parquet;
 *   Node's own errors of reading and writing. All as rejections
 * @example
 * const router = new Router({ shards: 1024 });
 * await routeFile('keys.txt', { router, out: 'keys.tsv' });
 */
export async function routeFile(
  input: GivenInput | readonly GivenInput[],
  options: RouteFileOptions,
): Promise<Progress> {
  checkRecord('options', options);
  const known = ['router', 'keys', 'records', 'encoding', 'signal', 'onReject', 'onProgress', 'threads'] as const;
  const given = checkOptions(options, [...known, 'out', 'format', 'asColumn', 'names', 'compress', 'missingKey']);
  const { router, out, format = 'tsv', threads, signal, onProgress } = given;
  const added = checkFormat(given);
  checkRouting('router', router);
  const names = checkShardNames(given.names, router.shards);
  const missing = checkMissingKey(given, given.records, router.shards);
  const job = checkJob(input, given, added, missing !== undefined);
  if (names !== undefined && job.records?.format === 'csv' && added.length > 0) checkFields(names.texts, job.records);
  const keys = checkLineKeys(router, given.keys, given.records);
  const sharing = { threads: checkThreads(threads, { router }) };
  const compress = checkCompression(given.compress);
  const output = compressedOutput(openOutput(checkOutput(out), signal), compress);
  const work = { kind: LINE_WORK.rows, name: 'rows', options: { routing: router, keys, format, names, missing } };
  return drain(doWork(job, work, sharing), output, ({ value }) => output.write(value.bytes), onProgress);
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

/**
 * Counts the keys that move when the routing changes, for the lines of inputs: like `planReshard`, without the rows.
 * Memory grows with the number of pairs of shards between which keys move.
 * @param from a Router, a partitioner or another Routing; so is `to`
 * @throws TypeError or RangeError for arguments of the wrong kind or value; RangeError, with file and line, for bad data;
 *   Node's own errors. All as rejections
 * @example
 * const router = new Router({ shards: 10 });
 * await planLines('keys.txt', router, router.with({ shards: 11 }));
 */
export async function planLines(
  input: GivenInput | readonly GivenInput[],
  from: Routing<any>,
  to: Routing<any>,
  options: LineJobOptions & MissingKeyOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  const { flows, ...plan } = await countMoves(input, from, to, options);
  return { ...plan, flows: [...flows] };
}

/** How each of two routings reads keys, and the places that its shards stand for. */
export interface MoveSides {
  readonly keys: readonly [before: LineKeys | undefined, after: LineKeys | undefined];
  /** The place of each shard. By default, shards are places. */
  readonly places?: readonly [before: Uint32Array, after: Uint32Array] | undefined;
}

/** Like {@link planLines}, with the flows as counts. */
export async function countMoves(
  input: GivenInput | readonly GivenInput[],
  from: Routing<any>,
  to: Routing<any>,
  options: LineJobOptions & MissingKeyOptions,
  sides?: MoveSides,
): Promise<Omit<ReshardPlan, 'rows' | 'flows'> & { readonly flows: MoveCounts }> {
  checkRouting('from', from);
  checkRouting('to', to);
  const given = checkOptions(options, [
    'keys',
    'records',
    'encoding',
    'signal',
    'onReject',
    'onProgress',
    'threads',
    'missingKey',
  ]);
  const { records, threads, onProgress } = given;
  const [before, after] = sides?.keys ?? [given.keys, given.keys];
  const keys = [checkLineKeys(from, before, records), checkLineKeys(to, after, records)] as const;
  const sharing = { threads: checkThreads(threads, { from, to }) };
  const missing = checkMissingKey(given, records, Math.min(from.shards, to.shards));
  const job = checkJob(input, given, undefined, missing !== undefined);
  const { places } = sides ?? {};
  const [left, right] = places?.map((column) => ({
    shards: 1 + column.reduce((most, place) => Math.max(most, place), 0),
  })) ?? [from, to];
  const flows = new MoveCounts(left, right);
  let total = 0;
  const work = { kind: LINE_WORK.moves, name: 'moves', options: { from, to, keys, places } };
  for await (const { value, progress } of doWork(job, work, sharing)) {
    flows.add(u32sOf(value.bytes));
    total = progress.keys;
    onProgress?.(progress);
  }
  return { total, moved: flows.moved, ideal: total * leastMoved(from, to), flows };
}
