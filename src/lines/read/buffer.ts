import type { Column, Kernels } from '../../kernels/types.js';
import { LineError } from '../hash.js';
import type { BatchSource, Piece } from '../source.js';

export const READ_BYTES = 256 * 1024;

/**
 * The longest line or record, in bytes without its line end. Working on it takes a few times as much of the kernels' 4 GiB,
 * and JavaScript strings cannot be much longer either.
 */
export const MAX_LINE = 512 * 1024 * 1024;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]; // U+FEFF in UTF-8
const SLACK_BYTES = 64; // some kernels read this far beyond the data

/**
 * A source with the bytes that have been read and not returned yet in the kernels' memory. A UTF-8 byte order mark at the
 * start is left out. The buffer has a fixed size, or a few times that of an incomplete line or record if that is more.
 */
export abstract class BufferedSource implements BatchSource {
  /** data[start..end) has been read and not returned yet. */
  protected start = 0;
  protected end = 0;
  /** The number of the line at `start`, from 1. */
  protected line = 1;
  protected isEnd = false;
  readonly #noun: 'line' | 'record';
  #data: Column<'u8'>;
  /** Whether a byte order mark may be at `start`. */
  #isStart = true;

  /** @param longest the longest line or record in bytes, 256 KiB or more */
  constructor(
    protected readonly kernels: Kernels,
    noun: 'line' | 'record',
    protected readonly longest: number,
  ) {
    this.#noun = noun;
    this.#data = kernels.column('u8', 2 * READ_BYTES);
  }

  abstract next(): Piece | undefined;

  restart(isStart = true): void {
    this.start = this.end = 0;
    this.line = 1;
    this.isEnd = false;
    this.#isStart = isStart;
  }

  protected get data(): Column<'u8'> {
    return this.#data;
  }

  room(): Uint8Array {
    if (this.start > 0) this.data.array.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    if (this.end > this.longest + 1) throw this.tooLong(this.end); // 1 for a \r
    if (this.data.length - SLACK_BYTES - this.end < READ_BYTES) this.#grow();
    return this.data.array.subarray(this.end, this.data.length - SLACK_BYTES);
  }

  filled(byteLength: number): void {
    this.end += byteLength;
    if (this.#isStart) this.#skipByteOrderMark();
  }

  ended(): void {
    this.isEnd = true;
  }

  /**
   * How many of the `count` lines that were found from `start` on come before the first one that is too long.
   * @throws LineError if the first line is too long
   */
  protected countUpToTooLong(count: number, starts: Uint32Array, ends: Uint32Array): number {
    if (starts[count] - this.start <= this.longest) return count; // all together are not too long
    const lengths = ends.subarray(0, count).map((end, i) => end - starts[i]);
    const tooLong = lengths.findIndex((byteLength) => byteLength > this.longest);
    if (tooLong === 0) throw this.tooLong(lengths[0]);
    return tooLong < 0 ? count : tooLong;
  }

  /** The error for the line at `start`. */
  protected tooLong(byteLength: number, longest = this.longest): LineError {
    return new LineError(this.line, `at most ${longest} bytes in a ${this.#noun}`, byteLength);
  }

  free(): void {
    this.data.free();
  }

  /** If only a part of the mark has come, those bytes may still belong to a line. */
  #skipByteOrderMark(): void {
    const head = this.data.array.subarray(this.start, Math.min(this.end, this.start + BYTE_ORDER_MARK.length));
    if (head.some((byte, i) => byte !== BYTE_ORDER_MARK[i])) this.#isStart = false;
    else if (head.length === BYTE_ORDER_MARK.length) {
      this.#isStart = false;
      this.start += head.length;
    }
  }

  #grow(): void {
    // Doubles, up to the longest line and one more read.
    const twice = 2 * this.data.length;
    const byteLength = twice < this.longest ? twice : this.longest + 1 + READ_BYTES + SLACK_BYTES;
    let larger: Column<'u8'>;
    try {
      larger = this.kernels.column('u8', byteLength);
    } catch (error) {
      throw error instanceof RangeError ? this.tooLong(this.end, this.data.length - READ_BYTES) : error;
    }
    larger.array.set(this.data.array.subarray(0, this.end));
    this.data.free();
    this.#data = larger;
  }
}
