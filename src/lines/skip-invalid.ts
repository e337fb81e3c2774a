import type { Batch } from './batch.js';

/** A line or record that is refused. */
export interface InvalidLine {
  readonly kind: 'invalid';
  /** The number of the line, from 1. */
  readonly line: number;
  /** What was expected and what came. */
  readonly error: Error;
  /** The line without its newline, in memory of its own. */
  readonly bytes: Uint8Array;
}

/** The result of some lines, or a line that is refused. */
export type Outcome<T> = { readonly kind: 'value'; readonly value: T; readonly rows: number } | InvalidLine;

// After an invalid line only this many are tried, then twice as many each time, so that little work is lost if many are.
const ROWS_AFTER_INVALID = 16;

/**
 * Does work on the lines of a batch, in their order, and skips invalid lines. When `work` refuses a line, it is done again
 * for the lines before that one, and then for those after it.
 * @param work refuses a line with an error whose `row` counts from the first line that it was given. A row below 0 is an
 *   empty line before them
 */
export function* skipInvalid<T>(lines: Batch, work: (lines: Batch) => T): Generator<Outcome<T>> {
  let most = lines.count;
  let refused: Refused | undefined; // kept while the lines before it are done
  for (let from = 0, to = lines.count; from < lines.count; to = refused ? to : Math.min(from + most, lines.count)) {
    const outcome = attempt(lines.slice(from, to), work);
    if (outcome.kind === 'value') {
      yield outcome;
      from = to;
      most *= 2;
    } else {
      refused = outcome;
      to = from + Math.max(0, refused.row);
    }
    if (refused !== undefined && from === to) {
      yield refused.line;
      if (refused.row >= 0) from++;
      most = ROWS_AFTER_INVALID;
      refused = undefined;
    }
  }
}

interface Refused {
  readonly kind: 'refused';
  readonly row: number;
  readonly line: InvalidLine;
}

function attempt<T>(lines: Batch, work: (lines: Batch) => T): Exclude<Outcome<T>, InvalidLine> | Refused {
  try {
    return { kind: 'value', value: work(lines), rows: lines.count };
  } catch (error) {
    if (!(error instanceof Error) || !('row' in error) || typeof error.row !== 'number') throw error;
    const { row } = error;
    const isLine = row >= 0;
    const bytes = isLine ? lines.data.slice(lines.starts[row], lines.ends[row]) : new Uint8Array(0);
    const line = isLine ? lines.lineOf(row) : lines.firstLine + row;
    return { kind: 'refused', row, line: { kind: 'invalid', line, error, bytes } };
  }
}
