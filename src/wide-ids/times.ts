import { checkOneOf, checkOptions, wrongValue } from '../arguments.js';
import { type BytesColumn, checkTextColumn, type TextColumn, textOfRow } from '../columns/keys.js';
import { checkOut } from '../columns/out.js';
import { timeOfText, type WideIdFormat } from './format.js';
import { WIDE_ID_FORMATS, WIDE_ID_KINDS, type WideIdKind } from './kinds.js';

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
  const bad = readTimes(column, format, times);
  if (bad >= 0) {
    const text = textOfRow(column, bad);
    throw wrongValue('texts', format.expected(text), text, bad);
  }
  // The caller's array is written only after all rows are known to be ids.
  out?.set(times);
  return out ?? times;
}

/** @returns the first row that is not an id with a time, or -1 */
function readTimes(column: TextColumn, format: WideIdFormat, times: Float64Array): number {
  const { lengths } = format;
  for (let row = 0; row < times.length; row++) {
    let time = Number.NaN;
    if (column.kind === 'text') time = timeOfText(column.texts[row] as string, format);
    else {
      const { data, starts, ends } = column.spans;
      const start = starts[row] as number;
      const length = (ends[row] as number) - start;
      if (lengths.includes(length)) time = format.timeAt(data, start, length);
    }
    if (!Number.isFinite(time)) return row;
    times[row] = time;
  }
  return -1;
}
