import type { Writable } from 'node:stream';
import { checkOneOf, checkOptions, checkRecord } from '../arguments.js';
import { kernels } from '../kernels/active.js';
import { type RoutedLines, type RowFormat, RowWriter } from '../lines/row-writer.js';
import type { Router } from '../routing/router.js';
import type { Input } from './input.js';
import { checkOutput, openOutput } from './output.js';
import { checkProgress, drain, type LineJobOptions, type Progress, routeLines } from './routed-lines.js';

export interface RouteFileOptions extends LineJobOptions {
  router: Router;
  /** Where the rows go, in the order of the keys: a path (complete or not there at all), or a stream, which stays open. */
  out: string | Writable;
  /** `tsv` (default), `shard` or `u32`. */
  format?: RowFormat;
}

/**
 * Routes every line of a file. A line ends at `\n` or `\r\n`, an empty line is the empty key, a last
 * line without a newline counts. Memory does not grow with the file, save for its longest line.
 * @param input a path, or a stream of bytes; or several, one after the other
 * @returns how many keys and bytes there were
 * @throws TypeError or RangeError for options of the wrong kind or value; RangeError, with the line,
 *   for bad data; Node's own errors for what cannot be read or written. All as rejections
 * @example
 * const router = new Router({ shards: 1024 });
 * await routeFile('keys.txt', { router, out: 'keys.tsv' });
 */
export async function routeFile(input: Input | readonly Input[], options: RouteFileOptions): Promise<Progress> {
  checkRecord('options', options);
  const known = ['router', 'out', 'format', 'keys', 'signal', 'onProgress'] as const;
  const { router, out, format = 'tsv', keys, signal, onProgress } = checkOptions(options, known);
  const rows = routeLines(input, router, { keys, signal });
  checkOneOf('format', format, ['tsv', 'shard', 'u32']);
  checkProgress(onProgress);
  const output = openOutput(checkOutput(out), signal);
  const writer = new RowWriter(kernels(), format);
  const write = (batch: RoutedLines) => output.write(writer.write(batch));
  const sink = { write, finish: () => output.finish(), discard: () => output.discard() };
  return drain(rows, sink, onProgress).finally(() => writer.free());
}
