// Bit fields in and out of columns of 64-bit ids.
//
//   63           shift + bits        shift            0
//   +----------------+-----------------+---------------+
//   |      ...       |  values[i]      |      ...      |   ids[i]
//   +----------------+-----------------+---------------+
//
// T is the element type of the values: u8, u16, u32, f64 (integers up to 2^53) or u64. A mask is 2^bits - 1.

// How many rows a turn of the vector loops handles.
const TURN: u32 = 8;

// An integer below 2^52 that is added to 2^52 lies in the mantissa of the sum. Doubles of fields with 53 bits may be larger
// and are not handled by vectors.
const TWO_52: f64 = 4503599627370496;
const MAX_IN_MANTISSA: u64 = 0xfffffffffffff;

function isVectored<T>(mask: u64): bool {
  return !isFloat<T>() || mask <= MAX_IN_MANTISSA;
}

function place(before: usize, ids: usize, pair: v128, shift: i32): void {
  v128.store(ids, v128.or(v128.load(before), i64x2.shl(pair, shift)));
}

// Four rows of 32 bits.
function placeFour(before: usize, ids: usize, four: v128, shift: i32): void {
  place(before, ids, i64x2.extend_low_i32x4_u(four), shift);
  place(before + 16, ids + 16, i64x2.extend_high_i32x4_u(four), shift);
}

// Two rows of 64 bits as they go into ids. To a double, 2^52 is added; to a time, which is rounded down, 2^52 - offset. If the
// value is no integer from 0 to 2^52, the sum has another exponent or sign, or was rounded.
@inline
function bitsOf<T>(pair: v128, isTime: bool, add: v128): v128 {
  if (!isFloat<T>()) return pair;
  return v128.xor(f64x2.add(isTime ? f64x2.floor(pair) : pair, add), f64x2.splat(TWO_52));
}

@inline
function wereRounded(pair: v128, bits: v128): v128 {
  const magic = f64x2.splat(TWO_52);
  return f64x2.ne(f64x2.sub(v128.xor(bits, magic), magic), pair);
}

// ids[i] = before[i] | values[i] << shift, where those bits of before[i] are 0. `before` are the ids themselves, or 64 bytes
// that stand for all rows: eight equal ids. A time in milliseconds counts as floor(values[i]) - offset; for other values the
// offset is 0. Returns whether all values are integers from 0 to the mask; if not, ids are undefined.
@inline
export function pack<T>(
  values: usize,
  before: usize,
  ids: usize,
  rows: u32,
  shift: i32,
  mask: u64,
  isTime: bool,
  offset: f64,
): bool {
  const end = values + <usize>rows * sizeof<T>();
  const endOfTurns = isVectored<T>(mask) ? values + <usize>(rows & ~(TURN - 1)) * sizeof<T>() : values;
  const add = f64x2.splat(TWO_52 - offset);
  let seen = i64x2.splat(0); // all bits of all values
  let isRounded = i64x2.splat(0);
  const stepBefore: usize = before == ids ? <usize>TURN << 3 : 0;
  for (; values < endOfTurns; ids += TURN << 3, before += stepBefore, values += TURN * sizeof<T>()) {
    if (sizeof<T>() <= 2) {
      const eight = sizeof<T>() == 1 ? v128.load8x8_u(values) : v128.load(values);
      seen = v128.or(seen, eight);
      placeFour(before, ids, i32x4.extend_low_i16x8_u(eight), shift);
      placeFour(before + 32, ids + 32, i32x4.extend_high_i16x8_u(eight), shift);
    } else if (sizeof<T>() == 4) {
      const low = v128.load(values);
      const high = v128.load(values, 16);
      seen = v128.or(seen, v128.or(low, high));
      placeFour(before, ids, low, shift);
      placeFour(before + 32, ids + 32, high, shift);
    } else {
      const row01 = v128.load(values);
      const row23 = v128.load(values, 16);
      const row45 = v128.load(values, 32);
      const row67 = v128.load(values, 48);
      const bits01 = bitsOf<T>(row01, isTime, add);
      const bits23 = bitsOf<T>(row23, isTime, add);
      const bits45 = bitsOf<T>(row45, isTime, add);
      const bits67 = bitsOf<T>(row67, isTime, add);
      seen = v128.or(v128.or(v128.or(bits01, bits23), v128.or(bits45, bits67)), seen);
      if (isFloat<T>() && !isTime) {
        const isRounded0123 = v128.or(wereRounded(row01, bits01), wereRounded(row23, bits23));
        const isRounded4567 = v128.or(wereRounded(row45, bits45), wereRounded(row67, bits67));
        isRounded = v128.or(isRounded, v128.or(isRounded0123, isRounded4567));
      }
      place(before, ids, bits01, shift);
      place(before + 16, ids + 16, bits23, shift);
      place(before + 32, ids + 32, bits45, shift);
      place(before + 48, ids + 48, bits67, shift);
    }
  }
  const above =
    sizeof<T>() <= 2 ? i16x8.splat(<i16>~mask) : sizeof<T>() == 4 ? i32x4.splat(<i32>~mask) : i64x2.splat(~mask);
  let isGood = !v128.any_true(v128.or(v128.and(seen, above), isRounded));
  for (; values < end; ids += 8, before += stepBefore ? 8 : 0, values += sizeof<T>()) {
    let value = load<T>(values);
    if (isFloat<T>()) value = <T>((isTime ? floor(<f64>value) : <f64>value) - offset);
    if (isFloat<T>() ? !(value >= 0 && value <= <T>mask && floor(value) == value) : <u64>value > mask) isGood = false;
    else store<u64>(ids, load<u64>(before) | (<u64>value << shift));
  }
  return isGood;
}

