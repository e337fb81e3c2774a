// CityHash64 as of CityHash 1.0.2 (Google, 2011), which ClickHouse keeps: `contrib/cityhash102`. Later versions differ.

import { shiftMix } from './words';

export const K0: u64 = 0xc3a5c85c97cb3127;
export const K1: u64 = 0xb492b66fbe98f273;
export const K2: u64 = 0x9ae16a3b2f90404f;
const K3: u64 = 0xc949d7c7509e6557;
const MUL: u64 = 0x9ddfea08eb382d69;

@inline
export function combine(low: u64, high: u64, factor: u64 = MUL): u64 {
  return shiftMix((high ^ shiftMix((low ^ high) * factor)) * factor) * factor;
}

@inline
function to16(at: usize, length: u32): u64 {
  if (length > 8) {
    const last = load<u64>(at + length - 8);
    return combine(load<u64>(at), rotr(last + length, length)) ^ last;
  }
  if (length >= 4) return combine(<u64>length + (<u64>load<u32>(at) << 3), load<u32>(at + length - 4));
  if (length == 0) return K2;
  const y = <u64>load<u8>(at) + (<u64>load<u8>(at + (length >>> 1)) << 8);
  const z = <u64>length + (<u64>load<u8>(at + length - 1) << 2);
  return shiftMix((y * K2) ^ (z * K3)) * K2;
}

@inline
function to32(at: usize, length: u32): u64 {
  const end = at + length;
  const a = load<u64>(at) * K1;
  const b = load<u64>(at, 8);
  const c = load<u64>(end - 8) * K2;
  const d = load<u64>(end - 16) * K0;
  return combine(rotr(a - b, 43) + rotr(c, 30) + d, a + rotr(b ^ K3, 20) - c + length);
}

@inline
function to64(at: usize, length: u32): u64 {
  const end = at + length;
  let z = load<u64>(at, 24);
  let a = load<u64>(at) + (<u64>length + load<u64>(end - 16)) * K0;
  let b = rotr(a + z, 52);
  let c = rotr(a, 37);
  a += load<u64>(at, 8);
  c += rotr(a, 7);
  a += load<u64>(at, 16);
  const firstLow = a + z;
  const firstHigh = b + rotr(a, 31) + c;
  a = load<u64>(at, 16) + load<u64>(end - 32);
  z = load<u64>(end - 8);
  b = rotr(a + z, 52);
  c = rotr(a, 37);
  a += load<u64>(end - 24);
  c += rotr(a, 7);
  a += load<u64>(end - 16);
  const secondLow = a + z;
  const secondHigh = b + rotr(a, 31) + c;
  const r = shiftMix((firstLow + secondHigh) * K2 + (secondLow + firstHigh) * K0);
  return shiftMix(r * K0 + firstHigh) * K2;
}

// Mixes 32 bytes and two seeds into two words.
@inline
export function weakLow(at: usize, a: u64): u64 {
  return a + load<u64>(at) + load<u64>(at, 8) + load<u64>(at, 16) + load<u64>(at, 24);
}

@inline
export function weakHigh(at: usize, a: u64, b: u64): u64 {
  a += load<u64>(at);
  const c = a;
  b = rotr(b + a + load<u64>(at, 24), 21);
  a += load<u64>(at, 8) + load<u64>(at, 16);
  return b + rotr(a, 44) + c;
}

function longer(at: usize, length: u32): u64 {
  const end = at + length;
  let x = load<u64>(at);
  let y = load<u64>(end - 16) ^ K1;
  let z = load<u64>(end - 56) ^ K0;
  let v1 = weakLow(end - 64, length);
  let v2 = weakHigh(end - 64, length, y);
  let w1 = weakLow(end - 32, <u64>length * K1);
  let w2 = weakHigh(end - 32, <u64>length * K1, K0);
  z += shiftMix(v2) * K1;
  x = rotr(z + x, 39) * K1;
  y = rotr(y, 33) * K1;
  const last = at + ((length - 1) & ~63);
  do {
    x = rotr(x + y + v1 + load<u64>(at, 16), 37) * K1;
    y = rotr(y + v2 + load<u64>(at, 48), 42) * K1;
    x ^= w2;
    y ^= v1;
    z = rotr(z ^ w1, 33);
    const seed = v2 * K1;
    v2 = weakHigh(at, seed, x + w1);
    v1 = weakLow(at, seed);
    const other = z + w2;
    w2 = weakHigh(at + 32, other, y);
    w1 = weakLow(at + 32, other);
    const swapped = z;
    z = x;
    x = swapped;
    at += 64;
  } while (at != last);
  return combine(combine(v1, w1) + shiftMix(y) * K1 + z, combine(v2, w2) + x);
}

export function cityHash(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    const length = load<u32>(ends) - start;
    const at = data + start;
    store<u64>(
      hashes,
      length <= 16 ? to16(at, length) : length <= 32 ? to32(at, length) : length <= 64 ? to64(at, length) : longer(at, length),
    );
  }
}
