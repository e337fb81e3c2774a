// MurmurHash2 (32 bits) and MurmurHash64A, after Austin Appleby's `MurmurHash2.cpp`, each with the one seed that is in use.

import { lastBytes } from './last-bytes';

const SEED: u32 = 0x9747b28c; // of apache/kafka `common/utils/Utils.murmur2`
const M: u32 = 0x5bd1e995;

@inline
function scramble(k: u32): u32 {
  k *= M;
  return (k ^ (k >>> 24)) * M;
}

export function murmur2(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    let h = SEED ^ <u32>(end - at);
    for (; at + 4 <= end; at += 4) h = (h * M) ^ scramble(load<u32>(at));
    const left = <u32>(end - at);
    if (left != 0) h = (h ^ <u32>lastBytes(at, left)) * M;
    h = (h ^ (h >>> 13)) * M;
    store<u32>(hashes, h ^ (h >>> 15));
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
    let h = SEED_64A ^ (<u64>(end - at) * M_64A);
    for (; at + 8 <= end; at += 8) h = (h ^ (shiftMix(load<u64>(at) * M_64A) * M_64A)) * M_64A;
    const left = <u32>(end - at);
    if (left != 0) h = (h ^ lastBytes(at, left)) * M_64A;
    store<u64>(hashes, shiftMix(shiftMix(h) * M_64A));
  }
}
