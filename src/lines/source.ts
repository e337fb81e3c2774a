import type { Batch } from './batch.js';
import { LineError, shownText } from './hash.js';
import type { BadLine } from './skip-invalid.js';

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
   * The next complete lines or records; undefined until more bytes come.
   * @throws RecordError if the next record is malformed; the next call continues after it
   * @throws LineError if the next line or record is too long, or the header lacks a column
   */
  next(): Batch | Header | undefined;
  free(): void;
}

/** The first record of a CSV table, which names its columns. */
export class Header {
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

/** A record that is malformed. */
export class RecordError extends LineError {
  /** @param bytes a copy of the record, without its line end */
  constructor(
    line: number,
    expected: string,
    readonly bytes: Uint8Array,
  ) {
    super(line, expected, shownText(bytes));
  }
}

/** All batches that are complete, with malformed records in their places between them. */
export function* comingFrom(source: BatchSource): Generator<Batch | Header | BadLine> {
  for (let piece = next(source); piece !== undefined; piece = next(source)) yield piece;
}

function next(source: BatchSource): Batch | Header | BadLine | undefined {
  try {
    return source.next();
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    return { line: error.line, error, bytes: error.bytes };
  }
}

const NEWLINE = Uint8Array.of(0x0a);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
