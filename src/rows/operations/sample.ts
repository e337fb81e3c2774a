import type { Batch } from '../batch.js';

// To detect by so many takes about 3 s, and 10 s for a million.
const MAX_ROWS = 300_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Keeps rows of keys and shards: all of them or, if there are more than 300,000 or their keys have more than 64 MiB, a
 * part that is chosen as if by chance, always in the same way.
 */
export class SampledRows {
  /** How many rows have come, without those that were refused. */
  rows = 0;
  #refused = 0;
  #data = new Uint8Array(1 << 16);
  /** What has been kept: where keys end in the data, the numbers of the rows, and their lines in their files. */
  #kept: { readonly end: number; readonly shard: number; readonly number: number; readonly line: number }[] = [];
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
      const end = this.#byteLength + ends[row] - starts[row];
      this.#kept.push({ end, shard: shards[row], number, line: lines.lineOf(row) });
      while (this.#isFull) this.#dropHalf();
    }
  }

  /** What has been kept, valid until the next call of `add`. */
  get kept() {
    const rows = this.#kept;
    const ends = rows.map(({ end }) => end);
    const fileOf = (row: number) => this.#files.findLast(({ from }) => from <= rows[row].number)?.name ?? '';
    return {
      keys: { data: this.#data.subarray(0, this.#byteLength), offsets: Uint32Array.from([0, ...ends]) },
      shards: Uint32Array.from(rows, ({ shard }) => shard),
      /** The number of each row in all inputs, from 1. Rows that were refused count, too. */
      numbers: Float64Array.from(rows, ({ number }) => number),
      /** The file and the line where a row begins. */
      placeOf: (row: number) => ({ file: fileOf(row), line: rows[row].line }),
    };
  }

  get #byteLength(): number {
    return this.#kept.at(-1)?.end ?? 0;
  }

  get #isFull(): boolean {
    const rows = this.#kept.length;
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
    let [start, byteLength] = [0, 0];
    this.#kept = this.#kept.flatMap((row) => {
      const from = start;
      start = row.end;
      if (priorityOf(row.number) >= this.#limit) return [];
      this.#data.copyWithin(byteLength, from, row.end);
      byteLength += row.end - from;
      return { ...row, end: byteLength };
    });
  }
}

/** A number from 0 to 2^32 - 1 that looks like chance: the finalizer of MurmurHash3. */
function priorityOf(row: number): number {
  let h = Math.imul(row ^ (row >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
