import { checkRecord, wrongValue } from '../arguments.js';
import { msToUnit, unitToMs } from '../kernels/time.js';
import { checkFieldValue, checkNames, idExpected, type PlacedField, shownValue } from './fields.js';
import type { Clock } from './time.js';

// Single values. An id is two words of 32 bits, and a field a number: several times as fast as bigints. Fields of more
// than 53 bits, and clocks that pass what doubles hold exactly, are worked on as bigints.

const id64 = /* @__PURE__ */ new BigUint64Array(1);
const words = /* @__PURE__ */ new Uint32Array(id64.buffer);

/**
 * The id of the values of fields.
 * @throws TypeError or RangeError as {@link Layout.pack}
 */
export function packValues(
  fields: readonly PlacedField[],
  values: { readonly [name: string]: number | bigint | Date },
): bigint {
  checkRecord('values', values);
  let [low, high, wide] = [0, 0, 0n];
  for (const field of fields) {
    const { name, shift, min, most, clock } = field;
    const given = values[name] as number;
    const value = typeof given !== 'number' ? -1 : clock === undefined ? given : msToUnit(given, clock.scale);
    if (!(value >= min && value <= most) || value % 1 !== 0) {
      if (given === undefined) checkNames('values', values, fields); // a name that is misspelt
      wide |= checkFieldValue(`values.${name}`, field, given) << BigInt(shift);
    } else if (shift < 32) {
      low |= value << shift;
      high |= value * 2 ** (shift - 32);
    } else high |= value << (shift - 32);
  }
  let count = 0;
  for (const _ in values) count++;
  if (count !== fields.length) checkNames('values', values, fields);
  words[0] = low;
  words[1] = high;
  const id = id64[0] as bigint;
  return wide === 0n ? id : id | wide;
}

/**
 * The values of an id's fields.
 * @param given the id as the caller gave it
 */
export function unpackId(
  fields: readonly PlacedField[],
  id: bigint,
  given: unknown,
): { [name: string]: number | bigint } {
  id64[0] = id;
  const low = words[0] as number;
  const high = words[1] as number;
  const values: { [name: string]: number | bigint } = {};
  for (const field of fields) {
    const { name, shift, bits, mask, min, most, clock } = field;
    if (most < 0) values[name] = shownValue(field, (id >> BigInt(shift)) & mask, 'id', given);
    else {
      const value = numberIn(low, high, shift, bits);
      if (value < min) throw wrongValue('id', idExpected(field), given);
      values[name] = clock === undefined ? value : unitToMs(value, clock.scale);
    }
  }
  return values;
}

/** The instant in an id, in whole milliseconds. */
export function dateIn({ shift, bits, mask, most, clock }: PlacedField, id: bigint): Date {
  const { scale } = clock as Clock;
  id64[0] = id;
  const units = most < 0 ? Number.NaN : numberIn(words[0] as number, words[1] as number, shift, bits);
  const date = new Date(Math.floor(unitToMs(units, scale)));
  return Number.isNaN(date.getTime()) ? (clock as Clock).dateOf((id >> BigInt(shift)) & mask) : date;
}

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
