import type { AppendedRecords } from '../kernels/record-types.js';
import type { Column, Spans } from '../kernels/types.js';

/**
 * Lines or records without their line ends, in the kernels' memory; valid until the next call of their source. Read the
 * arrays again after making a column, because that may grow the memory (see `Column.array`).
 */
export interface Lines extends Spans {
  readonly count: number;
  /** The number of the input's line in which the first one starts, from 1. */
  readonly firstLine: number;
  /** What is hashed: whole lines, or the keys of records. */
  readonly keys: Spans;
}

/** The columns of a batch. Hashes and shards begin with its first line. */
interface BatchColumns {
  readonly data: Column<'u8'>;
  /** Where each line starts, and where the next one after them starts. */
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  /** For records. */
  readonly found?: FoundColumns;
  readonly hashes?: Column<'u64'>;
  readonly shards?: Column<'u32'>;
}

/** What has been found in records. */
interface FoundColumns {
  readonly keys: KeyPlaces;
  /** For NDJSON: the places of the last braces. */
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
  /** In the columns of lines. */
  readonly line: number;
  /** In the columns of what was found in records. */
  readonly found: number;
}

/** Numbers lines, for errors. Lines are counted only when a number is asked for. */
export class LineNumbers {
  readonly #data: Column<'u8'>;
  readonly #first: readonly [place: number, line: number];
  #last: readonly [place: number, line: number];

  /** @param line the number of the line that starts at `place`, from 1 */
  constructor(data: Column<'u8'>, place: number, line: number) {
    this.#data = data;
    this.#first = this.#last = [place, line];
  }

  /** The number of the line that starts at `place`. */
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
 * Lines, with their hashes or shards if they have been made. This is a class, because an object literal with getters takes
 * 300 bytes a batch that only a full garbage collection frees.
 */
export class Batch implements Lines {
  readonly kind = 'batch';
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

  /** The same lines, with hashes or shards added. */
  with(made: Pick<BatchColumns, 'hashes' | 'shards'>): Batch {
    return new Batch(this.count, { ...this.#columns, ...made }, this.#numbers, this.#place);
  }

  /** Some of the lines, without hashes and shards. */
  slice(from: number, to: number): Batch {
    if (from === 0 && to === this.count) return this;
    const { hashes, shards, ...columns } = this.#columns;
    const { line, found } = this.#place;
    return new Batch(to - from, columns, this.#numbers, { line: line + from, found: found + from });
  }

  /** The first `count` lines, as the records that were found in them. */
  asRecords(count: number, found: FoundColumns): Batch {
    return new Batch(count, { ...this.#columns, found }, this.#numbers, { line: this.#place.line, found: 0 });
  }

  get firstLine(): number {
    return this.lineOf(0);
  }

  /** The number of the line in which a row starts, from 1. */
  lineOf(row: number): number {
    return this.#numbers.at(this.#columns.starts.array[this.#place.line + row]);
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

  /** Where the next line after each one starts. */
  get nexts(): Uint32Array {
    return this.#lineRows(this.#columns.starts, 1);
  }

  get keys(): Spans {
    const { found } = this.#columns;
    if (found === undefined) return this;
    const { data, starts, ends, shift } = found.keys;
    return { data: data.array, starts: this.#foundRows(starts), ends: this.#foundRows(ends, shift) };
  }

  /** The records, for adding columns. */
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

  /** The hashes; only if the lines have been hashed. */
  get hashes(): BigUint64Array {
    return (this.#columns.hashes as Column<'u64'>).array.subarray(0, this.count);
  }

  /** The shards; only if the lines have been routed. */
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
