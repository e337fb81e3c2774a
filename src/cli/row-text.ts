import type { BytesColumn } from '../index.js';

const ZERO = 0x30;

/** A column of text; of numbers, if it says how many digits they have at most: their zeros in front are left out. */
export interface TextColumn extends BytesColumn {
  readonly digits?: number;
}

/** Puts columns of text together into rows. */
export class RowText {
  readonly #before: readonly Uint8Array[];
  #text = new Uint8Array(0);

  /** @param before what stands before the text of each column, and at the end of a row */
  constructor(before: readonly string[]) {
    this.#before = before.map((text) => new TextEncoder().encode(text));
  }

  /** The rows as bytes, good until the next call. */
  write(columns: readonly TextColumn[]): Uint8Array {
    const rows = (columns[0]?.offsets.length ?? 1) - 1;
    const fixed = this.#before.reduce((sum, { length }) => sum + length * rows, 0);
    const most = columns.reduce((sum, { data }) => sum + data.length, fixed);
    if (this.#text.length < most) this.#text = new Uint8Array(most);
    return this.#text.subarray(0, fill(this.#text, columns, this.#before, rows));
  }
}

/** Byte by byte: for so few `set` takes longer, as it needs a view. */
function fill(text: Uint8Array, columns: readonly TextColumn[], before: readonly Uint8Array[], rows: number): number {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < before.length; i++) {
      const fixed = before[i] as Uint8Array;
      for (let j = 0; j < fixed.length; j++) text[at++] = fixed[j] as number;
      if (i === columns.length) break; // the end of the row
      const { data, offsets, digits } = columns[i] as TextColumn;
      const to = offsets[row + 1] as number;
      let from = offsets[row] as number;
      if (digits !== undefined) {
        from = to - digits;
        while (from < to - 1 && data[from] === ZERO) from++;
      }
      while (from < to) text[at++] = data[from++] as number;
    }
  }
  return at;
}
