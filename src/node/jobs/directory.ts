import { checkBoolean, checkInteger, checkOptions, checkRecord, checkString, wrongValue } from '../../arguments.js';
import { abilitiesOf } from '../../routing/routing.js';
import { openWorkspace } from '../../rows/workspace.js';
import { type Compression, checkCompression } from '../files/compressed.js';
import type { GivenInput } from '../files/input.js';
import { MAX_SHARED_FILES, ROUTE_TO_FILES, ShardFiles } from '../files/shard-files.js';
import { checkPages, drain, isParquet, type Progress } from './job.js';
import { checkPlacementIn, checkPlacing, PLACING_OPTIONS, type PlacingOptions, parquetPlacing } from './route.js';
import { runOperation } from './run.js';

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
export async function routeToDirectory(
  input: GivenInput | readonly GivenInput[],
  options: RouteToDirectoryOptions,
): Promise<Progress> {
  checkRecord('options', options);
  const given = checkOptions(options, [
    ...PLACING_OPTIONS,
    'directory',
    'compress',
    'maxRowsPerFile',
    'hive',
    'asColumn',
  ]);
  const { directory, records, onProgress, maxRowsPerFile: maxRows, hive, asColumn } = given;
  checkString('directory', directory);
  if (maxRows !== undefined) checkInteger('maxRowsPerFile', maxRows, 1, Number.MAX_SAFE_INTEGER);
  if (hive !== undefined) checkBoolean('hive', hive);
  if (hive && !isParquet(given)) throw wrongValue('hive', 'undefined except with Parquet', hive);
  if (asColumn !== undefined && !hive) throw wrongValue('asColumn', 'undefined except with hive', asColumn);
  const placement = checkPlacementIn(given);
  if (records !== undefined && isParquet(given)) {
    const column = checkString('asColumn', asColumn ?? (placement.named === undefined ? 'shard' : 'node'));
    const compress = checkPages(given.compress);
    const { jobs, table, placing } = await parquetPlacing(input, placement, given);
    const output = { directory, compress, maxRowsPerFile: maxRows, hive: hive ? column : undefined, records };
    return jobs.splitParquet(table, placing, output);
  }
  const { job, how, threads } = checkPlacing(input, placement, given);
  const { routing: router, keys, named } = how;
  const compress = checkCompression(given.compress);
  const type = records?.format ?? 'txt';
  const shards = named?.names.length ?? router.shards;
  const keepsLineEnds = records !== undefined;
  const kernels = openWorkspace();
  try {
    const files = new ShardFiles(kernels, directory, {
      shards,
      names: named?.names,
      type,
      keepsLineEnds,
      compress,
      maxRows,
      manifest: records && { router, ...(!abilitiesOf(router).routeText && { keys }), records },
    });
    const options = { ...how, keepsLineEnds };
    const share = () => ({ ...options, shared: files.share() });
    const isShared = shards <= MAX_SHARED_FILES && maxRows === undefined;
    const results = runOperation(job, ROUTE_TO_FILES, options, { threads: isShared ? threads : 1, share });
    return await drain(results, files, ({ value }) => files.write(value), onProgress);
  } finally {
    kernels.free();
  }
}
