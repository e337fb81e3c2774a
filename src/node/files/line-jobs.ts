import { checkFunction, typeName, wrongKind } from '../../arguments.js';
import type { Kernels } from '../../kernels/contract.js';
import { aroundBadLines, type BadLine } from '../../lines/around-bad-lines.js';
import { Batch } from '../../lines/batch.js';
import { Header } from '../../lines/batch-source.js';
import { LineError, type LineKeys } from '../../lines/line-hasher.js';
import { type CheckedRows, type Rows, sourceOf } from '../../lines/rows.js';
import { checkInputs, type Input, nameOf, readLines } from './input.js';

export interface Progress {
  /** Keys so far. */
  keys: number;
  /** Bytes read so far. */
  bytes: number;
}

export interface LineReadOptions {
  /** Ends the reading with an AbortError. */
  signal?: AbortSignal | undefined;
}

/** A line that is malformed, or a record. */
export interface RejectedLine extends BadLine {
  /** The path of its file; `-` for a stream. */
  readonly file: string;
}

export interface LineRejectOptions extends LineReadOptions {
  /**
   * Told of every line that is malformed, in its place among the others; the rest goes on when it is done. Without it,
   * the first such line ends the job.
   */
  onReject?: ((line: RejectedLine) => void | Promise<void>) | undefined;
}

/** What all work on lines can be told. */
export interface LineJobOptions extends LineRejectOptions {
  /**
   * `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64. Not for a partitioner, whose `key` says what
   * lines are: text, integers in decimal or UUIDs.
   */
  keys?: LineKeys | undefined;
  /** The input is a table of records, and one of their values is the key; without this, a key is a line. */
  rows?: Rows | undefined;
  /** Told now and then how far it is. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Checks what is read. */
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

/** What is done to lines, with memory of its own. */
interface LineWork<T> {
  /** Refuses a line as {@link aroundBadLines} says. */
  work(lines: Batch, progress: Progress, file: string): T;
  /** Told of the header, before all records. */
  header?(header: Header, progress: Progress, file: string): T | undefined;
  free(): void;
}

/**
 * The lines of inputs, one after the other, with some work done on each batch: on all lines that are well-formed, up to
 * the first one that is not, or around those if `onReject` takes them.
 * @throws LineError, with file and line, for bad data; Node's own errors for what cannot be read
 */
export async function* overLines<T>(
  inputs: readonly Input[],
  rows: CheckedRows | undefined,
  inUse: Kernels,
  { signal, onReject = fail }: LineRejectOptions,
  start: (inUse: Kernels) => LineWork<T>,
): AsyncGenerator<T> {
  const worker = start(inUse);
  const source = sourceOf(inUse, rows);
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
