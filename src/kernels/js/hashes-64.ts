import { cityHash, farmHash, farmHashXo } from './city-farm.js';
import { lookup3 } from './hashes-32.js';
import { md5 } from './md5.js';
import {
  add,
  bigintOf,
  blankWords,
  carry,
  load,
  loadPartial,
  multiply,
  partialWord32,
  rotateLeft,
  set,
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
const NO_SEED = /* @__PURE__ */ wordOf(0, 0);

// After gcc `libstdc++-v3/libsupc++/hash_bytes.cc`, _Hash_bytes for a size_t of 8 bytes, with the seed of std::hash; and after
// ClickHouse/ClickHouse `src/Functions/FunctionsHashing.h`, MurmurHash2Impl64, with the seed 0.
function murmur64A(data: Uint8Array, start: number, end: number, seed: Word): bigint {
  xor(multiply(set(h1, 0, end - start), MURMUR2_FACTOR), seed);
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

/** MurmurHash3_x64_128 with seed 0, its second half above the first one. */
export function murmur3Of128(data: Uint8Array): bigint {
  murmur3X64(data, 0, data.length, loadPartial);
  return (bigintOf(h2) << 64n) | bigintOf(h1);
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

/** A hash of the row from `start` to `end` of `data`, from 0 to 2^64 - 1. */
export const HASHES_64 = {
  murmur64A: (data, start, end) => murmur64A(data, start, end, LIBSTDCXX_SEED),
  murmur64AUnseeded: (data, start, end) => murmur64A(data, start, end, NO_SEED),
  murmur3Cassandra,
  murmur3ClickHouse,
  lookup3Postgres,
  sipHash,
  cityHash,
  farmHash,
  farmHashXo,
  md5High: (data, start, end) => md5(data, start, end).getBigUint64(0),
  md5Low: (data, start, end) => md5(data, start, end).getBigUint64(8),
} satisfies { readonly [name: string]: (data: Uint8Array, start: number, end: number) => bigint };
