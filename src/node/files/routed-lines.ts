import { checkOneOf, checkOptions, checkSeed, outOfRange, typeName, wrongKind } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { kernels } from '../../kernels/active.js';
import type { Kernels } from '../../kernels/contract.js';
import type { Lines } from '../../lines/line-batches.js';
import { columnOf } from '../../lines/line-column.js';
import { LineError, LineHasher, type LineHashOptions, type LineKeys } from '../../lines/line-hasher.js';
import { LineRouter } from '../../lines/line-router.js';
import type { RoutedLines } from '../../lines/row-writer.js';
import { checkRouter, type Router } from '../../routing/router.js';
import { checkInputs, type Input, readLines } from './input.js';
import { badLine } from './naming.js';

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

/** Lines with their hashes, good until the next batch is asked for; ask anew after making a column. */
export interface HashedLines {
  readonly lines: Lines;
  readonly hashes: BigUint64Array;
  readonly progress: Progress;
}

/**
 * The lines of inputs, one after the other, with their hashes, in batches.
 * @throws TypeError or RangeError for arguments of the wrong kind or value. When iterated: RangeError,
 *   with file and line, for a line that is not a u64; Node's own errors for what cannot be read
 * @example
 * for await (const { hashes } of hashLines('keys.txt')) console.log(hashes.length);
 */
export function hashLines(
  input: Input | readonly Input[],
  options: { [K in keyof LineHashOptions]?: LineHashOptions[K] | undefined } & LineReadOptions = {},
): AsyncGenerator<HashedLines> {
  const { keys = 'text', hash = 'xxh64', seed, signal } = checkOptions(options, ['keys', 'hash', 'seed', 'signal']);
  const inputs = checkLineJob(input, keys, hash, signal);
  const how = { keys, hash, seed: checkSeed(seed) };
  return overLines(inputs, kernels(), signal, (inUse) => {
    const hasher = new LineHasher(inUse, how);
    return {
      work(lines, progress) {
        hasher.hash(lines);
        return new HashedBatch(lines, progress, hasher);
      },
      free: () => hasher.free(),
    };
  });
}

/**
 * The lines of inputs, one after the other, as Arrow-layout columns of up to 16,384 rows, each in memory
 * of its own.
 * @throws as {@link hashLines}
 * @example
 * for await (const column of lineColumns('keys.txt')) console.log(router.routeMany(column));
 */
export function lineColumns(
  input: Input | readonly Input[],
  options: LineReadOptions = {},
): AsyncGenerator<BytesColumn> {
  const { signal } = checkOptions(options, ['signal']);
  return overLines(checkLineJob(input, 'text', 'xxh64', signal), kernels(), signal, () => ({
    work: columnOf,
    free() {},
  }));
}

// Classes, for the reason that `Batch` of line-batches.ts is one.

class HashedBatch implements HashedLines {
  readonly #hasher: LineHasher;

  constructor(
    readonly lines: Lines,
    readonly progress: Progress,
    hasher: LineHasher,
  ) {
    this.#hasher = hasher;
  }

  get hashes(): BigUint64Array {
    return this.#hasher.hashes(this.lines.count);
  }
}

class RoutedBatch implements RoutedLines {
  readonly #routed: RoutedLines;

  constructor(
    routed: RoutedLines,
    readonly progress: Progress,
  ) {
    this.#routed = routed;
  }

  get lines(): Lines {
    return this.#routed.lines;
  }

  get shards(): Uint32Array {
    return this.#routed.shards;
  }
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
  if (hash === 'none' && keys === 'text') throw outOfRange('keys', "'u64' with hash 'none'", "'text'");
  if (signal !== undefined && typeName(signal) !== 'AbortSignal') throw wrongKind('signal', 'an AbortSignal', signal);
  return inputs;
}

/** What is done to lines, with memory of its own. */
interface LineWork<T> {
  /** @throws LineError for bad data */
  work(lines: Lines, progress: Progress): T;
  free(): void;
}

async function* overLines<T>(
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
    throw error instanceof LineError ? badLine(current, error.line, error.problem, error) : error;
  } finally {
    worker.free();
  }
}

/**
 * The lines of inputs, one after the other, with their shards, in batches.
 * @param options.keys `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64
 * @throws as {@link hashLines}
 * @example
 * for await (const { shards } of routeLines('keys.txt', router)) console.log(shards[0]);
 */
export function routeLines(
  input: Input | readonly Input[],
  router: Router,
  options: LineReadOptions & { keys?: LineKeys | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouter('router', router);
  const { keys = 'text', signal } = checkOptions(options, ['keys', 'signal']);
  return overLines(checkLineJob(input, keys, router.hash, signal), kernels(), signal, (inUse) => {
    const lineRouter = new LineRouter(inUse, router, keys);
    return {
      work(lines, progress) {
        return new RoutedBatch(lineRouter.route(lines), progress);
      },
      free: () => lineRouter.free(),
    };
  });
}

export function checkProgress(onProgress: ((progress: Progress) => void) | undefined): void {
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw wrongKind('onProgress', 'a function', onProgress);
  }
}

/** What takes rows, and in the end is complete or leaves nothing behind. */
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
