// Words of rows, and the arithmetic of hashes of 32-bit words: T is u32 for the word of one row, v128 for a word of each of
// four rows.

@inline
export function words<T>(a: usize, b: usize, c: usize, d: usize): T {
  if (!isVector<T>()) return load<u32>(a);
  let four = v128.load_zero<u32>(a);
  four = v128.load_lane<u32>(b, four, 1);
  four = v128.load_lane<u32>(c, four, 2);
  return v128.load_lane<u32>(d, four, 3);
}

@inline
export function splat<T>(value: u32): T {
  return isVector<T>() ? i32x4.splat(value) : value;
}

@inline
export function add<T>(a: T, b: T): T {
  return isVector<T>() ? i32x4.add(a, b) : a + b;
}

@inline
export function subtract<T>(a: T, b: T): T {
  return isVector<T>() ? i32x4.sub(a, b) : a - b;
}

@inline
export function multiply<T>(value: T, factor: u32): T {
  return isVector<T>() ? i32x4.mul(value, i32x4.splat(factor)) : value * factor;
}

@inline
export function and<T>(value: T, mask: u32): T {
  return isVector<T>() ? v128.and(value, i32x4.splat(mask)) : value & mask;
}

@inline
export function xor<T>(a: T, b: T): T {
  return isVector<T>() ? v128.xor(a, b) : a ^ b;
}

@inline
export function rotate<T>(value: T, places: i32): T {
  return isVector<T>() ? v128.or(i32x4.shl(value, places), i32x4.shr_u(value, 32 - places)) : rotl(value, places);
}

@inline
export function xorShift<T>(value: T, places: i32): T {
  return isVector<T>() ? v128.xor(value, i32x4.shr_u(value, places)) : value ^ (value >>> places);
}

// The last 1 to 7 bytes of a row as a little-endian integer. If the row is long enough, they are read together with bytes
// before them. No byte outside the row is read, because the row may end the memory.
@inline
export function lastBytes(at: usize, count: u32, length: u32): u64 {
  return length >= 8 ? load<u64>(at + count - 8) >>> (64 - (count << 3)) : fewBytes(at, count);
}

function fewBytes(at: usize, count: u32): u64 {
  let value: u64 = 0;
  let shift: u64 = 0;
  if (count & 4) {
    value = load<u32>(at);
    at += 4;
    shift = 32;
  }
  if (count & 2) {
    value |= <u64>load<u16>(at) << shift;
    at += 2;
    shift += 16;
  }
  if (count & 1) value |= <u64>load<u8>(at) << shift;
  return value;
}

// In MurmurHash64A and CityHash64.
@inline
export function shiftMix(k: u64): u64 {
  return k ^ (k >>> 47);
}
