import {
  checkFunction,
  checkInteger,
  checkOneOf,
  checkOptions,
  checkSeed,
  checkSignal,
  wrongValue,
} from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import type { Kernels, TextFormat } from '../../kernels/types.js';
import {
  type Batch,
  bytesColumnOf,
  type Header,
  type InvalidLine,
  LineError,
  type Lines,
  skipInvalid,
} from '../../rows/batch.js';
import { type CheckedFormat, checkRecordFormat, type RecordFormat, sourceOf } from '../../rows/format.js';
import { checkHashed, type LineHashOptions, type LineKeys, lineHasher } from '../../rows/keys.js';
import type { Table } from '../../rows/sources/lines.js';
import {
  checkInputs,
  ENCODINGS,
  type Encoding,
  type GivenInput,
  type Input,
  inUtf8,
  nameOf,
  type Rest,
  readLines,
} from '../files/input.js';
import type { Output } from '../files/output.js';

export interface Progress {
  /** How many keys have been read. */
  keys: number;
  /** How many bytes have been read. */
  bytes: number;
}

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
   * `text` (default): a key is the bytes of a line. `u64`: a line is a u64 in decimal. Not for a partitioner, whose `key`
   * says what lines are: text, integers in decimal or UUIDs.
   */
  keys?: LineKeys | undefined;
  /** For an input of records: their format and key. Without this, a key is a line. */
  records?: RecordFormat | undefined;
  /** Called at intervals with the progress. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * The number of threads, 1 (default) to 256, including this one. The others start when 8 MiB have been read, or at once
   * if files have more. The results do not depend on the number. A Routing of your own cannot be used on other threads.
   */
  threads?: number | undefined;
}

/** What is done with records that have no key. */
export interface MissingKeyOptions {
  /**
   * The shard of NDJSON records whose key is absent or `null`, and of CSV records whose key is NULL. Without it they are
   * malformed.
   */
  missingKey?: number | undefined;
}

export function checkMissingKey(
  { missingKey }: MissingKeyOptions,
  records: RecordFormat | undefined,
  shards: number,
): number | undefined {
  if (missingKey === undefined) return undefined;
  if (records === undefined) throw wrongValue('missingKey', 'undefined except with records', missingKey);
  return checkInteger('missingKey', missingKey, 0, shards - 1);
}

/** The inputs of a job, and the options that all jobs have, checked. */
export interface LineJob extends LineRejectOptions {
  readonly inputs: readonly Input[];
  /** Undefined: the inputs are lines. */
  readonly records: CheckedFormat | undefined;
  /** Whether `onReject` throws, so that nothing after the first malformed line counts; true if there is no `onReject`. */
  readonly isStrict?: boolean | undefined;
}

/** @param added columns or properties that the job adds to records */
export function checkJob(
  input: GivenInput | readonly GivenInput[],
  { encoding, records, signal, onReject, onProgress }: LineJobOptions,
  added?: readonly string[],
  keepsMissing?: boolean,
): LineJob {
  if (encoding !== undefined) checkOneOf('encoding', encoding, ENCODINGS);
  const inputs = checkInputs(input).map((one) => inUtf8(one, encoding));
  if (signal !== undefined) checkSignal('signal', signal);
  if (onReject !== undefined) checkFunction('onReject', onReject);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress);
  return { inputs, records: checkRecordFormat(records, added, keepsMissing), signal, onReject };
}

/** The result for some lines or records, valid until the next one is requested; or the header of a table, before them. */
export type LineResult<T> = (
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'header'; readonly header: Header }
) & {
  readonly progress: Progress;
  readonly file: string;
};

/** An input of which a part has been read. */
export interface Left {
  /** Its index among the inputs. */
  readonly input: number;
  readonly rest: Rest;
  /** The last bytes that have been read, which do not make a complete record. */
  readonly held: Uint8Array;
  /** How many lines have been read. */
  readonly lines: number;
  readonly table: Table | undefined;
  readonly progress: Progress;
}

/**
 * Does work on the lines of inputs, one after the other, batch by batch. If `onReject` is given, invalid lines are
 * skipped; otherwise the first one ends the work.
 * @param start gets kernels whose columns are freed at the end, and returns the work, which gets lines and the number of
 *   their input, and refuses a line as described at {@link skipInvalid}
 * @param isEnough asked between reads whether the rest of the inputs is read in another way
 * @returns this rest, if there is one
 * @throws LineError, with file and line, for bad data; Node's own errors of reading
 */
