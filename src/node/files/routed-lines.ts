import { checkOptions } from '../../arguments.js';
import { kernelsWithColumns } from '../../kernels/resident-columns.js';
import type { LineKeys } from '../../lines/line-hasher.js';
import { LineRouter } from '../../lines/line-router.js';
import type { RoutedLines } from '../../lines/row-writer.js';
import { checkRouter, type Router } from '../../routing/router.js';
import type { Input } from './input.js';
import { checkLineJob, checkOnReject, type LineRejectOptions, overLines, type Progress } from './line-jobs.js';

/**
 * The lines of inputs, one after the other, with their shards, in batches.
 * @param options.keys `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64
 * @throws as {@link hashLines}
 * @example
 * for await (const { shards } of routeLines('keys.txt', router)) console.log(shards[0]);
 */
export function routeLines(
  input: Input | readonly Input[],
  router: Router,
  options: LineRejectOptions & { keys?: LineKeys | undefined } = {},
): AsyncGenerator<RoutedLines & { progress: Progress }> {
  checkRouter('router', router);
  const { keys = 'text', signal, onReject } = checkOptions(options, ['keys', 'signal', 'onReject']);
  checkOnReject(onReject);
  return overLines(
    checkLineJob(input, keys, router.hash, signal),
    kernelsWithColumns(),
    { signal, onReject },
    (inUse) => {
      const lineRouter = new LineRouter(inUse, router, keys);
      return {
        work: (lines, progress) => Object.assign(lineRouter.route(lines), { progress }),
        free: () => lineRouter.free(),
      };
    },
  );
}
