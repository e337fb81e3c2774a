// Jump consistent hash (Lamping and Veach, 2014): the paper's loop, with its order of rounding.
//
//   j = 0
//   while j < buckets:
//     b = j;  key = key * MULTIPLIER + 1
//     j = trunc((b + 1) * (2^31 / ((key >>> 33) + 1)))      in doubles
//   return b
//
// All of it is done in doubles: b < 2^31 is exact in one, and truncation is exact too.

import { JUMP_DIVISORS, JUMP_END, JUMP_GROUP, JUMP_LIST, JUMP_MOST_ROUNDS, JUMP_ROWS } from './memory';

const MULTIPLIER: u64 = 2862933555777941757;
const TWO_31: f64 = 2147483648;

// (x >>> 33) + 1 as a double without a conversion: with x >>> 33 in its mantissa, the double 2^52 is
// 2^52 + (x >>> 33), exactly.
const TWO_52: u64 = 0x4330000000000000;
const TWO_52_LESS_1: f64 = 4503599627370495;

function step(key: u64): u64 {
  return key * MULTIPLIER + 1;
}

// The rest of the loop, from a given j on.
function finish(key: u64, j: f64, buckets: u32): u32 {
  const n = <f64>buckets;
  let b: f64 = 0;
  while (j < n) {
    b = j;
    key = step(key);
    j = floor((b + 1) * (TWO_31 / (reinterpret<f64>((key >> 33) | TWO_52) - TWO_52_LESS_1)));
  }
  return <u32>b;
}

export function jumpHash(key: u64, buckets: u32): u32 {
  return finish(key, 0, buckets);
}

// A column goes through the loop in phases of a fixed number of rounds. Within a phase no key is tested:
// 2^31 / divisor is at least 1, so j only grows, even past n and on to infinity, and the bucket is the
// largest j below n that a lane has seen. After a phase, the keys that are not done are collected in a
// list, and only they enter the next phase. So a key takes part in about one round more than it needs
// (8.6 instead of 7.5 at 1024 buckets). Eight lanes that wait for the slowest need 11.6, and here no
// branch depends on the keys.
//
// The multiplications are scalar, because one of 64-bit lanes is several of 32 bits; the rest is vectors of doubles.
// Both share a loop, one group of keys apart: while the vectors read the divisors of a group from memory,
// the scalar part writes those of the next group, so that neither waits for the other.
//
// Nanoseconds a key at 1024 buckets, 10^6 and 2^31 - 1 (AMD Zen 5; native C, one key at a time: 43, 73, 104):
//   eight lanes in lock-step until the last is done, all in vectors    11.7   19.3   26.9
//   phases, all in vectors                                              8.5   15.4   22.7
//   phases, a group's multiplications ahead of its vectors              8.1   14.6   21.4
//   phases, both in one loop; groups of 4, 6 and 8 keys                 5.8, 5.5, 5.9   10.3, 9.6, 10.2   14.8, 13.3, 14.6
const GROUP_BYTES: usize = 8 * JUMP_GROUP;

// The list of keys that are not done: keys u64[], js f64[], rows u32[].
const KEYS: usize = JUMP_LIST;
const JS: usize = KEYS + 8 * JUMP_ROWS;
const ROWS: usize = JS + 8 * JUMP_ROWS;

// The divisors of a group, round by round, then its keys after the phase. There are two of these, for a
// group and the next one.
const KEYS_AFTER: usize = GROUP_BYTES * JUMP_MOST_ROUNDS;
const OTHER_DIVISORS: usize = JUMP_DIVISORS + KEYS_AFTER + GROUP_BYTES;

function put(at: u32, key: u64, j: f64, row: u32): void {
  store<u64>(KEYS + (<usize>at << 3), key);
  store<f64>(JS + (<usize>at << 3), j);
  store<u32>(ROWS + (<usize>at << 2), row);
}

function jump(divisorPlusTwo52: v128, j: v128): v128 {
  const divisor = f64x2.sub(divisorPlusTwo52, f64x2.splat(TWO_52_LESS_1));
  return f64x2.floor(f64x2.mul(f64x2.add(j, f64x2.splat(1)), f64x2.div(f64x2.splat(TWO_31), divisor)));
}

function keep(bucket: v128, j: v128, n: v128): v128 {
  return f64x2.pmax(bucket, v128.and(f64x2.lt(j, n), j));
}

// The first group has no vectors to share the loop with. The high half of each divisor is in place.
function writeDivisors(keys: usize, divisors: usize, byteLength: usize): void {
  for (let lane: usize = 0; lane < GROUP_BYTES; lane += 8) {
    let key = load<u64>(keys + lane);
    for (let at = divisors + lane, end = at + byteLength; at < end; at += GROUP_BYTES) {
      key = step(key);
      store<u32>(at, <u32>(key >> 33));
    }
    store<u64>(divisors + lane, key, KEYS_AFTER);
  }
}

