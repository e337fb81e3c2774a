// CityHash64 of CityHash 1.0.2, after ClickHouse/ClickHouse `contrib/cityhash102/src/city.cc`. CityHash 1.1 gives other
// values. Words are named as there; v and w, which are pairs there, are v1 and v2, w1 and w2 here.

import {
  add,
  bigintOf,
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

const K0 = /* @__PURE__ */ wordOf(0xc3a5c85c, 0x97cb3127);
const K1 = /* @__PURE__ */ wordOf(0xb492b66f, 0xbe98f273);
const K2 = /* @__PURE__ */ wordOf(0x9ae16a3b, 0x2f90404f);
const K3 = /* @__PURE__ */ wordOf(0xc949d7c7, 0x509e6557);
const K_MUL = /* @__PURE__ */ wordOf(0x9ddfea08, 0xeb382d69);

const a = /* @__PURE__ */ wordOf(0, 0);
const b = /* @__PURE__ */ wordOf(0, 0);
const c = /* @__PURE__ */ wordOf(0, 0);
const d = /* @__PURE__ */ wordOf(0, 0);
const v1 = /* @__PURE__ */ wordOf(0, 0);
const v2 = /* @__PURE__ */ wordOf(0, 0);
const w1 = /* @__PURE__ */ wordOf(0, 0);
const w2 = /* @__PURE__ */ wordOf(0, 0);
const x = /* @__PURE__ */ wordOf(0, 0);
const y = /* @__PURE__ */ wordOf(0, 0);
const z = /* @__PURE__ */ wordOf(0, 0);

const loaded = /* @__PURE__ */ wordOf(0, 0);

function addLoaded(word: Word, data: Uint8Array, at: number): void {
  load(loaded, data, at);
  add(word, loaded);
}

const count = /* @__PURE__ */ wordOf(0, 0);

function addCount(word: Word, length: number): void {
  count[0] = length;
  add(word, count);
}

const turned = /* @__PURE__ */ wordOf(0, 0);

function addRotatedRight(word: Word, other: Word, places: number): void {
  copy(turned, other);
  rotateLeft(turned, 64 - places);
  add(word, turned);
}

/** The reference's HashLen16. Leaves the result in u. */
function hashPair(u: Word, v: Word): void {
  xor(u, v);
  multiply(u, K_MUL);
  xorShiftRight(u, 47);
  xor(u, v);
  multiply(u, K_MUL);
  xorShiftRight(u, 47);
  multiply(u, K_MUL);
}

// The four functions for rows of a length leave the result in a.

function upTo16(data: Uint8Array, start: number, end: number): void {
  const length = end - start;
  if (length > 8) {
    load(a, data, start);
    load(b, data, end - 8);
    copy(c, b);
    addCount(c, length);
    rotateLeft(c, 64 - length);
    hashPair(a, c);
    xor(a, b);
  } else if (length >= 4) {
    const first = word32(data, start);
    set(a, first >>> 29, first << 3);
    addCount(a, length);
    set(b, 0, word32(data, end - 4));
    hashPair(a, b);
  } else if (length > 0) {
    set(a, 0, data[start] + (data[start + (length >> 1)] << 8));
    multiply(a, K2);
    set(b, 0, length + (data[end - 1] << 2));
    multiply(b, K3);
    xor(a, b);
    xorShiftRight(a, 47);
    multiply(a, K2);
  } else {
    copy(a, K2);
  }
}

function from17To32(data: Uint8Array, start: number, end: number): void {
  load(v1, data, start);
  multiply(v1, K1);
  load(b, data, start + 8);
  load(c, data, end - 8);
  multiply(c, K2);
  load(a, data, end - 16);
  multiply(a, K0);
  copy(d, v1);
  subtract(d, b);
  addRotatedRight(a, d, 43);
  addRotatedRight(a, c, 30);
  xor(b, K3);
  addRotatedRight(v1, b, 20);
  subtract(v1, c);
  addCount(v1, end - start);
  hashPair(a, v1);
}

/** Mixes a with the 24 bytes from `at`. Leaves a pair in first and second. */
function mix24(data: Uint8Array, at: number, first: Word, second: Word): void {
  load(first, data, at + 16);
  copy(b, a);
  add(b, first);
  set(second, 0, 0);
  addRotatedRight(second, b, 52);
  addRotatedRight(second, a, 37);
  addLoaded(a, data, at);
  addRotatedRight(second, a, 7);
  addLoaded(a, data, at + 8);
  addRotatedRight(second, a, 31);
  add(first, a);
}

function from33To64(data: Uint8Array, start: number, end: number): void {
  load(a, data, end - 16);
  addCount(a, end - start);
  multiply(a, K0);
  addLoaded(a, data, start);
  mix24(data, start + 8, v1, v2);
  load(a, data, start + 16);
  addLoaded(a, data, end - 32);
  mix24(data, end - 24, w1, w2);
  copy(a, v1);
  add(a, w2);
  multiply(a, K2);
  add(w1, v2);
  multiply(w1, K0);
  add(a, w1);
  xorShiftRight(a, 47);
  multiply(a, K0);
  add(a, v2);
  xorShiftRight(a, 47);
  multiply(a, K2);
}

/** The reference's WeakHashLen32WithSeeds. Leaves the result in first and second. */
function mix32(data: Uint8Array, at: number, first: Word, second: Word): void {
  addLoaded(first, data, at);
  copy(c, first);
  load(d, data, at + 24);
  add(second, first);
  add(second, d);
  rotateLeft(second, 43);
  addLoaded(first, data, at + 8);
  addLoaded(first, data, at + 16);
  addRotatedRight(second, first, 44);
  add(second, c);
  add(first, d);
}

function above64(data: Uint8Array, start: number, end: number): void {
  load(x, data, start);
  load(y, data, end - 16);
  xor(y, K1);
  load(z, data, end - 56);
  xor(z, K0);
  set(v1, 0, end - start);
  copy(v2, y);
  mix32(data, end - 64, v1, v2);
  set(w1, 0, end - start);
  multiply(w1, K1);
  copy(w2, K0);
  mix32(data, end - 32, w1, w2);
  copy(a, v2);
  xorShiftRight(a, 47);
  multiply(a, K1);
  add(z, a);
  add(x, z);
  rotateLeft(x, 25);
  multiply(x, K1);
  rotateLeft(y, 31);
  multiply(y, K1);
  // All blocks but the last, which has 1 to 64 bytes: they are mixed in already.
  for (let at = start; end - at > 64; at += 64) {
    add(x, y);
    add(x, v1);
    addLoaded(x, data, at + 16);
    rotateLeft(x, 27);
    multiply(x, K1);
    xor(x, w2);
    add(y, v2);
    addLoaded(y, data, at + 48);
    rotateLeft(y, 22);
    multiply(y, K1);
    xor(y, v1);
    xor(z, w1);
    rotateLeft(z, 31);
    copy(v1, v2);
    multiply(v1, K1);
    copy(v2, x);
    add(v2, w1);
    mix32(data, at, v1, v2);
    copy(w1, z);
    add(w1, w2);
    copy(w2, y);
    mix32(data, at + 32, w1, w2);
    copy(a, x);
    copy(x, z);
    copy(z, a);
  }
  copy(a, v1);
  hashPair(a, w1);
  xorShiftRight(y, 47);
  multiply(y, K1);
  add(a, y);
  add(a, z);
  hashPair(v2, w2);
  add(v2, x);
  hashPair(a, v2);
}

export function cityHash(data: Uint8Array, start: number, end: number): bigint {
  const length = end - start;
  if (length <= 16) upTo16(data, start, end);
  else if (length <= 32) from17To32(data, start, end);
  else if (length <= 64) from33To64(data, start, end);
  else above64(data, start, end);
  return bigintOf(a[1], a[0]);
}
