// MurmurHash3, after Austin Appleby's `MurmurHash3.cpp`: x86_32 and x64_128, each with the variants that systems have.

import { commonLength, rotl4, words, xorShift4 } from './four-rows';
import { lastBytes } from './last-bytes';

@inline
function scramble(k: u32): u32 {
  return rotl(k * 0xcc9e2d51, 15) * 0x1b873593;
}

@inline
function mixIn(h: u32, k: u32): u32 {
  return rotl(h ^ scramble(k), 13) * 5 + 0xe6546b64;
}

@inline
function avalanche32(h: u32): u32 {
  h = (h ^ (h >>> 16)) * 0x85ebca6b;
  h = (h ^ (h >>> 13)) * 0xc2b2ae35;
  return h ^ (h >>> 16);
}

// Each of the last 1 to 3 bytes is mixed in as its own block, with its sign. Standard MurmurHash3 mixes them in together.
// apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`.
@inline
function ofRow(at: usize, end: usize, seed: u32, isSpark: bool): u32 {
  const length = <u32>(end - at);
  let h = seed;
  for (; at + 4 <= end; at += 4) h = mixIn(h, load<u32>(at));
  if (isSpark) for (; at < end; at++) h = mixIn(h, <u32>(<i32>load<i8>(at)));
  else if (at < end) h ^= scramble(<u32>lastBytes(at, length & 3, length));
  return avalanche32(h ^ length);
}

@inline
function scramble4(k: v128): v128 {
  return i32x4.mul(rotl4(i32x4.mul(k, i32x4.splat(0xcc9e2d51)), 15), i32x4.splat(0x1b873593));
}

@inline
function mixIn4(h: v128, k: v128): v128 {
  h = rotl4(v128.xor(h, scramble4(k)), 13);
  return i32x4.add(i32x4.add(h, i32x4.shl(h, 2)), i32x4.splat(0xe6546b64));
}

// For rows of 4 bytes or more.
@inline
function ofFourRows(data: usize, starts: v128, length: u32, seed: u32, isSpark: bool): v128 {
  let a = data + <u32>i32x4.extract_lane(starts, 0);
  let b = data + <u32>i32x4.extract_lane(starts, 1);
  let c = data + <u32>i32x4.extract_lane(starts, 2);
  let d = data + <u32>i32x4.extract_lane(starts, 3);
  const end = a + (length & ~3);
  let h = i32x4.splat(seed);
  while (a != end) {
    h = mixIn4(h, words(a, b, c, d));
    a += 4;
    b += 4;
    c += 4;
    d += 4;
  }
  const left = length & 3;
  if (left != 0) {
    const back = 4 - left;
    let last = i32x4.shr_u(words(a - back, b - back, c - back, d - back), back << 3);
    if (isSpark) {
      for (let i: u32 = 0; i < left; i++) {
        h = mixIn4(h, i32x4.shr_s(i32x4.shl(last, 24), 24));
        last = i32x4.shr_u(last, 8);
      }
    } else h = v128.xor(h, scramble4(last));
  }
  h = v128.xor(h, i32x4.splat(length));
  h = i32x4.mul(xorShift4(h, 16), i32x4.splat(0x85ebca6b));
  h = i32x4.mul(xorShift4(h, 13), i32x4.splat(0xc2b2ae35));
  return xorShift4(h, 16);
}

@inline
function rows32(
  data: usize,
  starts: usize,
  ends: usize,
  hashes: usize,
  rows: u32,
  seed: u32,
  isSpark: bool,
): void {
  for (let from: u32 = 0; from < rows; from += 4) {
    if (from + 4 <= rows) {
      const four = v128.load(starts);
      const length = commonLength(four, ends);
      if (length >= 4) {
        v128.store(hashes, ofFourRows(data, four, length, seed, isSpark));
        starts += 16;
        ends += 16;
        hashes += 16;
        continue;
      }
    }
    const to = min(from + 4, rows);
    for (let i = from; i < to; i++, starts += 4, ends += 4, hashes += 4) {
      store<u32>(hashes, ofRow(data + load<u32>(starts), data + load<u32>(ends), seed, isSpark));
    }
  }
}

export function murmur3(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  rows32(data, starts, ends, hashes, rows, 0, false);
}

export function murmur3Spark(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  rows32(data, starts, ends, hashes, rows, 42, true);
}

const C1: u64 = 0x87c37b91114253d5;
const C2: u64 = 0x4cf5ad432745937f;

@inline
function scramble1(k: u64): u64 {
  return rotl(k * C1, 31) * C2;
}

@inline
function scramble2(k: u64): u64 {
  return rotl(k * C2, 33) * C1;
}

@inline
function avalanche64(h: u64): u64 {
  h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >>> 33);
}

// The last 1 to 8 bytes. In Cassandra they are signed: sign extension of a negative byte flips all bytes above it, so a byte
// is flipped once for each negative byte below it.
@inline
function lastOf(at: usize, count: u32, length: u32, isSigned: bool): u64 {
  const bytes = count == 8 ? load<u64>(at) : lastBytes(at, count, length);
  if (!isSigned) return bytes;
  let signs = bytes & 0x8080808080808080;
  if (signs == 0) return bytes;
  signs ^= signs << 8;
  signs ^= signs << 16;
  signs ^= signs << 32;
  return bytes ^ (((signs << 8) >>> 7) * 0xff);
}

// Cassandra: the last bytes are signed (apache/cassandra `MurmurHash.hash3_x64_128`), and the result is the first half, in
// which -2^63 stands only for the empty row (`Murmur3Partitioner`). ClickHouse: the XOR of both halves.
@inline
function rows128(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, isCassandra: bool): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    const length = load<u32>(ends) - start;
    let at = data + start;
    const end = at + length;
    let h1: u64 = 0;
    let h2: u64 = 0;
    for (; at + 16 <= end; at += 16) {
      h1 = (rotl(h1 ^ scramble1(load<u64>(at)), 27) + h2) * 5 + 0x52dce729;
      h2 = (rotl(h2 ^ scramble2(load<u64>(at, 8)), 31) + h1) * 5 + 0x38495ab5;
    }
    const left = <u32>(end - at);
    if (left > 8) h2 ^= scramble2(lastOf(at + 8, left - 8, length, isCassandra));
    if (left != 0) h1 ^= scramble1(lastOf(at, min(left, 8), length, isCassandra));
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = avalanche64(h1);
    h2 = avalanche64(h2);
    h1 += h2;
    if (isCassandra) store<i64>(hashes, length == 0 ? i64.MIN_VALUE : h1 == 0x8000000000000000 ? i64.MAX_VALUE : <i64>h1);
    else store<u64>(hashes, h1 ^ (h2 + h1));
  }
}

export function murmur3Cassandra(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  rows128(data, starts, ends, hashes, rows, true);
}

export function murmur3ClickHouse(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  rows128(data, starts, ends, hashes, rows, false);
}
