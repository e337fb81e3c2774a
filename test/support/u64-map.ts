// A map for more entries than the 2^24 that a Map can have, in 16 bytes each.

const FIRST_SLOTS = 1024;
const WORDS = 4;

/** What {@link U64Map.put} found. */
export const ABSENT = 0;
export const SAME = 1;
export const OTHER = 2;

/** From numbers of 64 bits, except 0, to such numbers. Numbers come in two words, because a bigint costs an allocation. */
export class U64Map {
  /** In each slot the low and the high word of a key and of its value; or a key of 0, if it is empty. */
  #slots = new Uint32Array(FIRST_SLOTS * WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  copy(): U64Map {
    const copy = new U64Map();
    copy.#slots = this.#slots.slice();
    copy.#size = this.#size;
    return copy;
  }

  /** Adds an entry. A key keeps the value that it has. @returns what the key had before */
  put(keyLow: number, keyHigh: number, low: number, high: number): typeof ABSENT | typeof SAME | typeof OTHER {
    if (this.#size * WORDS * 4 >= this.#slots.length * 3) this.#grow();
    const slots = this.#slots;
    const at = slotOf(slots, keyLow, keyHigh);
    if ((slots[at] | slots[at + 1]) !== 0) {
      return slots[at + 2] === low >>> 0 && slots[at + 3] === high >>> 0 ? SAME : OTHER;
    }
    slots[at] = keyLow;
    slots[at + 1] = keyHigh;
    slots[at + 2] = low;
    slots[at + 3] = high;
    this.#size++;
    return ABSENT;
  }

  get(key: bigint): bigint | undefined {
    const slots = this.#slots;
    const at = slotOf(slots, Number(key & 0xffffffffn), Number(key >> 32n));
    return (slots[at] | slots[at + 1]) === 0 ? undefined : joined(slots[at + 2], slots[at + 3]);
  }

  has(key: number): boolean {
    const slots = this.#slots;
    const at = slotOf(slots, key >>> 0, Math.floor(key / 2 ** 32));
    return (slots[at] | slots[at + 1]) !== 0;
  }

  /** All entries, so many at a time. */
  *batches(size: number): Iterable<{ readonly keys: BigUint64Array; readonly values: BigUint64Array }> {
    const slots = this.#slots;
    let [keys, values, filled] = [new BigUint64Array(size), new BigUint64Array(size), 0];
    for (let at = 0; at < slots.length; at += WORDS) {
      if ((slots[at] | slots[at + 1]) === 0) continue;
      keys[filled] = joined(slots[at], slots[at + 1]);
      values[filled] = joined(slots[at + 2], slots[at + 3]);
      if (++filled < size) continue;
      yield { keys, values };
      [keys, values, filled] = [new BigUint64Array(size), new BigUint64Array(size), 0];
    }
    if (filled > 0) yield { keys: keys.subarray(0, filled), values: values.subarray(0, filled) };
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += WORDS) {
      if ((old[from] | old[from + 1]) === 0) continue;
      const to = slotOf(slots, old[from], old[from + 1]);
      for (let word = 0; word < WORDS; word++) slots[to + word] = old[from + word];
    }
    this.#slots = slots;
  }
}

/** Where a key is, or else the empty slot for it. */
function slotOf(slots: Uint32Array, low: number, high: number): number {
  const [keyLow, keyHigh] = [low >>> 0, high >>> 0];
  // The finalizer of MurmurHash3, so that keys that follow each other do not make runs.
  let hash = Math.imul(keyLow ^ Math.imul(keyHigh, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  const mask = slots.length / WORDS - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const at = slot * WORDS;
    if ((slots[at] === keyLow && slots[at + 1] === keyHigh) || (slots[at] | slots[at + 1]) === 0) return at;
  }
}

function joined(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
