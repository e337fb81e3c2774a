import { checkOptions, checkSeed } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import type { TextFormat } from '../../kernels/types.js';
import type { Batch, Lines } from '../../lines/batch.js';
import { bytesColumnOf } from '../../lines/fields.js';
import { checkHashed, type LineHashOptions, lineHasher } from '../../lines/keys.js';
import type { RecordFormat } from '../../lines/records.js';
import type { Input } from '../files/input.js';
import {
  checkJob,
  type LineJob,
  type LineReadOptions,
  type LineRejectOptions,
  type LineResult,
  overLines,
  type Progress,
  withoutHeaders,
} from './job.js';

/** Lines with their hashes, valid until the next batch is requested. Read the arrays again after making a column. */
export interface HashedLines {
  readonly lines: Lines;
  readonly hashes: BigUint64Array;
  readonly progress: Progress;
}

/**
 * The lines of one or more inputs with their hashes, in batches.
 * @param options.records for records and the hashes of their keys instead of lines
 * @throws TypeError or RangeError for arguments of the wrong kind or value. While iterating, after all lines before the bad
 *   one: RangeError, with file and line, for a line that is not a u64 or is above 512 MiB; Error with the code
 *   `ERR_UNSUPPORTED_FORMAT` for a file that is not lines of text, such as Parquet; Node's own errors of reading
 * @example
 * for await (const { hashes } of hashLines('keys.txt')) console.log(hashes.length);
 */
export function hashLines(
  input: Input | readonly Input[],
  options: { [K in keyof LineHashOptions]?: LineHashOptions[K] | undefined } & {
    records?: RecordFormat | undefined;
  } & LineRejectOptions = {},
): AsyncGenerator<HashedLines> {
  const given = checkOptions(options, ['keys', 'records', 'hash', 'seed', 'signal', 'onReject']);
  const { keys = 'text', hash = 'xxh64', seed } = given;
  checkHashed(keys, hash);
  const how = { keys, hash, seed: checkSeed(seed) };
  return withoutHeaders(hashInputs(checkJob(input, given), how));
}

/** The lines or records of inputs with their hashes. */
export function hashInputs(job: LineJob, how: LineHashOptions): AsyncGenerator<LineResult<Batch>> {
  return overLines(job, (kernels) => lineHasher(kernels, how));
}

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
  return overLines(job, () => make);
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
    const hashed = lineHasher(kernels, { keys: 'u64', hash: 'none', seed: 0n }, format);
    return (lines) => make(hashed(lines));
  });
}
