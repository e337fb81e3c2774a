import { wrongValue } from '../arguments.js';
import { msToUnit, unitToMs } from '../kernels/time.js';
import { checkFieldValue, idExpected, numberExpected, type PlacedField, timeExpected } from './fields.js';
import { checkNames } from './layout.js';
import type { Clock } from './time.js';

// Single values. An id is two words of 32 bits: numbers are several times as fast as bigints. Fields of more than 53
// bits, and clocks that pass what doubles hold exactly, are worked on as bigints.

const id64 = /* @__PURE__ */ new BigUint64Array(1);
const words = /* @__PURE__ */ new Uint32Array(id64.buffer);

/** The value of a field of at most 53 bits. */
function numberIn(low: number, high: number, shift: number, bits: number): number {
  if (shift >= 32) return lowBits(high >>> (shift - 32), bits);
  if (shift + bits <= 32) return lowBits(low >>> shift, bits);
  return lowBits(high, shift + bits - 32) * 2 ** (32 - shift) + (low >>> shift);
}

/** The lowest bits, 1 to 32, of a word. */
function lowBits(word: number, bits: number): number {
  return (word & (-1 >>> (32 - bits))) >>> 0;
}

/**
 * The values of an id's fields.
 * @param given the id as the caller gave it
 */
export function unpackId(fields: readonly PlacedField[], id: bigint, given: unknown): { [name: string]: number | bigint } {
  id64[0] = id;
  const low = words[0] as number;
  const high = words[1] as number;
  const values: { [name: string]: number | bigint } = {};
  for (const field of fields) {
    const { name, shift, bits, min, mask, clock } = field;
    if (bits > 53 || (clock !== undefined && !clock.isExact)) {
      const value = (id >> BigInt(shift)) & mask;
      values[name] = clock === undefined ? checkMin(field, value, given) : wideTime(field, clock, value, given);
      continue;
    }
    const value = numberIn(low, high, shift, bits);
    if (value < min) throw wrongValue('id', idExpected(field), given);
    values[name] = clock === undefined ? value : unitToMs(value, clock.scale);
  }
  return values;
}

function checkMin(field: PlacedField, value: bigint, given: unknown): bigint {
  if (value < field.min) throw wrongValue('id', idExpected(field), given);
  return value;
}

function wideTime(field: PlacedField, clock: Clock, units: bigint, given: unknown): number {
  checkMin(field, units, given);
  if (units < clock.first || units > clock.last) throw wrongValue('id', numberExpected(field), given);
  return clock.msOf(units);
}