// Takes `count` keys through `rounds` rounds: the keys of a block with j = 0 if `first`, otherwise those of
// the list. Writes a bucket for each row, which is final if the key is done, and puts the other keys on
// the list. Returns how many there are.
function phase(keys: usize, count: u32, first: bool, shards: usize, n: v128, rounds: usize): u32 {
  const whole = count - (count % <u32>JUMP_GROUP);
  const byteLength = GROUP_BYTES * rounds;
  let divisors: usize = JUMP_DIVISORS;
  let kept: u32 = 0;
  if (whole != 0) writeDivisors(keys, divisors, byteLength);
  for (let i: u32 = 0; i < whole; i += <u32>JUMP_GROUP) {
    const js = JS + (<usize>i << 3);
    let j01 = first ? f64x2.splat(0) : v128.load(js);
    let j23 = first ? f64x2.splat(0) : v128.load(js, 16);
    let j45 = first ? f64x2.splat(0) : v128.load(js, 32);
    let bucket01 = j01;
    let bucket23 = j23;
    let bucket45 = j45;

    // After the last group there is no next one, so it is read again without effect.
    const next = keys + (<usize>(i + <u32>JUMP_GROUP < whole ? i + <u32>JUMP_GROUP : i) << 3);
    const nextDivisors = JUMP_DIVISORS + OTHER_DIVISORS - divisors;
    let key0 = load<u64>(next);
    let key1 = load<u64>(next, 8);
    let key2 = load<u64>(next, 16);
    let key3 = load<u64>(next, 24);
    let key4 = load<u64>(next, 32);
    let key5 = load<u64>(next, 40);

    let from = divisors;
    let to = nextDivisors;
    const end = divisors + byteLength;
    do {
      key0 = step(key0); store<u32>(to, <u32>(key0 >> 33));
      key1 = step(key1); store<u32>(to, <u32>(key1 >> 33), 8);
      j01 = jump(v128.load(from), j01); bucket01 = keep(bucket01, j01, n);
      key2 = step(key2); store<u32>(to, <u32>(key2 >> 33), 16);
      key3 = step(key3); store<u32>(to, <u32>(key3 >> 33), 24);
      j23 = jump(v128.load(from, 16), j23); bucket23 = keep(bucket23, j23, n);
      key4 = step(key4); store<u32>(to, <u32>(key4 >> 33), 32);
      key5 = step(key5); store<u32>(to, <u32>(key5 >> 33), 40);
      j45 = jump(v128.load(from, 32), j45); bucket45 = keep(bucket45, j45, n);
      from += GROUP_BYTES;
      to += GROUP_BYTES;
    } while (from != end);

    store<u64>(nextDivisors, key0, KEYS_AFTER);
    store<u64>(nextDivisors, key1, KEYS_AFTER + 8);
    store<u64>(nextDivisors, key2, KEYS_AFTER + 16);
    store<u64>(nextDivisors, key3, KEYS_AFTER + 24);
    store<u64>(nextDivisors, key4, KEYS_AFTER + 32);
    store<u64>(nextDivisors, key5, KEYS_AFTER + 40);
    kept = settle(kept, i, first, divisors, j01, bucket01, n, shards);
    kept = settle(kept, i + 2, first, divisors + 16, j23, bucket23, n, shards);
    kept = settle(kept, i + 4, first, divisors + 32, j45, bucket45, n, shards);
    divisors = nextDivisors;
  }
  for (let i = whole; i < count; i++) {
    const at = <usize>i << 3;
    put(kept++, load<u64>(keys + at), first ? 0 : load<f64>(JS + at), first ? i : load<u32>(ROWS + (<usize>i << 2)));
  }
  return kept;
}

// Two keys after a phase. Both are written to the list; the next key overwrites one that is done. No branch is needed.
@inline
function settle(kept: u32, i: u32, first: bool, divisors: usize, j: v128, bucket: v128, n: v128, shards: usize): u32 {
  const at = ROWS + (<usize>i << 2);
  const row0 = first ? i : load<u32>(at);
  const row1 = first ? i + 1 : load<u32>(at, 4);
  const buckets = i32x4.trunc_sat_f64x2_u_zero(bucket);
  v128.store32_lane(shards + (<usize>row0 << 2), buckets, 0);
  v128.store32_lane(shards + (<usize>row1 << 2), buckets, 1);
  const goOn = i64x2.bitmask(f64x2.lt(j, n));
  put(kept, load<u64>(divisors, KEYS_AFTER), f64x2.extract_lane(j, 0), row0);
  kept += goOn & 1;
  put(kept, load<u64>(divisors, KEYS_AFTER + 8), f64x2.extract_lane(j, 1), row1);
  return kept + (goOn >> 1);
}

export function jumpHashColumn(keys: usize, shards: usize, rows: u32, buckets: u32): void {
  const n = f64x2.splat(<f64>buckets);
  // About as many as a key needs on average, ln(buckets) + 1; at most JUMP_MOST_ROUNDS.
  const firstRounds: usize = 2 + (((32 - clz(buckets)) * 11) >> 4);
  for (let at = JUMP_DIVISORS; at < JUMP_END; at += 8) store<u64>(at, TWO_52);
  while (rows != 0) {
    const block = min(rows, <u32>JUMP_ROWS);
    let count = phase(keys, block, true, shards, n, firstRounds);
    while (count >= 2 * <u32>JUMP_GROUP) count = phase(KEYS, count, false, shards, n, 3);
    for (let i: u32 = 0; i < count; i++) {
      const at = <usize>i << 3;
      const row = load<u32>(ROWS + (<usize>i << 2));
      store<u32>(shards + (<usize>row << 2), finish(load<u64>(KEYS + at), load<f64>(JS + at), buckets));
    }
    rows -= block;
    keys += <usize>block << 3;
    shards += <usize>block << 2;
  }
}
