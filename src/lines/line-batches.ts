import { type Column, type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import { lineKernels } from '../kernels/lines.js';
import { Batch } from './batch.js';
import { LineError } from './line-hasher.js';

const READ_BYTES = 256 * 1024;

/**
 * The longest line, in bytes without its newline: the kernels' memory of 4 GiB holds a few times as much, for what is
 * made of it. Text of more is too long for a string, too.
 */
export const LONGEST_LINE = 512 * 1024 * 1024;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]; // U+FEFF in UTF-8

/**
 * Cuts a byte stream into lines, in batches. A line ends at `\n` or `\r\n`; bytes after the last
 * newline are a line too, and no bytes are no line. A UTF-8 byte order mark at the start is left out. Its memory
 * is a fixed size, or a few times the longest line if that is more.
 *
 * Read into `room()`, tell `filled()`, take `next()` until there is none; at the end take `last()`. All but `filled`
 * throw a LineError for a line that is too long, after the lines before it.
 */
export class LineBatches {
  readonly #kernels: Kernels;
  readonly #longestLine: number;
  #data: Column<'u8'>;
  readonly #starts: Column<'u32'>;
  readonly #ends: Column<'u32'>;
  /** data[start..end) has been read and not handed out; newlines in it are known up to `scanned`. */
  #start = 0;
  #scanned = 0;
  #end = 0;
  #line = 1;
  /** Whether what has not been handed out may start with a byte order mark. */
  #isStart = true;

  /** @param longestLine in bytes, 256 KiB or more */
  constructor(kernels: Kernels, longestLine = LONGEST_LINE) {
    this.#kernels = kernels;
    this.#longestLine = longestLine;
    this.#data = kernels.column('u8', 2 * READ_BYTES);
    this.#starts = kernels.column('u32', PIECE_ROWS + 1);
    this.#ends = kernels.column('u32', PIECE_ROWS);
  }

  /**
   * Makes ready for other bytes, whose first line is number 1.
   * @param isStart whether they are the first of a file
   */
  restart(isStart = true): void {
    this.#start = this.#scanned = this.#end = 0;
    this.#line = 1;
    this.#isStart = isStart;
  }

  /** Where the next bytes go: 256 KiB or more, good until the next call to this. */
  room(): Uint8Array {
    if (this.#start > 0) this.#data.array.copyWithin(0, this.#start, this.#end);
    this.#scanned -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
    if (this.#end > this.#longestLine + 1) throw this.#tooLong(this.#line, this.#end); // 1 for a \r
    if (this.#data.length - this.#end < READ_BYTES) this.#grow();
    return this.#data.array.subarray(this.#end);
  }

  /** Says how many bytes have come. */
  filled(byteLength: number): void {
    this.#end += byteLength;
    if (this.#isStart) this.#skipByteOrderMark();
  }

  /** The next lines that have ended, or nothing until more bytes come. */
  next(): Batch | undefined {
    const starts = this.#starts.array;
    const ends = this.#ends.array;
    starts[0] = this.#start;
    const found = lineKernels(this.#kernels).lines(this.#data.array, this.#scanned, this.#end, starts, ends);
    const count = this.#countUpToTooLong(found);
    this.#start = starts[count] as number;
    this.#scanned = count === found && found < ends.length ? this.#end : this.#start;
    return count === 0 ? undefined : this.#take(count);
  }

  /** The last line, if it has no newline. */
  last(): Batch | undefined {
    if (this.#start === this.#end) return undefined;
    const byteLength = this.#end - this.#start;
    if (byteLength > this.#longestLine) throw this.#tooLong(this.#line, byteLength);
    this.#starts.array[0] = this.#start;
    this.#ends.array[0] = this.#end;
    this.#start = this.#scanned = this.#end;
    return this.#take(1);
  }

  free(): void {
    this.#data.free();
    this.#starts.free();
    this.#ends.free();
  }

  #take(count: number): Batch {
    const firstLine = this.#line;
    this.#line += count;
    return new Batch(count, firstLine, { data: this.#data, starts: this.#starts, ends: this.#ends });
  }

  /** One that has come in part may still be a line's first bytes. */
  #skipByteOrderMark(): void {
    const head = this.#data.array.subarray(this.#start, Math.min(this.#end, this.#start + BYTE_ORDER_MARK.length));
    if (head.some((byte, i) => byte !== BYTE_ORDER_MARK[i])) this.#isStart = false;
    else if (head.length === BYTE_ORDER_MARK.length) {
      this.#isStart = false;
      this.#start += head.length;
      this.#scanned = this.#start;
    }
  }

  /** How many lines come before one that is too long, which is an error when it is the first. */
  #countUpToTooLong(count: number): number {
    const starts = this.#starts.array;
    if ((starts[count] as number) - this.#start <= this.#longestLine) return count; // none can be
    const lengths = this.#ends.array.subarray(0, count).map((end, i) => end - (starts[i] as number));
    const tooLong = lengths.findIndex((byteLength) => byteLength > this.#longestLine);
    if (tooLong === 0) throw this.#tooLong(this.#line, lengths[0] as number);
    return tooLong < 0 ? count : tooLong;
  }

  #tooLong(line: number, byteLength: number, longest = this.#longestLine): LineError {
    return new LineError(line, `at most ${longest} bytes in a line`, byteLength);
  }

  #grow(): void {
    // Twice as much, until that is room for the longest line and another read.
    const twice = 2 * this.#data.length;
    const byteLength = twice < this.#longestLine ? twice : this.#longestLine + 1 + READ_BYTES;
    let larger: Column<'u8'>;
    try {
      larger = this.#kernels.column('u8', byteLength);
    } catch (error) {
      throw error instanceof RangeError ? this.#tooLong(this.#line, this.#end, this.#data.length - READ_BYTES) : error;
    }
    larger.array.set(this.#data.array.subarray(0, this.#end));
    this.#data.free();
    this.#data = larger;
  }
}
