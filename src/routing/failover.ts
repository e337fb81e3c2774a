import { u64, wordsOf } from '../arguments.js';
import { kernels } from '../kernels/active.js';

// SplitMix64's increment: probe a of a hash is the a-th output of the generator started at it.
const GOLDEN_GAMMA = 0x9e3779b97f4a7c15n;

// With `live` of n shards up, the probability that this many probes find none that is up is
// (1 - live / n)^256: it happens only if nearly all shards are down.
const MAX_PROBES = 256;

/**
 * Routes around shards that are down. Every hash has one fixed order of preference: its usual shard, then
 * the shards of its SplitMix64 outputs, then all shards by rendezvous. It goes to the first one that is
 * up. So only the keys of a shard that goes down move, they return when it comes back, and the order of
 * events does not matter.
 */
export class Failover {
  readonly #down: ReadonlySet<number>;
  #live: { shards: Uint32Array; marks: BigUint64Array } | undefined;

  /** @param place gives the usual shards of hashes */
  constructor(
    private readonly shards: number,
    down: readonly number[],
    private readonly place: (hashes: BigUint64Array, out: Uint32Array) => void,
  ) {
    this.#down = new Set(down);
  }

  isDown(shard: number): boolean {
    return this.#down.has(shard);
  }

  /** Replaces every shard in `out` that is down; `out[i]` is the usual shard of `hashes[i]`. */
  avoid(hashes: BigUint64Array, out: Uint32Array): void {
    let rows = new Uint32Array(out.length);
    let count = 0;
    for (let row = 0; row < out.length; row++) {
      if (this.#down.has(out[row])) rows[count++] = row;
    }
    rows = rows.subarray(0, count);
    for (let probe = 1; rows.length > 0 && probe <= MAX_PROBES; probe++) {
      const probes = gather(hashes, rows);
      const placed = new Uint32Array(rows.length);
      kernels().splitMix64Column(probes, u64(GOLDEN_GAMMA * BigInt(probe)), probes);
      this.place(probes, placed);
      rows = rows.filter((row, i) => {
        out[row] = placed[i];
        return this.#down.has(placed[i]);
      });
    }
    for (const row of rows) out[row] = this.#rendezvous(hashes[row]);
  }

  /** The live shard with the highest score for this hash. */
  #rendezvous(hash: bigint): number {
    this.#live ??= this.#listLive();
    const { shards, marks } = this.#live;
    const scores = new BigUint64Array(marks.length);
    kernels().splitMix64Column(marks, hash, scores);
    let best = 0;
    for (let i = 1; i < scores.length; i++) {
      if (scores[i] > scores[best]) best = i;
    }
    return shards[best];
  }

  /** The live shards, and for each one a mark to mix with a hash. */
  #listLive(): { shards: Uint32Array; marks: BigUint64Array } {
    const shards = new Uint32Array(this.shards - this.#down.size);
    for (let shard = 0, i = 0; shard < this.shards; shard++) {
      if (!this.#down.has(shard)) shards[i++] = shard;
    }
    const marks = BigUint64Array.from(shards, (shard) => BigInt(shard));
    kernels().splitMix64Column(marks, GOLDEN_GAMMA, marks);
    return { shards, marks };
  }
}

/** Some rows of a column. Halves are copied, because reading a bigint would allocate it. */
function gather(column: BigUint64Array, rows: Uint32Array): BigUint64Array {
  const from = wordsOf(column);
  const to = new Uint32Array(2 * rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    to[2 * i] = from[2 * row];
    to[2 * i + 1] = from[2 * row + 1];
  }
  return new BigUint64Array(to.buffer);
}
