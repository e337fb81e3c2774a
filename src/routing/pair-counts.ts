import { wordsOf } from '../arguments.js';
import { PIECE_ROWS } from '../kernels/types.js';

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
  /** A row for each `from`, once there are so many keys that a count each is worth it. */
  #cells: Uint32Array | Float64Array | undefined;
  readonly #others: PairTable;

  /**
   * @param froms how many numbers `from` has; a number above is counted, too
   * @param tos how many numbers `to` has
   * @param most how many pairs are told apart, if they are too many for a count each
   */
  constructor(
    private readonly froms: number,
    private readonly tos: number,
    most = Number.POSITIVE_INFINITY,
  ) {
    this.#others = new PairTable(most);
  }

  /** How many keys are in pairs that were too many. */
  get uncounted(): number {
    return this.#others.uncounted;
  }

  /**
   * Counts the rows in which two columns differ.
   * @param rows gets these rows
   * @returns how many they are
   */
  compare(before: Uint32Array, after: Uint32Array, rows?: Uint32Array): number {
    const pairs = new Uint32Array(2 * PIECE_ROWS);
    let count = 0;
    for (let from = 0; from < before.length; from += PIECE_ROWS) {
      const to = Math.min(from + PIECE_ROWS, before.length);
      const found = differences(before.subarray(from, to), after.subarray(from, to), pairs, rows?.subarray(count));
      if (rows !== undefined) for (let i = count; i < count + found; i++) rows[i] += from;
      this.add(pairs.subarray(0, 2 * found));
      count += found;
    }
    return count;
  }

  /** @param pairs `from` and `to` of each key */
  add(pairs: Uint32Array): void {
    this.#count(pairs.length / 2);
    const cells = this.#cells;
    const { froms, tos } = this;
    for (let at = 0; at < pairs.length; at += 2) {
      const from = pairs[at];
      if (cells !== undefined && from < froms) cells[from * tos + pairs[at + 1]]++;
      else this.#others.add(from, pairs[at + 1], 1);
    }
  }

  /** Counts keys of one pair. */
  addMany({ from, to, count }: Flow): void {
    this.#count(count);
    if (this.#cells !== undefined && from < this.froms) this.#cells[from * this.tos + to] += count;
    else this.#others.add(from, to, count);
  }

  /** The counts by `from` and `to`, ascending. */
  *[Symbol.iterator](): Generator<Flow> {
    const cells = this.#cells ?? [];
    const { tos } = this;
    for (let cell = 0; cell < cells.length; cell++) {
      const count = cells[cell];
      if (count > 0) yield { from: Math.floor(cell / tos), to: cell % tos, count };
    }
    yield* this.#others.sorted();
  }

  #count(keys: number): void {
    this.moved += keys;
    const cells = this.froms * this.tos;
    if (this.#cells === undefined && cells <= Math.min(CELLS_A_KEY * this.moved, MAX_CELLS)) {
      this.#cells = new Uint32Array(cells);
      for (const { from, to, count } of this.#others.take((from) => from < this.froms)) {
        this.#cells[from * this.tos + to] = count;
      }
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
export function differences(
  before: Uint32Array,
  after: Uint32Array,
  pairs: Uint32Array,
  rows?: Uint32Array | undefined,
): number {
  let count = 0;
  for (let row = 0; row < before.length; row++) {
    const from = before[row];
    const to = after[row];
    if (from === to) continue;
    pairs[2 * count] = from;
    pairs[2 * count + 1] = to;
    if (rows !== undefined) rows[count] = row;
    count++;
  }
  return count;
}

const FIRST_SLOTS = 1 << 8;

/** A hash table of pairs and their counts: 32 to 64 bytes a pair, because at most half of its slots are used. */
class PairTable {
  #slots = FIRST_SLOTS;
  /** The words of each pair: `to`, `from`. */
  #pairs = new Uint32Array(2 * FIRST_SLOTS);
  /** 0: the slot is free. */
  #counts = new Float64Array(FIRST_SLOTS);
  #size = 0;
  uncounted = 0;

  constructor(private readonly most: number) {}

  add(from: number, to: number, count: number): void {
    const slot = this.#slotOf(from, to);
    if (this.#counts[slot] === 0) {
      if (this.#size >= this.most) {
        this.uncounted += count;
        return;
      }
      this.#pairs[2 * slot] = to;
      this.#pairs[2 * slot + 1] = from;
      this.#size++;
    }
    this.#counts[slot] += count;
    if (2 * this.#size > this.#slots) this.#resize(2 * this.#slots, this.#all());
  }

  /** Removes some pairs, and returns them. */
  take(isTaken: (from: number) => boolean): Flow[] {
    const all = [...this.#all()];
    this.#resize(
      this.#slots,
      all.filter(({ from }) => !isTaken(from)),
    );
    return all.filter(({ from }) => isTaken(from));
  }

  *sorted(): Generator<Flow> {
    const keys = new BigUint64Array(this.#size);
    const words = wordsOf(keys);
    let at = 0;
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.#counts[slot] === 0) continue;
      words[at++] = this.#pairs[2 * slot];
      words[at++] = this.#pairs[2 * slot + 1];
    }
    keys.sort();
    for (at = 0; at < words.length; at += 2) {
      const [to, from] = [words[at], words[at + 1]];
      yield { from, to, count: this.#counts[this.#slotOf(from, to)] };
    }
  }

  /** In any order. They are read from the tables that there are when this is called. */
  #all(): Iterable<Flow> {
    const [pairs, counts] = [this.#pairs, this.#counts];
    return (function* () {
      for (let slot = 0; slot < counts.length; slot++) {
        if (counts[slot] > 0) yield { from: pairs[2 * slot + 1], to: pairs[2 * slot], count: counts[slot] };
      }
    })();
  }

  #resize(slots: number, flows: Iterable<Flow>): void {
    this.#slots = slots;
    this.#pairs = new Uint32Array(2 * slots);
    this.#counts = new Float64Array(slots);
    this.#size = 0;
    for (const { from, to, count } of flows) {
      const slot = this.#slotOf(from, to);
      this.#pairs[2 * slot] = to;
      this.#pairs[2 * slot + 1] = from;
      this.#counts[slot] = count;
      this.#size++;
    }
  }

  /** The slot of a pair, or the free one where it belongs. */
  #slotOf(from: number, to: number): number {
    const last = this.#slots - 1;
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
