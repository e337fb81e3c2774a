import type { BytesColumn } from '../columns/keys.js';
import { type CsvColumns, type KeyColumns, Stop } from '../kernels/record-types.js';
import { recordKernels } from '../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS, type Spans } from '../kernels/types.js';
import type { Batch, KeyPlaces } from './batch.js';

/** Copies rows of bytes, such as the lines of a batch or their keys, to an Arrow-layout column. */
export function bytesColumnOf({ data, starts, ends }: Spans): BytesColumn {
  const rows = starts.length;
  const offsets = new Uint32Array(rows + 1);
  const first = starts[0];
  const bytes = data.slice(first, ends[rows - 1]);
  for (let row = 0, at = 0; row < rows; row++) {
    const start = starts[row] - first;
    const end = ends[row] - first;
    bytes.copyWithin(at, start, end);
    at += end - start;
    offsets[row + 1] = at;
  }
  return { data: bytes.subarray(0, offsets[rows]), offsets };
}

/** Room for as many bytes as were ever needed at once. */
export class GrowingBytes {
  readonly #kernels: Kernels;
  #column: Column<'u8'> | undefined;

  constructor(kernels: Kernels) {
    this.#kernels = kernels;
  }

  /** A column with room for so many bytes, valid until the next call. @throws RangeError if there is no memory */
  room(needed: number): Column<'u8'> {
    if (this.#column === undefined || this.#column.length < needed) {
      this.#column?.free();
      this.#column = undefined;
      this.#column = this.#kernels.column('u8', Math.ceil(1.5 * needed));
    }
    return this.#column;
  }

  free(): void {
    this.#column?.free();
  }
}

/** What the kernels find in CSV: the records, and some fields of each. */
export class CsvScan {
  readonly #kernels: Kernels;
  readonly #fields: number;
  /** For the fields up to the last one that is read: see CsvColumns. */
  #slots: Column<'u8'>;
  readonly columns: { readonly [name in 'starts' | 'ends' | 'keyStarts' | 'keyEnds' | 'stop']: Column<'u32'> };

  /**
   * @param fields how many fields are read at most
   * @param places which fields they are, counted from 0; at most 255 of them
   */
  constructor(kernels: Kernels, fields: number, places: readonly number[]) {
    this.#kernels = kernels;
    this.#fields = fields;
    this.columns = {
      starts: kernels.column('u32', PIECE_ROWS + 1),
      ends: kernels.column('u32', PIECE_ROWS),
      keyStarts: kernels.column('u32', PIECE_ROWS * fields),
      keyEnds: kernels.column('u32', PIECE_ROWS * fields),
      stop: kernels.column('u32', Stop.LENGTH),
    };
    this.#slots = this.#slotsOf(places);
  }

  /** Reads other fields from now on. */
  usePlaces(places: readonly number[]): void {
    this.#slots.free();
    this.#slots = this.#slotsOf(places);
  }

  /** How many fields a record needs for all that are read. */
  get width(): number {
    return this.#slots.length;
  }

  /** The current arrays. @param most the most records at a time */
  found(most = PIECE_ROWS): CsvColumns {
    const { starts, ends, keyStarts, keyEnds, stop } = this.columns;
    return {
      format: 'csv',
      most,
      fields: this.#fields,
      slots: this.#slots.array,
      starts: starts.array,
      ends: ends.array,
      keyStarts: keyStarts.array,
      keyEnds: keyEnds.array,
      stop: stop.array,
    };
  }

  free(): void {
    for (const column of [...Object.values(this.columns), this.#slots]) column.free();
  }

  #slotsOf(places: readonly number[]): Column<'u8'> {
    const slots = this.#kernels.column('u8', Math.max(...places) + 1);
    for (const [i, place] of places.entries()) slots.array[place] = i + 1;
    return slots;
  }
}

/** Reads columns of numbers and dates from simple records of CSV: without escapes or line breaks in quotes. */
export class FieldColumns {
  readonly #kernels: Kernels;
  readonly #delimiter: number;
  readonly #width: number;
  readonly #places: readonly number[];
  readonly #scan: CsvScan;
  readonly #values: readonly Column<'u64'>[];
  readonly #dates: Column<'f64'>;
  readonly #time: number;

