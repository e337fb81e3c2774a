import { checkOptions } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import type { TextFormat } from '../../kernels/types.js';
import type { Batch } from '../../lines/batch.js';
import { bytesColumnOf } from '../../lines/fields.js';
import { LineHasher } from '../../lines/hash.js';
import type { CheckedFormat } from '../../lines/records.js';
import type { Header } from '../../lines/source.js';
import type { Input } from '../files/input.js';
import { checkLineJob, type LineReadOptions, type LineRejectOptions, overLines, type Progress } from './job.js';

/**
 * The lines of one or more inputs, as Arrow-layout columns of up to 16,384 rows, each a copy.
 * @throws as {@link hashLines}
 * @example
 * for await (const column of lineColumns('keys.txt')) console.log(router.routeMany(column));
 */
export function lineColumns(
  input: Input | readonly Input[],
  options: LineReadOptions = {},
): AsyncGenerator<BytesColumn> {
  const { signal } = checkOptions(options, ['signal']);
  return overLines(checkLineJob(input, signal), undefined, kernelsWithColumns(), { signal }, () => ({
    work: bytesColumnOf,
    free() {},
  }));
}

/** The result for some lines, valid until the next one is requested. */
export interface LineResult<T> {
  readonly made: T;
  readonly progress: Progress;
}

/**
 * The results for the lines of an input, in batches.
 * @param make refuses a line with an error whose `row` counts from the first line that it was given, or is below 0 for an
 *   empty line before them. The line is then malformed, and `make` gets the lines before and after it again
 * @throws the errors of `hashLines` and of `make`
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
 * Like {@link lineResults}, for lines that are ids, or records with such keys.
 * @param format how the ids are written; the hashes of a batch are then the ids. Without it, a batch has only their texts
 */
export function idResults<T>(
  inputs: readonly Input[],
  records: CheckedFormat | undefined,
  format: TextFormat | undefined,
  make: { ids(batch: Batch): T; header?(header: Header): T },
  options: LineRejectOptions,
): AsyncGenerator<LineResult<T>> {
  return overLines(inputs, records, kernelsWithColumns(), options, (inUse) => {
    const hasher = format && new LineHasher(inUse, { keys: 'u64', hash: 'none', seed: 0n }, format);
    return {
      work: (lines: Batch, progress) => ({ made: make.ids(hasher?.hash(lines) ?? lines), progress }),
      header: (header, progress) => make.header && { made: make.header(header), progress },
      free: () => hasher?.free(),
    };
  });
}
