import { checkFunction, typeName, wrongKind } from '../../arguments.js';
import type { Kernels } from '../../kernels/types.js';
import { Batch } from '../../lines/batch.js';
import { LineError, type LineKeys } from '../../lines/hash.js';
import { type CheckedFormat, type RecordFormat, sourceOf } from '../../lines/records.js';
import { aroundBadLines, type BadLine } from '../../lines/skip-invalid.js';
import { Header } from '../../lines/source.js';
import { checkInputs, type Input, nameOf, readLines } from '../files/input.js';

export interface Progress {
  /** How many keys have been read. */
  keys: number;
  /** How many bytes have been read. */
  bytes: number;
}

export interface LineReadOptions {
  /** Ends the reading with an AbortError. */
  signal?: AbortSignal | undefined;
}

/** A malformed line or record. */
export interface RejectedLine extends BadLine {
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
}

/** Checks the inputs and the signal of a job. */
export function checkLineJob(input: Input | readonly Input[], signal: AbortSignal | undefined): readonly Input[] {
  const inputs = checkInputs(input);
  if (signal !== undefined && typeName(signal) !== 'AbortSignal') throw wrongKind('signal', 'an AbortSignal', signal);
  return inputs;
}

export function checkProgress(onProgress: ((progress: Progress) => void) | undefined): void {
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw wrongKind('onProgress', 'a function', onProgress);
  }
}

export function checkOnReject(onReject: LineRejectOptions['onReject']): void {
  if (onReject !== undefined) checkFunction('onReject', onReject);
}

/** Work on lines. It may hold memory. */
interface LineWork<T> {
  /** Refuses a line as described at {@link aroundBadLines}. */
  work(lines: Batch, progress: Progress, file: string): T;
  /** Called with the header, before all records. */
  header?(header: Header, progress: Progress, file: string): T | undefined;
  free(): void;
}

/**
 * Does work on the lines of inputs, one after the other, batch by batch. If `onReject` is given, malformed lines are
 * skipped; otherwise the first one ends the work.
 * @throws LineError, with file and line, for bad data; Node's own errors of reading
 */
export async function* overLines<T>(
  inputs: readonly Input[],
  records: CheckedFormat | undefined,
  inUse: Kernels,
  { signal, onReject = fail }: LineRejectOptions,
  start: (inUse: Kernels) => LineWork<T>,
): AsyncGenerator<T> {
  const worker = start(inUse);
  const source = sourceOf(inUse, records);
  const progress: Progress = { keys: 0, bytes: 0 };
  const onRead = (byteLength: number) => {
    progress.bytes += byteLength;
  };
  try {
    for (const input of inputs) {
      const file = nameOf(input);
      for await (const piece of readLines(input, source, onRead, signal)) {
        if (piece instanceof Header) {
          const made = worker.header?.(piece, progress, file);
          if (made !== undefined) yield made;
          continue;
        }
        const outcomes =
          piece instanceof Batch ? aroundBadLines(piece, (some) => worker.work(some, progress, file)) : [piece];
        for (const outcome of outcomes) {
          if ('error' in outcome) await onReject({ ...outcome, file });
          else {
            progress.keys += outcome.rows;
            yield outcome.made;
          }
        }
      }
    }
  } finally {
    worker.free();
    source.free();
  }
}

function fail({ error, file, line }: RejectedLine): never {
  throw error instanceof LineError ? new LineError(line, error.expected, error.got, file) : error;
}

export type WithProgress<T> = T & { readonly progress: Progress };

export async function* withoutHeaders(
  pieces: AsyncIterable<WithProgress<Batch | Header>>,
): AsyncGenerator<WithProgress<Batch>> {
  for await (const piece of pieces) if (!(piece instanceof Header)) yield piece;
}

/** A target of rows. In the end it is complete, or nothing is left of it. */
export interface RowSink<T> {
  write(batch: T): Promise<void>;
  finish(): Promise<void>;
  discard(): void;
}

/** Passes all rows to a sink. */
export async function drain<T>(
  rows: AsyncIterable<T & { readonly progress: Progress }>,
  sink: RowSink<T>,
  onProgress: LineJobOptions['onProgress'],
): Promise<Progress> {
  let progress: Progress = { keys: 0, bytes: 0 };
  try {
    for await (const batch of rows) {
      await sink.write(batch);
      progress = batch.progress;
      onProgress?.(progress);
    }
    await sink.finish();
    return progress;
  } catch (error) {
    sink.discard();
    throw error;
  }
}
