import type { Writable } from 'node:stream';
import {
  checkBoolean,
  checkGiven,
  checkInteger,
  checkOneOf,
  checkSeed,
  checkString,
  wrongValue,
} from '../../arguments.js';
import { openWorkspace } from '../../kernels/active.js';
import type { Kernels } from '../../kernels/types.js';
import {
  abilitiesOf,
  checkPlacement,
  checkRouting,
  NamedPlacement,
  type Placement,
  type Routing,
} from '../../routing/routing.js';
import type { Batch } from '../../rows/batch.js';
import { checkFields, checkHashed, checkLineKeys, isEncoded } from '../../rows/format.js';
import { OpenOperation, u32sOf } from '../../rows/operations/operation.js';
import { HASH, type PlaceOptions, ROUTE, rowHasher, rowRouter } from '../../rows/operations/route.js';
import type { OutputFormat } from '../../rows/sinks/rows.js';
import { type Compression, compressor } from '../files/compressed.js';
import type { Inputs } from '../files/input.js';
import { type OutputOptions, openOutput } from '../files/output.js';
import { FILES_CHUNK_BYTES, MAX_SHARED_FILES, ROUTE_TO_FILES, ShardFiles } from '../files/shard-files.js';
import type { MadeColumns, ParquetTable } from '../parquet/table.js';
import {
  checkColumnName,
  checkJob,
  checkMissingKey,
  drain,
  isParquet,
  JOB_OPTIONS,
  type Job,
  jobOnTable,
  type LineJobOptions,
  type MissingKeyOptions,
  type Progress,
  withTable,
} from './job.js';
import { SMALL_CHUNK_BYTES } from './on-threads.js';
import { runOperation } from './run.js';

/** What places keys. */
export interface PlacingOptions extends LineJobOptions, MissingKeyOptions {
  /** A Router, a partitioner or another Routing. */
  router?: Routing<any> | undefined;
  /** In place of `router`, where shards have names: the labels of shards are written instead of their numbers. */
  placement?: Placement<any> | undefined;
}

export const PLACING_OPTIONS = [...JOB_OPTIONS, 'router', 'placement', 'missingKey'] as const;

export function checkPlacementIn({ router, placement }: PlacingOptions): NamedPlacement<any> {
  if (router !== undefined && placement !== undefined) throw wrongValue('router', 'undefined with a placement', router);
  if (placement !== undefined) return checkPlacement('placement', placement);
  return new NamedPlacement(checkRouting('router', router), undefined);
}

/**
 * How the keys of inputs are placed.
 * @param added columns or properties that are added to records
 */
export function checkPlacing(
  input: Inputs,
  { routing, named }: NamedPlacement<any>,
  options: PlacingOptions,
  table: ParquetTable | undefined,
  added?: readonly string[],
): { readonly job: Job; readonly how: PlaceOptions } {
  const { records } = options;
  const missing = checkMissingKey(options, records, routing.shards);
  if (table !== undefined) return { job: jobOnTable(table), how: { ...table.readFor([routing])[0], named, missing } };
  const job = checkJob(input, options, added, { router: routing });
  return { job, how: { routing, keys: checkLineKeys(routing, options.keys, records), named, missing } };
}

/** The column of the shards of rows, or of the numbers of their labels. */
const placed = (how: PlaceOptions): MadeColumns<Batch> => ({
  open: (kernels) => new OpenOperation(rowRouter(kernels, how), { takesNull: true }),
  types: ['UINTEGER'],
  columns: ({ labels }) => [labels],
});

export interface RouteFileOptions extends PlacingOptions, Pick<OutputOptions, 'compress'> {
  /**
   * Where the rows go, in the order of the keys: a path, or a stream, which stays open. A file appears only when it is
   * complete. It may be one of the inputs, which is then replaced after the last row.
   */
  out: string | Writable;
  /**
   * `tsv` (default), `shard` or `u32`. With `records`, the default is records with one more column, and `tsv` is refused. With
   * labels, `tsv` is `label <TAB> key \n`, and the others are refused.
   */
  format?: OutputFormat | undefined;
  /** The name of the column that is added to `records`. The default is `shard`. The input must not have such a column. */
  asColumn?: string | undefined;
}

/**
 * Routes every line of a file. A line ends at `\n` or `\r\n`. An empty line is the empty key, and bytes after the last
 * newline are a line, too. A UTF-8 byte order mark at the start is not part of the first key. Memory does not grow with
 * the file, except for its longest line, which may have up to 16 MiB.
 * @param input a path, or a stream of bytes; or several, one after the other
 * @returns how many keys and bytes there were
 * @throws TypeError or RangeError for options of the wrong kind or value; RangeError, with the line or, in Parquet, the row,
 *   for bad data; Error with the code `ERR_UNSUPPORTED_FORMAT` for a file that is not lines of text, such as Parquet;
 *   Node's own errors of reading and writing. All as rejections
 * @example
 * const router = new Router({ shards: 1024 });
 * await routeFile('keys.txt', { router, out: 'keys.tsv' });
 */
