// CityHash64 and FarmHash in plain JavaScript: hashes-64.ts says when.

import {
  add,
  bigintOf,
  blankWords,
  copy,
  load,
  multiply,
  rotateLeft,
  set,
  subtract,
  type Word,
  word32,
  wordOf,
  xor,
  xorShiftRight,
} from './words.js';

// CityHash64 of CityHash 1.0.2, after ClickHouse/ClickHouse `contrib/cityhash102/src/city.cc`. CityHash 1.1 gives other
// values. Words are named as there; v and w, which are pairs there, are v1 and v2, w1 and w2 here.

const K0 = /* @__PURE__ */ wordOf(0xc3a5c85c, 0x97cb3127);
const K1 = /* @__PURE__ */ wordOf(0xb492b66f, 0xbe98f273);
const K2 = /* @__PURE__ */ wordOf(0x9ae16a3b, 0x2f90404f);
const K3 = /* @__PURE__ */ wordOf(0xc949d7c7, 0x509e6557);
const K_MUL = /* @__PURE__ */ wordOf(0x9ddfea08, 0xeb382d69);

const [a, b, c, d, v1, v2, w1, w2, x, y, z] = /* @__PURE__ */ blankWords(11);
const [loaded, count, turned] = /* @__PURE__ */ blankWords(3);

const addLoaded = (word: Word, data: Uint8Array, at: number): Word => add(word, load(loaded, data, at));
const addCount = (word: Word, length: number): Word => add(word, set(count, 0, length));

function addRotatedRight(word: Word, other: Word, places: number): Word {
  return add(word, rotateLeft(copy(turned, other), 64 - places));
}

/** The reference's HashLen16. Writes to u, and returns it. */
function hashPair(u: Word, v: Word, factor = K_MUL): Word {
  multiply(xor(u, v), factor);
  multiply(xor(xorShiftRight(u, 47), v), factor);
  return multiply(xorShiftRight(u, 47), factor);
}

function upTo16(data: Uint8Array, start: number, end: number): Word {
  const length = end - start;
  if (length > 8) {
    load(b, data, end - 8);
    hashPair(load(a, data, start), rotateLeft(addCount(copy(c, b), length), 64 - length));
    return xor(a, b);
  }
  if (length >= 4) {
    const first = word32(data, start);
    return hashPair(addCount(set(a, first >>> 29, first << 3), length), set(b, 0, word32(data, end - 4)));
  }
  if (length === 0) return copy(a, K2);
  multiply(set(a, 0, data[start] + (data[start + (length >> 1)] << 8)), K2);
  xor(a, multiply(set(b, 0, length + (data[end - 1] << 2)), K3));
  return multiply(xorShiftRight(a, 47), K2);
}

function from17To32(data: Uint8Array, start: number, end: number): Word {
  multiply(load(v1, data, start), K1);
  load(b, data, start + 8);
  multiply(load(c, data, end - 8), K2);
  multiply(load(a, data, end - 16), K0);
  addRotatedRight(a, subtract(copy(d, v1), b), 43);
  addRotatedRight(a, c, 30);
  addRotatedRight(v1, xor(b, K3), 20);
  return hashPair(a, addCount(subtract(v1, c), end - start));
}

/** Mixes a with the 24 bytes from `at`. Leaves a pair in first and second. */
function mix24(data: Uint8Array, at: number, first: Word, second: Word): void {
  load(first, data, at + 16);
  rotateLeft(add(copy(second, a), first), 64 - 52);
  addRotatedRight(second, a, 37);
  addRotatedRight(second, addLoaded(a, data, at), 7);
  addRotatedRight(second, addLoaded(a, data, at + 8), 31);
  add(first, a);
}

function from33To64(data: Uint8Array, start: number, end: number): Word {
  multiply(addCount(load(a, data, end - 16), end - start), K0);
  addLoaded(a, data, start);
  mix24(data, start + 8, v1, v2);
  addLoaded(load(a, data, start + 16), data, end - 32);
  mix24(data, end - 24, w1, w2);
  multiply(add(copy(a, v1), w2), K2);
  add(a, multiply(add(w1, v2), K0));
  add(multiply(xorShiftRight(a, 47), K0), v2);
  return multiply(xorShiftRight(a, 47), K2);
}

