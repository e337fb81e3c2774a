// Adds columns to records: last fields of CSV, or last properties of NDJSON. Lines get a column in front.

import { COMMA, copy, copyText, lineEndLength, NEWLINE, OPEN_OBJECT, SPACE } from './bytes';

// Writes each record (data + starts[i] .. data + ends[i]) with the text of its row at its end, then its line end, or
// "\n" if starts[i + 1] is ends[i]. Unless `closes` is 0, the text comes before the record's last brace, at
// closes[i], after a comma if the object is not empty. Returns how many bytes were written: at most the records, the texts,
// and two for each row. Reads and writes up to 15 more.
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

// Writes for each row its text, its line (data + starts[i] .. data + ends[i]) and "\n". Returns how many bytes were written.
// Reads and writes up to 15 more.
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
