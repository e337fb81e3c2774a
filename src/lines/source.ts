import { describeValue } from '../arguments.js';
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

/** Complete lines or records, the header of a table, or a record that is malformed. */
export type Piece = Batch | Header | InvalidLine;

/** The first record of a CSV table, which names its columns. */
export class Header {
  readonly kind = 'header';

  constructor(
    /** A copy, without the line end. */
    readonly bytes: Uint8Array,
    readonly lineEnd: Uint8Array,
  ) {}

  /** The header with its line end, or `\n` if it has none. */
  get line(): Uint8Array<ArrayBuffer> {
    return joined(this.bytes, this.lineEnd.length > 0 ? this.lineEnd : NEWLINE);
  }

  /** The header with one more name at its end. */
  with(name: Uint8Array): Header {
    return new Header(joined(this.bytes, name), this.lineEnd);
  }
}

const SHOWN_BYTES = 4096;

/** The start of a malformed line or record, for an error. All of it could be too long for a string. */
export function shownText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(0, SHOWN_BYTES));
}

/** A line or record with bad data. */
export class LineError extends RangeError {
  readonly code = 'ERR_OUT_OF_RANGE';

  /**
   * @param line the number of the line, from 1
   * @param file the file of the line, if it is known; `-` for a stream
   */
  constructor(
    readonly line: number,
    readonly expected: string,
    readonly got: string | number,
    readonly file?: string,
  ) {
    super(`${file === undefined ? 'line ' : `${file}:`}${line}: expected ${expected}, got ${describeValue(got)}`);
  }
}

/** A line or a record whose key is not of the expected kind. */
export class KeyError extends LineError {
  constructor(
    lines: Batch,
    readonly row: number,
    expected: string,
  ) {
    const { data, starts, ends } = lines.keys;
    const text = shownText(data.subarray(starts[row], ends[row]));
    super(lines.lineOf(row), expected, text);
  }
}

/** A record that is malformed. @param bytes a copy of it, without its line end */
export function malformed(line: number, expected: string, bytes: Uint8Array): InvalidLine {
  return { kind: 'invalid', line, error: new LineError(line, expected, shownText(bytes)), bytes };
}

const NEWLINE = Uint8Array.of(0x0a);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** The result of some lines, or a line that is refused. */
export type Outcome<T> = { readonly kind: 'value'; readonly value: T; readonly rows: number } | InvalidLine;

// After an invalid line only this many are tried, then twice as many each time, so that little work is lost if many are.
const ROWS_AFTER_INVALID = 16;

/**
 * Does work on the lines of a batch, in their order, and skips invalid lines. When `work` refuses a line, it is done again
 * for the lines before that one, and then for those after it. Pieces other than batches stay as they are.
 * @param work refuses a line with an error whose `row` counts from the first line that it was given. A row below 0 is an
 *   empty line before them
 */
export function* skipInvalid<T>(piece: Piece, work: (lines: Batch) => T): Generator<Outcome<T> | Header> {
  if (piece.kind !== 'batch') return yield piece;
  const { count } = piece;
  let most = count;
  let refused: Refused | undefined; // kept while the lines before it are done
  for (let from = 0, to = count; from < count; to = refused ? to : Math.min(from + most, count)) {
    const outcome = attempt(piece.slice(from, to), work);
    if (outcome.kind === 'value') {
      yield outcome;
      from = to;
      most *= 2;
    } else {
      refused = outcome;
      to = from + Math.max(0, refused.row);
    }
    if (refused !== undefined && from === to) {
      yield refused;
      if (refused.row >= 0) from++;
      most = ROWS_AFTER_INVALID;
      refused = undefined;
    }
  }
}

type Refused = InvalidLine & { readonly row: number };

function attempt<T>(lines: Batch, work: (lines: Batch) => T): Exclude<Outcome<T>, InvalidLine> | Refused {
  try {
    return { kind: 'value', value: work(lines), rows: lines.count };
  } catch (error) {
    if (!(error instanceof Error) || !('row' in error) || typeof error.row !== 'number') throw error;
    const { row } = error;
    const isLine = row >= 0;
    const bytes = isLine ? lines.data.slice(lines.starts[row], lines.ends[row]) : new Uint8Array(0);
    const line = isLine ? lines.lineOf(row) : lines.firstLine + row;
    return { kind: 'invalid', row, line, error, bytes };
  }
}
