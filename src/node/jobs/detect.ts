import { setImmediate } from 'node:timers/promises';
import { checkOneOf, checkOptions, MAX_BUCKETS, wrongValue } from '../../arguments.js';
import type { Detection } from '../../detect/detect.js';
import { PIECE_ROWS } from '../../kernels/types.js';
import type { RingServer } from '../../partitioners/systems/rings.js';
import { Refused } from '../../rows/batch.js';
import { checkHashed, isEncoded, type LineKeys } from '../../rows/format.js';
import { keyReader } from '../../rows/operations/key-bytes.js';
import { OpenOperation } from '../../rows/operations/operation.js';
import { SampledRows } from '../../rows/operations/sample.js';
import { labelTexts, shardReader } from '../../rows/shard-column.js';
import type { Inputs } from '../files/input.js';
import type { ParquetTable } from '../parquet/table.js';
import { checkShardColumn, type ShardColumnOptions, shardColumnFormat } from './compare.js';
import {
  checkJob,
  isParquet,
  JOB_OPTIONS,
  jobOnTable,
  type LineJobOptions,
  type RejectedLine,
  withTable,
} from './job.js';
import { onOneThread } from './run.js';

export interface DetectFilesOptions extends Omit<LineJobOptions, 'keys' | 'threads'>, ShardColumnOptions {
  /**
   * `text` (default): a key is tried as the text that it is, and as an integer or a UUID if all keys are such. `hex` and
   * `base64`: keys are the bytes that they say. Not for Parquet, where a column of BLOBs has bytes.
   */
  keys?: Exclude<LineKeys, 'u64'> | undefined;
  /** The number of threads that read Parquet, 1 (default) to 256; `auto`: one for each core. Text is read by this thread. */
  threads?: number | 'auto' | undefined;
  /** How many shards there are; by default, as the rows show. */
  shards?: number | undefined;
  /** Also tries the rings of ketama and nginx. The rows are then on servers, by their names. */
  servers?: readonly RingServer[] | undefined;
}

/** A row that does not fit the verdict. */
export interface ForeignRow {
  /** Its number in all inputs, from 1. Rows that were refused count, too. */
  readonly row: number;
  readonly file: string;
  /** The number of its line in the file, from 1; of its row, in Parquet. */
  readonly line: number;
}

/** What files show. `rows` is how many rows were looked at. */
export interface FilesDetection extends Omit<Detection, 'foreign' | 'placed'> {
  /** How many rows there are in all. */
  readonly allRows: number;
  /** The first rows that do not fit the verdict, at most 1,000. */
  readonly foreign: readonly ForeignRow[];
  readonly foreignCount: number;
}

const MAX_FOREIGN = 1000;

/**
 * Tells from the rows of files, which say their shards, which mapping placed them: `detectRouting` of files. Of more
 * than 300,000 rows, or 64 MiB of keys, it looks at a part.
 * @throws as {@link routeFile}
 * @example
 * const { verdict } = await detectFiles('users.csv', { records: { format: 'csv', key: 'email' }, shardColumn: 'bucket' });
 */
export async function detectFiles(input: Inputs, options: DetectFilesOptions = {}): Promise<FilesDetection> {
  const given = checkOptions(options, [...JOB_OPTIONS, 'shardColumn', 'shards', 'servers']);
  const { servers: ring, keys = 'text' } = given;
  checkOneOf('keys', keys, ['text', 'hex', 'base64']);
  checkHashed(keys, 'xxh64', given.records);
  // Others load nothing of it.
  const { checkServers, columnsIn, detecting } = await import('../../detect/detect.js');
  const servers = ring && checkServers(ring, MAX_BUCKETS);
  if (servers !== undefined && given.shards !== undefined) {
    throw wrongValue('shards', 'undefined with servers', given.shards);
  }
  const labels = servers?.map(({ name }) => name);
  const { shardColumn = labels === undefined ? 'shard' : 'node' } = given;
  const column = isParquet(given) ? checkShardColumn(given.records?.key, shardColumn) : '';
  const rows = await withTable(input, given, {}, async (table) => {
    table?.readTexts(); // texts of integers and UUIDs are read as such, too
    await table?.readShard(column, labels !== undefined);
    return sampledRows(input, given, table, shardColumn, labels);
  });
  const { kept } = rows;
  const tried = columnsIn(kept.keys, [given.records?.key].flat().length);
  const nameOf = (row: number) => {
    const { file, line } = kept.placeOf(row);
    return isParquet(given) ? `${file}: row ${line}` : `${file}:${line}`;
  };
  const how = { shards: servers?.length ?? given.shards };
  const steps = detecting(tried, kept.shards, how, servers, isEncoded(keys) ? keys : undefined, nameOf);
  const { foreign, placed, ...found } = await betweenEvents(steps, given.signal);
  const first = Array.from(foreign.subarray(0, MAX_FOREIGN), (row) => ({
    row: kept.numbers[row],
    ...kept.placeOf(row),
  }));
  return { ...found, allRows: rows.rows, foreign: first, foreignCount: foreign.length };
}

/** What `labelTexts` takes as probable. */
const NO_GUESSES = new Uint32Array(PIECE_ROWS);

async function sampledRows(
  input: Inputs,
  given: DetectFilesOptions,
  table: ParquetTable | undefined,
  shardColumn: string | number,
  labels: readonly string[] | undefined,
): Promise<SampledRows> {
  const { onReject, onProgress } = given;
  const rows = new SampledRows();
  const counted = (row: RejectedLine) => {
    rows.refuse();
    return onReject?.(row);
  };
  const format = table === undefined ? shardColumnFormat(given, shardColumn) : undefined;
  const options = { ...given, threads: undefined, ...(onReject && { onReject: counted }) };
  const job = table === undefined ? { ...checkJob(input, options), format } : jobOnTable(table);
  const results = onOneThread(job, (kernels) => {
    const numbers = shardReader(kernels);
    const names = labels && labelTexts({ numbered: 0, names: labels }, format, 0);
    const readKeys = keyReader(given.keys ?? 'text');
    return new OpenOperation((batch) => {
      const shards = names?.read(batch, NO_GUESSES) ?? numbers(batch);
      if (shards instanceof Refused) return shards;
      const keys = readKeys(batch);
      return keys instanceof Refused ? keys : { keys, shards, lineOf: (row: number) => batch.lineOf(row) };
    });
  });
  for await (const { value, file, progress } of results) {
    rows.add(value, value.shards, file);
    onProgress?.(progress);
  }
  return rows;
}

/** Takes one step after the other. In between, other work can run, such as a signal that ends the process. */
async function betweenEvents<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
    signal?.throwIfAborted();
  }
}
