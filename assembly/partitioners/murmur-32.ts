// MurmurHash2 and MurmurHash3 of 32 bits, after Austin Appleby's `MurmurHash2.cpp` and `MurmurHash3.cpp`, with the seeds and
// variants that systems have.

import { add, and, commonLength, multiply, rotate, splat, words, xor, xorShift } from './four-rows';
import { lastBytes } from './last-bytes';

// The variants. Each is known when the module is compiled, so a column has only the code of its own.
const KAFKA: u32 = 0; // MurmurHash2, of apache/kafka `common/utils/Utils.murmur2`
const STANDARD: u32 = 1; // MurmurHash3
// MurmurHash3, but each of the last 1 to 3 bytes is mixed in as its own block, with its sign, and not all together:
// apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`.
const SPARK: u32 = 2;
// MurmurHash3, but each of the last 1 to 3 bytes has its sign, which goes into the bits above it: apache/hive
// `common/util/Murmur3.hash32`.
const HIVE: u32 = 3;

const M: u32 = 0x5bd1e995;

@inline
function begin<T>(length: u32, variant: u32): T {
  return splat<T>(variant == KAFKA ? 0x9747b28c ^ length : variant == SPARK ? 42 : variant == HIVE ? 104729 : 0);
}

@inline
function scramble<T>(k: T, variant: u32): T {
  if (variant == KAFKA) return multiply(xorShift(multiply(k, M), 24), M);
  return multiply(rotate(multiply(k, 0xcc9e2d51), 15), 0x1b873593);
}

@inline
function mixIn<T>(h: T, k: T, variant: u32): T {
  if (variant == KAFKA) return xor(multiply(h, M), scramble(k, variant));
  h = rotate(xor(h, scramble(k, variant)), 13);
  const product = isVector<T>() ? add(h, i32x4.shl(h, 2)) : h * 5;
  return add(product, splat<T>(0xe6546b64));
}

// The ones above a byte that is negative: the product of its sign bit and -2.
@inline
function signAbove<T>(last: T, signBit: u32): T {
  return multiply(and(last, signBit), -2);
}

// The last 1 to 3 bytes, except in Spark.
@inline
function mixInLast<T>(h: T, last: T, variant: u32): T {
  if (variant == HIVE) {
    last = xor(xor(last, signAbove(last, 0x80)), xor(signAbove(last, 0x8000), signAbove(last, 0x800000)));
  }
  return variant == KAFKA ? multiply(xor(h, last), M) : xor(h, scramble(last, variant));
}

@inline
function avalanche<T>(h: T, length: u32, variant: u32): T {
  if (variant == KAFKA) return xorShift(multiply(xorShift(h, 13), M), 15);
  h = multiply(xorShift(xor(h, splat<T>(length)), 16), 0x85ebca6b);
  return xorShift(multiply(xorShift(h, 13), 0xc2b2ae35), 16);
}

@inline
function ofRow(at: usize, end: usize, variant: u32): u32 {
  const length = <u32>(end - at);
  let h = begin<u32>(length, variant);
  for (; at + 4 <= end; at += 4) h = mixIn<u32>(h, load<u32>(at), variant);
  if (variant == SPARK) for (; at < end; at++) h = mixIn<u32>(h, <u32>(<i32>load<i8>(at)), variant);
  else if (at < end) h = mixInLast<u32>(h, <u32>lastBytes(at, length & 3, length), variant);
  return avalanche<u32>(h, length, variant);
}

// For rows of 4 bytes or more.
@inline
function ofFourRows(data: usize, starts: v128, length: u32, variant: u32): v128 {
  let a = data + <u32>i32x4.extract_lane(starts, 0);
  let b = data + <u32>i32x4.extract_lane(starts, 1);
  let c = data + <u32>i32x4.extract_lane(starts, 2);
  let d = data + <u32>i32x4.extract_lane(starts, 3);
  const end = a + (length & ~3);
  let h = begin<v128>(length, variant);
  while (a != end) {
    h = mixIn<v128>(h, words<v128>(a, b, c, d), variant);
    a += 4;
    b += 4;
    c += 4;
    d += 4;
  }
  const left = length & 3;
  if (left != 0) {
    const back = 4 - left;
    let last = i32x4.shr_u(words<v128>(a - back, b - back, c - back, d - back), back << 3);
    if (variant == SPARK) {
      for (let i: u32 = 0; i < left; i++) {
        h = mixIn<v128>(h, i32x4.shr_s(i32x4.shl(last, 24), 24), variant);
        last = i32x4.shr_u(last, 8);
      }
    } else h = mixInLast<v128>(h, last, variant);
  }
  return avalanche<v128>(h, length, variant);
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

export function murmur3Hive(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, HIVE);
}
