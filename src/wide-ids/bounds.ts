import { idText } from '../kernels/ids.js';
import type { TextFormat } from '../kernels/types.js';
import { unitsOf } from '../layout/fields.js';
import { Clock, type TimeUnit } from '../layout/time.js';

// An id that begins with its time has its smallest value at a time with zeros below, and its largest with ones. Texts of one
// length and case sort as the bits do, because the digits of each alphabet are in the order of their character codes.

/** Times as the first bits of an id hold them: units since 1970, unsigned. */
function timesIn(bits: number, unit: TimeUnit) {
  const mask = (1n << BigInt(bits)) - 1n;
  return { clock: new Clock(0, unit, 0n, mask), min: 0, mask };
}

const MS = /* @__PURE__ */ timesIn(48, 'ms');
const SECONDS = /* @__PURE__ */ timesIn(32, 's');

/** The time of `date` in the last `width` digits that a format has for 64 bits; those before are zeros. */
function timeText(date: Date | number, times: ReturnType<typeof timesIn>, format: TextFormat, width: number): string {
  return idText(unitsOf('date', times, date), format).slice(-width);
}

/** RFC 9562, section 5.7: 48 bits of time, the version, 12 bits, the variant 10 and 62 bits. */
function uuidAt(date: Date | number, rest: string): string {
  const time = timeText(date, MS, 'hex', 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest}`;
}

/**
 * The smallest UUID of version 7 that has a time: all bits but those of the time, the version and the variant are 0. The
 * condition `id >= minUuidAt(date)` finds all ids whose time is `date` or later.
 * @param date a Date, or Unix milliseconds from 0 to 2^48 - 1; a fraction of a millisecond is rounded down
 * @returns in lower case, with hyphens
 * @throws TypeError if `date` is neither a Date nor a number
 * @throws RangeError if `date` is before 1970 or after the year 10889
 * @example
 * minUuidAt(new Date('2022-01-31')); // '017ead6e-6400-7000-8000-000000000000'
 */
export function minUuidAt(date: Date | number): string {
  return uuidAt(date, '7000-8000-000000000000');
}

/**
 * The largest UUID of version 7 that has a time: all bits but those of the time, the version and the variant are 1.
 * @param date as in {@link minUuidAt}
 * @returns in lower case, with hyphens
 * @throws TypeError or RangeError as {@link minUuidAt}
 * @example
 * maxUuidAt(new Date('2022-01-31T23:59:59.999Z')); // '017eb294-bfff-7fff-bfff-ffffffffffff'
 */
export function maxUuidAt(date: Date | number): string {
  return uuidAt(date, '7fff-bfff-ffffffffffff');
}

/**
 * The smallest ULID that has a time: its 80 random bits are 0.
 * @param date as in {@link minUuidAt}
 * @returns in upper case, as ulid/spec writes them
 * @throws TypeError or RangeError as {@link minUuidAt}
 * @example
 * minUlidAt(new Date('2022-01-31')); // '01FTPPWS000000000000000000'
 */
export function minUlidAt(date: Date | number): string {
  return timeText(date, MS, 'crockford32', 10) + '0'.repeat(16);
}

/**
 * The largest ULID that has a time: its 80 random bits are 1.
 * @param date as in {@link minUuidAt}
 * @returns in upper case, as ulid/spec writes them
 * @throws TypeError or RangeError as {@link minUuidAt}
 * @example
 * maxUlidAt(new Date('2022-01-31T23:59:59.999Z')); // '01FTS99FZZZZZZZZZZZZZZZZZZ'
 */
export function maxUlidAt(date: Date | number): string {
  return timeText(date, MS, 'crockford32', 10) + 'Z'.repeat(16);
}

/**
 * The smallest ObjectId that has a time: the 64 bits below its second are 0. An ObjectId holds whole seconds, so the
 * condition `_id >= minObjectIdAt(date)` finds all ids of the second in which `date` lies, even those made before `date`.
 * @param date a Date, or Unix milliseconds; the part of a second is rounded down
 * @returns 24 hexadecimal digits in lower case
 * @throws TypeError if `date` is neither a Date nor a number
 * @throws RangeError if `date` is before 1970, or after 2106-02-07T06:28:15Z: seconds have 32 bits, unsigned
 * @example
 * minObjectIdAt(new Date('2022-01-31')); // '61f726800000000000000000'
 */
export function minObjectIdAt(date: Date | number): string {
  return timeText(date, SECONDS, 'hex', 8) + '0'.repeat(16);
}

/**
 * The largest ObjectId that has a time: the 64 bits below its second are 1.
 * @param date as in {@link minObjectIdAt}
 * @returns 24 hexadecimal digits in lower case
 * @throws TypeError or RangeError as {@link minObjectIdAt}
 * @example
 * maxObjectIdAt(new Date('2022-01-31T23:59:59.999Z')); // '61f877ffffffffffffffffff'
 */
export function maxObjectIdAt(date: Date | number): string {
  return timeText(date, SECONDS, 'hex', 8) + 'f'.repeat(16);
}
