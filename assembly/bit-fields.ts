// Bit fields in and out of columns of 64-bit ids, two rows at a time.
//
//   63           shift + bits        shift            0
//   +----------------+-----------------+---------------+
//   |      ...       |  values[i]      |      ...      |   ids[i]
//   +----------------+-----------------+---------------+
//
// T is the element type of the values: u8, u16, u32, f64 (integers up to 2^53) or u64.

const BITS_OF_2_52: u64 = 0x4330000000000000;
const BITS_OF_2_84: u64 = 0x4530000000000000;
const TWO_32: f64 = 4294967296;
const TWO_52: f64 = 4503599627370496;
const TWO_84_AND_TWO_52: f64 = 19342813118337666422669312.0;
const SIGN: u64 = 0x8000000000000000;
const LOW_32: u64 = 0xffffffff;

// Integers from 0 to 2^53, by halves: an integer below 2^32 added to 2^52 lies in its mantissa.
function u64x2FromF64x2(x: v128): v128 {
  const magic = f64x2.splat(TWO_52);
  const high = f64x2.floor(f64x2.mul(x, f64x2.splat(1 / TWO_32)));
  const low = f64x2.sub(x, f64x2.mul(high, f64x2.splat(TWO_32)));
  return v128.or(
    i64x2.shl(v128.xor(f64x2.add(high, magic), magic), 32),
    v128.xor(f64x2.add(low, magic), magic),
  );
}

function f64x2FromU64x2(x: v128): v128 {
  const high = v128.or(i64x2.shr_u(x, 32), i64x2.splat(BITS_OF_2_84));
  const low = v128.or(v128.and(x, i64x2.splat(LOW_32)), i64x2.splat(BITS_OF_2_52));
  return f64x2.add(f64x2.sub(high, f64x2.splat(TWO_84_AND_TWO_52)), low);
}

function loadPair<T>(from: usize): v128 {
  if (isFloat<T>()) return u64x2FromF64x2(v128.load(from));
  if (sizeof<T>() == 8) return v128.load(from);
  if (sizeof<T>() == 4) return v128.load32x2_u(from);
  const u16s = sizeof<T>() == 2 ? v128.load32_zero(from) : i16x8.extend_low_i8x16_u(v128.load16_splat(from));
  return i64x2.extend_low_i32x4_u(i32x4.extend_low_i16x8_u(u16s));
}

function storePair<T>(to: usize, pair: v128): void {
  if (isFloat<T>()) v128.store(to, f64x2FromU64x2(pair));
  else if (sizeof<T>() == 8) v128.store(to, pair);
  else if (sizeof<T>() == 4) v128.store64_lane(to, v128.shuffle<u32>(pair, pair, 0, 2, 0, 2), 0);
  else if (sizeof<T>() == 2) v128.store32_lane(to, v128.shuffle<u16>(pair, pair, 0, 4, 0, 4, 0, 4, 0, 4), 0);
  else v128.store16_lane(to, v128.shuffle<u8>(pair, pair, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8), 0);
}

// ids[i] |= values[i] << shift. Precondition: every value fits its field, and those bits are 0.
export function pack<T>(values: usize, ids: usize, rows: u32, shift: i32): void {
  const end = ids + (<usize>rows << 3);
  const end2 = ids + (<usize>(rows & ~1) << 3);
  for (; ids < end2; ids += 16, values += 2 * sizeof<T>()) {
    v128.store(ids, v128.or(v128.load(ids), i64x2.shl(loadPair<T>(values), shift)));
  }
  if (ids < end) store<u64>(ids, load<u64>(ids) | (<u64>load<T>(values) << shift));
}

// values[i] = (ids[i] >>> shift) & mask. Precondition: T holds the mask.
export function unpack<T>(ids: usize, values: usize, rows: u32, shift: i32, mask: u64): void {
  const end = ids + (<usize>rows << 3);
  const end2 = ids + (<usize>(rows & ~1) << 3);
  const masks = i64x2.splat(mask);
  for (; ids < end2; ids += 16, values += 2 * sizeof<T>()) {
    storePair<T>(values, v128.and(i64x2.shr_u(v128.load(ids), shift), masks));
  }
  if (ids < end) store<T>(values, <T>((load<u64>(ids) >> shift) & mask));
}

export function fill(ids: usize, rows: u32, value: u64): void {
  const end = ids + (<usize>rows << 3);
  for (; ids < end; ids += 8) store<u64>(ids, value);
}

// The first row whose value is not an integer from min to max, or `rows` when there is none.
export function firstOutside<T>(values: usize, rows: u32, min: u64, max: u64): u32 {
  // Eight rows with nothing amiss are passed over at once; the rest is looked at one by one.
  let row: u32 = 0;
  for (; row + 8 <= rows; row += 8, values += 8 * sizeof<T>()) {
    const amiss = v128.or(
      v128.or(outside<T>(values, min, max), outside<T>(values + 2 * sizeof<T>(), min, max)),
      v128.or(outside<T>(values + 4 * sizeof<T>(), min, max), outside<T>(values + 6 * sizeof<T>(), min, max)),
    );
    if (v128.any_true(amiss)) break;
  }
  for (; row < rows; row++, values += sizeof<T>()) {
    const value = load<T>(values);
    if (isFloat<T>()) {
      if (!(value >= <T>min && value <= <T>max && floor(value) == value)) break;
    } else if (<u64>value - min > max - min) break;
  }
  return row;
}

// All ones in the lanes of a pair that are no integer from min to max.
function outside<T>(values: usize, min: u64, max: u64): v128 {
  if (isFloat<T>()) {
    const pair = v128.load(values);
    const inside = v128.and(f64x2.ge(pair, f64x2.splat(<f64>min)), f64x2.le(pair, f64x2.splat(<f64>max)));
    return v128.not(v128.and(inside, f64x2.eq(f64x2.floor(pair), pair)));
  }
  // value - min, unsigned, is at most max - min; lanes compare signed only, hence the sign bit.
  const above = i64x2.sub(loadPair<T>(values), i64x2.splat(min));
  return i64x2.gt_s(v128.xor(above, i64x2.splat(SIGN)), i64x2.splat((max - min) ^ SIGN));
}
