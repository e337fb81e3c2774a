import { type Column, type ColumnType, type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import type { CellKind, Texts } from '../kernels/record-contract.js';
import { recordKernels } from '../kernels/records.js';

/** A column of values as they are written, between fixed texts. */
export interface Cell {
  readonly kind: CellKind;
  readonly before?: string;
  readonly after?: string;
}

/** Rows at a time. */
export const MOST_ROWS = PIECE_ROWS;

/** The values of a column, at most MOST_ROWS: bigints for `u64` and `hex`, else numbers. */
export type CellValues = BigUint64Array | Uint32Array | Float64Array;

const TYPES = { u64: 'u64', hex: 'u64', u32: 'u32', ms: 'f64', date: 'f64', dateIfAny: 'f64' } as const;
const LONGEST_VALUE = 28;
const SLACK_BYTES = 15;

/** Writes columns of numbers, hashes and dates as rows of text, in the kernels' memory. */
export class TableWriter {
  readonly #kernels: Kernels;
  readonly #cells: readonly Cell[];
  readonly #values: readonly Column<ColumnType>[];
  /** What stands before each value, after it, and at the end of a row. */
  readonly #fixed: readonly Column<'u8'>[];
  readonly #descriptors: Column<'u32'>;
  readonly #offsets: Column<'u32'>;
  readonly #text: Column<'u8'>;
  #rows = 0;

  constructor(kernels: Kernels, cells: readonly Cell[], end: string) {
    this.#kernels = kernels;
    this.#cells = cells;
    this.#values = cells.map(({ kind }) => kernels.column<ColumnType>(TYPES[kind], PIECE_ROWS));
    const texts = [...cells.flatMap(({ before = '', after = '' }) => [before, after]), end];
    this.#fixed = texts.map((text) => this.#resident(new TextEncoder().encode(text)));
    this.#descriptors = kernels.column('u32', 6 * (cells.length + 1));
    this.#offsets = kernels.column('u32', PIECE_ROWS + 1);
    const fixed = this.#fixed.reduce((sum, { length }) => sum + length, 0);
    this.#text = kernels.column('u8', PIECE_ROWS * (fixed + cells.length * LONGEST_VALUE) + SLACK_BYTES);
  }

  /** Rows of values, good until the next call. */
  write(columns: readonly CellValues[]): void {
    this.#rows = columns[0]?.length ?? 0;
    for (const [i, { array }] of this.#values.entries()) (array as Float64Array).set(columns[i] as Float64Array);
    const fixed = (i: number) => {
      const { array } = this.#fixed[i] as Column<'u8'>;
      return array.subarray(0, array.length - SLACK_BYTES);
    };
    const cells = this.#cells.map(({ kind }, i) => {
      const values = this.#values[i]?.array as CellValues;
      return { kind, values, before: fixed(2 * i), after: fixed(2 * i + 1) };
    });
    const table = { columns: cells, end: fixed(this.#fixed.length - 1), descriptors: this.#descriptors.array };
    recordKernels(this.#kernels).tableRows(table, this.#rows, this.#text.array, this.#offsets.array);
  }

  /** The rows that were written last. */
  get bytes(): Uint8Array {
    return this.#text.array.subarray(0, this.#offsets.array[this.#rows]);
  }

  /** The same row by row. */
  get texts(): Texts {
    return { text: this.#text.array, offsets: this.#offsets.array };
  }

  free(): void {
    for (const column of [...this.#values, ...this.#fixed, this.#descriptors, this.#offsets, this.#text]) column.free();
  }

  #resident(bytes: Uint8Array): Column<'u8'> {
    const column = this.#kernels.column('u8', bytes.length + SLACK_BYTES);
    column.array.set(bytes);
    return column;
  }
}
