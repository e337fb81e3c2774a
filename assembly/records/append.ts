// Records with one more column: a last field of CSV, or a last property of NDJSON.

import { writeU32 } from '../digits';

const NEWLINE: u8 = 0x0a;
const COMMA: u8 = 0x2c;
const OPEN_OBJECT: u8 = 0x7b;

const LONG: usize = 256;

// Writes values in decimal one after the other: row i becomes text + offsets[i] .. text + offsets[i + 1], at most 10 bytes.
export function decimalColumn(values: usize, rows: u32, text: usize, offsets: usize): void {
  let to = text;
  store<u32>(offsets, 0);
  for (let i: usize = 0; i < rows; i++) {
    to = writeU32(to, load<u32>(values + (i << 2)));
    store<u32>(offsets + (i << 2), <u32>(to - text), 4);
  }
}

// Writes each record from data + starts[i] to data + ends[i] with a field or property at its end, and its line end, which
// goes on to starts[i + 1]; "\n" if it has none. What is added is `before`, the text of the row, and `after`. `isJson`: it
// comes before the record's last brace, at closes[i], behind a comma unless there is nothing before it. Returns the bytes
// written: at most those of the records and of the texts, and for each row two and those of `before` and `after`. Reads and
// writes up to 15 more.
export function appendColumn(
  data: usize,
  starts: usize,
  ends: usize,
  closes: usize,
  isJson: bool,
  rows: u32,
  values: usize,
  offsets: usize,
  before: usize,
  beforeLength: u32,
  after: usize,
  afterLength: u32,
  text: usize,
): usize {
  let to = text;
  for (let i: usize = 0; i < rows; i++) {
    const place = i << 2;
    const start = data + load<u32>(starts + place);
    const end = data + load<u32>(ends + place);
    const next = data + load<u32>(starts + place, 4);
    const at = isJson ? data + load<u32>(closes + place) : end;
    to = copy(start, at - start, to);
    if (isJson && !isEmpty(at)) store<u8>(to++, COMMA);
    to = copy(before, beforeLength, to);
    const from = load<u32>(offsets + place);
    to = copy(values + from, load<u32>(offsets + place, 4) - from, to);
    to = copy(after, afterLength, to);
    to = copy(at, next - at, to);
    if (next == end) store<u8>(to++, NEWLINE);
  }
  return to - text;
}

// Short pieces in steps of 16 bytes, as a call of memory.copy takes longer than they do. Reads and writes up to 15 more.
function copy(from: usize, byteLength: usize, to: usize): usize {
  const end = to + byteLength;
  if (byteLength > LONG) memory.copy(to, from, byteLength);
  else for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  return end;
}

// Whether an object has nothing but space before its last brace.
function isEmpty(close: usize): bool {
  do close--; while (load<u8>(close) <= 0x20);
  return load<u8>(close) == OPEN_OBJECT;
}
