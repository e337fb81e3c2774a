import { checkOptions, checkRecord, checkString } from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import { checkLineKeys } from '../../lines/line-router.js';
import { checkRows } from '../../lines/rows.js';
import { checkShardNames, type ShardNames } from '../../lines/shard-names.js';
import { checkRouting, isTextRouting, type Routing } from '../../routing/routing.js';
import type { Input } from './input.js';
import { checkLineJob, checkOnReject, checkProgress, type LineJobOptions, type Progress } from './line-jobs.js';
import { routeInputs } from './routed-lines.js';
import { drain } from './row-sink.js';
import { checkFileNames, ShardFiles } from './shard-files.js';

export interface RouteToDirectoryOptions extends LineJobOptions {
  router: Routing;
  directory: string;
  /** Names of shards, such as nodes: there is one file for each name, with the keys of all its shards. */
  names?: ShardNames | undefined;
}

/**
 * Writes the keys or records of every shard, in the order of the input, to its own file: `07.txt` or `07.csv` in a new or
 * an empty directory. Either all files appear, or none. With `rows`, each file has the table's header, and `manifest.json`
 * has the options and the numbers of rows and bytes, in total and of each file. Memory does not grow with the input, except
 * for its longest line; few files are open at a time.
 * @throws the errors of `routeFile`; RangeError for names that files cannot have; Error if the directory is not empty
 * @example
 * const router = new Router({ shards: 64 });
 * await routeToDirectory('users.csv', { router, directory: 'shards', rows: { format: 'csv', key: 'email' } });
 */
export async function routeToDirectory(
  input: Input | readonly Input[],
  options: RouteToDirectoryOptions,
): Promise<Progress> {
  checkRecord('options', options);
  const known = ['router', 'directory', 'names', 'keys', 'rows', 'signal', 'onReject', 'onProgress'] as const;
  const {
    router,
    directory,
    names: named,
    keys: given,
    rows,
    signal,
    onReject,
    onProgress,
  } = checkOptions(options, known);
  checkRouting('router', router);
  const names = checkShardNames(named, router.shards);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  const keys = checkLineKeys(router, given, rows);
  const checked = checkRows(rows);
  checkProgress(onProgress);
  checkString('directory', directory);
  const type = rows?.format ?? 'txt';
  if (names !== undefined) checkFileNames(names.texts, type);
  const files = new ShardFiles(kernelsWithColumns(), directory, {
    shards: names?.texts.length ?? router.shards,
    names: names?.texts,
    type,
    keepsLineEnds: rows !== undefined,
    manifest: rows && { router, ...(!isTextRouting(router) && { keys }), rows },
  });
  return drain(routeInputs(inputs, router, { keys, rows: checked, names }, { signal, onReject }), files, onProgress);
}
