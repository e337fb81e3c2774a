import { checkOptions } from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import type { Batch } from '../../lines/batch.js';
import type { Header } from '../../lines/batch-source.js';
import type { LineKeys } from '../../lines/line-hasher.js';
import { checkLineKeys, LineRouter } from '../../lines/line-router.js';
import type { RoutedLines } from '../../lines/row-writer.js';
import { type CheckedRows, checkRows, type Rows } from '../../lines/rows.js';
import { type ShardNames, withNames } from '../../lines/shard-names.js';
import { checkRouting, type Routing } from '../../routing/routing.js';
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

/**
 * The lines of one or more inputs with their shards, in batches.
 * @param options.keys `text` (default): a key is the bytes of a line. `u64`: a line is a u64 in decimal. Not for a
 *   partitioner
 * @param options.rows for records and their keys instead of lines
 * @throws as {@link hashLines}
 * @example
 * for await (const { shards } of routeLines('keys.txt', router)) console.log(shards[0]);
 */
export function routeLines(
  input: Input | readonly Input[],
  router: Routing,
  options: LineRejectOptions & { keys?: LineKeys | undefined; rows?: Rows | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouting('router', router);
  const { keys: given, rows, signal, onReject } = checkOptions(options, ['keys', 'rows', 'signal', 'onReject']);
  checkOnReject(onReject);
  const inputs = checkLineJob(input, signal);
  const keys = checkLineKeys(router, given, rows);
  return withoutHeaders(routeInputs(inputs, router, { keys, rows: checkRows(rows) }, { signal, onReject }));
}

/** The format of rows, and how they are routed. */
interface RoutedRows {
  readonly keys: LineKeys;
  readonly rows: CheckedRows | undefined;
  readonly names?: ShardNames | undefined;
}

/** The lines or records of inputs with their shards, or the indexes of their names. A header comes first, if there is one. */
export function routeInputs(
  inputs: readonly Input[],
  router: Routing,
  { keys, rows, names }: RoutedRows,
  options: LineRejectOptions,
): AsyncGenerator<WithProgress<Batch | Header>> {
  return overLines<WithProgress<Batch | Header>>(inputs, rows, kernelsWithColumns(), options, (inUse) => {
    const lineRouter = new LineRouter(inUse, router, keys);
    return {
      work: (lines, progress) => Object.assign(withNames(lineRouter.route(lines), names), { progress }),
      header: (header, progress) => Object.assign(header, { progress }),
      free: () => lineRouter.free(),
    };
  });
}
