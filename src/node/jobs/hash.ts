import { checkOptions, checkSeed } from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident.js';
import type { Batch, Lines } from '../../lines/batch.js';
import { checkHashed, LineHasher, type LineHashOptions } from '../../lines/hash.js';
import { type CheckedFormat, checkRecordFormat, type RecordFormat } from '../../lines/records.js';
import type { Header } from '../../lines/source.js';
import type { Input } from '../files/input.js';
import {
  checkLineJob,
  checkOnReject,
  type LineRejectOptions,
  overLines,
  type Progress,
  type WithProgress,
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
  const known = ['keys', 'records', 'hash', 'seed', 'signal', 'onReject'] as const;
  const { keys = 'text', records, hash = 'xxh64', seed, signal, onReject } = checkOptions(options, known);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  checkHashed(keys, hash);
  const how = { keys, hash, seed: checkSeed(seed) };
  return withoutHeaders(hashInputs(inputs, checkRecordFormat(records), how, { signal, onReject }));
}

type HashedPiece = WithProgress<Batch | Header> & { readonly file: string };

/** The lines or records of inputs with their hashes and the names of their files. A header comes first, if there is one. */
export function hashInputs(
  inputs: readonly Input[],
  records: CheckedFormat | undefined,
  how: LineHashOptions,
  options: LineRejectOptions,
): AsyncGenerator<HashedPiece> {
  return overLines<HashedPiece>(inputs, records, kernelsWithColumns(), options, (inUse) => {
    const hasher = new LineHasher(inUse, how);
    return {
      work: (lines, progress, file) => Object.assign(hasher.hash(lines), { progress, file }),
      header: (header, progress, file) => Object.assign(header, { progress, file }),
      free: () => hasher.free(),
    };
  });
}
