import { checkOptions, checkSeed } from '../../arguments.js';
import type { BytesColumn } from '../../columns/keys.js';
import type { Kernels } from '../../kernels/types.js';
import { checkRouting, type Routing } from '../../routing/routing.js';
import { type Batch, bytesColumnOf, type Lines } from '../../rows/batch.js';
import {
  checkHashed,
  checkLineKeys,
  type LineKeys,
  type RecordFormat,
  type RowHashOptions,
} from '../../rows/format.js';
import { OpenOperation } from '../../rows/operations/operation.js';
import { rowHasher, rowRouter } from '../../rows/operations/route.js';
import type { RoutedLines } from '../../rows/sinks/rows.js';
import type { Inputs } from '../files/input.js';
import {
  checkJob,
  type Job,
  type LineReadOptions,
  type LineRejectOptions,
  type Progress,
  type RowsResult,
} from './job.js';
import { onOneThread } from './run.js';

/** Hashed or routed lines. The arrays are read each time, because memory may have grown meanwhile. */
class LinesAndProgress {
  constructor(
    readonly lines: Batch,
    readonly progress: Progress,
  ) {}

  get hashes(): BigUint64Array {
    return this.lines.hashes;
  }

  get shards(): Uint32Array {
    return this.lines.shards;
  }
}

async function* withProgress(
  results: AsyncIterable<RowsResult<Batch>>,
): AsyncGenerator<{ readonly lines: Lines } & LinesAndProgress> {
  for await (const { value, progress } of results) yield new LinesAndProgress(value, progress);
}

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
 *   one: RangeError, with file and line, for a line that is not a key of its kind or is above 16 MiB; Error with the code
 *   `ERR_UNSUPPORTED_FORMAT` for a file that is not lines of text, such as Parquet; Node's own errors of reading
 * @example
 * for await (const { hashes } of hashLines('keys.txt')) console.log(hashes.length);
 */
export function hashLines(
  input: Inputs,
  options: { [K in keyof RowHashOptions]?: RowHashOptions[K] | undefined } & {
    records?: RecordFormat | undefined;
  } & LineRejectOptions = {},
): AsyncGenerator<HashedLines> {
  const given = checkOptions(options, ['keys', 'records', 'hash', 'seed', 'encoding', 'signal', 'onReject']);
  const { keys = 'text', hash = 'xxh64', seed } = given;
  checkHashed(keys, hash, given.records);
  const how = { keys, hash, seed: checkSeed(seed) };
  return withProgress(onOneThread(checkJob(input, given), (kernels) => new OpenOperation(rowHasher(kernels, how))));
}

/**
 * The lines of one or more inputs with their shards, in batches.
 * @param options.keys `text` (default): a key is the bytes of a line. `u64`: a line is a u64 in decimal. `hex`, `base64`:
 *   a line says the bytes of a key. Not for a partitioner, except that its `bytes` may be in `hex` or `base64`
 * @param options.records for records and their keys instead of lines
 * @throws as {@link hashLines}
 * @example
 * for await (const { shards } of routeLines('keys.txt', router)) console.log(shards[0]);
 */
export function routeLines(
  input: Inputs,
  router: Routing<any>,
  options: LineRejectOptions & { keys?: LineKeys | undefined; records?: RecordFormat | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouting('router', router);
  const given = checkOptions(options, ['keys', 'records', 'encoding', 'signal', 'onReject']);
  const keys = checkLineKeys(router, given.keys, given.records);
  const job = checkJob(input, given, undefined, { router });
  const open = (kernels: Kernels) =>
    new OpenOperation(rowRouter(kernels, { routing: router, keys }), { takesNull: true });
  return withProgress(onOneThread(job, open));
}

/**
 * The lines of one or more inputs, as Arrow-layout columns of up to 16,384 rows, each a copy.
 * @throws as {@link hashLines}
 * @example
 * for await (const column of lineColumns('keys.txt')) console.log(router.routeMany(column));
 */
export function lineColumns(input: Inputs, options: LineReadOptions = {}): AsyncGenerator<BytesColumn> {
  return columnsOf(checkJob(input, checkOptions(options, ['encoding', 'signal'])));
}

async function* columnsOf(job: Job): AsyncGenerator<BytesColumn> {
  for await (const { value } of onOneThread(job, () => new OpenOperation(bytesColumnOf))) yield value;
}
