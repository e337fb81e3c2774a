import { lookup3 } from './hashes-32.js';
import { md5 } from './md5.js';
import {
  add,
  bigintOf,
  blankWords,
  carry,
  copy,
  load,
  loadPartial,
  multiply,
  partialWord32,
  rotateLeft,
  set,
  subtract,
  type Word,
  word32,
  wordOf,
  xor,
  xorShiftRight,
} from './words.js';

/**
 * SipHash-2-4 of the row from `start` to `end` of `data`. Each 64-bit word is two variables, the low half and the high
 * half: words in memory take 3 times as long, and swapping halves by destructuring twice as long.
 * @param key four words of 32 bits
 * @param hashes gets the hash, the low half of each 64 bits first, from `at` on
 * @param words how many words of 32 bits the hash has: 2, or 4 for the one of 128 bits
 */
export function keyedSipHash(
  data: Uint8Array,
  start: number,
  end: number,
  key: Int32Array,
  hashes: Int32Array,
  at: number,
  words: 2 | 4,
): void {
  let a0 = 0x70736575 ^ key[0];
  let a1 = 0x736f6d65 ^ key[1];
  let b0 = 0x6e646f6d ^ key[2] ^ (words === 4 ? 0xee : 0);
  let b1 = 0x646f7261 ^ key[3];
  let c0 = 0x6e657261 ^ key[0];
  let c1 = 0x6c796765 ^ key[1];
  let d0 = 0x79746573 ^ key[2];
  let d1 = 0x74656462 ^ key[3];
  // The last word of a row holds 0 to 7 bytes and, on top, the low byte of the length. One more turn finishes, or two.
  for (let from = start, written = 0; ; from += 8) {
    const finishing = from > end;
    let m0 = 0;
    let m1 = 0;
    if (finishing) {
      if (written > 0) b0 ^= 0xdd;
      else c0 ^= words === 4 ? 0xee : 0xff;
    } else if (from + 8 <= end) {
      m0 = word32(data, from);
      m1 = word32(data, from + 4);
    } else {
      m0 = partialWord32(data, from, end);
      m1 = partialWord32(data, from + 4, end) | ((end - start) << 24);
    }
    d0 ^= m0;
    d1 ^= m1;
    for (let rounds = finishing ? 4 : 2; rounds > 0; rounds--) {
      a0 = (a0 + b0) | 0;
      a1 = (a1 + b1 + carry(a0, b0)) | 0;
      c0 = (c0 + d0) | 0;
      c1 = (c1 + d1 + carry(c0, d0)) | 0;
      let low = ((b0 << 13) | (b1 >>> 19)) ^ a0;
      b1 = ((b1 << 13) | (b0 >>> 19)) ^ a1;
      b0 = low;
      low = ((d0 << 16) | (d1 >>> 16)) ^ c0;
      d1 = ((d1 << 16) | (d0 >>> 16)) ^ c1;
      d0 = low;
      low = a1; // a rotated by 32
      a1 = a0;
      a0 = low;
      c0 = (c0 + b0) | 0;
      c1 = (c1 + b1 + carry(c0, b0)) | 0;
      a0 = (a0 + d0) | 0;
      a1 = (a1 + d1 + carry(a0, d0)) | 0;
      low = ((b0 << 17) | (b1 >>> 15)) ^ c0;
      b1 = ((b1 << 17) | (b0 >>> 15)) ^ c1;
      b0 = low;
      low = ((d0 << 21) | (d1 >>> 11)) ^ a0;
      d1 = ((d1 << 21) | (d0 >>> 11)) ^ a1;
      d0 = low;
      low = c1;
      c1 = c0;
      c0 = low;
    }
    if (finishing) {
      hashes[at + written++] = a0 ^ b0 ^ c0 ^ d0;
      hashes[at + written++] = a1 ^ b1 ^ c1 ^ d1;
      if (written === words) return;
    }
    a0 ^= m0;
    a1 ^= m1;
  }
}

// The 64-bit hashes of rows in plain JavaScript, for platforms without WebAssembly and for single rows above 256 KiB.
// Each gives the same bits as its kernel in WebAssembly. Rows have fewer than 2^32 bytes.

const [h1, h2, k1, k2] = /* @__PURE__ */ blankWords(4);

const MURMUR2_FACTOR = /* @__PURE__ */ wordOf(0xc6a4a793, 0x5bd1e995);
const LIBSTDCXX_SEED = /* @__PURE__ */ wordOf(0, 0xc70f6907);

// After gcc `libstdc++-v3/libsupc++/hash_bytes.cc`, _Hash_bytes for a size_t of 8 bytes. The seed is that of std::hash.
function murmur64A(data: Uint8Array, start: number, end: number): bigint {
  xor(multiply(set(h1, 0, end - start), MURMUR2_FACTOR), LIBSTDCXX_SEED);
  let at = start;
  for (; at + 8 <= end; at += 8) {
    multiply(xorShiftRight(multiply(load(k1, data, at), MURMUR2_FACTOR), 47), MURMUR2_FACTOR);
    multiply(xor(h1, k1), MURMUR2_FACTOR);
  }
  if (at < end) multiply(xor(h1, loadPartial(k1, data, at, end)), MURMUR2_FACTOR);
  multiply(xorShiftRight(h1, 47), MURMUR2_FACTOR);
  return bigintOf(xorShiftRight(h1, 47));
}

