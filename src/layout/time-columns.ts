import { checkFieldValue, type PlacedField, shownValue } from './fields.js';
import type { Clock } from './time.js';
import { msToUnit, unitToMs } from './time-scale.js';

// Columns of times that numbers hold exactly in part, such as 53 bits of microseconds, which end in 2255. Counts below
// 2^53 are handled as numbers, in halves of 32 bits: with BigInts a row takes 15 times as long. The other rows are
// converted, or refused, as single values.

/** Converts units to Unix milliseconds; refuses the first row that a number of milliseconds cannot hold exactly. */
export function unitsToTimes(field: PlacedField, units: BigUint64Array, ids: BigUint64Array): Float64Array {
  const { scale } = field.clock as Clock;
  const last = lastNumber(field);
  const halves = new Uint32Array(units.buffer);
  const times = new Float64Array(ids.length);
  for (let row = 0; row < ids.length; row++) {
    const count = (halves[2 * row + 1] as number) * 2 ** 32 + (halves[2 * row] as number);
    times[row] =
      count >= field.min && count <= last
        ? unitToMs(count, scale)
        : (shownValue(field, units[row] as bigint, 'ids', ids[row], row) as number);
  }
  return times;
}

/** Converts Unix milliseconds to units; refuses the first row that does not fit the field. */
export function timesToUnits(argument: string, field: PlacedField, times: Float64Array): BigUint64Array {
  const { scale } = field.clock as Clock;
  const last = lastNumber(field);
  const units = new BigUint64Array(times.length);
  const halves = new Uint32Array(units.buffer);
  for (let row = 0; row < times.length; row++) {
    const count = msToUnit(times[row] as number, scale);
    if (count >= field.min && count <= last) {
      halves[2 * row] = count;
      halves[2 * row + 1] = count / 2 ** 32;
    } else units[row] = checkFieldValue(argument, field, times[row] as number, row);
  }
  return units;
}

/** The last unit that numbers convert exactly, together with all units of the field before it; -1 if there is none. */
function lastNumber({ clock }: PlacedField): number {
  const { isExact, last } = clock as Clock;
  return isExact ? Math.min(Number(last), 2 ** 53 - 1) : -1;
}
