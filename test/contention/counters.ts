/** The last number that each prefix has given. It only grows, so it also serves as the version of the counter. */
export class Counters {
  protected readonly last: Float64Array; // numbers up to 2^53

  constructor(prefixes: number) {
    this.last = new Float64Array(prefixes);
  }

  read(prefix: number): number {
    return this.last[prefix];
  }

  /** Sets a counter that is still as it was read. @returns false if it is not, which is a conflict */
  commit(prefix: number, seen: number, next: number): boolean {
    if (this.last[prefix] !== seen) return false;
    this.last[prefix] = next;
    return true;
  }
}

/** Notes all numbers that are given, without looking at counters: those of each prefix must be 1, 2, 3, … */
export class Ledger {
  /** How many blocks had numbers that were given before. */
  duplicates = 0;
  /** How many blocks left out numbers before them. */
  skipped = 0;
  readonly #given: Float64Array;

  constructor(prefixes: number) {
    this.#given = new Float64Array(prefixes);
  }

  take(prefix: number, first: number, count: number): void {
    const given = this.#given[prefix];
    if (first <= given) this.duplicates++;
    else if (first > given + 1) this.skipped++;
    this.#given[prefix] = Math.max(given, first + count - 1);
  }
}
