import { type Column, type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import { Batch } from './batch.js';

const READ_BYTES = 256 * 1024;

/**
 * Cuts a byte stream into lines, in batches. A line ends at `\n` or `\r\n`; bytes after the last
 * newline are a line too, and no bytes are no line. Its memory is a fixed size, or a few times the
 * longest line if that is more.
 *
 * Read into `room()`, tell `filled()`, take `next()` until there is none; at the end take `last()`.
 */
export class LineBatches {
  readonly #kernels: Kernels;
  #data: Column<'u8'>;
  readonly #starts: Column<'u32'>;
  readonly #ends: Column<'u32'>;
  /** data[start..end) has been read and not handed out; newlines in it are known up to `scanned`. */
  #start = 0;
  #scanned = 0;
  #end = 0;
  #line = 1;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
    this.#data = kernels.column('u8', 2 * READ_BYTES);
    this.#starts = kernels.column('u32', PIECE_ROWS + 1);
    this.#ends = kernels.column('u32', PIECE_ROWS);
  }

  /** Makes ready for other bytes, whose first line is number 1. */
  restart(): void {
    this.#start = this.#scanned = this.#end = 0;
    this.#line = 1;
  }

  /** Where the next bytes go: 256 KiB or more, good until the next call to this. */
  room(): Uint8Array {
    this.#data.array.copyWithin(0, this.#start, this.#end);
    this.#scanned -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
    if (this.#data.length - this.#end < READ_BYTES) this.#grow();
    return this.#data.array.subarray(this.#end);
  }

  /** Says how many bytes have come. */
  filled(byteLength: number): void {
    this.#end += byteLength;
  }

  /** The next lines that have ended, or nothing until more bytes come. */
  next(): Batch | undefined {
    const starts = this.#starts.array;
    const ends = this.#ends.array;
    starts[0] = this.#start;
    const count = this.#kernels.lines(this.#data.array, this.#scanned, this.#end, starts, ends);
    this.#start = starts[count] as number;
    this.#scanned = count === ends.length ? this.#start : this.#end;
    return count === 0 ? undefined : this.#take(count);
  }

  /** The last line, if it has no newline. */
  last(): Batch | undefined {
    if (this.#start === this.#end) return undefined;
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

  #grow(): void {
    const larger = this.#kernels.column('u8', 2 * this.#data.length);
    larger.array.set(this.#data.array.subarray(0, this.#end));
    this.#data.free();
    this.#data = larger;
  }
}
