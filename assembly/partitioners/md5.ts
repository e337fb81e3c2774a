// MD5, after Rivest, RFC 1321: four rows at once, one in each lane, if they have as many blocks, as rows below 56 bytes do.
// Otherwise one row in all lanes.

import { JUMP_LIST } from '../memory';
import { add, rotate, splat, words, xor } from './words';

// The last two blocks of each row, or its only one, with their padding. No jump hash runs meanwhile.
const LAST: usize = JUMP_LIST;
const ROOM: usize = 128;

@inline
function blocksOf(starts: usize, ends: usize): u32 {
  return ((load<u32>(ends) - load<u32>(starts) + 8) >>> 6) + 1;
}

// Writes the bytes from `at` to the end of a row, and the padding of the row, to `size` bytes at `last`.
function pad(at: usize, end: usize, length: u32, last: usize, size: u32): void {
  memory.fill(last, 0, size);
  memory.copy(last, at, end - at);
  store<u8>(last + (end - at), 0x80);
  store<u64>(last + size - 8, <u64>length << 3);
}

// The functions of the rounds: F and G choose bits of one word or of another, H is their parity.
@inline
function choose(by: v128, ones: v128, zeros: v128): v128 {
  return v128.bitselect(ones, zeros, by);
}

@inline
function parity(b: v128, c: v128, d: v128): v128 {
  return xor(xor(b, c), d);
}

@inline
function odd(b: v128, c: v128, d: v128): v128 {
  return xor(c, v128.or(b, v128.not(d)));
}

@inline
function step(a: v128, b: v128, f: v128, word: v128, constant: u32, places: i32): v128 {
  return add(b, rotate(add(add(a, f), add(word, splat<v128>(constant))), places));
}

