import { wordsOf } from '../../arguments.js';
import type { Flow } from '../../routing/plan.js';
import type { Routing } from '../../routing/routing.js';

/** Keys of one place that go to another, or belong there: shards by their numbers, or nodes by their names. */
export interface PlacedFlow {
  readonly from: number | string;
  readonly to: number | string;
  readonly count: number;
}

/** A count for each pair of shards, up to 16 MB of them. */
const MAX_TABLE = 1 << 22;

/** Counts moves by old and new shard, for any number of keys. There may be any number of shards. */
export class MoveCounts implements Iterable<Flow> {
  readonly #width: number;
  /** As long as they fit, counts have 32 bits: with 64, a million pairs do not fit the cache, and a count takes 50 ns. */
  #ofPair: Uint32Array | Float64Array | undefined;
  /** For more pairs. */
  readonly #others: PairTable;
  /** How many keys move. */
  moved = 0;

  /** @param most how many pairs are told apart */
  constructor(from: Pick<Routing, 'shards'>, to: Pick<Routing, 'shards'>, most = Number.POSITIVE_INFINITY) {
    this.#width = to.shards;
    const pairs = from.shards * to.shards;
    if (pairs <= MAX_TABLE) this.#ofPair = new Uint32Array(pairs);
    this.#others = new PairTable(most);
  }

  /** How many keys move in pairs that were too many. */
  get uncounted(): number {
    return this.#others.uncounted;
  }

  /** @param pairs the old and the new shard of each key that moves */
  add(pairs: Uint32Array): void {
    this.moved += pairs.length / 2;
    if (this.#ofPair === undefined) {
      for (let at = 0; at < pairs.length; at += 2) this.#others.add(pairs[at], pairs[at + 1]);
      return;
    }
    if (this.moved >= 2 ** 32 && this.#ofPair instanceof Uint32Array) this.#ofPair = Float64Array.from(this.#ofPair);
    const ofPair = this.#ofPair;
    const width = this.#width;
    for (let at = 0; at < pairs.length; at += 2) ofPair[pairs[at] * width + pairs[at + 1]]++;
  }

  /** The flows, by old and new shard. */
  *[Symbol.iterator](): Generator<Flow> {
    const ofPair = this.#ofPair;
    if (ofPair === undefined) yield* this.#others.sorted();
    else {
      for (let pair = 0; pair < ofPair.length; pair++) {
        const count = ofPair[pair];
        if (count > 0) yield { from: Math.floor(pair / this.#width), to: pair % this.#width, count };
      }
    }
  }
}

const FIRST_SLOTS = 1 << 12;

/** A hash table of pairs and their counts: 32 to 64 bytes a pair, as half of its slots at most are used. */
class PairTable {
  #slots = FIRST_SLOTS;
  /** The words of each pair: `to`, `from`. */
  #pairs = new Uint32Array(2 * FIRST_SLOTS);
  /** 0: the slot is free. */
  #counts = new Float64Array(FIRST_SLOTS);
  #size = 0;
  uncounted = 0;

  constructor(private readonly most: number) {}

  add(from: number, to: number): void {
    const slot = this.#slotOf(from, to);
    if (this.#counts[slot] === 0) {
      if (this.#size >= this.most) {
        this.uncounted++;
        return;
      }
      this.#pairs[2 * slot] = to;
      this.#pairs[2 * slot + 1] = from;
      this.#size++;
    }
    this.#counts[slot]++;
    if (2 * this.#size > this.#slots) this.#grow();
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

  #grow(): void {
    const [pairs, counts] = [this.#pairs, this.#counts];
    this.#slots *= 2;
    this.#pairs = new Uint32Array(2 * this.#slots);
    this.#counts = new Float64Array(this.#slots);
    for (let old = 0; old < counts.length; old++) {
      if (counts[old] === 0) continue;
      const [to, from] = [pairs[2 * old], pairs[2 * old + 1]];
      const slot = this.#slotOf(from, to);
      this.#pairs[2 * slot] = to;
      this.#pairs[2 * slot + 1] = from;
      this.#counts[slot] = counts[old];
    }
  }
}
