import type { CellKind, Texts } from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import { type Column, type ColumnType, type Kernels, PIECE_ROWS } from '../../kernels/types.js';

/** How a column of values is written, and the fixed texts around each value. */
export interface Cell {
  readonly kind: CellKind;
  readonly before?: string;
  readonly after?: string;
  /** For the kind `text`: the texts that are written. Values are indexes of them. */
  readonly texts?: readonly string[] | undefined;
}

/** The most rows of one call. */
export const MAX_ROWS = PIECE_ROWS;

/** The values of a column, at most MAX_ROWS: u64s for `u64` and `hex`, otherwise numbers. */
export type CellValues = BigUint64Array | Uint32Array | Float64Array;

const TYPES = { u64: 'u64', hex: 'u64', u32: 'u32', ms: 'f64', date: 'f64', dateIfAny: 'f64', text: 'u32' } as const;
const MAX_VALUE = 28;
const SLACK_BYTES = 15;
const encoder = new TextEncoder();

/** Texts, including the fixed texts around them, in the kernels' memory. */
interface ResidentTexts {
  readonly text: Column<'u8'>;
  readonly offsets: Column<'u32'>;
  /** The length of the longest text in bytes. */
  readonly longest: number;
}

/** Writes columns of numbers, hashes and dates as rows of text, in the kernels' memory. */
export class TableWriter {
  readonly #kernels: Kernels;
  readonly #cells: readonly Cell[];
  readonly #values: readonly Column<ColumnType>[];
  /** The fixed texts before and after each value, and at the end of a row. */
  readonly #fixed: readonly Column<'u8'>[];
  readonly #texts: readonly (ResidentTexts | undefined)[];
  readonly #descriptors: Column<'u32'>;
  readonly #offsets: Column<'u32'>;
  readonly #text: Column<'u8'>;
  #rows = 0;

  constructor(kernels: Kernels, cells: readonly Cell[], end: string) {
    this.#kernels = kernels;
    this.#cells = cells;
    this.#values = cells.map(({ kind }) => kernels.column<ColumnType>(TYPES[kind], PIECE_ROWS));
    const around = ({ before = '', after = '', texts }: Cell) => (texts === undefined ? [before, after] : ['', '']);
    this.#fixed = [...cells.flatMap(around), end].map((text) => this.#resident(encoder.encode(text)));
    this.#texts = cells.map((cell) => this.#residentTexts(cell));
    this.#descriptors = kernels.column('u32', 6 * (cells.length + 1));
    this.#offsets = kernels.column('u32', PIECE_ROWS + 1);
    const fixed = this.#fixed.reduce((sum, { length }) => sum + length, 0);
    const values = this.#texts.reduce((sum, texts) => sum + (texts?.longest ?? MAX_VALUE), 0);
    this.#text = kernels.column('u8', PIECE_ROWS * (fixed + values) + SLACK_BYTES);
  }

  /** Writes rows of values, which are valid until the next call. */
  write(columns: readonly CellValues[]): void {
    this.#rows = columns[0]?.length ?? 0;
    for (const [i, { array }] of this.#values.entries()) (array as Float64Array).set(columns[i] as Float64Array);
    const fixed = (i: number) => {
      const { array } = this.#fixed[i];
      return array.subarray(0, array.length - SLACK_BYTES);
    };
    const cells = this.#cells.map(({ kind }, i) => {
      const values = this.#values[i]?.array as CellValues;
      const texts = this.#texts[i];
      const resident = texts && { text: texts.text.array, offsets: texts.offsets.array };
      return { kind, values, before: fixed(2 * i), after: fixed(2 * i + 1), texts: resident };
    });
    const table = { columns: cells, end: fixed(this.#fixed.length - 1), descriptors: this.#descriptors.array };
    recordKernels(this.#kernels).tableRows(table, this.#rows, this.#text.array, this.#offsets.array);
  }

  /** The rows that were written last. */
  get bytes(): Uint8Array {
    return this.#text.array.subarray(0, this.#offsets.array[this.#rows]);
  }

  /** The rows that were written last, row by row. */
  get texts(): Texts {
    return { text: this.#text.array, offsets: this.#offsets.array };
  }

  free(): void {
    for (const column of [...this.#values, ...this.#fixed, this.#descriptors, this.#offsets, this.#text]) column.free();
    for (const texts of this.#texts) {
      texts?.text.free();
      texts?.offsets.free();
    }
  }

  #resident(bytes: Uint8Array): Column<'u8'> {
    const column = this.#kernels.column('u8', bytes.length + SLACK_BYTES);
    column.array.set(bytes);
    return column;
  }

  #residentTexts({ before = '', after = '', texts }: Cell): ResidentTexts | undefined {
    if (texts === undefined) return undefined;
    const encoded = texts.map((text) => encoder.encode(before + text + after));
    const total = encoded.reduce((sum, { length }) => sum + length, 0);
    const text = this.#kernels.column('u8', total + SLACK_BYTES);
    const offsets = this.#kernels.column('u32', texts.length + 1);
    let at = 0;
    for (const [i, bytes] of encoded.entries()) {
      text.array.set(bytes, at);
      at += bytes.length;
      offsets.array[i + 1] = at;
    }
    return { text, offsets, longest: encoded.reduce((most, { length }) => Math.max(most, length), 0) };
  }
}