@inline
function reversed(value: v128): v128 {
  return v128.shuffle<u8>(value, value, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

// The first 4 bytes as a little-endian u32, as ketama has it.
export function md5(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hash(data, starts, ends, hashes, rows, FIRST_4);
}

// The first 8 bytes as a big-endian u64: the high half of Kinesis' hash key.
export function md5High(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hash(data, starts, ends, hashes, rows, FIRST_8);
}

// The last 8 bytes as a big-endian u64, as Prometheus has it.
export function md5Low(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  hash(data, starts, ends, hashes, rows, LAST_8);
}

// The parts of a hash.
const FIRST_4: u32 = 0;
const FIRST_8: u32 = 1;
const LAST_8: u32 = 2;

function hash(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, part: u32): void {
  for (let i: u32 = 0, count: u32 = 0; i < rows; i += count) {
    const blocks = blocksOf(starts, ends);
    const isFour =
      i + 4 <= rows &&
      blocksOf(starts + 4, ends + 4) == blocks &&
      blocksOf(starts + 8, ends + 8) == blocks &&
      blocksOf(starts + 12, ends + 12) == blocks;
    count = isFour ? 4 : 1;
    const lane: usize = isFour ? 1 : 0;
    let at0 = data + load<u32>(starts);
    let at1 = data + load<u32>(starts + (lane << 2));
    let at2 = data + load<u32>(starts + (lane << 3));
    let at3 = data + load<u32>(starts + 12 * lane);
    const whole = blocks > 2 ? blocks - 2 : 0; // blocks that are read in place
    for (let row: u32 = 0; row < count; row++) {
      const start = load<u32>(starts + (row << 2));
      const end = load<u32>(ends + (row << 2));
      pad(data + start + (whole << 6), data + end, end - start, LAST + <usize>row * ROOM, (blocks - whole) << 6);
    }
    let state0 = splat<v128>(0x67452301);
    let state1 = splat<v128>(0xefcdab89);
    let state2 = splat<v128>(0x98badcfe);
    let state3 = splat<v128>(0x10325476);
    for (let block: u32 = 0; block < blocks; block++, at0 += 64, at1 += 64, at2 += 64, at3 += 64) {
      if (block == whole) {
        at0 = LAST;
        at1 = LAST + lane * ROOM;
        at2 = LAST + 2 * lane * ROOM;
        at3 = LAST + 3 * lane * ROOM;
      }
      const w0 = words<v128>(at0, at1, at2, at3);
      const w1 = words<v128>(at0 + 4, at1 + 4, at2 + 4, at3 + 4);
      const w2 = words<v128>(at0 + 8, at1 + 8, at2 + 8, at3 + 8);
      const w3 = words<v128>(at0 + 12, at1 + 12, at2 + 12, at3 + 12);
      const w4 = words<v128>(at0 + 16, at1 + 16, at2 + 16, at3 + 16);
      const w5 = words<v128>(at0 + 20, at1 + 20, at2 + 20, at3 + 20);
      const w6 = words<v128>(at0 + 24, at1 + 24, at2 + 24, at3 + 24);
      const w7 = words<v128>(at0 + 28, at1 + 28, at2 + 28, at3 + 28);
      const w8 = words<v128>(at0 + 32, at1 + 32, at2 + 32, at3 + 32);
      const w9 = words<v128>(at0 + 36, at1 + 36, at2 + 36, at3 + 36);
      const w10 = words<v128>(at0 + 40, at1 + 40, at2 + 40, at3 + 40);
      const w11 = words<v128>(at0 + 44, at1 + 44, at2 + 44, at3 + 44);
      const w12 = words<v128>(at0 + 48, at1 + 48, at2 + 48, at3 + 48);
      const w13 = words<v128>(at0 + 52, at1 + 52, at2 + 52, at3 + 52);
      const w14 = words<v128>(at0 + 56, at1 + 56, at2 + 56, at3 + 56);
      const w15 = words<v128>(at0 + 60, at1 + 60, at2 + 60, at3 + 60);
      let a = state0;
      let b = state1;
      let c = state2;
      let d = state3;
      a = step(a, b, choose(b, c, d), w0, 0xd76aa478, 7);
      d = step(d, a, choose(a, b, c), w1, 0xe8c7b756, 12);
      c = step(c, d, choose(d, a, b), w2, 0x242070db, 17);
      b = step(b, c, choose(c, d, a), w3, 0xc1bdceee, 22);
      a = step(a, b, choose(b, c, d), w4, 0xf57c0faf, 7);
      d = step(d, a, choose(a, b, c), w5, 0x4787c62a, 12);
      c = step(c, d, choose(d, a, b), w6, 0xa8304613, 17);
      b = step(b, c, choose(c, d, a), w7, 0xfd469501, 22);
      a = step(a, b, choose(b, c, d), w8, 0x698098d8, 7);
      d = step(d, a, choose(a, b, c), w9, 0x8b44f7af, 12);
      c = step(c, d, choose(d, a, b), w10, 0xffff5bb1, 17);
      b = step(b, c, choose(c, d, a), w11, 0x895cd7be, 22);
      a = step(a, b, choose(b, c, d), w12, 0x6b901122, 7);
      d = step(d, a, choose(a, b, c), w13, 0xfd987193, 12);
      c = step(c, d, choose(d, a, b), w14, 0xa679438e, 17);
      b = step(b, c, choose(c, d, a), w15, 0x49b40821, 22);
      a = step(a, b, choose(d, b, c), w1, 0xf61e2562, 5);
      d = step(d, a, choose(c, a, b), w6, 0xc040b340, 9);
      c = step(c, d, choose(b, d, a), w11, 0x265e5a51, 14);
      b = step(b, c, choose(a, c, d), w0, 0xe9b6c7aa, 20);
      a = step(a, b, choose(d, b, c), w5, 0xd62f105d, 5);
      d = step(d, a, choose(c, a, b), w10, 0x02441453, 9);
      c = step(c, d, choose(b, d, a), w15, 0xd8a1e681, 14);
      b = step(b, c, choose(a, c, d), w4, 0xe7d3fbc8, 20);
      a = step(a, b, choose(d, b, c), w9, 0x21e1cde6, 5);
      d = step(d, a, choose(c, a, b), w14, 0xc33707d6, 9);
      c = step(c, d, choose(b, d, a), w3, 0xf4d50d87, 14);
      b = step(b, c, choose(a, c, d), w8, 0x455a14ed, 20);
      a = step(a, b, choose(d, b, c), w13, 0xa9e3e905, 5);
      d = step(d, a, choose(c, a, b), w2, 0xfcefa3f8, 9);
      c = step(c, d, choose(b, d, a), w7, 0x676f02d9, 14);
      b = step(b, c, choose(a, c, d), w12, 0x8d2a4c8a, 20);
      a = step(a, b, parity(b, c, d), w5, 0xfffa3942, 4);
      d = step(d, a, parity(a, b, c), w8, 0x8771f681, 11);
      c = step(c, d, parity(d, a, b), w11, 0x6d9d6122, 16);
      b = step(b, c, parity(c, d, a), w14, 0xfde5380c, 23);
      a = step(a, b, parity(b, c, d), w1, 0xa4beea44, 4);
      d = step(d, a, parity(a, b, c), w4, 0x4bdecfa9, 11);
      c = step(c, d, parity(d, a, b), w7, 0xf6bb4b60, 16);
      b = step(b, c, parity(c, d, a), w10, 0xbebfbc70, 23);
      a = step(a, b, parity(b, c, d), w13, 0x289b7ec6, 4);
      d = step(d, a, parity(a, b, c), w0, 0xeaa127fa, 11);
      c = step(c, d, parity(d, a, b), w3, 0xd4ef3085, 16);
      b = step(b, c, parity(c, d, a), w6, 0x04881d05, 23);
      a = step(a, b, parity(b, c, d), w9, 0xd9d4d039, 4);
      d = step(d, a, parity(a, b, c), w12, 0xe6db99e5, 11);
      c = step(c, d, parity(d, a, b), w15, 0x1fa27cf8, 16);
      b = step(b, c, parity(c, d, a), w2, 0xc4ac5665, 23);
      a = step(a, b, odd(b, c, d), w0, 0xf4292244, 6);
      d = step(d, a, odd(a, b, c), w7, 0x432aff97, 10);
      c = step(c, d, odd(d, a, b), w14, 0xab9423a7, 15);
      b = step(b, c, odd(c, d, a), w5, 0xfc93a039, 21);
      a = step(a, b, odd(b, c, d), w12, 0x655b59c3, 6);
      d = step(d, a, odd(a, b, c), w3, 0x8f0ccc92, 10);
      c = step(c, d, odd(d, a, b), w10, 0xffeff47d, 15);
      b = step(b, c, odd(c, d, a), w1, 0x85845dd1, 21);
      a = step(a, b, odd(b, c, d), w8, 0x6fa87e4f, 6);
      d = step(d, a, odd(a, b, c), w15, 0xfe2ce6e0, 10);
      c = step(c, d, odd(d, a, b), w6, 0xa3014314, 15);
      b = step(b, c, odd(c, d, a), w13, 0x4e0811a1, 21);
      a = step(a, b, odd(b, c, d), w4, 0xf7537e82, 6);
      d = step(d, a, odd(a, b, c), w11, 0xbd3af235, 10);
      c = step(c, d, odd(d, a, b), w2, 0x2ad7d2bb, 15);
      b = step(b, c, odd(c, d, a), w9, 0xeb86d391, 21);
      state0 = add(state0, a);
      state1 = add(state1, b);
      state2 = add(state2, c);
      state3 = add(state3, d);
    }
    if (part != FIRST_4) {
      const high = reversed(part == LAST_8 ? state2 : state0);
      const low = reversed(part == LAST_8 ? state3 : state1);
      const first = v128.shuffle<u32>(low, high, 0, 4, 1, 5);
      if (isFour) {
        v128.store(hashes, first);
        v128.store(hashes, v128.shuffle<u32>(low, high, 2, 6, 3, 7), 16);
      } else v128.store64_lane(hashes, first, 0);
      hashes += count << 3;
    } else {
      if (isFour) v128.store(hashes, state0);
      else v128.store32_lane(hashes, state0, 0);
      hashes += count << 2;
    }
    starts += count << 2;
    ends += count << 2;
  }
}
