import { checkOptions, checkSeed } from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import type { Batch, Lines } from '../../lines/batch.js';
import type { Header } from '../../lines/batch-source.js';
import { checkHashed, LineHasher, type LineHashOptions } from '../../lines/line-hasher.js';
import { type CheckedRows, checkRows, type Rows } from '../../lines/rows.js';
import type { Input } from './input.js';
import {
  checkLineJob,
  checkOnReject,
  type LineRejectOptions,
  overLines,
  type Progress,
  type WithProgress,
  withoutHeaders,
} from './line-jobs.js';

/** Lines with their hashes, good until the next batch is asked for; ask anew after making a column. */
export interface HashedLines {
  readonly lines: Lines;
  readonly hashes: BigUint64Array;
  readonly progress: Progress;
}

/**
 * The lines of inputs, one after the other, with their hashes, in batches.
 * @param options.rows for records and the hashes of their keys instead of lines
 * @throws TypeError or RangeError for arguments of the wrong kind or value. When iterated: RangeError,
 *   with file and line, for a line that is not a u64 or above 512 MiB, after those before it; Error with the code
 *   `ERR_UNSUPPORTED_FORMAT` for what is not lines of text, such as Parquet; Node's own errors for what cannot be read
 * @example
 * for await (const { hashes } of hashLines('keys.txt')) console.log(hashes.length);
 */
export function hashLines(
  input: Input | readonly Input[],
  options: { [K in keyof LineHashOptions]?: LineHashOptions[K] | undefined } & {
    rows?: Rows | undefined;
  } & LineRejectOptions = {},
): AsyncGenerator<HashedLines> {
  const known = ['keys', 'rows', 'hash', 'seed', 'signal', 'onReject'] as const;
  const { keys = 'text', rows, hash = 'xxh64', seed, signal, onReject } = checkOptions(options, known);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  checkHashed(keys, hash);
  const how = { keys, hash, seed: checkSeed(seed) };
  return withoutHeaders(hashInputs(inputs, checkRows(rows), how, { signal, onReject }));
}

type HashedPiece = WithProgress<Batch | Header> & { readonly file: string };

/** The lines or records of inputs with their hashes, and the names of their files, behind a header if they have one. */
export function hashInputs(
  inputs: readonly Input[],
  rows: CheckedRows | undefined,
  how: LineHashOptions,
  options: LineRejectOptions,
): AsyncGenerator<HashedPiece> {
  return overLines<HashedPiece>(inputs, rows, kernelsWithColumns(), options, (inUse) => {
    const hasher = new LineHasher(inUse, how);
    return {
      work: (lines, progress, file) => Object.assign(hasher.hash(lines), { progress, file }),
      header: (header, progress, file) => Object.assign(header, { progress, file }),
      free: () => hasher.free(),
    };
  });
}
