import { wordsOf } from '../arguments.js';

/** Keys that go from one shard or node to another, or that belong there. */
export interface Flow<L = number> {
  from: L;
  to: L;
  count: number;
}

/** So many pairs have a count each: 16 MB. With counts of 64 bits a million pairs miss the cache, and one takes 50 ns. */
const MAX_CELLS = 1 << 22;

/** A cell takes 4 bytes, and a pair in the table up to 64. */
const CELLS_A_KEY = 16;

/** Counts keys by where they are and where they go. Both are numbers from 0: of shards, or of their labels. */
export class PairCounts implements Iterable<Flow> {
  /** How many keys have been counted. */
  moved = 0;
  /** How many keys are in pairs that were too many. */
  uncounted = 0;
  /** A row for each `from`, once there are so many keys that a count each is worth it. */
  #cells: Uint32Array | Float64Array | undefined;
  #others = new PairTable();

  /**
   * @param froms how many numbers `from` has; a number above is counted, too
   * @param tos how many numbers `to` has
   * @param most how many pairs are told apart, if they are too many for a count each
   */
  constructor(
    private readonly froms: number,
    private readonly tos: number,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  /** @param pairs `from` and `to` of each key */
  add(pairs: Uint32Array): void {
    this.moved += pairs.length / 2;
    this.#growCells();
    const cells = this.#cells;
    const { froms, tos } = this;
    for (let at = 0; at < pairs.length; at += 2) {
      const from = pairs[at];
      if (cells !== undefined && from < froms) cells[from * tos + pairs[at + 1]]++;
      else if (!this.#others.add(from, pairs[at + 1], 1, this.most)) this.uncounted++;
    }
  }

  /** The counts by `from` and `to`, ascending. */
  [Symbol.iterator](): IterableIterator<Flow> {
    const cells = this.#cells ?? [];
    const { tos } = this;
    const flows: Flow[] = [];
    for (let cell = 0; cell < cells.length; cell++) {
      const count = cells[cell];
      if (count > 0) flows.push({ from: Math.floor(cell / tos), to: cell % tos, count });
    }
    return flows.concat(this.#others.sorted()).values();
  }

  /** Makes the cells when they are worth it, and wider ones when a count may no longer fit 32 bits. */
  #growCells(): void {
    const size = this.froms * this.tos;
    if (this.#cells === undefined && size <= Math.min(CELLS_A_KEY * this.moved, MAX_CELLS)) {
      const [cells, known, others] = [new Uint32Array(size), this.#others, new PairTable()];
      known.each((from, to, count) => {
        if (from < this.froms) cells[from * this.tos + to] = count;
        else others.add(from, to, count);
      });
      this.#cells = cells;
      this.#others = others;
    }
    if (this.moved >= 2 ** 32 && this.#cells instanceof Uint32Array) this.#cells = Float64Array.from(this.#cells);
  }
}

/**
 * The rows in which two columns differ.
 * @param pairs gets the values of both, in turn
 * @param rows gets the rows
 * @returns how many they are
 */
export function differences(before: Uint32Array, after: Uint32Array, pairs: Uint32Array, rows: Uint32Array): number {
  let count = 0;
  for (let row = 0; row < before.length; row++) {
    const from = before[row];
    const to = after[row];
    if (from === to) continue;
    pairs[2 * count] = from;
    pairs[2 * count + 1] = to;
    rows[count++] = row;
  }
  return count;
}

/** A hash table of pairs and their counts: 32 to 64 bytes a pair, because at most half of its slots are used. */
class PairTable {
  /** The words of each pair: `to`, `from`. */
  #pairs: Uint32Array;
  /** 0: the slot is free. */
  #counts: Float64Array;
  #size = 0;

  constructor(slots = 1 << 8) {
    this.#pairs = new Uint32Array(2 * slots);
    this.#counts = new Float64Array(slots);
  }

  /** Adds keys of a pair, unless it would be one more than `most`. @returns whether they were added */
  add(from: number, to: number, count: number, most = Number.POSITIVE_INFINITY): boolean {
    const slot = this.#slotOf(from, to);
    if (this.#counts[slot] === 0) {
      if (this.#size >= most) return false;
      this.#pairs[2 * slot] = to;
      this.#pairs[2 * slot + 1] = from;
      this.#size++;
    }
    this.#counts[slot] += count;
    if (2 * this.#size > this.#counts.length) this.#grow();
    return true;
  }

  /** In any order. */
  each(onPair: (from: number, to: number, count: number) => void): void {
    const [pairs, counts] = [this.#pairs, this.#counts];
    for (let slot = 0; slot < counts.length; slot++) {
      if (counts[slot] > 0) onPair(pairs[2 * slot + 1], pairs[2 * slot], counts[slot]);
    }
  }

  sorted(): Flow[] {
    const flows: Flow[] = [];
    const keys = new BigUint64Array(this.#size);
    const words = wordsOf(keys);
    let at = 0;
    this.each((from, to) => {
      words[at++] = to;
      words[at++] = from;
    });
    keys.sort();
    for (at = 0; at < words.length; at += 2) {
      const [to, from] = [words[at], words[at + 1]];
      flows.push({ from, to, count: this.#counts[this.#slotOf(from, to)] });
    }
    return flows;
  }

  #grow(): void {
    const larger = new PairTable(2 * this.#counts.length);
    this.each((from, to, count) => larger.add(from, to, count));
    this.#pairs = larger.#pairs;
    this.#counts = larger.#counts;
  }

  /** The slot of a pair, or the free one where it belongs. */
  #slotOf(from: number, to: number): number {
    const last = this.#counts.length - 1;
    // The finalizer of MurmurHash3.
    let hash = Math.imul(from, 0x9e3779b1) ^ to;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    let slot = hash & last;
    while (this.#counts[slot] > 0 && (this.#pairs[2 * slot] !== to || this.#pairs[2 * slot + 1] !== from)) {
      slot = (slot + 1) & last;
    }
    return slot;
  }
}
