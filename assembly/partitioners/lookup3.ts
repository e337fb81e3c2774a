// Bob Jenkins' lookup3 as PostgreSQL has it: `hash_bytes_extended` in `common/hashfn.c`.

import { commonLength, rotl4, words } from './four-rows';
import { lastBytes } from './last-bytes';

// The constant that hash_combine64 of `common/hashfn.h` adds to the hash of a single column.
const ROW: u64 = 0x49a0f4dd15e5a8e3;

// Both words of the result; the second one is the low half.
@inline
function hash(at: usize, length: u32, seed: u64): u64 {
  let a = 0x9e3779b9 + length + 3923095;
  let b = a;
  let c = a;
  let left = length;
  let isMixed = seed == 0;
  a += <u32>(seed >>> 32);
  b += <u32>seed;
  for (;;) {
    if (!isMixed) {
      a = (a - c) ^ rotl(c, 4);
      c += b;
      b = (b - a) ^ rotl(a, 6);
      a += c;
      c = (c - b) ^ rotl(b, 8);
      b += a;
      a = (a - c) ^ rotl(c, 16);
      c += b;
      b = (b - a) ^ rotl(a, 19);
      a += c;
      c = (c - b) ^ rotl(b, 4);
      b += a;
    }
    if (left < 12) break;
    a += load<u32>(at);
    b += load<u32>(at, 4);
    c += load<u32>(at, 8);
    at += 12;
    left -= 12;
    isMixed = false;
  }
  if (left >= 8) {
    a += load<u32>(at);
    b += load<u32>(at, 4);
    if (left > 8) c += <u32>lastBytes(at + 8, left - 8, length) << 8; // the lowest byte is for the length
  } else if (left != 0) {
    const last = lastBytes(at, left, length);
    a += <u32>last;
    b += <u32>(last >>> 32);
  }
  c = (c ^ b) - rotl(b, 14);
  a = (a ^ c) - rotl(c, 11);
  b = (b ^ a) - rotl(a, 25);
  c = (c ^ b) - rotl(b, 16);
  a = (a ^ c) - rotl(c, 4);
  b = (b ^ a) - rotl(a, 14);
  c = (c ^ b) - rotl(b, 24);
  return (<u64>b << 32) | <u64>c;
}

@inline
function add(a: v128, b: v128): v128 {
  return i32x4.add(a, b);
}

@inline
function takeXor(a: v128, b: v128, places: i32): v128 {
  return v128.xor(i32x4.sub(a, b), rotl4(b, places));
}

@inline
function xorTake(a: v128, b: v128, places: i32): v128 {
  return i32x4.sub(v128.xor(a, b), rotl4(b, places));
}

// The same for four rows of 4 bytes or more.
@inline
function ofFourRows(data: usize, starts: v128, length: u32, seed: u64, hashes: usize, isWide: bool): void {
  let p = data + <u32>i32x4.extract_lane(starts, 0);
  let q = data + <u32>i32x4.extract_lane(starts, 1);
  let r = data + <u32>i32x4.extract_lane(starts, 2);
  let s = data + <u32>i32x4.extract_lane(starts, 3);
  let c = i32x4.splat(0x9e3779b9 + length + 3923095);
  let a = add(c, i32x4.splat(<u32>(seed >>> 32)));
  let b = add(c, i32x4.splat(<u32>seed));
  let isMixed = seed == 0;
  let left = length;
  for (;;) {
    if (!isMixed) {
      a = takeXor(a, c, 4);
      c = add(c, b);
      b = takeXor(b, a, 6);
      a = add(a, c);
      c = takeXor(c, b, 8);
      b = add(b, a);
      a = takeXor(a, c, 16);
      c = add(c, b);
      b = takeXor(b, a, 19);
      a = add(a, c);
      c = takeXor(c, b, 4);
      b = add(b, a);
    }
    if (left < 12) break;
    a = add(a, words(p, q, r, s));
    b = add(b, words(p + 4, q + 4, r + 4, s + 4));
    c = add(c, words(p + 8, q + 8, r + 8, s + 8));
    p += 12;
    q += 12;
    r += 12;
    s += 12;
    left -= 12;
    isMixed = false;
  }
  if (left >= 4) a = add(a, words(p, q, r, s));
  if (left >= 8) b = add(b, words(p + 4, q + 4, r + 4, s + 4));
  if (left & 3) {
    const at = left - 4; // a word that ends with the row
    const last = i32x4.shr_u(words(p + at, q + at, r + at, s + at), 32 - ((left & 3) << 3));
    if (left < 4) a = add(a, last);
    else if (left < 8) b = add(b, last);
    else c = add(c, i32x4.shl(last, 8));
  }
  c = xorTake(c, b, 14);
  a = xorTake(a, c, 11);
  b = xorTake(b, a, 25);
  c = xorTake(c, b, 16);
  a = xorTake(a, c, 4);
  b = xorTake(b, a, 14);
  c = xorTake(c, b, 24);
  if (isWide) {
    const addend = i64x2.splat(ROW);
    v128.store(hashes, i64x2.add(v128.shuffle<u32>(c, b, 0, 4, 1, 5), addend));
    v128.store(hashes, i64x2.add(v128.shuffle<u32>(c, b, 2, 6, 3, 7), addend), 16);
  } else v128.store(hashes, c);
}

@inline
function hashRows(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, seed: u64, isWide: bool): void {
  const width: usize = isWide ? 8 : 4;
  for (let from: u32 = 0; from < rows; from += 4) {
    if (from + 4 <= rows) {
      const four = v128.load(starts);
      const length = commonLength(four, ends);
      if (length >= 4) {
        ofFourRows(data, four, length, seed, hashes, isWide);
        starts += 16;
        ends += 16;
        hashes += 4 * width;
        continue;
      }
    }
    const to = min(from + 4, rows);
    for (let i = from; i < to; i++, starts += 4, ends += 4, hashes += width) {
      const start = load<u32>(starts);
      const value = hash(data + start, load<u32>(ends) - start, seed);
      if (isWide) store<u64>(hashes, value + ROW);
      else store<u32>(hashes, <u32>value);
    }
  }
}

// For a row with one key: HASH_PARTITION_SEED of `catalog/partition.h`, and hash_combine64 without a hash before it.
export function lookup3Postgres(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, 0x7a5b22367996dcfd, true);
}

export function lookup3Citus(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, 0, false);
}
