import type { Column, Kernels } from '../kernels/contract.js';
import { LineError } from './line-hasher.js';

export const READ_BYTES = 256 * 1024;

/**
 * The longest line or record, in bytes without its line end: the kernels' memory of 4 GiB holds a few times as much, for
 * what is made of it. Text of more is too long for a string, too.
 */
export const LONGEST_LINE = 512 * 1024 * 1024;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]; // U+FEFF in UTF-8
const SLACK_BYTES = 64; // after what has been read; some kernels read so far

/**
 * Bytes that have been read and not handed out, in the kernels' memory. A UTF-8 byte order mark at the start is left
 * out. It is a fixed size, or a few times what waits for its end if that is more.
 */
export class ReadBuffer {
  /** data[start..end) has been read and not handed out. */
  start = 0;
  end = 0;
  /** The number of the line that starts there, from 1. */
  line = 1;
  readonly #kernels: Kernels;
  readonly #noun: 'line' | 'record';
  #data: Column<'u8'>;
  /** Whether what has not been handed out may start with a byte order mark. */
  #isStart = true;

  /** @param longest in bytes, 256 KiB or more */
  constructor(
    kernels: Kernels,
    noun: 'line' | 'record',
    readonly longest: number,
  ) {
    this.#kernels = kernels;
    this.#noun = noun;
    this.#data = kernels.column('u8', 2 * READ_BYTES);
  }

  /** @param isStart whether what comes is the first of a file */
  restart(isStart: boolean): void {
    this.start = this.end = 0;
    this.line = 1;
    this.#isStart = isStart;
  }

  get data(): Column<'u8'> {
    return this.#data;
  }

  /**
   * Where the next bytes go: 256 KiB or more, good until the next call to this.
   * @throws LineError if what waits for its end is too long
   */
  room(): Uint8Array {
    if (this.start > 0) this.data.array.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    if (this.end > this.longest + 1) throw this.tooLong(this.end); // 1 for a \r
    if (this.data.length - SLACK_BYTES - this.end < READ_BYTES) this.#grow();
    return this.data.array.subarray(this.end, this.data.length - SLACK_BYTES);
  }

  /** Says how many bytes have come. */
  filled(byteLength: number): void {
    this.end += byteLength;
    if (this.#isStart) this.#skipByteOrderMark();
  }

  /**
   * How many lines, of so many that have been found from `start` on, come before one that is too long.
   * @throws LineError if that is the first
   */
  countUpToTooLong(count: number, starts: Uint32Array, ends: Uint32Array): number {
    if ((starts[count] as number) - this.start <= this.longest) return count; // none can be
    const lengths = ends.subarray(0, count).map((end, i) => end - (starts[i] as number));
    const tooLong = lengths.findIndex((byteLength) => byteLength > this.longest);
    if (tooLong === 0) throw this.tooLong(lengths[0] as number);
    return tooLong < 0 ? count : tooLong;
  }

  /** About the line that starts at `start`. */
  tooLong(byteLength: number, longest = this.longest): LineError {
    return new LineError(this.line, `at most ${longest} bytes in a ${this.#noun}`, byteLength);
  }

  free(): void {
    this.data.free();
  }

  /** One that has come in part may still be a line's first bytes. */
  #skipByteOrderMark(): void {
    const head = this.data.array.subarray(this.start, Math.min(this.end, this.start + BYTE_ORDER_MARK.length));
    if (head.some((byte, i) => byte !== BYTE_ORDER_MARK[i])) this.#isStart = false;
    else if (head.length === BYTE_ORDER_MARK.length) {
      this.#isStart = false;
      this.start += head.length;
    }
  }

  #grow(): void {
    // Twice as much, until that is room for the longest line and another read.
    const twice = 2 * this.data.length;
    const byteLength = twice < this.longest ? twice : this.longest + 1 + READ_BYTES + SLACK_BYTES;
    let larger: Column<'u8'>;
    try {
      larger = this.#kernels.column('u8', byteLength);
    } catch (error) {
      throw error instanceof RangeError ? this.tooLong(this.end, this.data.length - READ_BYTES) : error;
    }
    larger.array.set(this.data.array.subarray(0, this.end));
    this.data.free();
    this.#data = larger;
  }
}
