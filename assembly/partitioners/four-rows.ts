// Hashes of 32-bit words can handle four rows at once, one in each lane, if they are equally long, as keys of one kind
// usually are. That takes a third to a half of the time of single rows.

// The length of four rows, or 0 if they differ.
@inline
export function commonLength(starts: v128, ends: usize): u32 {
  const lengths = i32x4.sub(v128.load(ends), starts);
  const length = i32x4.extract_lane(lengths, 0);
  return i32x4.all_true(i32x4.eq(lengths, i32x4.splat(length))) ? <u32>length : 0;
}

// The arithmetic for both: T is u32 for the word of one row, v128 for a word of each of four rows.

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
