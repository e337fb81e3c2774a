// MurmurHash3, after Austin Appleby's `MurmurHash3.cpp`: x86_32 and x64_128, each with the variants that systems have.

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

// Each of the last 1 to 3 bytes is mixed in as a block, with its sign, where standard MurmurHash3 takes them together:
// apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`.
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
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const start = load<u32>(starts);
    const length = load<u32>(ends) - start;
    let at = data + start;
    const end = at + length;
    let h = seed;
    for (; at + 4 <= end; at += 4) h = mixIn(h, load<u32>(at));
    if (isSpark) for (; at < end; at++) h = mixIn(h, <u32>(<i32>load<i8>(at)));
    else if (at < end) h ^= scramble(<u32>lastBytes(at, <u32>(end - at)));
    store<u32>(hashes, avalanche32(h ^ length));
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

// 1 to 8 bytes, each with its sign: the ones of a negative byte are flipped into all that lies above it.
@inline
function lastSigned(at: usize, count: u32): u64 {
  let value: u64 = 0;
  for (let i: u32 = 0; i < count; i++) value ^= <u64>(<i64>load<i8>(at + i)) << (<u64>i << 3);
  return value;
}

@inline
function lastOf(at: usize, count: u32, isSigned: bool): u64 {
  if (isSigned) return lastSigned(at, count);
  return count == 8 ? load<u64>(at) : lastBytes(at, count);
}

// Of Cassandra: the last bytes have signs (apache/cassandra `MurmurHash.hash3_x64_128`), the result is the first half,
// for which -2^63 stands for nothing but the empty row (`Murmur3Partitioner`). Of ClickHouse: both halves, by XOR.
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
    if (left > 8) h2 ^= scramble2(lastOf(at + 8, left - 8, isCassandra));
    if (left != 0) h1 ^= scramble1(lastOf(at, min(left, 8), isCassandra));
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
