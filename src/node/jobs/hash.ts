import type { Writable } from 'node:stream';
import { checkOneOf, checkOptions, checkRecord, checkSeed } from '../../arguments.js';
import { checkHashed } from '../../rows/format.js';
import { HASH } from '../../rows/operations/route.js';
import type { GivenInput } from '../files/input.js';
import { type OutputOptions, openOutput } from '../files/output.js';
import {
  checkAsColumn,
  checkJob,
  checkParquetOutput,
  drain,
  isParquet,
  JOB_OPTIONS,
  type LineJobOptions,
  type Progress,
  parquetJob,
} from './job.js';
import { checkThreads, runOperation } from './run.js';

export interface HashFileOptions extends LineJobOptions, Pick<OutputOptions, 'compress'> {
  /** Where the hashes go, each on a line, in the order of the keys: a path, or a stream, which stays open. */
  out: string | Writable;
  /** A bigint, taken modulo 2^64. 0 by default. */
  seed?: bigint | undefined;
  /** `hex` (default): 16 digits; `dec`: decimal. In Parquet, hashes are numbers by default. */
  format?: 'hex' | 'dec' | undefined;
  /** The name of the column that is added to `records`. The default is `hash`. The input must not have such a column. */
  asColumn?: string | undefined;
}

/**
 * Writes the XXH64 of every line of a file, or every record with the hash of its key in one more column.
 * @returns how many keys and bytes there were
 * @throws as {@link routeFile}
 * @example
 * await hashFile('keys.txt', { out: 'hashes.txt' });
 */
export async function hashFile(input: GivenInput | readonly GivenInput[], options: HashFileOptions): Promise<Progress> {
  checkRecord('options', options);
  const given = checkOptions(options, [...JOB_OPTIONS, 'out', 'seed', 'format', 'asColumn', 'compress']);
  const { format = isParquet(given) ? 'dec' : 'hex', asColumn, records, onProgress } = given;
  const seed = checkSeed(given.seed);
  checkOneOf('format', format, ['hex', 'dec']);
  checkAsColumn(asColumn, records);
  if (isParquet(given)) {
    const output = { ...checkParquetOutput(given), seed, asColumn: asColumn ?? 'hash', isHex: format === 'hex' };
    const { jobs, table } = await parquetJob(input, given);
    return jobs.hashParquet(table, output);
  }
  const keys = checkHashed(given.keys ?? 'text', 'xxh64', records);
  const job = checkJob(input, given, [asColumn ?? 'hash']);
  const threads = checkThreads(given.threads);
  const output = openOutput(given.out, given);
  const results = runOperation(job, HASH, { keys, hash: 'xxh64', seed, format }, { threads });
  return drain(results, output, ({ value }) => output.write(value.bytes), onProgress);
}
