/** The counters of all prefixes, each the last number it gave. One only grows, so its value serves as its version. */
export class Counters {
  protected readonly last: Float64Array; // numbers up to 2^53

  constructor(prefixes: number) {
    this.last = new Float64Array(prefixes);
  }

  read(prefix: number): number {
    return this.last[prefix] as number;
  }

  /** Sets a counter if it is still as it was read: false, and nothing set, is a conflict. */
  commit(prefix: number, seen: number, next: number): boolean {
    if (this.last[prefix] !== seen) return false;
    this.last[prefix] = next;
    return true;
  }
}

/** Takes note of all numbers given, knowing nothing of counters: each prefix's must be 1, 2, 3, … */
export class Ledger {
  /** Blocks with numbers that had been given before. */
  duplicates = 0;
  /** Blocks in front of which numbers have been left out. */
  skipped = 0;
  readonly #given: Float64Array;

  constructor(prefixes: number) {
    this.#given = new Float64Array(prefixes);
  }

  take(prefix: number, first: number, count: number): void {
    const given = this.#given[prefix] as number;
    if (first <= given) this.duplicates++;
    else if (first > given + 1) this.skipped++;
    this.#given[prefix] = Math.max(given, first + count - 1);
  }
}
