import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import type { Batch, Lines } from '../../lines/batch.js';
import { LineHasher } from '../../lines/line-hasher.js';
import type { Input } from './input.js';
import { type LineRejectOptions, overLines, type Progress } from './line-jobs.js';

/** What has been made of some lines, good until the next is asked for. */
export interface LineResult<T> {
  readonly made: T;
  readonly progress: Progress;
}

/**
 * What is made of the lines of an input, in batches.
 * @param make refuses a line with an error whose `row` counts from the first of those that it was given, or is below 0
 *   for an empty line that came before; the line is then malformed, and `make` gets those before and after it once more
 * @throws as `hashLines`, and what `make` throws
 */
export function lineResults<T>(
  input: Input,
  make: (lines: Lines) => T,
  options: LineRejectOptions,
): AsyncGenerator<LineResult<T>> {
  return overLines([input], kernelsWithColumns(), options, () => ({
    work: (lines: Batch, progress) => ({ made: make(lines), progress }),
    free() {},
  }));
}

/** As {@link lineResults}, of lines that are ids in decimal. */
export function idResults<T>(
  input: Input,
  make: (ids: BigUint64Array) => T,
  options: LineRejectOptions,
): AsyncGenerator<LineResult<T>> {
  return overLines([input], kernelsWithColumns(), options, (inUse) => {
    const hasher = new LineHasher(inUse, { keys: 'u64', hash: 'none', seed: 0n });
    return {
      work: (lines: Batch, progress) => ({ made: make(hasher.hash(lines).hashes), progress }),
      free: () => hasher.free(),
    };
  });
}
