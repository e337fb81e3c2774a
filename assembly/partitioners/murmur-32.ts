// MurmurHash2 and MurmurHash3 of 32 bits, after Austin Appleby's `MurmurHash2.cpp` and `MurmurHash3.cpp`, with the seeds and
// variants that systems have.

import { commonLength, rotl4, words, xorShift4 } from './four-rows';
import { lastBytes } from './last-bytes';

// The variants. Each is known when the module is compiled, so a column has only the code of its own.
const KAFKA: u32 = 0; // MurmurHash2, of apache/kafka `common/utils/Utils.murmur2`
const STANDARD: u32 = 1; // MurmurHash3
// MurmurHash3, but each of the last 1 to 3 bytes is mixed in as its own block, with its sign, and not all together:
// apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`.
const SPARK: u32 = 2;

const M: u32 = 0x5bd1e995;

@inline
function seedOf(variant: u32, length: u32): u32 {
  return variant == KAFKA ? 0x9747b28c ^ length : variant == SPARK ? 42 : 0;
}

@inline
function scramble(variant: u32, k: u32): u32 {
  if (variant != KAFKA) return rotl(k * 0xcc9e2d51, 15) * 0x1b873593;
  k *= M;
  return (k ^ (k >>> 24)) * M;
}

@inline
function mixIn(variant: u32, h: u32, k: u32): u32 {
  k = scramble(variant, k);
  return variant == KAFKA ? (h * M) ^ k : rotl(h ^ k, 13) * 5 + 0xe6546b64;
}

@inline
function ofRow(at: usize, end: usize, variant: u32): u32 {
  const length = <u32>(end - at);
  const left = length & 3;
  let h = seedOf(variant, length);
  for (; at + 4 <= end; at += 4) h = mixIn(variant, h, load<u32>(at));
  if (variant == SPARK) for (; at < end; at++) h = mixIn(SPARK, h, <u32>(<i32>load<i8>(at)));
  else if (left != 0) {
    const last = <u32>lastBytes(at, left, length);
    h = variant == KAFKA ? (h ^ last) * M : h ^ scramble(variant, last);
  }
  if (variant == KAFKA) {
    h = (h ^ (h >>> 13)) * M;
    return h ^ (h >>> 15);
  }
  h ^= length;
  h = (h ^ (h >>> 16)) * 0x85ebca6b;
  h = (h ^ (h >>> 13)) * 0xc2b2ae35;
  return h ^ (h >>> 16);
}

@inline
function multiply4(value: v128, factor: u32): v128 {
  return i32x4.mul(value, i32x4.splat(factor));
}

@inline
function scramble4(variant: u32, k: v128): v128 {
  if (variant == KAFKA) return multiply4(xorShift4(multiply4(k, M), 24), M);
  return multiply4(rotl4(multiply4(k, 0xcc9e2d51), 15), 0x1b873593);
}

@inline
function mixIn4(variant: u32, h: v128, k: v128): v128 {
  k = scramble4(variant, k);
  if (variant == KAFKA) return v128.xor(multiply4(h, M), k);
  h = rotl4(v128.xor(h, k), 13);
  return i32x4.add(i32x4.add(h, i32x4.shl(h, 2)), i32x4.splat(0xe6546b64));
}

// For rows of 4 bytes or more.
@inline
function ofFourRows(data: usize, starts: v128, length: u32, variant: u32): v128 {
  let a = data + <u32>i32x4.extract_lane(starts, 0);
  let b = data + <u32>i32x4.extract_lane(starts, 1);
  let c = data + <u32>i32x4.extract_lane(starts, 2);
  let d = data + <u32>i32x4.extract_lane(starts, 3);
  const end = a + (length & ~3);
  let h = i32x4.splat(seedOf(variant, length));
  while (a != end) {
    h = mixIn4(variant, h, words(a, b, c, d));
    a += 4;
    b += 4;
    c += 4;
    d += 4;
  }
  const left = length & 3;
  if (left != 0) {
    const back = 4 - left;
    let last = i32x4.shr_u(words(a - back, b - back, c - back, d - back), back << 3);
    if (variant == KAFKA) h = multiply4(v128.xor(h, last), M);
    else if (variant == STANDARD) h = v128.xor(h, scramble4(variant, last));
    else {
      for (let i: u32 = 0; i < left; i++) {
        h = mixIn4(variant, h, i32x4.shr_s(i32x4.shl(last, 24), 24));
        last = i32x4.shr_u(last, 8);
      }
    }
  }
  if (variant == KAFKA) return xorShift4(multiply4(xorShift4(h, 13), M), 15);
  h = v128.xor(h, i32x4.splat(length));
  h = multiply4(xorShift4(h, 16), 0x85ebca6b);
  return xorShift4(multiply4(xorShift4(h, 13), 0xc2b2ae35), 16);
}

@inline
function hashRows(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, variant: u32): void {
  for (let from: u32 = 0; from < rows; from += 4) {
    if (from + 4 <= rows) {
      const four = v128.load(starts);
      const length = commonLength(four, ends);
      if (length >= 4) {
        v128.store(hashes, ofFourRows(data, four, length, variant));
        starts += 16;
        ends += 16;
        hashes += 16;
        continue;
      }
    }
    const to = min(from + 4, rows);
    for (let i = from; i < to; i++, starts += 4, ends += 4, hashes += 4) {
      store<u32>(hashes, ofRow(data + load<u32>(starts), data + load<u32>(ends), variant));
    }
  }
}

export function murmur2(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, KAFKA);
}

export function murmur3(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, STANDARD);
}

export function murmur3Spark(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, SPARK);
}
