import type { Batch } from './batch.js';
import { LineError, shownText } from './hash.js';

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

/**
 * Turns a stream of bytes into batches of lines or records. Read bytes into `room()`, call `filled()`, and call `next()`
 * until it returns nothing. At the end call `ended()`, then `next()` again.
 */
export interface BatchSource {
  /**
   * Prepares for other bytes, whose first line is number 1.
   * @param isStart whether they are the start of a file
   */
  restart(isStart?: boolean): void;
  /**
   * The array to read the next bytes into: 256 KiB or more, valid until the next call of `room`.
   * @throws LineError for a line or record that is too long
   */
  room(): Uint8Array;
  /** Tells how many bytes were read. */
  filled(byteLength: number): void;
  /** Tells that there are no more bytes. */
  ended(): void;
  /**
   * The next piece; undefined until more bytes come.
   * @throws LineError if the next line or record is too long, or the header lacks a column
   */
  next(): Piece | undefined;
  free(): void;
}

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

/** A record that is malformed. @param bytes a copy of it, without its line end */
export function malformed(line: number, expected: string, bytes: Uint8Array): InvalidLine {
  return { kind: 'invalid', line, error: new LineError(line, expected, shownText(bytes)), bytes };
}

/** All pieces that are complete. */
export function* drain(source: BatchSource): Generator<Piece> {
  for (let piece = source.next(); piece !== undefined; piece = source.next()) yield piece;
}

/** The pieces that are complete with some more bytes. */
export function* piecesIn(bytes: Uint8Array, source: BatchSource): Generator<Piece> {
  for (let from = 0; from < bytes.length; ) {
    const room = source.room();
    const piece = bytes.subarray(from, from + room.length);
    room.set(piece);
    from += piece.length;
    source.filled(piece.length);
    yield* drain(source);
  }
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
