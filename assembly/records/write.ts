// Copies records and parts of them: keys as a column, records with a column added, rows into a buffer for each shard.

import { writeU32 } from '../digits';
import { COLON, COMMA, copy, copyText, lineEndLength, NEWLINE, NO_BYTE, OPEN_OBJECT, SPACE } from './bytes';
import { unquote } from './csv';
import { unescape } from './json';

const LENGTH_BYTES: usize = 12; // ten digits and two colons
const SLACK: u32 = 15; // `copy` may read and write this many bytes more

export function keyColumn(
  data: usize,
  keyStarts: usize,
  keyEnds: usize,
  rows: u32,
  most: u32,
  fields: u32,
  isJson: bool,
  quote: u32,
  escaper: u32,
  text: usize,
  offsets: usize,
): void {
  let to = text;
  store<u32>(offsets, 0);
  for (let i: u32 = 0; i < rows; i++) {
    for (let field: u32 = 0; field < fields; field++) {
      const place = (<usize>(field * most + i)) << 2;
      const from = data + load<u32>(keyStarts + place);
      const end = data + load<u32>(keyEnds + place);
      if (field + 1 == fields) {
        to = writeValue(from, end, isJson, quote, escaper, to);
      } else {
        const value = to + LENGTH_BYTES;
        const byteLength = <u32>(writeValue(from, end, isJson, quote, escaper, value) - value);
        to = writeU32(to, byteLength);
        store<u8>(to++, COLON);
        memory.copy(to, value, byteLength);
        to += byteLength;
        store<u8>(to++, COLON);
      }
    }
    store<u32>(offsets + ((<usize>i) << 2), <u32>(to - text), 4);
  }
}

function writeValue(from: usize, end: usize, isJson: bool, quote: u32, escaper: u32, to: usize): usize {
  const isQuoted = from < end && <u32>load<u8>(from) == quote;
  if (isQuoted && isJson) return unescape(from + 1, end - 1, to);
  if (isQuoted) return unquote(from + 1, end - 1, quote, escaper, to);
  if (!isJson && escaper != NO_BYTE) return unquote(from, end, quote, escaper, to);
  memory.copy(to, from, end - from);
  return to + (end - from);
}

// `closes` is 0 for CSV.
export function appendColumn(
  data: usize,
  starts: usize,
  ends: usize,
  closes: usize,
  rows: u32,
  values: usize,
  offsets: usize,
  text: usize,
): usize {
  let to = text;
  for (let i: usize = 0; i < rows; i++) {
    const place = i << 2;
    const start = data + load<u32>(starts + place);
    const end = load<u32>(ends + place);
    const byteLength = lineEndLength(data, end, load<u32>(starts + place, 4));
    const at = data + (closes != 0 ? load<u32>(closes + place) : end);
    to = copy(start, at - start, to);
    if (closes != 0 && !isEmpty(at)) store<u8>(to++, COMMA);
    to = copyText(values, offsets, i, to);
    to = copy(at, data + end + byteLength - at, to);
    if (byteLength == 0) store<u8>(to++, NEWLINE);
  }
  return to - text;
}

export function prefixLines(
  data: usize,
  starts: usize,
  ends: usize,
  rows: u32,
  values: usize,
  offsets: usize,
  text: usize,
): usize {
  let to = text;
  for (let i: usize = 0; i < rows; i++) {
    const place = i << 2;
    to = copyText(values, offsets, i, to);
    const start = load<u32>(starts + place);
    to = copy(data + start, load<u32>(ends + place) - start, to);
    store<u8>(to++, NEWLINE);
  }
  return to - text;
}

// Whether an object has only whitespace between its braces.
function isEmpty(close: usize): bool {
  do close--; while (load<u8>(close) <= SPACE);
  return load<u8>(close) == OPEN_OBJECT;
}

export function scatterRows(
  data: usize,
  starts: usize,
  ends: usize,
  shards: usize,
  first: u32,
  rows: u32,
  isWhole: bool,
  buffers: usize,
  capacity: u32,
  filled: usize,
): u32 {
  for (let i = first; i < rows; i++) {
    const place = (<usize>i) << 2;
    const start = load<u32>(starts + place);
    const end = load<u32>(ends + place);
    const kept = isWhole ? lineEndLength(data, end, load<u32>(starts + place, 4)) : 0;
    const byteLength = end + kept - start;
    const shard = load<u32>(shards + place);
    const fill = filled + ((<usize>shard) << 2);
    const used = load<u32>(fill);
    const total = <u64>used + byteLength + 1 + SLACK;
    if (total > capacity) return i;
    let to = copy(data + start, byteLength, buffers + (<usize>shard) * capacity + used);
    if (kept == 0) store<u8>(to++, NEWLINE);
    store<u32>(fill, <u32>(to - buffers) - shard * capacity);
  }
  return rows;
}
