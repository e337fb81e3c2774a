import { checkFieldValue, type PlacedField, shownValue } from './fields.js';
import type { Clock } from './time.js';
import { msToUnit, unitToMs } from './time-scale.js';

// Columns of times of which numbers hold some exactly, but not all, such as 53 bits of microseconds, which end in 2255.
// Those that are counted below 2^53 are worked on as numbers, in halves of 32 bits: with BigInts a row takes 15 times as
// long. The others take the way of single values, which converts or refuses them.

const HALF = 2 ** 32;

/** Units as Unix milliseconds; refuses the first that a number of milliseconds cannot be. */
export function unitsToTimes(field: PlacedField, units: BigUint64Array, ids: BigUint64Array): Float64Array {
  const { scale } = field.clock as Clock;
  const { first, last } = countedAsNumbers(field);
  const halves = new Uint32Array(units.buffer);
  const times = new Float64Array(units.length);
  for (let row = 0; row < times.length; row++) {
    const count = (halves[2 * row + 1] as number) * HALF + (halves[2 * row] as number);
    times[row] =
      count >= first && count <= last
        ? unitToMs(count, scale)
        : (shownValue(field, units[row] as bigint, 'ids', ids[row], row) as number);
  }
  return times;
}

/** Unix milliseconds as units; refuses the first that is in none. */
export function timesToUnits(argument: string, field: PlacedField, times: Float64Array): BigUint64Array {
  const { scale } = field.clock as Clock;
  const { first, last } = countedAsNumbers(field);
  const units = new BigUint64Array(times.length);
  const halves = new Uint32Array(units.buffer);
  for (let row = 0; row < times.length; row++) {
    const count = msToUnit(times[row] as number, scale);
    if (count >= first && count <= last) {
      halves[2 * row] = count;
      halves[2 * row + 1] = count / HALF;
    } else units[row] = checkFieldValue(argument, field, times[row] as number, row);
  }
  return units;
}

/** The first and the last unit that numbers count and convert exactly; none if they do so for no unit. */
function countedAsNumbers({ min, clock }: PlacedField): { first: number; last: number } {
  const { isExact, last } = clock as Clock;
  return { first: min, last: isExact ? Math.min(Number(last), Number.MAX_SAFE_INTEGER) : -1 };
}
