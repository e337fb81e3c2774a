import type { TableRow } from '../decode/table.js';

const BLOCK = 64;
const MOST_BLOCKS = 64;

/** The rows of a view as far as the page has seen them; the worker is asked for the rest when they come into sight. */
export class RowCache {
  readonly #blocks = new Map<number, readonly TableRow[]>();
  readonly #asked = new Set<number>();

  constructor(
    readonly count: number,
    first: readonly TableRow[],
    private readonly ask: (from: number, to: number) => void,
  ) {
    for (let from = 0; from + BLOCK <= first.length || (from < first.length && first.length === count); from += BLOCK) {
      this.#blocks.set(from / BLOCK, first.slice(from, from + BLOCK));
    }
  }

  /** Rows `from..to`; undefined where they are yet to come. */
  slice(from: number, to: number): (TableRow | undefined)[] {
    for (let block = Math.floor(from / BLOCK); block * BLOCK < to; block++) this.#want(block);
    return Array.from({ length: to - from }, (_, i) => this.#at(from + i));
  }

  receive(from: number, rows: readonly TableRow[]): void {
    const block = from / BLOCK;
    this.#asked.delete(block);
    this.#blocks.set(block, rows);
    // The oldest go first: a Map keeps the order in which things came.
    for (const old of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS) break;
      this.#blocks.delete(old);
    }
  }

  #at(index: number): TableRow | undefined {
    return this.#blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK];
  }

  #want(block: number): void {
    if (this.#blocks.has(block) || this.#asked.has(block) || block * BLOCK >= this.count) return;
    this.#asked.add(block);
    this.ask(block * BLOCK, Math.min(this.count, (block + 1) * BLOCK));
  }
}
