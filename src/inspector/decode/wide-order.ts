import type { Cells } from '../read/cells.js';
import type { IdColumn } from '../read/id-column.js';
import { isId } from '../read/problems.js';
import { wideTextOf } from '../read/wide-ids.js';
import { allRows } from './rows.js';
import { sortRows } from './sort.js';

/** Four characters each: a UUID has 32 without its hyphens, and no other kind has more. */
const WORDS = 8;

/** Wide ids in the order of their texts. It is made when it is asked for: a million of them take a second. */
export class WideOrder {
  #places: Uint32Array | undefined;

  constructor(
    private readonly cells: Cells,
    private readonly ids: IdColumn,
  ) {}

  /** The place of each row's id among all: ids that are the same have the same one. */
  get places(): Uint32Array {
    this.#places ??= this.#placesOf(this.#rows());
    return this.#places;
  }

  /** The places of the ids that begin with a text. */
  rangeOf(text: string): { from: bigint; to: bigint } {
    const key = this.#keyOf(text);
    const { places } = this;
    let [from, to] = [0, -1];
    for (const row of this.#rows()) {
      const start = this.#keyAt(row).slice(0, key.length);
      const place = places[row] as number;
      if (start < key) from = Math.max(from, place + 1);
      if (start <= key) to = Math.max(to, place);
    }
    return { from: BigInt(from), to: BigInt(to) };
  }

  #rows(): Uint32Array {
    const { problems } = this.ids;
    return allRows(problems).filter((row) => isId(problems[row] as number));
  }

  #placesOf(rows: Uint32Array): Uint32Array {
    const { length } = this.ids.problems;
    const words = Array.from({ length: WORDS }, () => new Uint32Array(length));
    for (const row of rows) {
      const key = this.#keyAt(row);
      words.forEach((word, i) => {
        for (let at = 4 * i; at < 4 * i + 4; at++) word[row] = ((word[row] as number) << 8) | (key.charCodeAt(at) || 0);
      });
    }
    const sorted = words.reduceRight((order, word) => sortRows(order, word), rows);
    const places = new Uint32Array(length);
    for (let i = 1; i < sorted.length; i++) {
      const [before, row] = [sorted[i - 1] as number, sorted[i] as number];
      places[row] = (places[before] as number) + (words.some((word) => word[before] !== word[row]) ? 1 : 0);
    }
    return places;
  }

  #keyAt(row: number): string {
    return this.#keyOf(wideTextOf(this.cells, row));
  }

  /** A UUID is the same in either case and without its hyphens, a KSUID is not. */
  #keyOf(text: string): string {
    return this.ids.format === 'ksuid' ? text : text.toLowerCase().replace(/^urn:uuid:|[-{}]/g, '');
  }
}
