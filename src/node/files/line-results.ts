import type { TextFormat } from '../../kernels/contract.js';
import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import type { Batch } from '../../lines/batch.js';
import type { Header } from '../../lines/batch-source.js';
import { LineHasher } from '../../lines/line-hasher.js';
import type { CheckedRows } from '../../lines/rows.js';
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
  make: (lines: Batch) => T,
  options: LineRejectOptions,
): AsyncGenerator<LineResult<T>> {
  return overLines([input], undefined, kernelsWithColumns(), options, () => ({
    work: (lines: Batch, progress) => ({ made: make(lines), progress }),
    free() {},
  }));
}

/**
 * As {@link lineResults}, of lines that are ids, or of records with such keys.
 * @param format how the ids are written, which are the hashes of a batch then; without it, a batch has only their texts
 */
export function idResults<T>(
  inputs: readonly Input[],
  rows: CheckedRows | undefined,
  format: TextFormat | undefined,
  make: { ids(batch: Batch): T; header?(header: Header): T },
  options: LineRejectOptions,
): AsyncGenerator<LineResult<T>> {
  return overLines(inputs, rows, kernelsWithColumns(), options, (inUse) => {
    const hasher = format && new LineHasher(inUse, { keys: 'u64', hash: 'none', seed: 0n }, format);
    return {
      work: (lines: Batch, progress) => ({ made: make.ids(hasher?.hash(lines) ?? lines), progress }),
      header: (header, progress) => make.header && { made: make.header(header), progress },
      free: () => hasher?.free(),
    };
  });
}
