// MurmurHash64A and MurmurHash3 of 128 bits (x64), after Austin Appleby's `MurmurHash2.cpp` and `MurmurHash3.cpp`, each with
// the seed and the variants that systems have.

import { lastBytes, shiftMix } from './words';

const SEED_64A: u64 = 0xc70f6907; // of libstdc++ `std::_Hash_bytes`, in `libsupc++/hash_bytes.cc`
const M_64A: u64 = 0xc6a4a7935bd1e995;

export function murmur64A(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  rows64A(data, starts, ends, hashes, rows, SEED_64A);
}

// As ClickHouse's murmurHash2_64.
export function murmur64AUnseeded(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  rows64A(data, starts, ends, hashes, rows, 0);
}

function rows64A(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, seed: u64): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    const length = <u32>(end - at);
    let h = seed ^ (<u64>length * M_64A);
    for (; at + 8 <= end; at += 8) h = (h ^ (shiftMix(load<u64>(at) * M_64A) * M_64A)) * M_64A;
    const left = length & 7;
    if (left != 0) h = (h ^ lastBytes(at, left, length)) * M_64A;
    store<u64>(hashes, shiftMix(shiftMix(h) * M_64A));
  }
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
