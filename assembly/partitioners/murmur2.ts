// MurmurHash2 (32 bits) and MurmurHash64A, after Austin Appleby's `MurmurHash2.cpp`, each with the one seed that is in use.

import { commonLength, words, xorShift4 } from './four-rows';
import { lastBytes } from './last-bytes';

const SEED: u32 = 0x9747b28c; // of apache/kafka `common/utils/Utils.murmur2`
const M: u32 = 0x5bd1e995;

@inline
function scramble(k: u32): u32 {
  k *= M;
  return (k ^ (k >>> 24)) * M;
}

@inline
function ofRow(at: usize, end: usize): u32 {
  const length = <u32>(end - at);
  let h = SEED ^ length;
  for (; at + 4 <= end; at += 4) h = (h * M) ^ scramble(load<u32>(at));
  const left = length & 3;
  if (left != 0) h = (h ^ <u32>lastBytes(at, left, length)) * M;
  h = (h ^ (h >>> 13)) * M;
  return h ^ (h >>> 15);
}

// For rows of 4 bytes or more.
@inline
function ofFourRows(data: usize, starts: v128, length: u32): v128 {
  const factor = i32x4.splat(M);
  let a = data + <u32>i32x4.extract_lane(starts, 0);
  let b = data + <u32>i32x4.extract_lane(starts, 1);
  let c = data + <u32>i32x4.extract_lane(starts, 2);
  let d = data + <u32>i32x4.extract_lane(starts, 3);
  const end = a + (length & ~3);
  let h = i32x4.splat(SEED ^ length);
  while (a != end) {
    const k = xorShift4(i32x4.mul(words(a, b, c, d), factor), 24);
    h = v128.xor(i32x4.mul(h, factor), i32x4.mul(k, factor));
    a += 4;
    b += 4;
    c += 4;
    d += 4;
  }
  const left = length & 3;
  if (left != 0) {
    const back = 4 - left;
    const last = i32x4.shr_u(words(a - back, b - back, c - back, d - back), back << 3);
    h = i32x4.mul(v128.xor(h, last), factor);
  }
  return xorShift4(i32x4.mul(xorShift4(h, 13), factor), 15);
}

export function murmur2(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let from: u32 = 0; from < rows; from += 4) {
    if (from + 4 <= rows) {
      const four = v128.load(starts);
      const length = commonLength(four, ends);
      if (length >= 4) {
        v128.store(hashes, ofFourRows(data, four, length));
        starts += 16;
        ends += 16;
        hashes += 16;
        continue;
      }
    }
    const to = min(from + 4, rows);
    for (let i = from; i < to; i++, starts += 4, ends += 4, hashes += 4) {
      store<u32>(hashes, ofRow(data + load<u32>(starts), data + load<u32>(ends)));
    }
  }
}

const SEED_64A: u64 = 0xc70f6907; // of libstdc++ `std::_Hash_bytes`, in `libsupc++/hash_bytes.cc`
const M_64A: u64 = 0xc6a4a7935bd1e995;

@inline
function shiftMix(k: u64): u64 {
  return k ^ (k >>> 47);
}

export function murmur64A(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    const length = <u32>(end - at);
    let h = SEED_64A ^ (<u64>length * M_64A);
    for (; at + 8 <= end; at += 8) h = (h ^ (shiftMix(load<u64>(at) * M_64A) * M_64A)) * M_64A;
    const left = length & 7;
    if (left != 0) h = (h ^ lastBytes(at, left, length)) * M_64A;
    store<u64>(hashes, shiftMix(shiftMix(h) * M_64A));
  }
}
