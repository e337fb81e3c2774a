// Bob Jenkins' lookup3 as PostgreSQL has it: `hash_bytes_extended` in `common/hashfn.c`.

import { add, commonLength, rotate, splat, subtract, words, xor } from './four-rows';
import { lastBytes } from './last-bytes';

// The constant that hash_combine64 of `common/hashfn.h` adds to the hash of a single column.
const ROW: u64 = 0x49a0f4dd15e5a8e3;

@inline
function takeXor<T>(a: T, b: T, places: i32): T {
  return xor(subtract(a, b), rotate(b, places));
}

@inline
function xorTake<T>(a: T, b: T, places: i32): T {
  return subtract(xor(a, b), rotate(b, places));
}

// Hashes the row at p (T is u32), or the rows at p, q, r and s of 4 bytes or more (T is v128).
@inline
function hash<T>(p: usize, q: usize, r: usize, s: usize, length: u32, seed: u64, hashes: usize, isWide: bool): void {
  let c = splat<T>(0x9e3779b9 + length + 3923095);
  let a = add(c, splat<T>(<u32>(seed >>> 32)));
  let b = add(c, splat<T>(<u32>seed));
  let left = length;
  let isMixed = seed == 0;
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
    a = add(a, words<T>(p, q, r, s));
    b = add(b, words<T>(p + 4, q + 4, r + 4, s + 4));
    c = add(c, words<T>(p + 8, q + 8, r + 8, s + 8));
    p += 12;
    if (isVector<T>()) {
      q += 12;
      r += 12;
      s += 12;
    }
    left -= 12;
    isMixed = false;
  }
  if (isVector<T>()) {
    if (left >= 4) a = add(a, words<T>(p, q, r, s));
    if (left >= 8) b = add(b, words<T>(p + 4, q + 4, r + 4, s + 4));
    if (left & 3) {
      const at = left - 4; // a word that ends with the row
      const last = i32x4.shr_u(words<v128>(p + at, q + at, r + at, s + at), 32 - ((left & 3) << 3));
      if (left < 4) a = add(a, last);
      else if (left < 8) b = add(b, last);
      else c = add(c, i32x4.shl(last, 8)); // the lowest byte is for the length
    }
  } else if (left >= 8) {
    a += load<u32>(p);
    b += load<u32>(p, 4);
    if (left > 8) c += <u32>lastBytes(p + 8, left - 8, length) << 8;
  } else if (left != 0) {
    const last = lastBytes(p, left, length);
    a += <u32>last;
    b += <u32>(last >>> 32);
  }
  c = xorTake(c, b, 14);
  a = xorTake(a, c, 11);
  b = xorTake(b, a, 25);
  c = xorTake(c, b, 16);
  a = xorTake(a, c, 4);
  b = xorTake(b, a, 14);
  c = xorTake(c, b, 24);
  // The result has both words; c is the low half.
  if (isVector<T>()) {
    if (isWide) {
      const addend = i64x2.splat(ROW);
      v128.store(hashes, i64x2.add(v128.shuffle<u32>(c, b, 0, 4, 1, 5), addend));
      v128.store(hashes, i64x2.add(v128.shuffle<u32>(c, b, 2, 6, 3, 7), addend), 16);
    } else v128.store(hashes, c);
  } else if (isWide) store<u64>(hashes, ((<u64>b << 32) | <u64>c) + ROW);
  else store<u32>(hashes, c);
}

@inline
function hashRows(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, seed: u64, isWide: bool): void {
  const width: usize = isWide ? 8 : 4;
  for (let from: u32 = 0; from < rows; from += 4) {
    if (from + 4 <= rows) {
      const four = v128.load(starts);
      const length = commonLength(four, ends);
      if (length >= 4) {
        const p = data + <u32>i32x4.extract_lane(four, 0);
        const q = data + <u32>i32x4.extract_lane(four, 1);
        const r = data + <u32>i32x4.extract_lane(four, 2);
        const s = data + <u32>i32x4.extract_lane(four, 3);
        hash<v128>(p, q, r, s, length, seed, hashes, isWide);
        starts += 16;
        ends += 16;
        hashes += 4 * width;
        continue;
      }
    }
    const to = min(from + 4, rows);
    for (let i = from; i < to; i++, starts += 4, ends += 4, hashes += width) {
      const at = data + load<u32>(starts);
      hash<u32>(at, at, at, at, <u32>(data + load<u32>(ends) - at), seed, hashes, isWide);
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
