/** Pseudorandom integers, the same ones on every machine: SplitMix in 32 bits, with the finalizer of MurmurHash3. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** An integer from 0 to limit - 1; limit is at most 2^32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return Math.floor(((mixed ^ (mixed >>> 16)) >>> 0) * (limit / 4294967296));
  }

  shuffle(values: Uint16Array | Uint32Array): void {
    for (let i = values.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      const value = values[i] as number;
      values[i] = values[other] as number;
      values[other] = value;
    }
  }
}
