import { checkOneOf, checkOptions, checkString, namesIn, wrongValue } from '../arguments.js';
import { type BytesColumn, checkOut, checkTextColumn, type TextColumn, textOfRow } from '../columns/keys.js';
import { GREGORIAN } from '../dates.js';
import { digitTable, TEXT_FORMATS } from '../kernels/types.js';

/** A byte that is not a digit has a larger value, even after `|` with other digits. */
const MAX_DIGIT = 63;

/** Reads `count` characters as a number, exact up to 2^53. NaN if one of them is not a digit. */
function numberAt(data: Uint8Array, at: number, count: number, table: Uint8Array, radix: number): number {
  let value = 0;
  let seen = 0;
  for (let i = at; i < at + count; i++) {
    const digit = table[data[i]];
    seen |= digit;
    value = value * radix + digit;
  }
  return seen > MAX_DIGIT ? Number.NaN : value;
}

const HEX = /* @__PURE__ */ digitTable(TEXT_FORMATS.hex);

/** Reads hexadecimal digits in upper or lower case as a number; NaN if one of them is not a digit. */
function hexAt(data: Uint8Array, at: number, count: number): number {
  return numberAt(data, at, count, HEX, 16);
}

/** How ids of a kind are written, and how their time is read. */
interface WideIdFormat {
  /** The lengths that an id may have, in characters. */
  readonly lengths: readonly number[];
  /** The values of its characters as digits. A hyphen is not one. */
  readonly digits: Uint8Array;
  readonly radix: number;
  /**
   * The Unix milliseconds of an id.
   * @param length one of `lengths`
   * @returns NaN if the characters are not an id, {@link NO_TIME} if the id has no time
   */
  timeAt(data: Uint8Array, at: number, length: number): number;
  /** What is expected instead of a text that is not an id or has no time, for an error message. */
  expected(text: string): string;
}

const NO_TIME: number = Number.POSITIVE_INFINITY;

const MAX_BYTES = 36;

const bytes = /* @__PURE__ */ new Uint8Array(MAX_BYTES);

/** Like {@link WideIdFormat.timeAt}, for any text. */
function timeOfText(text: string, { lengths, timeAt }: WideIdFormat): number {
  const { length } = text;
  if (!lengths.includes(length)) return Number.NaN;
  let codes = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    codes |= code;
    bytes[i] = code;
  }
  return codes > 127 ? Number.NaN : timeAt(bytes, 0, length);
}

// github.com/segmentio/ksuid: 20 bytes as one number in base62, of which the first 4 are seconds since 2014-05-13.

const EPOCH_SECONDS = 1400000000;

const LENGTH = 27;
const GROUP = 3;
const GROUP_RADIX = 62 ** GROUP;

const KSUID_DIGITS = /* @__PURE__ */ digitTable(TEXT_FORMATS.base62);

/** The 160 bits, the lowest 32 first. */
const words = /* @__PURE__ */ new Uint32Array(5);

const ksuid: WideIdFormat = {
  lengths: [LENGTH],
  digits: KSUID_DIGITS,
  radix: 62,

  timeAt(data, at) {
    words.fill(0);
    for (let group = at; group < at + LENGTH; group += GROUP) {
      let carry = numberAt(data, group, GROUP, KSUID_DIGITS, 62);
      for (let i = 0; i < words.length; i++) {
        const product = words[i] * GROUP_RADIX + carry; // below 2^50
        words[i] = product; // its lowest 32 bits
        carry = Math.floor(product / 2 ** 32);
      }
      if (carry !== 0) return Number.NaN; // more than 160 bits, or not a digit
    }
    return (words[4] + EPOCH_SECONDS) * 1000;
  },

  expected: () => 'a KSUID: 27 characters of 0-9, A-Z and a-z, at most aWgEPTl1tmebfsQzFP4bxwgy80V',
};

// The BSON specification, "ObjectId": 4 bytes of Unix seconds, unsigned and big-endian, 5 random ones and a counter of 3.

const objectid: WideIdFormat = {
  lengths: [24],
  digits: HEX,
  radix: 16,

  timeAt(data, at) {
    const isWhole = !Number.isNaN(hexAt(data, at + 8, 16));
    return isWhole ? hexAt(data, at, 8) * 1000 : Number.NaN;
  },

  expected: () => 'an ObjectId: 24 hexadecimal digits',
};

// github.com/ulid/spec: 48 bits of Unix milliseconds in 10 characters, then 80 bits in 16. It has the alphabet of Crockford's
// base32 in upper or lower case, but does not read I and L as 1 and O as 0.

const MAX_MS = 2 ** 48 - 1;

