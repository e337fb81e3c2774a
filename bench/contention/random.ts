const VALUES = 4096;

/** SplitMix64, as 32-bit words, the lower one of each value first: the same ones for a seed, always. */
export class Random {
  #state: bigint;
  readonly #values = new BigUint64Array(VALUES);
  readonly #words = new Uint32Array(this.#values.buffer);
  #at = this.#words.length;

  constructor(seed: number) {
    this.#state = BigInt.asUintN(64, BigInt(seed));
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    if (this.#at === this.#words.length) this.#fill();
    return this.#words[this.#at++] as number;
  }

  /** Exponentially distributed, 1 on average. */
  nextExponential(): number {
    return -Math.log((this.next() + 0.5) / 2 ** 32);
  }

  #fill(): void {
    let state = this.#state;
    for (let i = 0; i < VALUES; i++) {
      state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
      let z = state;
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      this.#values[i] = z ^ (z >> 31n);
    }
    this.#state = state;
    this.#at = 0;
  }
}
