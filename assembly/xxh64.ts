// XXH64, after Cyan4973/xxHash `doc/xxhash_spec.md`; "step N" below is that document's.
//
// A stream's state is 80 bytes, so that it can be copied, kept and resumed by anyone:
//
//    0        8        16       24       32       40       48              80
//    +--------+--------+--------+--------+--------+--------+---------------+
//    |  acc1  |  acc2  |  acc3  |  acc4  | length |  seed  | pending bytes |
//    +--------+--------+--------+--------+--------+--------+---------------+
//
// `length` counts every byte so far; the last `length % 32` of them are pending.

import { ROW } from './memory';

const PRIME_1: u64 = 0x9e3779b185ebca87;
const PRIME_2: u64 = 0xc2b2ae3d27d4eb4f;
const PRIME_3: u64 = 0x165667b19e3779f9;
const PRIME_4: u64 = 0x85ebca77c2b2ae63;
const PRIME_5: u64 = 0x27d4eb2f165667c5;

const STRIPE: usize = 32;
const LENGTH: usize = 32;
const SEED: usize = 40;
const PENDING: usize = 48;

function round(acc: u64, lane: u64): u64 {
  return rotl(acc + lane * PRIME_2, 31) * PRIME_1;
}

function mergeAccumulator(acc: u64, accN: u64): u64 {
  return (acc ^ round(0, accN)) * PRIME_1 + PRIME_4;
}

// Step 3: four accumulators become one.
function converge(acc1: u64, acc2: u64, acc3: u64, acc4: u64): u64 {
  let acc = rotl(acc1, 1) + rotl(acc2, 7) + rotl(acc3, 12) + rotl(acc4, 18);
  acc = mergeAccumulator(acc, acc1);
  acc = mergeAccumulator(acc, acc2);
  acc = mergeAccumulator(acc, acc3);
  return mergeAccumulator(acc, acc4);
}

// Step 6
function avalanche(acc: u64): u64 {
  acc = (acc ^ (acc >> 33)) * PRIME_2;
  acc = (acc ^ (acc >> 29)) * PRIME_3;
  return acc ^ (acc >> 32);
}

function mix8(acc: u64, lane: u64): u64 {
  return rotl(acc ^ round(0, lane), 27) * PRIME_1 + PRIME_4;
}

@inline
function mix1(acc: u64, lane: u64): u64 {
  return rotl(acc ^ (lane * PRIME_5), 11) * PRIME_1;
}

// Steps 5 and 6, over the last `byteLength` < 32 bytes.
@inline
function finish(acc: u64, data: usize, byteLength: usize): u64 {
  const end = data + (byteLength & ~7);
  for (; data != end; data += 8) acc = mix8(acc, load<u64>(data));
  if (byteLength & 4) {
    acc = rotl(acc ^ (<u64>load<u32>(data) * PRIME_1), 23) * PRIME_2 + PRIME_3;
    data += 4;
  }
  if (byteLength & 2) {
    acc = mix1(mix1(acc, load<u8>(data)), load<u8>(data, 1));
    data += 2;
  }
  if (byteLength & 1) acc = mix1(acc, load<u8>(data));
  return avalanche(acc);
}

@inline
export function hash(data: usize, byteLength: usize, seed: u64): u64 {
  const end = data + byteLength;
  let acc: u64;
  if (byteLength >= STRIPE) {
    let acc1 = seed + PRIME_1 + PRIME_2;
    let acc2 = seed + PRIME_2;
    let acc3 = seed;
    let acc4 = seed - PRIME_1;
    const last = end - STRIPE;
    do {
      acc1 = round(acc1, load<u64>(data));
      acc2 = round(acc2, load<u64>(data, 8));
      acc3 = round(acc3, load<u64>(data, 16));
      acc4 = round(acc4, load<u64>(data, 24));
      data += STRIPE;
    } while (data <= last);
    acc = converge(acc1, acc2, acc3, acc4);
  } else {
    acc = seed + PRIME_5;
  }
  return finish(acc + <u64>byteLength, data, end - data);
}

export function xxh64OfU64(key: u64, seed: u64): u64 {
  return avalanche(mix8(seed + PRIME_5 + 8, key));
}

@inline
export function rotlPair(pair: v128, bits: i32): v128 {
  return v128.or(i64x2.shl(pair, bits), i64x2.shr_u(pair, 64 - bits));
}

// `xxh64OfU64` of two keys, from seed + PRIME_5 + 8.
@inline
function hashPair(keys: v128, start: v128): v128 {
  const prime1 = i64x2.splat(PRIME_1);
  const prime2 = i64x2.splat(PRIME_2);
  const lanes = i64x2.mul(rotlPair(i64x2.mul(keys, prime2), 31), prime1);
  let acc = i64x2.add(i64x2.mul(rotlPair(v128.xor(start, lanes), 27), prime1), i64x2.splat(PRIME_4));
  acc = i64x2.mul(v128.xor(acc, i64x2.shr_u(acc, 33)), prime2);
  acc = i64x2.mul(v128.xor(acc, i64x2.shr_u(acc, 29)), i64x2.splat(PRIME_3));
  return v128.xor(acc, i64x2.shr_u(acc, 32));
}

