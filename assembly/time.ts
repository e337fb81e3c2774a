// A column of times: units of a field, and Unix milliseconds. A unit is `mul` ticks, a millisecond is `div` ticks, and
// unit 0 begins `offset` ticks after 1970. All of them are integers that a double holds exactly, and so are their sums.

// values[i] = (offset + values[i] * mul) / div, in place. Precondition: offset + values[i] * mul is at most 2^53.
export function unitsToMs(values: usize, rows: u32, offset: f64, mul: f64, div: f64): void {
  const end = values + (<usize>rows << 3);
  const end2 = values + (<usize>(rows & ~1) << 3);
  for (; values < end2; values += 16) {
    const ticks = f64x2.add(f64x2.mul(v128.load(values), f64x2.splat(mul)), f64x2.splat(offset));
    v128.store(values, div == 1 ? ticks : f64x2.div(ticks, f64x2.splat(div)));
  }
  if (values < end) store<f64>(values, (load<f64>(values) * mul + offset) / div);
}

// units[i] = the unit that ms[i] is in, as a double: no integer for NaN and infinities. A tick that is less than a
// millisecond is the nearest one.
export function msToUnits(ms: usize, units: usize, rows: u32, offset: f64, mul: f64, div: f64): void {
  for (const end = ms + (<usize>rows << 3); ms < end; ms += 16, units += 16) {
    const isLast = end - ms == 8;
    const given = isLast ? v128.load64_zero(ms) : v128.load(ms);
    const whole = f64x2.floor(given);
    let ticks = whole;
    if (div != 1) {
      const part = f64x2.mul(f64x2.sub(given, whole), f64x2.splat(div));
      ticks = f64x2.add(f64x2.mul(whole, f64x2.splat(div)), f64x2.floor(f64x2.add(part, f64x2.splat(0.5))));
    }
    ticks = f64x2.sub(ticks, f64x2.splat(offset));
    if (mul != 1) ticks = f64x2.floor(f64x2.div(ticks, f64x2.splat(mul)));
    if (isLast) v128.store64_lane(units, ticks, 0);
    else v128.store(units, ticks);
  }
}

export function areWithin(values: usize, rows: u32, from: f64, to: f64): bool {
  const end = values + (<usize>rows << 3);
  const end4 = values + (<usize>(rows & ~3) << 3);
  const froms = f64x2.splat(from);
  const tos = f64x2.splat(to);
  let good = i64x2.splat(-1);
  for (; values < end4; values += 32) {
    const x0 = v128.load(values);
    const x1 = v128.load(values, 16);
    good = v128.and(good, v128.and(f64x2.ge(x0, froms), f64x2.le(x0, tos)));
    good = v128.and(good, v128.and(f64x2.ge(x1, froms), f64x2.le(x1, tos)));
  }
  let isGood = i64x2.all_true(good);
  for (; values < end; values += 8) isGood = isGood && load<f64>(values) >= from && load<f64>(values) <= to;
  return isGood;
}
