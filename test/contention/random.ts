import { SPLIT_MIX_STEP, splitMix64 } from '../support/split-mix.js';

const VALUES = 4096;

/** SplitMix64 as 32-bit words, the lower one of each value first: always the same words for a seed. */
export class Random {
  #state: bigint;
  #words: Uint32Array = new Uint32Array();
  #at = 0;

  constructor(seed: number) {
    this.#state = BigInt(seed);
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    if (this.#at === this.#words.length) this.#fill();
    return this.#words[this.#at++];
  }

  /** Exponentially distributed, 1 on average. */
  nextExponential(): number {
    return -Math.log((this.next() + 0.5) / 2 ** 32);
  }

  #fill(): void {
    this.#words = new Uint32Array(splitMix64(VALUES, this.#state).buffer);
    this.#state += BigInt(VALUES) * SPLIT_MIX_STEP;
    this.#at = 0;
  }
}
