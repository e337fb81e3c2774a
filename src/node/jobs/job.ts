import { checkFunction, checkInteger, checkOneOf, checkSignal, wrongValue } from '../../arguments.js';
import type { InvalidLine } from '../../rows/batch.js';
import { type CheckedFormat, checkRecordFormat, type RecordFormat } from '../../rows/format.js';
import type { LineKeys } from '../../rows/keys.js';
import type { Output } from '../files/compressed.js';
import { checkInputs, ENCODINGS, type Encoding, type GivenInput, type Input, inUtf8 } from '../files/input.js';

export interface Progress {
  /** How many keys have been read. */
  readonly keys: number;
  /** How many bytes have been read. */
  readonly bytes: number;
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

/** Their names. */
export const JOB_OPTIONS = ['keys', 'records', 'encoding', 'signal', 'onReject', 'onProgress', 'threads'] as const;

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
export interface Job extends LineRejectOptions {
  readonly inputs: readonly Input[];
  /** Undefined: the inputs are lines. */
  readonly format: CheckedFormat | undefined;
  /** Whether `onReject` throws, so that nothing after the first malformed line counts; true if there is no `onReject`. */
  readonly isStrict?: boolean | undefined;
}

/** @param added columns or properties that the job adds to records */
export function checkJob(
  input: GivenInput | readonly GivenInput[],
  { encoding, records, signal, onReject, onProgress }: LineJobOptions,
  added?: readonly string[],
  keepsMissing?: boolean,
): Job {
  if (encoding !== undefined) checkOneOf('encoding', encoding, ENCODINGS);
  const inputs = checkInputs(input).map((one) => inUtf8(one, encoding));
  if (signal !== undefined) checkSignal('signal', signal);
  if (onReject !== undefined) checkFunction('onReject', onReject);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress);
  return { inputs, format: checkRecordFormat(records, added, keepsMissing), signal, onReject };
}

/** Writes all results. In the end their target is complete, or nothing is left of it. */
export async function drain<T extends { readonly progress: Progress }>(
  results: AsyncGenerator<T, Progress>,
  target: Pick<Output, 'finish' | 'discard'>,
  write: (result: T) => Promise<void>,
  onProgress: LineJobOptions['onProgress'],
): Promise<Progress> {
  try {
    let next = await results.next();
    for (; !next.done; next = await results.next()) {
      await write(next.value);
      onProgress?.(next.value.progress);
    }
    await target.finish();
    return next.value;
  } catch (error) {
    target.discard();
    throw error;
  } finally {
    await results.return({ keys: 0, bytes: 0 }); // ends the reading if a write has failed
  }
}
