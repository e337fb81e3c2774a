import { checkOneOf, typeName, wrongKind, wrongValue } from '../../arguments.js';
import type { Kernels } from '../../kernels/contract.js';
import type { Batch } from '../../lines/batch.js';
import { LineError, type LineHashOptions, type LineKeys } from '../../lines/line-hasher.js';
import { checkInputs, type Input, readLines } from './input.js';

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

/** What all work on lines can be told. */
export interface LineJobOptions extends LineReadOptions {
  /** `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64. */
  keys?: LineKeys;
  /** Told now and then how far it is. */
  onProgress?: (progress: Progress) => void;
}

/** Checks what says which lines are keys, and how. */
export function checkLineJob(
  input: Input | readonly Input[],
  keys: LineKeys,
  hash: LineHashOptions['hash'],
  signal: AbortSignal | undefined,
): readonly Input[] {
  const inputs = checkInputs(input);
  checkOneOf('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
  if (signal !== undefined && typeName(signal) !== 'AbortSignal') throw wrongKind('signal', 'an AbortSignal', signal);
  return inputs;
}

export function checkProgress(onProgress: ((progress: Progress) => void) | undefined): void {
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw wrongKind('onProgress', 'a function', onProgress);
  }
}

/** What is done to lines, with memory of its own. */
interface LineWork<T> {
  /** @throws LineError for bad data */
  work(lines: Batch, progress: Progress): T;
  free(): void;
}

/**
 * The lines of inputs, one after the other, with some work done on each batch.
 * @throws RangeError, with file and line, for bad data; Node's own errors for what cannot be read
 */
export async function* overLines<T>(
  inputs: readonly Input[],
  inUse: Kernels,
  signal: AbortSignal | undefined,
  start: (inUse: Kernels) => LineWork<T>,
): AsyncGenerator<T> {
  const worker = start(inUse);
  const progress: Progress = { keys: 0, bytes: 0 };
  const onRead = (byteLength: number) => {
    progress.bytes += byteLength;
  };
  let current: Input | undefined;
  try {
    for (const input of inputs) {
      current = input;
      for await (const lines of readLines(input, inUse, onRead, signal)) {
        progress.keys += lines.count;
        yield worker.work(lines, progress);
      }
    }
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new LineError(error.line, error.expected, error.got, typeof current === 'string' ? current : '-');
  } finally {
    worker.free();
  }
}