// Six keys at a time: one key is a chain of five multiplications, and the processor can run several chains side by side. A
// multiplication of two 64-bit lanes is several of 32 bits, so vectors alone take 1.5 times as long as four chains of scalars;
// but they leave the scalar multiplier free: with two keys beside four, a key takes 1.4 ns on Node 20 and 1.6 on Node 24, in
// place of 2.0 (AMD EPYC). Three, five, six and eight beside two or four are no faster.
export function xxh64U64Column(keys: usize, hashes: usize, rows: u32, seed: u64): void {
  const end = keys + (<usize>rows << 3);
  const endOfSixes = keys + (<usize>(rows - (rows % 6)) << 3);
  const start = i64x2.splat(seed + PRIME_5 + 8);
  for (; keys < endOfSixes; keys += 48, hashes += 48) {
    const ef = hashPair(v128.load(keys, 32), start);
    const a = xxh64OfU64(load<u64>(keys), seed);
    const b = xxh64OfU64(load<u64>(keys, 8), seed);
    const c = xxh64OfU64(load<u64>(keys, 16), seed);
    const d = xxh64OfU64(load<u64>(keys, 24), seed);
    store<u64>(hashes, a);
    store<u64>(hashes, b, 8);
    store<u64>(hashes, c, 16);
    store<u64>(hashes, d, 24);
    v128.store(hashes, ef, 32);
  }
  for (; keys < end; keys += 8, hashes += 8) store<u64>(hashes, xxh64OfU64(load<u64>(keys), seed));
}

// Everything is inlined: two calls a row would cost 2.5 of 8.6 ns at 10 bytes.
// Row i is the bytes data + starts[i] .. data + ends[i]. `data` may lie below 0 modulo 2^32, if starts count from
// the beginning of a larger buffer of which only a part is in memory.
export function xxh64Spans(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32, seed: u64): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    store<u64>(hashes, hash(data + start, load<u32>(ends) - start, seed));
  }
}

// One buffer is hashed as a column of one row, whose span and hash lie in ROW, so that the long code of a hash is in the
// module only once.
export function xxh64(data: usize, byteLength: usize, seed: u64): u64 {
  store<u32>(ROW, 0);
  store<u32>(ROW, byteLength, 4);
  xxh64Spans(data, ROW, ROW + 4, ROW + 8, 1, seed);
  return load<u64>(ROW, 8);
}

export function xxh64Init(state: usize, seed: u64): void {
  store<u64>(state, seed + PRIME_1 + PRIME_2);
  store<u64>(state, seed + PRIME_2, 8);
  store<u64>(state, seed, 16);
  store<u64>(state, seed - PRIME_1, 24);
  store<u64>(state, 0, LENGTH);
  store<u64>(state, seed, SEED);
  memory.fill(state + PENDING, 0, STRIPE);
}

function consumeStripes(state: usize, data: usize, end: usize): usize {
  let acc1 = load<u64>(state);
  let acc2 = load<u64>(state, 8);
  let acc3 = load<u64>(state, 16);
  let acc4 = load<u64>(state, 24);
  for (; data + STRIPE <= end; data += STRIPE) {
    acc1 = round(acc1, load<u64>(data));
    acc2 = round(acc2, load<u64>(data, 8));
    acc3 = round(acc3, load<u64>(data, 16));
    acc4 = round(acc4, load<u64>(data, 24));
  }
  store<u64>(state, acc1);
  store<u64>(state, acc2, 8);
  store<u64>(state, acc3, 16);
  store<u64>(state, acc4, 24);
  return data;
}

export function xxh64Update(state: usize, data: usize, byteLength: usize): void {
  const end = data + byteLength;
  const length = load<u64>(state, LENGTH);
  store<u64>(state, length + <u64>byteLength, LENGTH);

  const pending = <usize>length & (STRIPE - 1);
  if (pending != 0) {
    const missing = STRIPE - pending;
    if (byteLength < missing) {
      memory.copy(state + PENDING + pending, data, byteLength);
      return;
    }
    memory.copy(state + PENDING + pending, data, missing);
    consumeStripes(state, state + PENDING, state + PENDING + STRIPE);
    data += missing;
  }
  data = consumeStripes(state, data, end);
  memory.copy(state + PENDING, data, end - data);
}

export function xxh64Digest(state: usize): u64 {
  const length = load<u64>(state, LENGTH);
  const acc =
    length >= STRIPE
      ? converge(load<u64>(state), load<u64>(state, 8), load<u64>(state, 16), load<u64>(state, 24))
      : load<u64>(state, SEED) + PRIME_5;
  return finish(acc + length, state + PENDING, <usize>length & (STRIPE - 1));
}
