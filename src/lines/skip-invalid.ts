import type { Batch } from './batch.js';

/** A line that is refused. */
export interface BadLine {
  /** The number of the line, from 1. */
  readonly line: number;
  /** What was expected and what came. */
  readonly error: Error;
  /** The line without its newline, in memory of its own. */
  readonly bytes: Uint8Array;
}

/** The result of some lines, or a bad line. */
export type Outcome<T> = { readonly made: T; readonly rows: number } | BadLine;

// After a bad line only this many are tried, then twice as many each time, so that little work is lost if many are bad.
const ROWS_AFTER_BAD = 16;

/**
 * Does work on the lines of a batch, in their order, and skips bad lines. When `work` refuses a line, it is done again for
 * the lines before that one, and then for those after it.
 * @param work refuses a line with an error whose `row` counts from the first line that it was given. A row below 0 is an
 *   empty line before them
 */
export function* aroundBadLines<T>(lines: Batch, work: (lines: Batch) => T): Generator<Outcome<T>> {
  let most = lines.count;
  let bad: { readonly row: number; readonly line: BadLine } | undefined; // kept while the lines before it are done
  for (let from = 0, to = lines.count; from < lines.count; to = bad ? to : Math.min(from + most, lines.count)) {
    const some = lines.slice(from, to);
    const outcome = attempt(some, work);
    if ('made' in outcome) {
      yield outcome;
      from = to;
      most *= 2;
    } else {
      bad = outcome;
      to = from + Math.max(0, bad.row);
    }
    if (bad !== undefined && from === to) {
      yield bad.line;
      if (bad.row >= 0) from++;
      most = ROWS_AFTER_BAD;
      bad = undefined;
    }
  }
}

function attempt<T>(
  lines: Batch,
  work: (lines: Batch) => T,
): { readonly made: T; readonly rows: number } | { readonly row: number; readonly line: BadLine } {
  try {
    return { made: work(lines), rows: lines.count };
  } catch (error) {
    if (!(error instanceof Error) || !('row' in error) || typeof error.row !== 'number') throw error;
    const { row } = error;
    if (row < 0) return { row, line: { line: lines.firstLine + row, error, bytes: new Uint8Array(0) } };
    const bytes = lines.data.slice(lines.starts[row], lines.ends[row]);
    return { row, line: { line: lines.lineOf(row), error, bytes } };
  }
}