export async function routeFile(input: Inputs, options: RouteFileOptions): Promise<Progress> {
  const given = checkGiven(options, [...PLACING_OPTIONS, 'out', 'format', 'asColumn', 'compress']);
  const { out, format = 'tsv', onProgress } = given;
  const added = checkFormat(given);
  const placement = checkPlacementIn(given);
  if (isParquet(given) && given.format !== undefined)
    throw wrongValue('format', 'undefined with Parquet', given.format);
  return withTable(input, given, given, (table) => {
    const { job, how } = checkPlacing(input, placement, given, table, added);
    const names = how.named?.names;
    if (table !== undefined)
      return table.write(placed(how), 'asColumn', [{ name: added[0], sql: ([shard]) => shard, names }]);
    if (names !== undefined && job.format?.format === 'csv' && added.length > 0) checkFields(names, job.format);
    const output = openOutput(out, given);
    const isLong = format === 'tsv'; // also records, which are written whole
    const results = runOperation(job, ROUTE, { ...how, format }, isLong ? { chunkBytes: SMALL_CHUNK_BYTES } : {});
    return drain(results, output, ({ value }) => output.write(value.bytes), onProgress);
  });
}

/** Checks how rows are written. @returns the columns that are added to records */
function checkFormat({ format, asColumn, records, placement }: RouteFileOptions): readonly string[] {
  if (format !== undefined) checkOneOf('format', format, ['tsv', 'shard', 'u32']);
  if (placement?.labels !== undefined && format !== undefined && format !== 'tsv') {
    throw wrongValue('format', "'tsv' or undefined with labels", format);
  }
  if (asColumn !== undefined) checkString('asColumn', asColumn);
  if (records !== undefined && format === undefined) return [asColumn ?? 'shard'];
  if (records !== undefined && format === 'tsv') throw wrongValue('format', "'shard' or 'u32' with records", format);
  if (asColumn !== undefined)
    throw wrongValue('asColumn', 'undefined except with records and without format', asColumn);
  return [];
}

/** How many keys there are, in all and for each shard. */
export interface ShardCounts {
  readonly total: number;
  readonly perShard: Float64Array;
}

// A count takes 8 bytes.
const MAX_COUNTED = 1 << 24;

/**
 * Counts the keys of each shard.
 * @throws as {@link routeFile}; RangeError for more than 16,777,216 shards
 * @example
 * const { perShard } = await countShards('keys.txt', { placement: placementOf(new Router({ shards: 64 })) });
 */
export async function countShards(input: Inputs, options: PlacingOptions): Promise<ShardCounts> {
  const given = checkGiven(options, PLACING_OPTIONS);
  const placement = checkPlacementIn(given);
  const { shards } = placement.routing;
  if (shards > MAX_COUNTED) throw wrongValue('placement.routing', `at most ${MAX_COUNTED} shards`, shards);
  return withTable(input, given, {}, async (table) => {
    const { job, how } = checkPlacing(input, placement, given, table);
    const unnamed = { ...how, named: undefined };
    const perShard = new Float64Array(shards);
    const count = (shardOf: Uint32Array) => {
      for (let row = 0; row < shardOf.length; row++) perShard[shardOf[row]]++;
    };
    if (table !== undefined) {
      const { keys } = await table.run(placed(unnamed).open, (rows) => count(rows.shards));
      return { total: keys, perShard };
    }
    let total = 0;
    for await (const { value, progress } of runOperation(job, ROUTE, { ...unnamed, format: 'u32' })) {
      count(u32sOf(value.bytes));
      total = progress.keys;
      given.onProgress?.(progress);
    }
    return { total, perShard };
  });
}

export interface RouteToDirectoryOptions extends PlacingOptions {
  directory: string;
  /** Compresses each file, whose name then ends with `.gz` or `.zst`. zstd needs Node 22.15, 23.8 or later. */
  compress?: Compression | undefined;
  /**
   * The most rows of a file, without its header. The rows of a shard are then in `07-00000.csv`, `07-00001.csv` and so on,
   * at most 100,000 files; there are at most 262,144 files in all. It is then done by one thread.
   */
  maxRowsPerFile?: number | undefined;
  /** Whether files of Parquet are in directories such as `shard=3`, as for Hive, and shards without rows have none. */
  hive?: boolean | undefined;
  /** The name before `=` in the names of these directories. The default is `shard`, or `node` with labels. */
  asColumn?: string | undefined;
}

