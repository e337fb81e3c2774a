import { checkOneOf, checkOptions, checkSeed, wrongKind } from '../arguments.js';
import { kernels } from '../kernels/active.js';
import { PIECE_ROWS } from '../kernels/contract.js';
import type { Lines } from '../lines/line-batches.js';
import { LineError, LineHasher, type LineHashOptions, type LineKeys } from '../lines/line-hasher.js';
import type { RoutedLines } from '../lines/row-writer.js';
import { Router } from '../routing/router.js';
import { type Input, readLines } from './input.js';

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

/** Lines with their hashes, good until the next batch is asked for. */
export interface HashedLines {
  lines: Lines;
  hashes: BigUint64Array;
  progress: Progress;
}

/**
 * The lines of inputs, one after the other, with their hashes, in batches.
 * @throws TypeError or RangeError for options of the wrong kind or value; RangeError, with file and
 *   line, for a line that is not a u64; Node's own errors for what cannot be read. All when iterated
 */
export async function* hashLines(
  input: Input | readonly Input[],
  options: { [K in keyof LineHashOptions]?: LineHashOptions[K] | undefined } & LineReadOptions = {},
): AsyncGenerator<HashedLines> {
  const { keys, hash, seed, signal } = checkOptions(options, ['keys', 'hash', 'seed', 'signal']);
  const hasher = new LineHasher({
    keys: checkOneOf('keys', keys ?? 'text', ['text', 'u64']),
    hash: checkOneOf('hash', hash ?? 'xxh64', ['xxh64', 'none']),
    seed: checkSeed(seed),
  });
  const progress: Progress = { keys: 0, bytes: 0 };
  const onRead = (byteLength: number) => {
    progress.bytes += byteLength;
  };
  try {
    for (const one of Array.isArray(input) ? input : [input]) {
      for await (const lines of readLines(one, onRead, signal)) {
        const hashes = hashOf(hasher, lines, one);
        progress.keys += hashes.length;
        yield { lines, hashes, progress };
      }
    }
  } finally {
    hasher.free();
  }
}

function hashOf(hasher: LineHasher, lines: Lines, input: Input): BigUint64Array {
  try {
    return hasher.hash(lines);
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
 */
export async function* routeLines(
  input: Input | readonly Input[],
  router: Router,
  { keys = 'text', signal }: LineReadOptions & { keys?: LineKeys | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  if (!(router instanceof Router)) throw wrongKind('router', 'a Router', router);
  if (router.hash === 'none' && keys === 'text') {
    throw new RangeError(`"keys": expected 'u64', as the router has hash 'none', got 'text'`);
  }
  const byHash = router.with({ hash: 'none' });
  const column = kernels().column('u32', PIECE_ROWS);
  try {
    for await (const { lines, hashes, progress } of hashLines(input, {
      keys,
      hash: router.hash,
      seed: router.seed,
      signal,
    })) {
      byHash.routeMany(hashes, { out: column.array.subarray(0, lines.count) });
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
