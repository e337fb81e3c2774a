import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Writable } from 'node:stream';
import {
  checkCalls,
  checkInteger,
  checkOneOf,
  checkOptions,
  checkString,
  MAX_THREADS,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { isTransferable, type Routing } from '../../routing/routing.js';
import { type InvalidLine, LineError } from '../../rows/batch.js';
import {
  type CheckedFormat,
  checkLineFormat,
  checkRecordFormat,
  formatFor,
  isEncoded,
  type LineEnd,
  type LineKeys,
  type RecordFormat,
} from '../../rows/format.js';
import { COMPRESSIONS, type Output } from '../files/compressed.js';
import {
  checkInputs,
  ENCODINGS,
  type Encoding,
  formatOfFile,
  type Input,
  type Inputs,
  inUtf8,
  isStreamed,
  type Progress,
  totalBytes,
} from '../files/input.js';
import { matchingFiles } from '../files/matching.js';
import { checkOutput, type OutputOptions } from '../files/output.js';
import type { ParquetTable } from '../parquet/table.js';

export type { Progress } from '../files/input.js';

export interface LineReadOptions {
  /**
   * How text is written: `utf-8` (default), `utf-16` or `latin1`, which is Windows-1252. What is written is UTF-8. UTF-16 with
   * a byte order mark is recognised without this.
   */
  encoding?: Encoding | undefined;
  /** Ends the reading with an AbortError. */
  signal?: AbortSignal | undefined;
}

/** A malformed line or record. */
export interface RejectedLine extends Omit<InvalidLine, 'kind'> {
  /** The path of the file; `-` for a stream. */
  readonly file: string;
  /** Which of the inputs it is in, counted from 0. */
  readonly input: number;
}

export interface LineRejectOptions extends LineReadOptions {
  /**
   * Called with every malformed line or record, in the order of the input. The job continues when the call has resolved.
   * Without it, the first malformed line ends the job.
   */
  onReject?: ((line: RejectedLine) => void | Promise<void>) | undefined;
}

/** Options of all jobs on lines. */
export interface LineJobOptions extends LineRejectOptions {
  /**
   * `text` (default): a key is the bytes of a line. `u64`: a line is a u64 in decimal. `hex` and `base64`: a line says the
   * bytes of a key. A partitioner has its own `key`, which says what lines are: text, integers in decimal or UUIDs; only for
   * `bytes` they may be `hex` or `base64`, otherwise they are the bytes themselves.
   *
   * In Parquet, the type of the column says it by default, but integers need it, and a partitioner reads the column as its
   * `key` says. With `column`, keys are what the system of a partitioner has in a column of this type. `hex` and `base64`
   * are refused, because a column of BLOBs has bytes.
   */
  keys?: LineKeys | 'column' | undefined;
  /** For an input of records: their format and key. Without this, a key is a line. For Parquet, inputs are paths or patterns. */
  records?: RecordFormat | undefined;
  /**
   * What ends a line: by default `\n` or `\r\n`. With `nul` it is a NUL, as `find -print0` writes it, and line breaks are
   * data. Rows with keys are then written with a NUL at their end, too.
   */
  lineEnd?: LineEnd | undefined;
  /** Called at intervals with the progress. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * The number of threads, 1 (default) to 256, including this one. The others start when 8 MiB have been read, or at once
   * if files have as much. The results do not depend on the number. A Routing of your own cannot be used on other threads.
   *
   * `'auto'`: as many as save time. If all inputs are plain files, that is one for each 32 MiB, from 96 MiB together on, at
   * most one for each core. Streams, compressed files and those with another `encoding` have one fewer than there are cores,
   * which are for what writes or decompresses them, at most 4. For Parquet it is one for each core, and for a Routing of
   * your own one.
   */
  threads?: number | 'auto' | undefined;
}

export const JOB_OPTIONS = [
  ...(['keys', 'records', 'lineEnd', 'encoding', 'signal', 'onReject', 'onProgress', 'threads'] as const),
] as const;

/** What is done with records that have no key. */
export interface MissingKeyOptions {
  /**
   * The shard of NDJSON records whose key is absent or `null`, and of rows of CSV or Parquet whose key is NULL; `reject`: they
   * are malformed. By default they are, unless the system of a partitioner has a rule for NULL.
   */
  missingKey?: number | 'reject' | undefined;
}

export function checkMissingKey(
  { missingKey }: MissingKeyOptions,
  records: RecordFormat | undefined,
  shards: number,
): number | 'reject' | undefined {
  if (missingKey === undefined) return undefined;
  if (records === undefined) throw wrongValue('missingKey', 'undefined except with records', missingKey);
  return missingKey === 'reject' ? missingKey : checkInteger('missingKey', missingKey, 0, shards - 1);
}

/** The name of columns that are added, or its beginning; only records have it. */
export function checkColumnName(argument: string, name: string | undefined, records: RecordFormat | undefined): void {
  if (name === undefined) return;
  checkString(argument, name);
  if (records === undefined) throw wrongValue(argument, 'undefined except with records', name);
}

export const isParquet = ({ records }: Pick<LineJobOptions, 'records'>): boolean => records?.format === 'parquet';

/**
 * Does work on rows. Those of Parquet are opened before, and closed afterwards; what reads them is loaded only then.
 * @param output where Parquet is written
 * @param ofText more options that only text has
 */
export async function withTable<O extends LineJobOptions, T>(
  input: Inputs,
  options: O,
  output: Pick<OutputOptions, 'compress'> & { out?: string | Writable | undefined; directory?: string },
  work: (table: ParquetTable | undefined) => Promise<T>,
  ofText: readonly (keyof O & string)[] = [],
): Promise<T> {
  const { records, keys, signal, onProgress } = options;
  if (records?.format !== 'parquet') return work(undefined);
  for (const name of ['lineEnd', 'encoding', 'onReject', ...ofText] as const) {
    if (options[name] !== undefined) throw wrongValue(name, 'undefined with Parquet', options[name]);
  }
  checkCalls({ signal, onProgress });
  if (isEncoded(keys)) throw wrongValue('keys', 'another kind with Parquet, where a column of BLOBs has bytes', keys);
  if (keys !== undefined) checkOneOf('keys', keys, ['text', 'u64', 'column']);
  const threads = checkThreads(options.threads);
  const given = checkOptions(records, ['format', 'key'], 'records').key;
  const key = [given].flat().map((name) => {
    if (typeof name === 'string') return name;
    throw wrongKind('records.key', 'a string', name);
  });
  if (key.length === 0) throw wrongValue('records.key', 'at least one column', given);
  const { directory, compress } = output;
  if (compress !== undefined) checkOneOf('compress', compress, COMPRESSIONS);
  const out = output.out === undefined ? undefined : checkOutput(output.out);
  if (typeof out === 'object') throw wrongKind('out', 'a path for Parquet', out);
  const paths = checkInputs(input).map((one) => {
    if (typeof one === 'string') return one;
    throw wrongKind('input', 'the paths of files of Parquet', one);
  });
  const files = await parquetFiles(paths);
  if (files === undefined) throw wrongValue('input', 'files of Parquet', paths[0]);
  const { ParquetTable } = await import('../parquet/table.js');
  return ParquetTable.with({ files, key, keys, threads, signal, onProgress, out, directory, compress }, work);
}

/**
 * The files of Parquet that paths and patterns name, as {@link matchingFiles} finds them.
 * @returns undefined if all are something else, such as text
 * @throws RangeError if only some are Parquet; Error for a file that is called Parquet and is none, or a pattern of no file
 * @example
 * await parquetFiles(['users.csv']); // undefined
 */
export async function parquetFiles(input: readonly string[]): Promise<readonly string[] | undefined> {
  const files = matchingFiles(input);
  const stats = files.map((path) => (path === '-' ? undefined : statSync(path, { throwIfNoEntry: false })));
  const isParquet = files.map((path, i) => stats[i]?.isFile() === true && formatOfFile(path) === 'Parquet');
  const other = files.findIndex((path, i) => !isParquet[i] && path.endsWith('.parquet'));
  if (other >= 0) {
    throw new Error(`${files[other]}: ${stats[other] ? 'expected a file of Parquet' : 'no such file or directory'}`);
  }
  if (!isParquet.includes(true)) return undefined;
  if (isParquet.includes(false)) throw wrongValue('input', 'files of Parquet only', files[isParquet.indexOf(false)]);
  return files;
}

// On two cores, two threads are as fast as one from 64 MB of CSV on that go to 64 files, and from 96 MB of lines that are only
// routed; 128 MB take 0.83 and 0.96 of the time.
const THREAD_BYTES = 32 * 1024 * 1024;
const LEAST_THREADS = 3;
// One thread reads a stream, so more have nothing to do. On two cores, where the writer of a pipe or a decompressor works, too,
// two threads take 0.84 to 1.22 of the time of one.
const STREAM_THREADS = 4;

/** How many threads save time. @param inputs text */
export function threadsFor(inputs: readonly Input[], cores: number): number {
  if (inputs.some(isStreamed)) return Math.max(1, Math.min(cores - 1, STREAM_THREADS));
  const wanted = Math.floor((totalBytes(inputs) ?? 0) / THREAD_BYTES);
  return wanted < LEAST_THREADS ? 1 : Math.min(wanted, cores);
}

/** @param inputs text; without them, all cores are used */
function checkThreads(threads: number | 'auto' = 1, inputs?: readonly Input[]): number {
  if (threads !== 'auto') return checkInteger('threads', threads, 1, MAX_THREADS);
  const cores = Math.min(availableParallelism(), MAX_THREADS);
  return inputs === undefined ? cores : threadsFor(inputs, cores);
}

/** The inputs of a job, and the options that all jobs have, checked. */
export interface Job extends LineRejectOptions {
  readonly inputs: readonly Input[];
  /** Undefined: the inputs are lines. */
  readonly format: CheckedFormat | undefined;
  /** Whether `onReject` throws, so that nothing after the first malformed line counts; true if there is no `onReject`. */
  readonly isStrict?: boolean | undefined;
  /** How many threads there are, with this one: 1 by default. */
  readonly threads?: number | undefined;
  /** Rows of Parquet, in place of inputs. */
  readonly table?: Pick<ParquetTable, 'batches'> | undefined;
}

export const jobOnTable = (table: ParquetTable): Job & { readonly table: ParquetTable } => ({
  inputs: [],
  format: undefined,
  table,
});

/**
 * @param added columns or properties that the job adds to records
 * @param routings what other threads have to make, too
 */
export function checkJob(
  input: Inputs,
  options: LineJobOptions,
  added?: readonly string[],
  routings: { readonly [argument: string]: Routing<any> } = {},
): Job {
  const { encoding, records, lineEnd, signal, onReject, onProgress } = options;
  if (encoding !== undefined) checkOneOf('encoding', encoding, ENCODINGS);
  const inputs = checkInputs(input).map((one) => inUtf8(one, encoding));
  checkCalls({ signal, onReject, onProgress });
  const lines = lineEnd === undefined ? undefined : checkLineFormat('lines', lineEnd, records);
  const format = formatFor(lines ?? checkRecordFormat(records, added), Object.values(routings));
  const own = Object.entries(routings).find(([, routing]) => !isTransferable(routing));
  const threads = own && options.threads === 'auto' ? 1 : checkThreads(options.threads, inputs);
  if (own && threads > 1) throw wrongKind(own[0], 'a Router or a Partitioner with "threads"', own[1]);
  return { inputs, format, threads, signal, onReject };
}

/** Writes all results. In the end their target is complete, or nothing is left of it. */
export async function drain<T extends { readonly progress: Progress }>(
  results: AsyncGenerator<T, Progress>,
  target: Pick<Output, 'finish' | 'discard'> | undefined,
  write: (result: T) => Promise<void>,
  onProgress: LineJobOptions['onProgress'],
): Promise<Progress> {
  try {
    let next = await results.next();
    try {
      for (; !next.done; next = await results.next()) {
        await write(next.value);
        onProgress?.(next.value.progress);
      }
    } finally {
      await results.return({ keys: 0, bytes: 0 }); // ends the reading, and what threads write, if a write has failed
    }
    await target?.finish();
    return next.value;
  } catch (error) {
    target?.discard();
    throw error;
  }
}

/** A result, valid until the next one is requested. */
export interface RowsResult<T> {
  readonly value: T;
  readonly progress: Progress;
  readonly file: string;
}

export function fail({ error, file, input }: RejectedLine): never {
  throw error instanceof LineError ? error.in(file, { input }) : error;
}

/** Bad data in a file, if the error does not name it yet. */
export function inFile(error: unknown, file: string): unknown {
  return error instanceof LineError ? error.in(file) : error;
}