const ULID_DIGITS = /* @__PURE__ */ digitTable({ ...TEXT_FORMATS.crockford32, alike: '' });

const ulid: WideIdFormat = {
  lengths: [26],
  digits: ULID_DIGITS,
  radix: 32,

  timeAt(data, at) {
    const ms = numberAt(data, at, 10, ULID_DIGITS, 32);
    const isWhole = ms <= MAX_MS && !Number.isNaN(numberAt(data, at + 10, 16, ULID_DIGITS, 32));
    return isWhole ? ms : Number.NaN;
  },

  expected: () => 'a ULID: 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7',
};

// RFC 9562. Its section 4 has the text, with hyphens; without them it is common, too.

const WITH_HYPHENS = 36;
const HYPHEN = 0x2d;

/** RFC 9562, section 4.1: the upper two bits of octet 8. Other values are those of Apollo and Microsoft, or reserved. */
export const VARIANT = 0b10;

const uuid: WideIdFormat = {
  lengths: [WITH_HYPHENS, 32],
  digits: HEX,
  radix: 16,

  timeAt(data, at, length) {
    const hyphen = length === WITH_HYPHENS ? 1 : 0;
    if (hyphen === 1 && !hasHyphens(data, at)) return Number.NaN;
    // The fields of version 1, section 5.1. In other versions the same bits have other meanings.
    const low = hexAt(data, at, 8);
    const mid = hexAt(data, at + 8 + hyphen, 4);
    const high = hexAt(data, at + 12 + 2 * hyphen, 4);
    const clock = hexAt(data, at + 16 + 3 * hyphen, 4);
    const node = hexAt(data, at + 20 + 4 * hyphen, 12);
    if (Number.isNaN(low + mid + high + clock + node)) return Number.NaN;
    if (clock >>> 14 !== VARIANT) return NO_TIME;
    const rest = high & 0xfff; // below the version
    switch (high >>> 12) {
      case 1:
        return fromTicks(rest * 0x10000 + mid, low);
      case 6: // section 5.6: the same 60 bits, most significant first
        return fromTicks(low >>> 4, (low & 15) * 0x10000000 + mid * 0x1000 + rest);
      case 7: // section 5.7: 48 bits of Unix milliseconds
        return low * 0x10000 + mid;
      default:
        return NO_TIME;
    }
  },

  expected(text) {
    if (Number.isNaN(timeOfText(text, uuid))) {
      return 'a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens';
    }
    const digits = text.replaceAll('-', '');
    const version = Number.parseInt(digits.charAt(12), 16);
    return Number.parseInt(digits.charAt(16), 16) >>> 2 === VARIANT
      ? `a UUID of version 1, 6 or 7 (a UUID of version ${version} has no time)`
      : 'a UUID of RFC 9562, whose 17th digit is 8, 9, a or b (a UUID of another variant has no time)';
  },
};

function hasHyphens(data: Uint8Array, at: number): boolean {
  return data[at + 8] === HYPHEN && data[at + 13] === HYPHEN && data[at + 18] === HYPHEN && data[at + 23] === HYPHEN;
}

/** Below this, a number holds milliseconds with microseconds exactly: until 2248. */
const MAX_FRACTIONAL_MS = 2 ** 43;

/**
 * The Unix milliseconds of a count of 100 ns since 1582, rounded to the nearest microsecond.
 * @param high the upper 28 bits of the count
 * @param low the lower 32 bits of the count
 */
function fromTicks(high: number, low: number): number {
  const ticks = high * 7296 + low; // 2^32 ticks are 429,496 milliseconds and 7,296 ticks
  const ms = high * 429496 + Math.floor(ticks / 10000) + GREGORIAN;
  const us = Math.floor(((ticks % 10000) + 5) / 10);
  // The sum would be inexact in its last bit near 1970, and the product far from 1970.
  return Math.abs(ms) < MAX_FRACTIONAL_MS ? (ms * 1000 + us) / 1000 : ms + us / 1000;
}

// github.com/rs/xid: 12 bytes in base32hex, lower case and without padding, of which the first 4 are Unix seconds. 20
// characters have 4 bits more than 12 bytes; they are zero.

const XID_DIGITS = /* @__PURE__ */ digitTable({ alphabet: '0123456789abcdefghijklmnopqrstuv' });

const xid: WideIdFormat = {
  lengths: [20],
  digits: XID_DIGITS,
  radix: 32,

  timeAt(data, at) {
    const first = numberAt(data, at, 7, XID_DIGITS, 32); // 35 bits, of which 32 are the seconds
    const last = numberAt(data, at + 19, 1, XID_DIGITS, 32);
    const isWhole = last % 16 === 0 && !Number.isNaN(numberAt(data, at + 7, 12, XID_DIGITS, 32));
    return isWhole ? Math.floor(first / 8) * 1000 : Number.NaN;
  },

  expected: () => 'an xid: 20 characters of 0-9 and a-v, the last one 0 or g',
};

