import type { CheckedFormat } from '../records.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;

/**
 * Where a line or record starts, at a place or after it, as far as the bytes show. For lines and NDJSON that is certain.
 * For CSV it is a guess, because a line break may be in quotes: who uses it has to prove that a record ends there.
 * @param at 1 or more
 * @param which the first one after the place, or the last one in the bytes
 * @returns -1 if there is none in the bytes
 */
export function startIn(
  bytes: Uint8Array,
  at: number,
  which: 'first' | 'last',
  records: CheckedFormat | undefined,
): number {
  if (records?.format !== 'csv') {
    const newline = which === 'first' ? bytes.indexOf(NEWLINE, at - 1) : bytes.lastIndexOf(NEWLINE);
    return newline < at - 1 ? -1 : newline + 1;
  }
  let start = -1;
  let isQuoted = isInQuotes(bytes, at - 1, records.delimiter);
  let quote = bytes.indexOf(QUOTE, at - 1);
  for (let newline = bytes.indexOf(NEWLINE, at - 1); newline >= 0; newline = bytes.indexOf(NEWLINE, newline + 1)) {
    for (; quote >= 0 && quote < newline; quote = bytes.indexOf(QUOTE, quote + 1)) isQuoted = !isQuoted;
    if (isQuoted) continue;
    start = newline + 1;
    if (which === 'first') break;
  }
  return start;
}

/**
 * Whether a place is in quotes, as the first run of quotes after it shows that can only be read in one way. A record
 * without faults has no other text beside the quotes around a field. Without such a run, it is not in quotes.
 */
function isInQuotes(bytes: Uint8Array, from: number, delimiter: number): boolean {
  const isBorder = (byte: number | undefined) =>
    byte === undefined || byte === delimiter || byte === NEWLINE || byte === RETURN;
  let isOdd = false; // whether an odd number of quotes lies before the run
  for (let start = bytes.indexOf(QUOTE, from); start >= 0; ) {
    let end = start + 1;
    while (bytes[end] === QUOTE) end++;
    const isSingle = (end - start) % 2 === 1;
    const isAfterBorder = isBorder(bytes[start - 1]);
    const isBeforeBorder = isBorder(bytes[end]);
    // An odd run opens a field or closes one. An even run with text beside it lies within a field.
    if (isSingle && isAfterBorder !== isBeforeBorder) return isBeforeBorder !== isOdd;
    if (!isSingle && !(isAfterBorder && isBeforeBorder)) return !isOdd;
    isOdd = isOdd !== isSingle;
    start = bytes.indexOf(QUOTE, end);
  }
  return false;
}
