import type { BadLine } from './around-bad-lines.js';
import type { Batch } from './batch.js';
import { LineError, shownText } from './line-hasher.js';

/**
 * Where the lines or records of a stream of bytes come from, in batches. Read into `room()`, tell `filled()`, take
 * `next()` until there is none; at the end tell `ended()`, and take `next()` again.
 */
export interface BatchSource {
  /**
   * Makes ready for other bytes, whose first line is number 1.
   * @param isStart whether they are the first of a file
   */
  restart(isStart?: boolean): void;
  /**
   * Where the next bytes go: 256 KiB or more, good until the next call to this.
   * @throws LineError for a line or record that is too long
   */
  room(): Uint8Array;
  /** Says how many bytes have come. */
  filled(byteLength: number): void;
  /** Says that no more will come. */
  ended(): void;
  /**
   * The next lines or records that have ended, or nothing until more bytes come.
   * @throws RecordError for the next one, if that is malformed; the call after that goes on behind it
   * @throws LineError for one that is too long, or a header that does not have what it must
   */
  next(): Batch | Header | undefined;
  free(): void;
}

/** The first record of a table of CSV, which names its columns. */
export class Header {
  constructor(
    /** Without its line end, in memory of its own. */
    readonly bytes: Uint8Array,
    readonly lineEnd: Uint8Array,
  ) {}

  /** With its line end, or `\n` if it has none. */
  get line(): Uint8Array<ArrayBuffer> {
    return joined(this.bytes, this.lineEnd.length > 0 ? this.lineEnd : NEWLINE);
  }

  /** The same with one more name at its end. */
  with(name: Uint8Array): Header {
    return new Header(joined(this.bytes, name), this.lineEnd);
  }
}

/** A record that is malformed. */
export class RecordError extends LineError {
  /** @param bytes the record without its line end, in memory of its own */
  constructor(
    line: number,
    expected: string,
    readonly bytes: Uint8Array,
  ) {
    super(line, expected, shownText(bytes));
  }
}

/** What has come, the records that are malformed in their places among the others. */
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
