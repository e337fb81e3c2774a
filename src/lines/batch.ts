import type { Column, Spans } from '../kernels/contract.js';
import type { AppendedRecords } from '../kernels/record-contract.js';

/**
 * Lines or records without their line ends, in the kernels' memory; good until the next call to their source. Ask
 * for the arrays anew after making a column, as that may grow the memory (see `Column.array`).
 */
export interface Lines extends Spans {
  readonly count: number;
  /** The number of the line in its input in which the first one starts, from 1. */
  readonly firstLine: number;
  /** What is hashed of each: all of a line, or the key of a record. */
  readonly keys: Spans;
}

/** The columns of a batch. What has been made of its lines begins with its first line. */
interface BatchColumns {
  readonly data: Column<'u8'>;
  /** One more than there are lines: where the next one starts. */
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  /** Of records. */
  readonly found?: FoundColumns;
  readonly hashes?: Column<'u64'>;
  readonly shards?: Column<'u32'>;
}

/** What has been found in records. */
export interface FoundColumns {
  readonly keys: KeyPlaces;
  /** Of NDJSON: the places of their last braces. */
  readonly closes?: Column<'u32'>;
}

/** Key i is data[starts[i]..ends[i + shift]). */
export interface KeyPlaces {
  readonly data: Column<'u8'>;
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  readonly shift: 0 | 1;
}

/** Where a batch begins in its columns. */
interface BatchPlace {
  /** In those of lines. */
  readonly line: number;
  /** In what has been found in records. */
  readonly found: number;
}

/** Numbers lines. They are counted when one is asked for: for errors. */
export class LineNumbers {
  readonly #data: Column<'u8'>;
  readonly #first: readonly [place: number, line: number];
  #last: readonly [place: number, line: number];

  /** @param line that starts at that place, from 1 */
  constructor(data: Column<'u8'>, place: number, line: number) {
    this.#data = data;
    this.#first = this.#last = [place, line];
  }

  /** The number of the line that starts there. */
  at(place: number): number {
    const [from, line] = place >= this.#last[0] ? this.#last : this.#first;
    this.#last = [place, line + newlinesIn(this.#data.array, from, place)];
    return this.#last[1];
  }
}

const NEWLINE = 0x0a;

export function newlinesIn(data: Uint8Array, from: number, to: number): number {
  const bytes = data.subarray(from, to);
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/**
 * Lines, and their hashes or shards once there are any. A class, because an object literal with getters takes memory
 * that only a full collection frees: 300 bytes a batch.
 */
export class Batch implements Lines {
  readonly #columns: BatchColumns;
  readonly #numbers: LineNumbers;
  readonly #place: BatchPlace;

  constructor(
    readonly count: number,
    columns: BatchColumns,
    numbers: LineNumbers,
    place: BatchPlace = { line: 0, found: 0 },
  ) {
    this.#columns = columns;
    this.#numbers = numbers;
    this.#place = place;
  }

  /** The same lines with more made of them. */
  with(made: Pick<BatchColumns, 'hashes' | 'shards'>): Batch {
    return new Batch(this.count, { ...this.#columns, ...made }, this.#numbers, this.#place);
  }

  /** Some of the lines, of which nothing has been made yet. */
  slice(from: number, to: number): Batch {
    if (from === 0 && to === this.count) return this;
    const { hashes, shards, ...columns } = this.#columns;
    const { line, found } = this.#place;
    return new Batch(to - from, columns, this.#numbers, { line: line + from, found: found + from });
  }

  /** The first of the lines, as the records that have been found in them. */
  asRecords(count: number, found: FoundColumns): Batch {
    return new Batch(count, { ...this.#columns, found }, this.#numbers, { line: this.#place.line, found: 0 });
  }

  get lines(): Lines {
    return this;
  }

  get firstLine(): number {
    return this.lineOf(0);
  }

  /** The number of the line in which one starts, from 1. */
  lineOf(row: number): number {
    return this.#numbers.at(this.#columns.starts.array[this.#place.line + row] as number);
  }

  get memory(): Column<'u8'> {
    return this.#columns.data;
  }

  get data(): Uint8Array {
    return this.#columns.data.array;
  }

  get starts(): Uint32Array {
    return this.#lineRows(this.#columns.starts, 0);
  }

  get ends(): Uint32Array {
    return this.#lineRows(this.#columns.ends, 0);
  }

  /** Where the line after each one starts. */
  get nexts(): Uint32Array {
    return this.#lineRows(this.#columns.starts, 1);
  }

  get keys(): Spans {
    const { found } = this.#columns;
    if (found === undefined) return this;
    const { data, starts, ends, shift } = found.keys;
    return { data: data.array, starts: this.#foundRows(starts), ends: this.#foundRows(ends, shift) };
  }

  /** What a column can be added to. */
  get records(): AppendedRecords {
    const { starts, ends, found } = this.#columns;
    const { line } = this.#place;
    return {
      data: this.data,
      starts: starts.array.subarray(line, line + this.count + 1),
      ends: ends.array.subarray(line, line + this.count),
      closes: found?.closes && this.#foundRows(found.closes),
    };
  }

  /** Of lines that have been hashed. */
  get hashes(): BigUint64Array {
    return (this.#columns.hashes as Column<'u64'>).array.subarray(0, this.count);
  }

  /** Of lines that have been routed. */
  get shards(): Uint32Array {
    return (this.#columns.shards as Column<'u32'>).array.subarray(0, this.count);
  }

  #lineRows(column: Column<'u32'>, shift: 0 | 1): Uint32Array {
    const first = this.#place.line + shift;
    return column.array.subarray(first, first + this.count);
  }

  #foundRows(column: Column<'u32'>, shift: 0 | 1 = 0): Uint32Array {
    const first = this.#place.found + shift;
    return column.array.subarray(first, first + this.count);
  }
}
