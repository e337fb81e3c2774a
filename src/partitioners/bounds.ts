/** The words of a 64-bit column: low, high, low, high, … */
function wordsOf({ buffer, byteOffset, length }: BigUint64Array | BigInt64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, 2 * length);
}

const MOST_STEPS = 16; // a table of 2^16 entries, 256 KB

/**
 * Finds the place of a value among sorted u64s. A table says where the bounds with the same leading bits begin, so that few
 * have to be compared if they are spread like hashes. Halves are compared as numbers.
 */
export class Bounds {
  readonly #bounds: Uint32Array;
  readonly #shift: number;
  readonly #begins: Uint32Array;

  /** @param bounds ascending */
  constructor(bounds: BigUint64Array) {
    this.#bounds = wordsOf(bounds);
    const bits = Math.min(MOST_STEPS, 32 - Math.clz32(bounds.length | 1));
    this.#shift = 32 - bits;
    this.#begins = new Uint32Array(2 ** bits + 1);
    let bound = 0;
    for (let step = 0; step < 2 ** bits; step++) {
      this.#begins[step] = bound;
      while (bound < bounds.length && (this.#bounds[2 * bound + 1] as number) >>> this.#shift === step) bound++;
    }
    this.#begins[2 ** bits] = bound;
  }

  /** How many bounds are below each value; with `flip` 0x80000000 both are signed, and the bounds have been flipped. */
  countBelow(values: BigUint64Array | BigInt64Array, flip: number, counts: Uint32Array): void {
    const words = wordsOf(values);
    for (let i = 0; i < counts.length; i++) {
      counts[i] = this.#below(((words[2 * i + 1] as number) ^ flip) >>> 0, words[2 * i] as number);
    }
  }

  #below(high: number, low: number): number {
    const step = high >>> this.#shift;
    let from = this.#begins[step] as number;
    let to = this.#begins[step + 1] as number;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const boundHigh = this.#bounds[2 * middle + 1] as number;
      if (boundHigh < high || (boundHigh === high && (this.#bounds[2 * middle] as number) < low)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