// The low 32 bits of four fields.
function takeFour(ids: usize, shift: i32, masks: v128): v128 {
  const first = i64x2.shr_u(v128.load(ids), shift);
  const second = i64x2.shr_u(v128.load(ids, 16), shift);
  return v128.and(v128.shuffle<u32>(first, second, 0, 2, 4, 6), masks);
}

function takePair<T>(ids: usize, values: usize, shift: i32, mask: u64, offset: f64): void {
  const pair = v128.and(i64x2.shr_u(v128.load(ids), shift), i64x2.splat(mask));
  // A double of 2^52 with the value in its mantissa; subtracting 2^52 - offset leaves value + offset.
  const number = f64x2.sub(v128.or(pair, f64x2.splat(TWO_52)), f64x2.splat(TWO_52 - offset));
  v128.store(values, isFloat<T>() ? number : pair);
}

// values[i] = ((ids[i] >>> shift) & mask) + offset. Precondition: T can hold that. The offset is at most 2^52 for doubles,
// and 0 for other types.
export function unpack<T>(ids: usize, values: usize, rows: u32, shift: i32, mask: u64, offset: f64): void {
  const end = ids + (<usize>rows << 3);
  const endOfTurns = isVectored<T>(mask) ? ids + (<usize>(rows & ~(TURN - 1)) << 3) : ids;
  const masks = i32x4.splat(<i32>mask);
  for (; ids < endOfTurns; ids += TURN << 3, values += TURN * sizeof<T>()) {
    if (sizeof<T>() <= 4) {
      const low = takeFour(ids, shift, masks);
      const high = takeFour(ids + 32, shift, masks);
      if (sizeof<T>() == 4) {
        v128.store(values, low);
        v128.store(values, high, 16);
      } else {
        const eight = i16x8.narrow_i32x4_u(low, high);
        if (sizeof<T>() == 2) v128.store(values, eight);
        else v128.store64_lane(values, i8x16.narrow_i16x8_u(eight, eight), 0);
      }
    } else {
      takePair<T>(ids, values, shift, mask, offset);
      takePair<T>(ids + 16, values + 16, shift, mask, offset);
      takePair<T>(ids + 32, values + 32, shift, mask, offset);
      takePair<T>(ids + 48, values + 48, shift, mask, offset);
    }
  }
  for (; ids < end; ids += 8, values += sizeof<T>()) {
    const value = <T>((load<u64>(ids) >> shift) & mask);
    store<T>(values, isFloat<T>() ? <T>(<f64>value + offset) : value);
  }
}

// The first row whose value is outside min to max, or `rows` if there is none.
export function firstOutside(values: usize, rows: u32, min: u64, max: u64): u32 {
  let row: u32 = 0;
  // Usually the question is whether values have bits above a mask. Then blocks of eight without such bits are skipped at
  // once, and the loop below looks only at the rest.
  if (min == 0 && (max & (max + 1)) == 0) {
    const above = i64x2.splat(~max);
    for (; row + 8 <= rows; row += 8, values += 64) {
      const bits = v128.or(
        v128.or(v128.load(values), v128.load(values, 16)),
        v128.or(v128.load(values, 32), v128.load(values, 48)),
      );
      if (v128.any_true(v128.and(bits, above))) break;
    }
  }
  for (; row < rows; row++, values += 8) {
    if (load<u64>(values) - min > max - min) break;
  }
  return row;
}
