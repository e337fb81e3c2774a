// Groups columns of ids by their upper 32 bits, and back. Works on words, so that no id becomes a bigint.

/** The words of a column: row i has its lower 32 bits at 2i and its upper ones at 2i + 1. */
export function wordsOf(ids: BigUint64Array): Uint32Array {
  return new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
}

/** Groups of the lower words of ids with the same high word. Groups and words are ascending. */
export function* groupsOf(ids: BigUint64Array): Generator<readonly [high: number, lows: Uint32Array]> {
  // Sorting takes 70 ns an id. Adding an id to a bitmap takes 20 ns in ascending order, and 500 to 1,700 ns otherwise.
  const words = wordsOf(ascend(wordsOf(ids)) ? ids : new BigUint64Array(ids).sort());
  const lows = new Uint32Array(ids.length);
  let first = 0;
  let high = words[1] ?? 0;
  for (let row = 0; row < ids.length; row++) {
    const next = words[2 * row + 1] as number;
    if (next !== high) {
      yield [high, lows.subarray(first, row)];
      first = row;
      high = next;
    }
    lows[row] = words[2 * row] as number;
  }
  if (ids.length > 0) yield [high, lows.subarray(first)];
}

function ascend(words: Uint32Array): boolean {
  let low = 0;
  let high = 0;
  for (let i = 0; i < words.length; i += 2) {
    const nextLow = words[i] as number;
    const nextHigh = words[i + 1] as number;
    if (nextHigh < high || (nextHigh === high && nextLow < low)) return false;
    low = nextLow;
    high = nextHigh;
  }
  return true;
}

/** Writes ids with the same high word, from a row on. */
export function writeGroup(words: Uint32Array, row: number, high: number, lows: Uint32Array): void {
  for (let i = 0; i < lows.length; i++) {
    words[2 * (row + i)] = lows[i] as number;
    words[2 * (row + i) + 1] = high;
  }
}