/** A kind of ids of more than 64 bits. {@link timesOf} says how each is written. */
export type WideIdKind = 'uuid' | 'ulid' | 'objectid' | 'ksuid' | 'xid';

/** No two kinds have a length in common. */
export const WIDE_ID_FORMATS: { readonly [K in WideIdKind]: WideIdFormat } = { uuid, ulid, objectid, ksuid, xid };

export const WIDE_ID_KINDS = /* @__PURE__ */ namesIn(WIDE_ID_FORMATS);

/**
 * The kind of id that a text can be. It has the length of that kind, and all of its characters are valid there. No text
 * can be of two kinds.
 *
 * Every UUID counts, even one without a time, which {@link timesOf} rejects with the reason. 20 decimal digits that end in
 * 0 are a valid xid, although hardly any xid looks like that: if a text may also be a 64-bit id in decimal, try that first.
 * @param text the id alone, without spaces around it
 * @returns undefined if the text is not an id of any kind
 * @throws TypeError if `text` is not a string
 * @example
 * wideIdKindOf('01ARYZ6S41TSV4RRFFQ69G5FAV'); // 'ulid'
 */
export function wideIdKindOf(text: string): WideIdKind | undefined {
  checkString('text', text);
  return WIDE_ID_KINDS.find((kind) => !Number.isNaN(timeOfText(text, WIDE_ID_FORMATS[kind])));
}

/**
 * The times of a column of ids that are wider than 64 bits.
 *
 * | kind | text | time | source |
 * | --- | --- | --- | --- |
 * | uuid | 32 hexadecimal digits, with or without hyphens | versions 1 and 6: 100 ns since 1582-10-15; version 7: ms | RFC 9562 |
 * | ulid | 26 characters of Crockford's base32, at most `7ZZZ…`; I, L and O are not read as digits | ms | ulid/spec |
 * | objectid | 24 hexadecimal digits | s | the BSON specification |
 * | ksuid | 27 characters of base62 (0-9A-Za-z), at most `aWgEPTl1tmebfsQzFP4bxwgy80V` | s since 2014-05-13T16:53:20Z | segmentio/ksuid |
 * | xid | 20 characters of base32hex (0-9a-v), the last one 0 or g | s | rs/xid |
 *
 * UUIDs, ULIDs and ObjectIds may be in upper or lower case. KSUIDs and xids are case-sensitive.
 * @param texts strings, or a BytesColumn of them; all must be valid from the first character to the last
 * @param kind the kind of all rows; {@link wideIdKindOf} finds it
 * @param options.out where the times go, as long as `texts`
 * @returns Unix milliseconds: `out`, or a new array. For versions 1 and 6 of UUIDs, microseconds are fractions, rounded to
 *   the nearest; they are exact until the year 2248
 * @throws TypeError if an argument or a row is of the wrong kind
 * @throws RangeError if a row is not an id of the kind, or is a UUID of a version or variant without a time (the error has
 *   the `row`); if offsets descend or point beyond the data; if there is no such kind; or if `out` has another length or
 *   overlaps `texts`. Nothing has been written then
 * @example
 * timesOf(['017f22e2-79b0-7cc3-98c4-dc0c0c07398f'], 'uuid'); // Float64Array [1645557742000]
 */
export function timesOf(
  texts: readonly string[] | BytesColumn,
  kind: WideIdKind,
  options?: { out?: Float64Array | undefined },
): Float64Array {
  const column = checkTextColumn('texts', texts);
  const format = WIDE_ID_FORMATS[checkOneOf('kind', kind, WIDE_ID_KINDS)];
  const { out } = checkOptions(options, ['out']);
  if (out !== undefined) checkOut(out, Float64Array, column.rows, column.memory);
  const times = new Float64Array(column.rows);
  for (let row = 0; row < times.length; row++) {
    const time = timeOfRow(column, row, format);
    if (!Number.isFinite(time)) {
      const text = textOfRow(column, row);
      throw wrongValue('texts', format.expected(text), text, row);
    }
    times[row] = time;
  }
  // The caller's array is written only after all rows are known to be ids.
  out?.set(times);
  return out ?? times;
}

function timeOfRow(column: TextColumn, row: number, format: WideIdFormat): number {
  if (column.kind === 'text') return timeOfText(column.texts[row], format);
  const { data, starts, ends } = column.spans;
  const length = ends[row] - starts[row];
  return format.lengths.includes(length) ? format.timeAt(data, starts[row], length) : Number.NaN;
}
