import { NO_BYTE } from '../../kernels/record-types.js';
import { type CheckedFormat, lineEndOf } from '../format.js';
import type { CsvSyntax } from './csv.js';

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Where a line or record starts, at a place or after it, as far as the bytes show. For lines and NDJSON that is certain.
 * For CSV it is a guess, because a line break may be in quotes or escaped: who uses it has to prove that a record ends there.
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
    const end = lineEndOf(records);
    const newline = which === 'first' ? bytes.indexOf(end, at - 1) : bytes.lastIndexOf(end);
    return newline < at - 1 ? -1 : newline + 1;
  }
  let start = -1;
  let isQuoted = isInQuotes(bytes, at - 1, records);
  let quote = find(bytes, records.quote, at - 1, records);
  for (let newline = bytes.indexOf(NEWLINE, at - 1); newline >= 0; newline = bytes.indexOf(NEWLINE, newline + 1)) {
    for (; quote >= 0 && quote < newline; quote = find(bytes, records.quote, quote + 1, records)) isQuoted = !isQuoted;
    if (isQuoted || isEscaped(bytes, newline, records)) continue;
    start = newline + 1;
    if (which === 'first') break;
  }
  return start;
}

/**
 * Whether a place is in quotes, as the first run of quotes after it shows that can only be read in one way. A record
 * without faults has no other text beside the quotes around a field. Without such a run, it is not in quotes.
 */
function isInQuotes(bytes: Uint8Array, from: number, syntax: CsvSyntax): boolean {
  const { delimiter, quote } = syntax;
  const isBorder = (byte: number | undefined) =>
    byte === undefined || byte === delimiter || byte === NEWLINE || byte === RETURN;
  let isOdd = false; // whether an odd number of quotes lies before the run
  for (let start = find(bytes, quote, from, syntax); start >= 0; ) {
    let end = start + 1;
    while (bytes[end] === quote) end++;
    const isSingle = (end - start) % 2 === 1;
    const isAfterBorder = isBorder(bytes[start - 1]);
    const isBeforeBorder = isBorder(bytes[end]);
    // An odd run opens a field or closes one. An even run with text beside it lies within a field.
    if (isSingle && isAfterBorder !== isBeforeBorder) return isBeforeBorder !== isOdd;
    if (!isSingle && !(isAfterBorder && isBeforeBorder)) return !isOdd;
    isOdd = isOdd !== isSingle;
    start = find(bytes, quote, end, syntax);
  }
  return false;
}

/** The first such byte from a place on that is not escaped, or -1. */
function find(bytes: Uint8Array, byte: number, from: number, syntax: CsvSyntax): number {
  if (byte === NO_BYTE) return -1;
  let at = bytes.indexOf(byte, from);
  while (at >= 0 && isEscaped(bytes, at, syntax)) at = bytes.indexOf(byte, at + 1);
  return at;
}

/** Whether an odd number of escape characters is before a byte, or before the `\r` of a `\r\n`. */
function isEscaped(bytes: Uint8Array, at: number, { escaper }: CsvSyntax): boolean {
  if (escaper === NO_BYTE) return false;
  const end = bytes[at] === NEWLINE && bytes[at - 1] === RETURN ? at - 1 : at;
  let from = end;
  while (bytes[from - 1] === escaper) from--;
  return (end - from) % 2 === 1;
}
