import { checkOptions } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import type { TextFormat } from '../../kernels/types.js';
import type { Batch } from '../../lines/batch.js';
import { bytesColumnOf } from '../../lines/fields.js';
import { LineHasher } from '../../lines/hash.js';
import type { Input } from '../files/input.js';
import { checkJob, type LineJob, type LineReadOptions, type LineResult, overLines } from './job.js';

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
  return columnsOf(checkJob(input, checkOptions(options, ['signal'])));
}

async function* columnsOf(job: LineJob): AsyncGenerator<BytesColumn> {
  for await (const result of lineResults(job, bytesColumnOf)) if (result.kind === 'value') yield result.value;
}

/**
 * The results for lines or records, in batches.
 * @param make refuses a line with an error whose `row` counts from the first line that it was given, or is below 0 for an
 *   empty line before them. The line is then invalid, and `make` gets the lines before and after it again
 * @throws the errors of `hashLines` and of `make`
 */
export function lineResults<T>(job: LineJob, make: (lines: Batch) => T): AsyncGenerator<LineResult<T>> {
  return overLines(job, () => ({ work: make, free() {} }));
}

/**
 * Like {@link lineResults}, for lines that are ids, or records with such keys.
 * @param format how the ids are written; the hashes of a batch are then the ids. Without it, a batch has only their texts
 */
export function idResults<T>(
  job: LineJob,
  format: TextFormat | undefined,
  make: (ids: Batch) => T,
): AsyncGenerator<LineResult<T>> {
  if (format === undefined) return lineResults(job, make);
  return overLines(job, (kernels) => {
    const hasher = new LineHasher(kernels, { keys: 'u64', hash: 'none', seed: 0n }, format);
    return { work: (lines) => make(hasher.hash(lines)), free: () => hasher.free() };
  });
}
