/** Random numbers of a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 to 2^32 - 1. */
  u32(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** A whole number from `least` to `most`. */
  from(least: number, most: number): number {
    return least + Math.floor((this.u32() / 2 ** 32) * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.u32() < probability * 2 ** 32;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.from(0, values.length - 1)];
  }
}