const MURMUR3_C1 = /* @__PURE__ */ wordOf(0x87c37b91, 0x114253d5);
const MURMUR3_C2 = /* @__PURE__ */ wordOf(0x4cf5ad43, 0x2745937f);
const FIVE = /* @__PURE__ */ wordOf(0, 5);
const MURMUR3_ADDEND_1 = /* @__PURE__ */ wordOf(0, 0x52dce729);
const MURMUR3_ADDEND_2 = /* @__PURE__ */ wordOf(0, 0x38495ab5);
const FMIX_1 = /* @__PURE__ */ wordOf(0xff51afd7, 0xed558ccd);
const FMIX_2 = /* @__PURE__ */ wordOf(0xc4ceb9fe, 0x1a85ec53);

function mixBlock(): void {
  xor(h1, multiply(rotateLeft(multiply(k1, MURMUR3_C1), 31), MURMUR3_C2));
  multiply(rotateLeft(multiply(k2, MURMUR3_C2), 33), MURMUR3_C1);
}

function fmix(word: Word): Word {
  multiply(xorShiftRight(word, 33), FMIX_1);
  multiply(xorShiftRight(word, 33), FMIX_2);
  return xorShiftRight(word, 33);
}

// After aappleby/smhasher `src/MurmurHash3.cpp`, MurmurHash3_x64_128 with seed 0. Leaves its result in h1 and h2.
function murmur3X64(data: Uint8Array, start: number, end: number, loadTail: typeof loadPartial): void {
  set(h1, 0, 0);
  set(h2, 0, 0);
  let at = start;
  for (; at + 16 <= end; at += 16) {
    load(k1, data, at);
    load(k2, data, at + 8);
    mixBlock();
    add(multiply(add(rotateLeft(h1, 27), h2), FIVE), MURMUR3_ADDEND_1);
    add(multiply(add(rotateLeft(xor(h2, k2), 31), h1), FIVE), MURMUR3_ADDEND_2);
  }
  loadTail(k1, data, at, end);
  loadTail(k2, data, at + 8, end);
  mixBlock();
  xor(h2, k2);
  h1[0] ^= end - start;
  h2[0] ^= end - start;
  add(h2, add(h1, h2));
  add(fmix(h1), fmix(h2));
  add(h2, h1);
}

/** Like loadPartial, but each byte is sign-extended to 64 bits, then shifted and XORed in. */
function loadSigned(word: Word, data: Uint8Array, at: number, end: number): Word {
  let low = 0;
  let high = 0;
  for (let shift = 0; at < end && shift < 64; at++, shift += 8) {
    const byte = (data[at] << 24) >> 24;
    if (shift < 32) low ^= byte << shift;
    high ^= shift < 32 ? byte >> 31 : byte << (shift - 32);
  }
  return set(word, high, low);
}

// After apache/cassandra `utils/MurmurHash.java`, hash3_x64_128, and `dht/Murmur3Partitioner.java`, getToken. The
// smallest token belongs to the empty key alone.
function murmur3Cassandra(data: Uint8Array, start: number, end: number): bigint {
  if (start === end) return 0x8000000000000000n;
  murmur3X64(data, start, end, loadSigned);
  const token = bigintOf(h1);
  return token === 0x8000000000000000n ? 0x7fffffffffffffffn : token;
}

// After ClickHouse/ClickHouse `src/Functions/FunctionsHashing.h`, MurmurHash3Impl64.
function murmur3ClickHouse(data: Uint8Array, start: number, end: number): bigint {
  murmur3X64(data, start, end, loadPartial);
  return bigintOf(xor(h1, h2));
}

// After postgres `src/common/hashfn.c`, with HASH_PARTITION_SEED of `src/include/catalog/partition.h`, and with the constant
// that hash_combine64 of `src/include/common/hashfn.h` adds to the hash of a single column.
function lookup3Postgres(data: Uint8Array, start: number, end: number): bigint {
  lookup3(data, start, end, 0x7a5b2236, 0x7996dcfd, h1);
  return BigInt.asUintN(64, bigintOf(h1) + 0x49a0f4dd15e5a8e3n);
}

const ZERO_KEY = /* @__PURE__ */ new Int32Array(4);

// After ClickHouse/ClickHouse `src/Common/SipHash.h`: SipHash-2-4 with a key of zeros.
function sipHash(data: Uint8Array, start: number, end: number): bigint {
  keyedSipHash(data, start, end, ZERO_KEY, h1, 0, 2);
  return bigintOf(h1);
}

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
function hashPair(u: Word, v: Word): Word {
  multiply(xor(u, v), K_MUL);
  multiply(xor(xorShiftRight(u, 47), v), K_MUL);
  return multiply(xorShiftRight(u, 47), K_MUL);
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

function cityHash(data: Uint8Array, start: number, end: number): bigint {
  const length = end - start;
  const hashed = length <= 16 ? upTo16 : length <= 32 ? from17To32 : length <= 64 ? from33To64 : above64;
  return bigintOf(hashed(data, start, end));
}

/** A hash of the row from `start` to `end` of `data`, from 0 to 2^64 - 1. */
export const HASHES_64 = {
  murmur64A,
  murmur3Cassandra,
  murmur3ClickHouse,
  lookup3Postgres,
  sipHash,
  cityHash,
  md5High: (data, start, end) => md5(data, start, end).getBigUint64(0),
} satisfies { readonly [name: string]: (data: Uint8Array, start: number, end: number) => bigint };
