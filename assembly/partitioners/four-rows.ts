// Hashes of 32-bit words can handle four rows at once, one in each lane, if they are equally long, as keys of one kind
// usually are. That takes a third to a half of the time of single rows.

// The length of four rows, or 0 if they differ.
@inline
export function commonLength(starts: v128, ends: usize): u32 {
  const lengths = i32x4.sub(v128.load(ends), starts);
  const length = i32x4.extract_lane(lengths, 0);
  return i32x4.all_true(i32x4.eq(lengths, i32x4.splat(length))) ? <u32>length : 0;
}

// One word of each row.
@inline
export function words(a: usize, b: usize, c: usize, d: usize): v128 {
  let four = v128.load_zero<u32>(a);
  four = v128.load_lane<u32>(b, four, 1);
  four = v128.load_lane<u32>(c, four, 2);
  return v128.load_lane<u32>(d, four, 3);
}

@inline
export function rotl4(value: v128, places: i32): v128 {
  return v128.or(i32x4.shl(value, places), i32x4.shr_u(value, 32 - places));
}

@inline
export function xorShift4(value: v128, places: i32): v128 {
  return v128.xor(value, i32x4.shr_u(value, places));
}
