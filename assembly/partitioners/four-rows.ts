// MurmurHash2 and MurmurHash3 of 32 bits, after Austin Appleby's `MurmurHash2.cpp` and `MurmurHash3.cpp`, and Bob Jenkins'
// lookup3, mostly as PostgreSQL has it, `hash_bytes_extended` in `common/hashfn.c`, with the seeds and variants that systems
// have.
//
// Hashes of 32-bit words can handle four rows at once, one in each lane, if they are equally long, as keys of one kind
// usually are. That takes a third to a half of the time of single rows.

import { add, and, lastBytes, multiply, rotate, splat, subtract, words, xor, xorShift } from './words';

// The variants. Each is known when the module is compiled, so a column has only the code of its own.
const KAFKA: u32 = 0; // MurmurHash2, of apache/kafka `common/utils/Utils.murmur2`
const STANDARD: u32 = 1; // MurmurHash3
// MurmurHash3, but each of the last 1 to 3 bytes is mixed in as its own block, with its sign, and not all together:
// apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`.
const SPARK: u32 = 2;
// MurmurHash3, but each of the last 1 to 3 bytes has its sign, which goes into the bits above it: apache/hive
// `common/util/Murmur3.hash32`.
const HIVE: u32 = 3;
// lookup3 of 64 bits for a row with one key: HASH_PARTITION_SEED of `catalog/partition.h`, and hash_combine64 without a hash
// before it.
const POSTGRES: u32 = 4;
const CITUS: u32 = 5; // lookup3 of 32 bits
// lookup3 as Bob Jenkins wrote it, hashlittle2: both halves of the result, XOR.
const EVENT_HUBS: u32 = 6;

// The length of four rows, or 0 if they differ.
@inline
function commonLength(starts: usize, ends: usize): u32 {
  const lengths = i32x4.sub(v128.load(ends), v128.load(starts));
  const length = i32x4.extract_lane(lengths, 0);
  return i32x4.all_true(i32x4.eq(lengths, i32x4.splat(length))) ? <u32>length : 0;
}

@inline
function hashRows(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, variant: u32): void {
  const width: usize = variant == POSTGRES ? 8 : 4;
  for (let from: u32 = 0; from < rows; from += 4) {
    if (from + 4 <= rows) {
      const length = commonLength(starts, ends);
      if (length >= 4) {
        const p = data + load<u32>(starts);
        const q = data + load<u32>(starts, 4);
        const r = data + load<u32>(starts, 8);
        const s = data + load<u32>(starts, 12);
        if (variant >= POSTGRES) lookup3<v128>(p, q, r, s, length, hashes, variant);
        else v128.store(hashes, ofFourRows(p, q, r, s, length, variant));
        starts += 16;
        ends += 16;
        hashes += 4 * width;
        continue;
      }
    }
    const to = min(from + 4, rows);
    for (let i = from; i < to; i++, starts += 4, ends += 4, hashes += width) {
      const at = data + load<u32>(starts);
      const length = load<u32>(ends) - load<u32>(starts);
      if (variant >= POSTGRES) lookup3<u32>(at, at, at, at, length, hashes, variant);
      else store<u32>(hashes, ofRow(at, length, variant));
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

export function lookup3Postgres(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, POSTGRES);
}

export function lookup3Citus(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, CITUS);
}

export function lookup3EventHubs(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hashRows(data, starts, ends, hashes, rows, EVENT_HUBS);
}

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
function ofRow(at: usize, length: u32, variant: u32): u32 {
  const end = at + length;
  let h = begin<u32>(length, variant);
  for (; at + 4 <= end; at += 4) h = mixIn<u32>(h, load<u32>(at), variant);
  if (variant == SPARK) for (; at < end; at++) h = mixIn<u32>(h, <u32>(<i32>load<i8>(at)), variant);
  else if (at < end) h = mixInLast<u32>(h, <u32>lastBytes(at, length & 3, length), variant);
  return avalanche<u32>(h, length, variant);
}

// For rows of 4 bytes or more.
@inline
function ofFourRows(a: usize, b: usize, c: usize, d: usize, length: u32, variant: u32): v128 {
  const end = a + (length & ~3);
  let h = begin<v128>(length, variant);
  for (; a != end; a += 4, b += 4, c += 4, d += 4) h = mixIn<v128>(h, words<v128>(a, b, c, d), variant);
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
function lookup3<T>(p: usize, q: usize, r: usize, s: usize, length: u32, hashes: usize, variant: u32): void {
  const seed: u64 = variant == POSTGRES ? 0x7a5b22367996dcfd : 0;
  const isJenkins = variant == EVENT_HUBS;
  let c = splat<T>((isJenkins ? 0xdeadbeef : 0x9e3779b9 + 3923095) + length);
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
    if (isJenkins ? left <= 12 : left < 12) break;
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
      else c = add(c, isJenkins ? last : i32x4.shl(last, 8)); // the lowest byte is for the length, but not of Jenkins
    } else if (isJenkins && left == 12) c = add(c, words<T>(p + 8, q + 8, r + 8, s + 8));
  } else if (left >= 8) {
    a += load<u32>(p);
    b += load<u32>(p, 4);
    if (left > 8) c += <u32>lastBytes(p + 8, left - 8, length) << (isJenkins ? 0 : 8);
  } else if (left != 0) {
    const last = lastBytes(p, left, length);
    a += <u32>last;
    b += <u32>(last >>> 32);
  } else if (isJenkins) {
    store<u32>(hashes, 0); // nothing is mixed
    return;
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
    if (variant == POSTGRES) {
      const addend = i64x2.splat(ROW);
      v128.store(hashes, i64x2.add(v128.shuffle<u32>(c, b, 0, 4, 1, 5), addend));
      v128.store(hashes, i64x2.add(v128.shuffle<u32>(c, b, 2, 6, 3, 7), addend), 16);
    } else v128.store(hashes, isJenkins ? xor(c, b) : c);
  } else if (variant == POSTGRES) store<u64>(hashes, ((<u64>b << 32) | <u64>c) + ROW);
  else store<u32>(hashes, isJenkins ? c ^ b : c);
}
