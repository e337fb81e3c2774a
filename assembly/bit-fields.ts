// Bit fields in and out of columns of 64-bit ids.
//
//   63           shift + bits        shift            0
//   +----------------+-----------------+---------------+
//   |      ...       |  values[i]      |      ...      |   ids[i]
//   +----------------+-----------------+---------------+
//
// T is the element type of the values: u8, u16, u32, f64 (integers up to 2^53) or u64. A mask is 2^bits - 1.

// How many rows a turn of the vector loops handles.
function stepOf<T>(): u32 {
  return sizeof<T>() == 8 ? 4 : 8;
}

// An integer below 2^52 that is added to 2^52 lies in the mantissa of the sum. Doubles of fields with 53 bits may be larger
// and are not handled by vectors.
const TWO_52: f64 = 4503599627370496;
const MAX_IN_MANTISSA: u64 = 0xfffffffffffff;

function isVectored<T>(mask: u64): bool {
  return !isFloat<T>() || mask <= MAX_IN_MANTISSA;
}

function place(ids: usize, pair: v128, shift: i32): void {
  v128.store(ids, v128.or(v128.load(ids), i64x2.shl(pair, shift)));
}

// Four rows of 32 bits.
function placeFour(ids: usize, four: v128, shift: i32): void {
  place(ids, i64x2.extend_low_i32x4_u(four), shift);
  place(ids + 16, i64x2.extend_high_i32x4_u(four), shift);
}

// Two doubles, or two times as units.
function unitPair<T>(pair: v128, times: v128, offsets: v128): v128 {
  return isFloat<T>() ? f64x2.sub(v128.bitselect(f64x2.floor(pair), pair, times), offsets) : pair;
}

// Two rows of 64 bits. Returns the bits that are not allowed: those in `above`, and all bits if a double is not an integer.
function placePair<T>(ids: usize, pair: v128, shift: i32, above: v128): v128 {
  if (!isFloat<T>()) {
    place(ids, pair, shift);
    return v128.and(pair, above);
  }
  const magic = f64x2.splat(TWO_52);
  const sum = f64x2.add(pair, magic);
  const bits = v128.xor(sum, magic);
  place(ids, bits, shift);
  return v128.or(v128.and(bits, above), f64x2.ne(f64x2.sub(sum, magic), pair));
}

// ids[i] |= values[i] << shift, where those bits of ids[i] are 0. A time in milliseconds counts as floor(values[i]) - offset;
// for other values the offset is 0. Returns whether all values are integers from 0 to the mask; if not, ids are undefined.
export function pack<T>(values: usize, ids: usize, rows: u32, shift: i32, mask: u64, isTime: bool, offset: f64): bool {
  const end = ids + (<usize>rows << 3);
  const step = stepOf<T>();
  const endOfSteps = isVectored<T>(mask) ? ids + (<usize>(rows & ~(step - 1)) << 3) : ids;
  const above = splat<T>(~mask);
  let bad = i64x2.splat(0);
  const times = i64x2.splat(-<i64>isTime);
  const offsets = f64x2.splat(offset);
  for (; ids < endOfSteps; ids += step << 3, values += step * sizeof<T>()) {
    if (sizeof<T>() <= 2) {
      const eight = sizeof<T>() == 1 ? v128.load8x8_u(values) : v128.load(values);
      // Bytes have zeros between them now, so only the bits of bytes are compared with the mask.
      bad = v128.or(bad, sizeof<T>() == 1 ? v128.and(eight, i16x8.splat(<i16>~mask)) : v128.and(eight, above));
      placeFour(ids, i32x4.extend_low_i16x8_u(eight), shift);
      placeFour(ids + 32, i32x4.extend_high_i16x8_u(eight), shift);
    } else if (sizeof<T>() == 4) {
      const low = v128.load(values);
      const high = v128.load(values, 16);
      bad = v128.or(bad, v128.and(v128.or(low, high), above));
      placeFour(ids, low, shift);
      placeFour(ids + 32, high, shift);
    } else {
      bad = v128.or(bad, placePair<T>(ids, unitPair<T>(v128.load(values), times, offsets), shift, above));
      bad = v128.or(bad, placePair<T>(ids + 16, unitPair<T>(v128.load(values, 16), times, offsets), shift, above));
    }
  }
  let isGood = !v128.any_true(bad);
  for (; ids < end; ids += 8, values += sizeof<T>()) {
    let value = load<T>(values);
    if (isFloat<T>()) value = <T>((isTime ? floor(<f64>value) : <f64>value) - offset);
    if (isFloat<T>() ? !(value >= 0 && value <= <T>mask && floor(value) == value) : <u64>value > mask) isGood = false;
    else store<u64>(ids, load<u64>(ids) | (<u64>value << shift));
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
  const step = stepOf<T>();
  const endOfSteps = isVectored<T>(mask) ? ids + (<usize>(rows & ~(step - 1)) << 3) : ids;
  const masks = i32x4.splat(<i32>mask);
  for (; ids < endOfSteps; ids += step << 3, values += step * sizeof<T>()) {
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
    }
  }
  for (; ids < end; ids += 8, values += sizeof<T>()) {
    const value = <T>((load<u64>(ids) >> shift) & mask);
    store<T>(values, isFloat<T>() ? <T>(<f64>value + offset) : value);
  }
}

export function fill(ids: usize, rows: u32, value: u64): void {
  const end = ids + (<usize>rows << 3);
  const end8 = ids + (<usize>(rows & ~7) << 3);
  const pair = i64x2.splat(value);
  for (; ids < end8; ids += 64) {
    v128.store(ids, pair);
    v128.store(ids, pair, 16);
    v128.store(ids, pair, 32);
    v128.store(ids, pair, 48);
  }
  for (; ids < end; ids += 8) store<u64>(ids, value);
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

function splat<T>(value: u64): v128 {
  if (sizeof<T>() == 1) return i8x16.splat(<i8>value);
  if (sizeof<T>() == 2) return i16x8.splat(<i16>value);
  if (sizeof<T>() == 4) return i32x4.splat(<i32>value);
  return i64x2.splat(value);
}