  /**
   * @param width how many fields a record has
   * @param places the fields to read, counted from 0, at most 255 of them
   * @param time the index in `places` of the field that may have dates; -1 if there is none
   */
  constructor(kernels: Kernels, delimiter: string, width: number, places: readonly number[], time: number) {
    this.#kernels = kernels;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#width = width;
    this.#places = places;
    this.#scan = new CsvScan(kernels, places.length, places);
    this.#values = places.map(() => kernels.column('u64', PIECE_ROWS));
    this.#time = time;
    this.#dates = kernels.column('f64', PIECE_ROWS);
  }

  /**
   * The values of the fields, valid until the next call: whole numbers from 0 to 2^64 - 1, or dates as Unix milliseconds.
   * Undefined if there is any other value, or a line is not a simple record.
   */
  read(lines: Batch): (BigUint64Array | Float64Array)[] | undefined {
    const { starts, nexts, count: rows } = lines;
    const bytes = { from: starts[0], to: nexts[rows - 1], isEnd: true };
    const how = { delimiter: this.#delimiter, fields: this.#width };
    const found = this.#scan.found();
    const count = recordKernels(this.#kernels).csvRecords({ data: lines.data, ...bytes, ...how }, found);
    if (count < rows || found.stop[Stop.BREAKS] !== 0 || found.stop[Stop.ESCAPED] !== 0) return undefined;
    const columns: (BigUint64Array | Float64Array)[] = [];
    for (const field of this.#places.keys()) {
      const column = this.#column(this.#spansOf(lines, field, rows), field, rows);
      if (column === undefined) return undefined;
      columns.push(column);
    }
    return columns;
  }

  free(): void {
    for (const column of [this.#scan, ...this.#values, this.#dates]) column.free();
  }

  #column(texts: Spans, field: number, rows: number): BigUint64Array | Float64Array | undefined {
    const numbers = this.#values[field].array.subarray(0, rows);
    if (this.#kernels.parseSpans(texts, 'dec', numbers) < 0) return numbers;
    const dates = this.#dates.array.subarray(0, rows);
    const areDates = field === this.#time && recordKernels(this.#kernels).parseDates(texts, dates) < 0;
    return areDates ? dates : undefined;
  }

  #spansOf({ data }: Batch, field: number, rows: number): Spans {
    const { keyStarts, keyEnds } = this.#scan.columns;
    const from = field * PIECE_ROWS;
    const [starts, ends] = [keyStarts.array.subarray(from, from + rows), keyEnds.array.subarray(from, from + rows)];
    return { data, starts, ends };
  }
}

/** A byte length in decimal and two colons, for each field of a key except the last. */
const LENGTH_BYTES = 12;

/** Writes keys that are hashed in another form than their records have: keys with escapes, and keys of several fields. */
export class KeyWriter {
  readonly #kernels: Kernels;
  readonly #offsets: Column<'u32'>;
  readonly #text: GrowingBytes;

  /** @param most the most keys at a time */
  constructor(kernels: Kernels, most: number) {
    this.#kernels = kernels;
    this.#offsets = kernels.column('u32', most + 1);
    this.#text = new GrowingBytes(kernels);
  }

  /**
   * The keys of some records, valid until the next call; undefined if the records have them as they are hashed. This may
   * grow the memory.
   * @param found returns the current arrays
   * @throws RangeError if there is no room
   */
  write(data: Column<'u8'>, found: () => KeyColumns, rows: number): KeyPlaces | undefined {
    const { stop, fields } = found();
    if (stop[Stop.ESCAPED] === 0 && fields === 1) return undefined;
    const text = this.#text.room(bytesOfKeys(found(), rows));
    recordKernels(this.#kernels).keyColumn(data.array, found(), rows, text.array, this.#offsets.array);
    return { data: text, starts: this.#offsets, ends: this.#offsets, shift: 1 };
  }

  free(): void {
    this.#offsets.free();
    this.#text.free();
  }
}

/** An upper bound of the bytes that keys take when they are written. */
function bytesOfKeys({ keyStarts, keyEnds, most, fields }: KeyColumns, rows: number): number {
  let bytes = LENGTH_BYTES * rows * (fields - 1);
  for (let field = 0; field < fields; field++) {
    for (let at = field * most; at < field * most + rows; at++) {
      bytes += keyEnds[at] - keyStarts[at];
    }
  }
  return bytes;
}
