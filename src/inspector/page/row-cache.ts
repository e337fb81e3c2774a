import type { TableRow } from '../decode/table.js';

const BLOCK = 64;

/** The rows of a view as far as the page has seen them; the worker is asked for the rest when they come into sight. */
export class RowCache {
  /** Without rows while they are on their way. */
  readonly #blocks = new Map<number, readonly TableRow[]>();

  constructor(
    readonly count: number,
    first: readonly TableRow[],
    private readonly ask: (from: number, to: number) => void,
  ) {
    for (let from = 0; from + BLOCK <= first.length || (from < first.length && first.length === count); from += BLOCK) {
      this.receive(from, first.slice(from, from + BLOCK));
    }
  }

  /** Rows `from..to`; undefined where they are yet to come. */
  slice(from: number, to: number): (TableRow | undefined)[] {
    return Array.from({ length: to - from }, (_, i) => {
      const index = from + i;
      const start = index - (index % BLOCK);
      if (!this.#blocks.has(start)) {
        this.receive(start, []);
        this.ask(start, Math.min(this.count, start + BLOCK));
      }
      return this.#blocks.get(start)?.[index % BLOCK];
    });
  }

  receive(from: number, rows: readonly TableRow[]): void {
    this.#blocks.set(from, rows);
  }
}
