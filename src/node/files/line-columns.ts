import { checkOptions } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import { bytesColumnOf } from '../../lines/bytes-column.js';
import type { Input } from './input.js';
import { checkLineJob, type LineReadOptions, overLines } from './line-jobs.js';

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