/** The reference's WeakHashLen32WithSeeds. Leaves the result in first and second. */
function mix32(data: Uint8Array, at: number, first: Word, second: Word): void {
  copy(c, addLoaded(first, data, at));
  rotateLeft(add(add(second, first), load(d, data, at + 24)), 64 - 21);
  addLoaded(addLoaded(first, data, at + 8), data, at + 16);
  add(addRotatedRight(second, first, 44), c);
  add(first, d);
}

function above64(data: Uint8Array, start: number, end: number): Word {
  load(x, data, start);
  xor(load(y, data, end - 16), K1);
  xor(load(z, data, end - 56), K0);
  mix32(data, end - 64, set(v1, 0, end - start), copy(v2, y));
  mix32(data, end - 32, multiply(set(w1, 0, end - start), K1), copy(w2, K0));
  add(z, multiply(xorShiftRight(copy(a, v2), 47), K1));
  multiply(rotateLeft(add(x, z), 64 - 39), K1);
  multiply(rotateLeft(y, 64 - 33), K1);
  // All blocks but the last, which has 1 to 64 bytes: they are mixed in already.
  for (let at = start; end - at > 64; at += 64) {
    addLoaded(add(add(x, y), v1), data, at + 16);
    xor(multiply(rotateLeft(x, 64 - 37), K1), w2);
    addLoaded(add(y, v2), data, at + 48);
    xor(multiply(rotateLeft(y, 64 - 42), K1), v1);
    rotateLeft(xor(z, w1), 64 - 33);
    mix32(data, at, multiply(copy(v1, v2), K1), add(copy(v2, x), w1));
    mix32(data, at + 32, add(copy(w1, z), w2), copy(w2, y));
    copy(a, x);
    copy(x, z);
    copy(z, a);
  }
  multiply(xorShiftRight(y, 47), K1);
  add(add(hashPair(copy(a, v1), w1), y), z);
  return hashPair(a, add(hashPair(v2, w2), x));
}

export function cityHash(data: Uint8Array, start: number, end: number): bigint {
  const length = end - start;
  const hashed = length <= 16 ? upTo16 : length <= 32 ? from17To32 : length <= 64 ? from33To64 : above64;
  return bigintOf(hashed(data, start, end));
}

// Fingerprint64, after google/farmhash `src/farmhash.cc`, farmhashna::Hash64. K0, K1 and K2 are those of CityHash.

const FIRST_Y = /* @__PURE__ */ wordOf(0x226bb95b, 0x4e64b6d4); // 81 * K1 + 113
const FIRST_X = /* @__PURE__ */ wordOf(0, 81);
const ADDEND = /* @__PURE__ */ wordOf(0, 113);

const [factor, times] = /* @__PURE__ */ blankWords(2);

function farmUpTo16(data: Uint8Array, start: number, end: number): Word {
  const length = end - start;
  if (length >= 8) {
    add(load(a, data, start), K2);
    load(b, data, end - 8);
    multiply(add(copy(d, b), rotateLeft(copy(c, a), 64 - 25)), factor);
    return hashPair(add(multiply(rotateLeft(b, 64 - 37), factor), a), d, factor);
  }
  if (length >= 4) {
    const first = word32(data, start);
    return hashPair(addCount(set(a, first >>> 29, first << 3), length), set(b, 0, word32(data, end - 4)), factor);
  }
  if (length === 0) return copy(a, K2);
  multiply(set(a, 0, data[start] + (data[start + (length >> 1)] << 8)), K2);
  xor(a, multiply(set(b, 0, length + (data[end - 1] << 2)), K0));
  return multiply(xorShiftRight(a, 47), K2);
}

function farmUpTo64(data: Uint8Array, start: number, end: number): Word {
  const isShort = end - start <= 32;
  multiply(load(a, data, start), isShort ? K1 : K2);
  load(b, data, start + 8);
  multiply(load(c, data, end - 8), factor);
  multiply(load(y, data, end - 16), K2);
  addRotatedRight(addRotatedRight(y, add(copy(d, a), b), 43), c, 30);
  addRotatedRight(add(c, a), add(b, K2), 18);
  hashPair(copy(z, y), c, factor);
  if (isShort) return z;
  multiply(load(x, data, start + 16), factor);
  load(b, data, start + 24);
  multiply(addLoaded(y, data, end - 32), factor);
  multiply(addLoaded(z, data, end - 24), factor);
  addRotatedRight(addRotatedRight(z, y, 30), add(copy(c, x), b), 43);
  addRotatedRight(add(x, y), add(b, a), 18);
  return hashPair(z, x, factor);
}

