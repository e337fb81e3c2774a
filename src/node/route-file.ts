import type { Writable } from 'node:stream';
import { checkInteger, checkOneOf, checkOptions, checkRecord } from '../arguments.js';
import { kernelsWithColumns } from '../kernels/resident-columns.js';
import { type RoutedLines, type RowFormat, RowWriter } from '../lines/row-writer.js';
import type { Router } from '../routing/router.js';
import { checkInputs, type Input, isPlainFile } from './files/input.js';
import { checkProgress, type LineJobOptions, type Progress } from './files/line-jobs.js';
import { checkOutput, openOutput } from './files/output.js';
import { routeLines } from './files/routed-lines.js';
import { drain } from './files/row-sink.js';
import { routeSegments } from './threads/route-segments.js';
import { MOST_THREADS } from './threads/workers.js';

export interface RouteFileOptions extends LineJobOptions {
  router: Router;
  /**
   * Where the rows go, in the order of the keys: a path, or a stream, which stays open. A file is complete or not there
   * at all. It may be an input: it is replaced when the last row has been written.
   */
  out: string | Writable;
  /** `tsv` (default), `shard` or `u32`. */
  format?: RowFormat | undefined;
  /**
   * How many threads route, 1 (default) to 256, this one among them. Only plain files can be shared out:
   * streams, pipes and what is compressed are read by one, as is everything with `onReject`. The rows are the same for
   * any number.
   */
  threads?: number | undefined;
}

/**
 * Routes every line of a file. A line ends at `\n` or `\r\n`, an empty line is the empty key, a last
 * line without a newline counts. A UTF-8 byte order mark at the start is not part of the first key. Memory does not
 * grow with the file, except for its longest line, which may have 512 MiB.
 * @param input a path, or a stream of bytes; or several, one after the other
 * @returns how many keys and bytes there were
 * @throws TypeError or RangeError for options of the wrong kind or value; RangeError, with the line,
 *   for bad data; Error with the code `ERR_UNSUPPORTED_FORMAT` for what is not lines of text, such as Parquet; Node's
 *   own errors for what cannot be read or written. All as rejections
 * @example
 * const router = new Router({ shards: 1024 });
 * await routeFile('keys.txt', { router, out: 'keys.tsv' });
 */
export async function routeFile(input: Input | readonly Input[], options: RouteFileOptions): Promise<Progress> {
  checkRecord('options', options);
  const known = ['router', 'out', 'format', 'threads', 'keys', 'signal', 'onReject', 'onProgress'] as const;
  const { router, out, format = 'tsv', threads = 1, keys, signal, onReject, onProgress } = checkOptions(options, known);
  const lines = routeLines(input, router, { keys, signal, onReject });
  checkOneOf('format', format, ['tsv', 'shard', 'u32']);
  checkInteger('threads', threads, 1, MOST_THREADS);
  checkProgress(onProgress);
  checkOutput(out);
  const paths = threads > 1 && onReject === undefined ? plainFiles(checkInputs(input)) : undefined;
  const output = openOutput(out, signal);
  const sink = <T>(rowsOf: (batch: T) => Uint8Array) => ({
    write: (batch: T) => output.write(rowsOf(batch)),
    finish: () => output.finish(),
    discard: () => output.discard(),
  });
  if (paths !== undefined) {
    const segments = routeSegments(paths, { router: { ...router }, keys: keys ?? 'text', format }, threads, signal);
    return drain(
      segments,
      sink<{ rows: Uint8Array }>(({ rows }) => rows),
      onProgress,
    );
  }
  const writer = new RowWriter(kernelsWithColumns(), format);
  return drain(
    lines,
    sink<RoutedLines>((batch) => writer.write(batch)),
    onProgress,
  ).finally(() => writer.free());
}

/** The paths of inputs, if all are those of plain files. */
function plainFiles(inputs: readonly Input[]): readonly string[] | undefined {
  return inputs.every((input) => typeof input === 'string' && isPlainFile(input)) ? (inputs as string[]) : undefined;
}
