import type { BytesColumn } from '../columns/keys.js';
import { type CsvColumns, type KeyColumns, Stop } from '../kernels/record-types.js';
import { recordKernels } from '../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS, type Spans } from '../kernels/types.js';
import { arraysOf, type Batch, growingBytes, type KeyPlaces } from './batch.js';

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

/** What the kernels find in CSV: the records, and some fields of each. */
export class CsvScan {
  readonly columns: { readonly [name in 'starts' | 'ends' | 'keyStarts' | 'keyEnds' | 'stop']: Column<'u32'> };
  /** For the fields up to the last one that is read: see CsvColumns. */
  #slots: Column<'u8'>;

  /**
   * @param fields how many fields are read at most
   * @param places which fields they are, counted from 0; at most 255 of them
   */
  constructor(
    private readonly kernels: Kernels,
    private readonly fields: number,
    places: readonly number[],
  ) {
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
    return { format: 'csv', most, fields: this.fields, slots: this.#slots.array, ...arraysOf(this.columns) };
  }

  #slotsOf(places: readonly number[]): Column<'u8'> {
    const slots = this.kernels.column('u8', Math.max(...places) + 1);
    for (const [i, place] of places.entries()) slots.array[place] = i + 1;
    return slots;
  }
}

/**
 * Reads columns of numbers and dates from simple records of CSV: without escapes or line breaks in quotes.
 * @param width how many fields a record has
 * @param places the fields to read, counted from 0, at most 255 of them
 * @param time the index in `places` of the field that may have dates; -1 if there is none
 * @returns a function that gives the values of the fields, valid until its next call: whole numbers from 0 to 2^64 - 1, or
 *   dates as Unix milliseconds. Undefined if there is any other value, or a line is not a simple record
 */
export function fieldReader(
  kernels: Kernels,
  delimiter: string,
  width: number,
  places: readonly number[],
  time: number,
): (lines: Batch) => (BigUint64Array | Float64Array)[] | undefined {
  const scan = new CsvScan(kernels, places.length, places);
  const values = places.map(() => kernels.column('u64', PIECE_ROWS));
  const allDates = kernels.column('f64', PIECE_ROWS);
  const how = { isEnd: true, delimiter: delimiter.charCodeAt(0), fields: width };

  const valuesOf = (texts: Spans, field: number) => {
    const rows = texts.starts.length;
    const numbers = values[field].array.subarray(0, rows);
    if (kernels.parseSpans(texts, 'dec', numbers) < 0) return numbers;
    const dates = allDates.array.subarray(0, rows);
    const areDates = field === time && recordKernels(kernels).parseDates(texts, dates) < 0;
    return areDates ? dates : undefined;
  };

  return ({ data, starts, nexts, count: rows }) => {
    const found = scan.found();
    const bytes = { data, from: starts[0], to: nexts[rows - 1], ...how };
    const count = recordKernels(kernels).csvRecords(bytes, found);
    if (count < rows || found.stop[Stop.BREAKS] !== 0 || found.stop[Stop.ESCAPED] !== 0) return undefined;
    const columns: (BigUint64Array | Float64Array)[] = [];
    for (const field of places.keys()) {
      const [from, to] = [field * PIECE_ROWS, field * PIECE_ROWS + rows];
      const texts = { data, starts: found.keyStarts.subarray(from, to), ends: found.keyEnds.subarray(from, to) };
      const column = valuesOf(texts, field);
      if (column === undefined) return undefined;
      columns.push(column);
    }
    return columns;
  };
}

/** A byte length in decimal and two colons, for each field of a key except the last. */
const LENGTH_BYTES = 12;

/** @param found returns the current arrays */
type KeyWriter = (data: Column<'u8'>, found: () => KeyColumns, rows: number) => KeyPlaces | undefined;

/**
 * Writes keys that are hashed in another form than their records have: keys with escapes, and keys of several fields.
 * @returns a function that gives the keys of some records, valid until its next call; undefined if the records have them
 *   as they are hashed. It may grow the memory, and throws a RangeError if there is no room
 */
export function keyWriter(kernels: Kernels): KeyWriter {
  const offsets = kernels.column('u32', PIECE_ROWS + 1);
  const room = growingBytes(kernels);
  return (data, found, rows) => {
    const { stop, fields } = found();
    if (stop[Stop.ESCAPED] === 0 && fields === 1) return undefined;
    const text = room(bytesOfKeys(found(), rows));
    recordKernels(kernels).keyColumn(data.array, found(), rows, text.array, offsets.array);
    return { data: text, starts: offsets, ends: offsets, shift: 1 };
  };
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