function farmAbove64(data: Uint8Array, start: number, end: number): Word {
  addLoaded(multiply(copy(x, FIRST_X), K2), data, start);
  copy(y, FIRST_Y);
  multiply(xorShiftRight(add(multiply(copy(z, y), K2), ADDEND), 47), K2);
  for (const word of [v1, v2, w1, w2]) set(word, 0, 0);
  copy(factor, K1);
  set(times, 0, 1);
  for (let at = start, isLast = false; !isLast; at += 64) {
    isLast = end - at <= 64;
    if (isLast) {
      // The last 64 bytes, of which some have been mixed in already.
      add(v1, addCount(w1, end - at - 1));
      add(w1, v1);
      at = end - 64;
      add(factor, set(count, 0, (z[0] & 0xff) << 1));
      set(times, 0, 9);
    }
    addLoaded(add(add(x, y), v1), data, at + 8);
    xor(multiply(rotateLeft(x, 64 - 37), factor), multiply(copy(turned, w2), times));
    addLoaded(add(y, v2), data, at + 48);
    addLoaded(add(multiply(rotateLeft(y, 64 - 42), factor), multiply(copy(turned, v1), times)), data, at + 40);
    multiply(rotateLeft(add(z, w1), 64 - 33), factor);
    mix32(data, at, multiply(copy(v1, v2), factor), add(copy(v2, x), w1));
    mix32(data, at + 32, add(copy(w1, z), w2), addLoaded(copy(w2, y), data, at + 16));
    copy(a, x);
    copy(x, z);
    copy(z, a);
  }
  multiply(xorShiftRight(y, 47), K0);
  add(add(hashPair(copy(a, v1), w1, factor), y), z);
  return hashPair(a, add(hashPair(v2, w2, factor), x), factor);
}

const NINE = /* @__PURE__ */ wordOf(0, 9);
const NO_SEED = /* @__PURE__ */ wordOf(0, 0);

/** H32 of farmhashxo. Writes to u, and returns it. */
function xo32(u: Word, data: Uint8Array, at: number, seed1 = NO_SEED, seed2 = NO_SEED): Word {
  multiply(load(a, data, at), K1);
  load(b, data, at + 8);
  multiply(load(c, data, at + 24), factor);
  multiply(load(u, data, at + 16), K2);
  add(addRotatedRight(addRotatedRight(u, add(copy(d, a), b), 43), c, 30), seed1);
  add(addRotatedRight(add(c, a), add(b, K2), 18), seed2);
  xorShiftRight(multiply(xor(u, c), factor), 47);
  return xorShiftRight(multiply(xor(u, c), factor), 47);
}

const addShifted = (word: Word, [low, high]: Word, places: number): Word =>
  add(word, set(turned, high >>> places, (low >>> places) | (high << -places)));

/** Hash64 of farmhashxo, after google/farmhash `src/farmhash.cc`, for up to 256 bytes; longer ones have other steps there. */
export function farmHashXo(data: Uint8Array, start: number, end: number): bigint {
  const length = end - start;
  if (length <= 32 || length > 96) return farmHash(data, start, end);
  const isShort = length <= 64;
  add(set(factor, -1, isShort ? -30 : -114), K2);
  xo32(x, data, start);
  addCount(factor, 2 * length);
  xo32(y, data, isShort ? end - 32 : start + 32);
  if (isShort) return bigintOf(multiply(add(multiply(y, factor), x), factor));
  multiply(xo32(z, data, end - 32, x, y), NINE);
  return bigintOf(multiply(addShifted(addShifted(z, x, 17), y, 21), factor));
}

export function farmHash(data: Uint8Array, start: number, end: number): bigint {
  const length = end - start;
  add(set(factor, 0, 2 * length), K2);
  const hashed = length <= 16 ? farmUpTo16 : length <= 64 ? farmUpTo64 : farmAbove64;
  return bigintOf(hashed(data, start, end));
}
