import { checkOptions, checkSeed } from '../../arguments.js';
import type { Batch, Lines } from '../../lines/batch.js';
import { checkHashed, LineHasher, type LineHashOptions } from '../../lines/hash.js';
import type { RecordFormat } from '../../lines/records.js';
import type { Input } from '../files/input.js';
import {
  checkJob,
  type LineJob,
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
  return overLines(job, (kernels) => {
    const hasher = new LineHasher(kernels, how);
    return { work: (lines) => hasher.hash(lines), free: () => hasher.free() };
  });
}
