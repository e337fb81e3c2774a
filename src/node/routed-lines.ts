import { checkOneOf, checkOptions, checkSeed, outOfRange, typeName, wrongKind } from '../arguments.js';
import { kernels } from '../kernels/active.js';
import { type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import type { Lines } from '../lines/line-batches.js';
import { LineError, LineHasher, type LineHashOptions, type LineKeys } from '../lines/line-hasher.js';
import type { RoutedLines } from '../lines/row-writer.js';
import { checkRouter, type Router } from '../routing/router.js';
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
  const inputs = checkInputs(input);
  const { keys = 'text', hash = 'xxh64', seed, signal } = checkOptions(options, ['keys', 'hash', 'seed', 'signal']);
  checkOneOf('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw outOfRange('keys', "'u64' with hash 'none'", "'text'");
  if (signal !== undefined && typeName(signal) !== 'AbortSignal') throw wrongKind('signal', 'an AbortSignal', signal);
  return hashInputs(inputs, kernels(), { keys, hash, seed: checkSeed(seed) }, signal);
}

async function* hashInputs(
  inputs: readonly Input[],
  inUse: Kernels,
  options: LineHashOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<HashedLines> {
  const hasher = new LineHasher(inUse, options);
  const progress: Progress = { keys: 0, bytes: 0 };
  const onRead = (byteLength: number) => {
    progress.bytes += byteLength;
  };
  try {
    for (const input of inputs) {
      for await (const lines of readLines(input, inUse, onRead, signal)) {
        hashBatch(hasher, lines, input);
        progress.keys += lines.count;
        yield {
          lines,
          progress,
          get hashes() {
            return hasher.hashes(lines.count);
          },
        };
      }
    }
  } finally {
    hasher.free();
  }
}

function hashBatch(hasher: LineHasher, lines: Lines, input: Input): void {
  try {
    hasher.hash(lines);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new RangeError(`${typeof input === 'string' ? input : '-'}:${error.line}: ${error.problem}`, {
      cause: error,
    });
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
  const { keys, signal } = checkOptions(options, ['keys', 'signal']);
  const hashed = hashLines(input, { keys, hash: router.hash, seed: router.seed, signal });
  return routeHashed(hashed, router.with({ hash: 'none' }), kernels());
}

async function* routeHashed(
  hashed: AsyncGenerator<HashedLines>,
  byHash: Router,
  inUse: Kernels,
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  const column = inUse.column('u32', PIECE_ROWS);
  try {
    for await (const batch of hashed) {
      const { lines, progress } = batch;
      byHash.routeMany(batch.hashes, { out: column.array.subarray(0, lines.count) });
      yield {
        lines,
        progress,
        get shards() {
          return column.array.subarray(0, lines.count);
        },
      };
    }
  } finally {
    column.free();
  }
}

export function checkProgress(onProgress: ((progress: Progress) => void) | undefined): void {
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw wrongKind('onProgress', 'a function', onProgress);
  }
}

/** What takes rows, and in the end is complete or leaves nothing behind. */
export interface RowSink {
  write(rows: RoutedLines): Promise<void>;
  finish(): Promise<void>;
  discard(): void;
}

/** Passes all rows to a sink. */
export async function drain(
  rows: AsyncGenerator<RoutedLines & { progress: Progress }>,
  sink: RowSink,
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
