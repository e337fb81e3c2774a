import { type Flow, FlowCounts } from '../../routing/plan.js';
import type { Routing } from '../../routing/routing.js';

// A count for each pair of shards, up to 16 MB of them.
const MAX_PAIRS = 1 << 22;

/** Counts moves by old and new shard, for any number of keys. There may be any number of shards. */
export class MoveCounts {
  readonly #width: number;
  /** As long as they fit, counts have 32 bits: with 64, a million pairs do not fit the cache, and a count takes 50 ns. */
  #ofPair: Uint32Array | Float64Array | undefined;
  /** For more pairs. */
  readonly #others: FlowCounts;
  /** How many keys move. */
  moved = 0;

  constructor(from: Pick<Routing, 'shards'>, to: Pick<Routing, 'shards'>) {
    this.#width = to.shards;
    const pairs = from.shards * to.shards;
    if (pairs <= MAX_PAIRS) this.#ofPair = new Uint32Array(pairs);
    this.#others = new FlowCounts(from, to);
  }

  /** @param pairs the old and the new shard of each key that moves */
  add(pairs: Uint32Array): void {
    this.moved += pairs.length / 2;
    if (this.#ofPair === undefined) {
      const shards = (which: 0 | 1) => Uint32Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i + which]);
      this.#others.add(shards(0), shards(1));
      return;
    }
    if (this.moved >= 2 ** 32 && this.#ofPair instanceof Uint32Array) this.#ofPair = Float64Array.from(this.#ofPair);
    const ofPair = this.#ofPair;
    const width = this.#width;
    for (let at = 0; at < pairs.length; at += 2) ofPair[pairs[at] * width + pairs[at + 1]]++;
  }

  /** Goes through the flows, by old and new shard: for a million of them, objects would take 200 ms. */
  each(take: (from: number, to: number, count: number) => void): void {
    for (const { from, to, count } of this.#others.list()) take(from, to, count);
    const ofPair = this.#ofPair ?? new Uint32Array(0);
    for (let pair = 0, from = 0; pair < ofPair.length; from++) {
      for (let to = 0; to < this.#width; to++, pair++) if (ofPair[pair] > 0) take(from, to, ofPair[pair]);
    }
  }

  list(): Flow[] {
    const flows: Flow[] = [];
    this.each((from, to, count) => flows.push({ from, to, count }));
    return flows;
  }
}
