import type { BytesColumn } from '../../columns/keys.js';
import type { Batch } from '../batch.js';

// To detect by so many takes about 3 s, and 10 s for a million.
const MAX_ROWS = 300_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Rows that have been kept. */
export interface SampleOfRows {
  readonly keys: BytesColumn;
  readonly shards: Uint32Array;
  /** The number of each row in all inputs, from 1. Rows that were refused count, too. */
  readonly numbers: Float64Array;
  /** The file and the line where a row begins. */
  placeOf(row: number): { readonly file: string; readonly line: number };
}

/**
 * Keeps rows of keys and shards: all of them or, if there are more than 300,000 or their keys have more than 64 MiB, a
 * part that is chosen as if by chance, always in the same way.
 */
export class SampledRows {
  /** How many rows have come, without those that were refused. */
  rows = 0;
  #refused = 0;
  #data = new Uint8Array(1 << 16);
  #ends: number[] = [];
  #shards: number[] = [];
  #numbers: number[] = [];
  /** The line of each row in its file. */
  #lines: number[] = [];
  /** The files, each with the number of its first row. */
  readonly #files: { readonly name: string; readonly from: number }[] = [];
  /** A row is kept if its priority is below this. */
  #limit = 2 ** 32;

  constructor(
    private readonly maxRows = MAX_ROWS,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** Counts a row that was refused. */
  refuse(): void {
    this.#refused++;
  }

  add(lines: Pick<Batch, 'keys' | 'lineOf'>, shards: Uint32Array, file: string): void {
    if (this.#files.at(-1)?.name !== file) this.#files.push({ name: file, from: this.rows + this.#refused + 1 });
    const { data, starts, ends } = lines.keys;
    for (let row = 0; row < shards.length; row++) {
      const number = ++this.rows + this.#refused;
      if (priorityOf(number) >= this.#limit) continue;
      this.#room(ends[row] - starts[row]).set(data.subarray(starts[row], ends[row]));
      this.#ends.push(this.#byteLength + ends[row] - starts[row]);
      this.#shards.push(shards[row]);
      this.#numbers.push(number);
      this.#lines.push(lines.lineOf(row));
      while (this.#isFull) this.#dropHalf();
    }
  }

  /** What has been kept, valid until the next call of `add`. */
  get kept(): SampleOfRows {
    const offsets = new Uint32Array(this.#ends.length + 1);
    offsets.set(this.#ends, 1);
    const fileOf = (row: number) => this.#files.findLast(({ from }) => from <= this.#numbers[row])?.name ?? '';
    return {
      keys: { data: this.#data.subarray(0, this.#byteLength), offsets },
      shards: Uint32Array.from(this.#shards),
      numbers: Float64Array.from(this.#numbers),
      placeOf: (row) => ({ file: fileOf(row), line: this.#lines[row] }),
    };
  }

  get #byteLength(): number {
    return this.#ends.at(-1) ?? 0;
  }

  get #isFull(): boolean {
    const rows = this.#numbers.length;
    return rows > this.maxRows || (rows > 1 && this.#byteLength > this.maxBytes);
  }

  #room(byteLength: number): Uint8Array {
    const from = this.#byteLength;
    if (from + byteLength > this.#data.length) {
      const larger = new Uint8Array(2 * (from + byteLength));
      larger.set(this.#data.subarray(0, from));
      this.#data = larger;
    }
    return this.#data.subarray(from, from + byteLength);
  }

  #dropHalf(): void {
    this.#limit /= 2;
    let [rows, start, byteLength] = [0, 0, 0];
    for (const [i, number] of this.#numbers.entries()) {
      const end = this.#ends[i];
      if (priorityOf(number) < this.#limit) {
        this.#data.copyWithin(byteLength, start, end);
        byteLength += end - start;
        this.#ends[rows] = byteLength;
        this.#shards[rows] = this.#shards[i];
        this.#lines[rows] = this.#lines[i];
        this.#numbers[rows++] = number;
      }
      start = end;
    }
    for (const column of [this.#ends, this.#shards, this.#numbers, this.#lines]) column.length = rows;
  }
}

/** A number from 0 to 2^32 - 1 that looks like chance: the finalizer of MurmurHash3. */
function priorityOf(row: number): number {
  let h = Math.imul(row ^ (row >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
