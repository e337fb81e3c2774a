import { checkOneOf, checkOptions, checkString, namesIn, wrongValue } from '../arguments.js';
import { type BytesColumn, checkOut, checkTextColumn, type TextColumn, textOfRow } from '../columns/keys.js';
import { ksuid, objectid, timeOfText, ulid, uuid, type WideIdFormat, xid } from './formats.js';

/** A kind of ids of more than 64 bits. {@link timesOf} says how each is written. */
export type WideIdKind = 'uuid' | 'ulid' | 'objectid' | 'ksuid' | 'xid';

/** No two kinds have a length in common. */
const WIDE_ID_FORMATS: { readonly [K in WideIdKind]: WideIdFormat } = { uuid, ulid, objectid, ksuid, xid };

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