/**
 * Writes the keys or records of every shard, in the order of the input, to its own file: `07.txt` or `07.csv` in a new or
 * an empty directory. Shards with labels have a file for each label. The numbers have zeros in front, so that all have
 * the digits of the last shard. Either all files appear, or none; in an empty directory one after the other,
 * `manifest.json` last. With `records`, each file has the table's header, and `manifest.json` has the options and the
 * numbers of rows and bytes, in total and of each file. Memory does not grow with the input, except for its longest line;
 * few files are open at a time.
 * @throws the errors of `routeFile`; RangeError for names that files cannot have; Error if the directory is not empty
 * @example
 * const router = new Router({ shards: 64 });
 * await routeToDirectory('users.csv', { router, directory: 'shards', records: { format: 'csv', key: 'email' } });
 */
export async function routeToDirectory(input: Inputs, options: RouteToDirectoryOptions): Promise<Progress> {
  const given = checkGiven(options, [
    ...PLACING_OPTIONS,
    'directory',
    'compress',
    'maxRowsPerFile',
    'hive',
    'asColumn',
  ]);
  const { directory, records, compress, onProgress, maxRowsPerFile: maxRows, hive, asColumn } = given;
  checkString('directory', directory);
  if (maxRows !== undefined) checkInteger('maxRowsPerFile', maxRows, 1, Number.MAX_SAFE_INTEGER);
  if (hive !== undefined) checkBoolean('hive', hive);
  if (hive && !isParquet(given)) throw wrongValue('hive', 'undefined except with Parquet', hive);
  if (asColumn !== undefined && !hive) throw wrongValue('asColumn', 'undefined except with hive', asColumn);
  const placement = checkPlacementIn(given);
  const column = checkString('asColumn', asColumn ?? (placement.named === undefined ? 'shard' : 'node'));
  return withTable(input, given, given, async (table) => {
    const { job, how } = checkPlacing(input, placement, given, table);
    const { routing: router, keys, named } = how;
    const hasKeys = !abilitiesOf(router).routeRows || isEncoded(keys);
    const manifest = records && { router, ...(hasKeys && { keys }), records };
    const files = { shards: named?.names.length ?? router.shards, names: named?.names, maxRows };
    if (table !== undefined) return table.split(placed(how), { ...files, hive: hive ? column : undefined, manifest });
    if (compress !== undefined) compressor(compress).destroy(); // throws what it refuses
    const type = records?.format ?? 'txt';
    const keepsLineEnds = job.format !== undefined;
    const kernels = openWorkspace();
    try {
      const output = new ShardFiles(kernels, directory, { ...files, type, keepsLineEnds, compress, manifest });
      const options = { ...how, keepsLineEnds };
      const share = () => {
        const shared = output.share();
        return shared && { ...options, shared };
      };
      const isShared = files.shards <= MAX_SHARED_FILES && maxRows === undefined;
      const sharing = { share, chunkBytes: FILES_CHUNK_BYTES };
      const results = runOperation(isShared ? job : { ...job, threads: 1 }, ROUTE_TO_FILES, options, sharing);
      return await drain(results, output, ({ value }) => output.write(value), onProgress);
    } finally {
      kernels.free();
    }
  });
}

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
export async function hashFile(input: Inputs, options: HashFileOptions): Promise<Progress> {
  const given = checkGiven(options, [...JOB_OPTIONS, 'out', 'seed', 'format', 'asColumn', 'compress']);
  const { format = isParquet(given) ? 'dec' : 'hex', asColumn, records, onProgress } = given;
  const seed = checkSeed(given.seed);
  checkOneOf('format', format, ['hex', 'dec']);
  checkColumnName('asColumn', asColumn, records);
  return withTable(input, given, given, (table) => {
    const keys = table?.readHashed() ?? checkHashed(given.keys ?? 'text', 'xxh64', records);
    const how = { keys, hash: 'xxh64', seed } as const;
    const name = asColumn ?? 'hash';
    if (table !== undefined) {
      const sql = ([hash]: readonly string[]) => (format === 'hex' ? `printf('%016x', ${hash})` : hash);
      const open = (kernels: Kernels) => new OpenOperation(rowHasher(kernels, how));
      const made: MadeColumns<Batch> = { open, types: ['UBIGINT'], columns: ({ hashes }) => [hashes] };
      return table.write(made, 'asColumn', [{ name, sql }]);
    }
    const job = checkJob(input, given, [name]);
    const output = openOutput(given.out, given);
    const results = runOperation(job, HASH, { ...how, format }, records ? { chunkBytes: SMALL_CHUNK_BYTES } : {});
    return drain(results, output, ({ value }) => output.write(value.bytes), onProgress);
  });
}
