import { type CsvColumns, Stop } from '../kernels/record-types.js';
import { type Column, type Kernels, PIECE_ROWS } from '../kernels/types.js';

// Columns in the kernels' memory that readers and writers share.

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