export async function* overLines<T>(
  { inputs, records, signal, onReject = fail }: LineJob,
  start: (kernels: Kernels) => (lines: Batch, input: number) => T,
  isEnough?: (progress: Progress, table: Table | undefined) => boolean,
): AsyncGenerator<LineResult<T>, Left | undefined> {
  const source = sourceOf(records);
  const progress: Progress = { keys: 0, bytes: 0 };
  const onRead = (byteLength: number) => {
    progress.bytes += byteLength;
  };
  const reading = { source, onRead, signal, isEnough: () => isEnough?.(progress, source.table) === true };
  try {
    const work = start(source.kernels);
    for (const [i, input] of inputs.entries()) {
      const file = nameOf(input);
      const pieces = readLines(input, reading);
      try {
        let next = await pieces.next();
        for (; !next.done; next = await pieces.next()) {
          for (const outcome of skipInvalid(next.value, (lines) => work(lines, i))) {
            if (outcome.kind === 'header') {
              yield { kind: 'header', header: outcome, progress, file };
            } else if (outcome.kind === 'invalid') {
              const { line, error, bytes } = outcome;
              await onReject({ line, error, bytes, file });
            } else {
              progress.keys += outcome.rows;
              yield { kind: 'value', value: outcome.value, progress, file };
            }
          }
        }
        const { value: rest } = next;
        if (rest === undefined) continue;
        return { input: i, rest, held: source.rest, lines: source.line - 1, table: source.table, progress };
      } finally {
        await pieces.return(undefined);
      }
    }
    return undefined;
  } finally {
    source.free();
  }
}

/** Ends a job. */
export function fail({ error, file, line }: RejectedLine): never {
  throw error instanceof LineError ? new LineError(line, error.expected, error.got, file) : error;
}

/** Hashed or routed lines, without the header. The arrays are read each time, because memory may have grown meanwhile. */
class LinesAndProgress {
  constructor(
    readonly lines: Batch,
    readonly progress: Progress,
  ) {}

  get hashes(): BigUint64Array {
    return this.lines.hashes;
  }

  get shards(): Uint32Array {
    return this.lines.shards;
  }
}

export async function* withoutHeaders(
  results: AsyncIterable<LineResult<Batch>>,
): AsyncGenerator<{ readonly lines: Lines } & LinesAndProgress> {
  for await (const result of results) {
    if (result.kind === 'value') yield new LinesAndProgress(result.value, result.progress);
  }
}

/** Writes all rows. In the end their target is complete, or nothing is left of it. */
export async function drain<T extends { readonly progress: Progress }>(
  rows: AsyncIterable<T>,
  target: Pick<Output, 'finish' | 'discard'>,
  write: (batch: T) => Promise<void>,
  onProgress: LineJobOptions['onProgress'],
): Promise<Progress> {
  let progress: Progress = { keys: 0, bytes: 0 };
  try {
    for await (const batch of rows) {
      await write(batch);
      progress = batch.progress;
      onProgress?.(progress);
    }
    await target.finish();
    return progress;
  } catch (error) {
    target.discard();
    throw error;
  }
}

/** Lines with their hashes, valid until the next batch is requested. Read the arrays again after making a column. */
export interface HashedLines {
  readonly lines: Lines;
  readonly hashes: BigUint64Array;
  readonly progress: Progress;
}

/**
 * The lines of one or more inputs with their hashes, in batches.
 * @param options.records for records and the hashes of their keys instead of lines
 * @throws TypeError or RangeError for arguments of the wrong kind or value. While iterating, after all lines before the bad
 *   one: RangeError, with file and line, for a line that is not a u64 or is above 16 MiB; Error with the code
 *   `ERR_UNSUPPORTED_FORMAT` for a file that is not lines of text, such as Parquet; Node's own errors of reading
 * @example
 * for await (const { hashes } of hashLines('keys.txt')) console.log(hashes.length);
 */
export function hashLines(
  input: GivenInput | readonly GivenInput[],
  options: { [K in keyof LineHashOptions]?: LineHashOptions[K] | undefined } & {
    records?: RecordFormat | undefined;
  } & LineRejectOptions = {},
): AsyncGenerator<HashedLines> {
  const given = checkOptions(options, ['keys', 'records', 'hash', 'seed', 'encoding', 'signal', 'onReject']);
  const { keys = 'text', hash = 'xxh64', seed } = given;
  checkHashed(keys, hash, given.records);
  const how = { keys, hash, seed: checkSeed(seed) };
  return withoutHeaders(overLines(checkJob(input, given), (kernels) => lineHasher(kernels, how)));
}

/**
 * The lines of one or more inputs, as Arrow-layout columns of up to 16,384 rows, each a copy.
 * @throws as {@link hashLines}
 * @example
 * for await (const column of lineColumns('keys.txt')) console.log(router.routeMany(column));
 */
export function lineColumns(
  input: GivenInput | readonly GivenInput[],
  options: LineReadOptions = {},
): AsyncGenerator<BytesColumn> {
  return columnsOf(checkJob(input, checkOptions(options, ['encoding', 'signal'])));
}

async function* columnsOf(job: LineJob): AsyncGenerator<BytesColumn> {
  for await (const result of overLines(job, () => bytesColumnOf)) if (result.kind === 'value') yield result.value;
}

/**
 * Does work on lines that are ids, or records with such keys, as {@link overLines} does.
 * @param format how the ids are written; the hashes of a batch are then the ids. Without it, a batch has only their texts
 */
export function idResults<T>(
  job: LineJob,
  format: TextFormat | undefined,
  make: (ids: Batch) => T,
): AsyncGenerator<LineResult<T>> {
  return overLines(job, (kernels) => {
    if (format === undefined) return make;
    const hashed = lineHasher(kernels, { keys: 'u64', hash: 'none', seed: 0n }, format);
    return (lines) => make(hashed(lines));
  });
}
