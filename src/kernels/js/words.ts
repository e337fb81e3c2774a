// The arithmetic of the plain hashes of rows: 32-bit words from bytes, and 64-bit words in two halves.
//
// They do not use BigInt: it takes up to 15 times as long, and V8 11.3 (Node 20) aborted the process while it compiled
// MurmurHash64A in BigInt ("Phi of kRepTagged (UnsignedBigInt64) cannot be changed to kRepWord64").

/** The four bytes from `at`, little-endian. They are read one by one, because rows start anywhere. */
export function word32(data: Uint8Array, at: number): number {
  return data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24);
}

/** The bytes from `at` to `end`, little-endian: the first four at most. 0 if `end` is not after `at`. */
export function partialWord32(data: Uint8Array, at: number, end: number): number {
  let word = 0;
  for (let shift = 0; at < end && shift < 32; at++, shift += 8) word |= data[at] << shift;
  return word;
}

/** A 64-bit word: the low half, then the high half. The functions below write to `word`, return it, and only read `other`. */
export type Word = Int32Array & { 0: number; 1: number };

export const wordOf = (high: number, low: number): Word => Int32Array.of(low, high) as Word;

export const blankWords = (count: number): Word[] => Array.from({ length: count }, () => wordOf(0, 0));

export function set(word: Word, high: number, low: number): Word {
  word[0] = low;
  word[1] = high;
  return word;
}

export function copy(word: Word, other: Word): Word {
  word[0] = other[0];
  word[1] = other[1];
  return word;
}

/** The eight bytes from `at`, little-endian. */
export function load(word: Word, data: Uint8Array, at: number): Word {
  word[0] = word32(data, at);
  word[1] = word32(data, at + 4);
  return word;
}

/** The bytes from `at` to `end`, little-endian: the first eight at most. 0 if `end` is not after `at`. */
export function loadPartial(word: Word, data: Uint8Array, at: number, end: number): Word {
  word[0] = partialWord32(data, at, end);
  word[1] = partialWord32(data, at + 4, end);
  return word;
}

/** 1 if a < b as unsigned numbers: the carry of a sum `a` with an addend `b`, and the borrow of `a - b`. */
export const carry = (a: number, b: number): number => (a >>> 0 < b >>> 0 ? 1 : 0);

export function add(word: Word, other: Word): Word {
  const low = other[0];
  const sum = (word[0] + low) | 0;
  word[0] = sum;
  word[1] += other[1] + carry(sum, low);
  return word;
}

export function subtract(word: Word, other: Word): Word {
  const low = word[0];
  const difference = (low - other[0]) | 0;
  word[0] = difference;
  word[1] -= other[1] + carry(low, other[0]);
  return word;
}

export function xor(word: Word, other: Word): Word {
  word[0] ^= other[0];
  word[1] ^= other[1];
  return word;
}

export function multiply(word: Word, other: Word): Word {
  const a = word[0];
  const b = other[0];
  // The high half of a * b, by parts of 16 bits. Both sums are at most 2^32 - 1 when read as unsigned.
  const middle = Math.imul(a >>> 16, b & 65535) + (Math.imul(a & 65535, b & 65535) >>> 16);
  const rest = Math.imul(a & 65535, b >>> 16) + (middle & 65535);
  const high = Math.imul(a >>> 16, b >>> 16) + (middle >>> 16) + (rest >>> 16);
  word[0] = Math.imul(a, b);
  word[1] = high + Math.imul(word[1], b) + Math.imul(a, other[1]);
  return word;
}

/** @param places 1 to 63, but not 32 */
export function rotateLeft(word: Word, places: number): Word {
  // Shifts take their places modulo 32. Above 32, the halves also change places.
  const low = (word[0] << places) | (word[1] >>> -places);
  const high = (word[1] << places) | (word[0] >>> -places);
  word[0] = places < 32 ? low : high;
  word[1] = places < 32 ? high : low;
  return word;
}

/**
 * XORs the word with itself shifted to the right.
 * @param places 32 to 63
 */
export function xorShiftRight(word: Word, places: number): Word {
  word[0] ^= word[1] >>> places;
  return word;
}

const halves = /* @__PURE__ */ new Int32Array(2);
const whole = /* @__PURE__ */ new BigUint64Array(halves.buffer);

/** From 0 to 2^64 - 1. */
export function bigintOf(word: Word): bigint {
  halves[0] = word[0];
  halves[1] = word[1];
  return whole[0];
}
