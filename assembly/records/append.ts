// Adds columns to records: last fields of CSV, or last properties of NDJSON. Lines get a column in front.

const NEWLINE: u8 = 0x0a;
const COMMA: u8 = 0x2c;
const OPEN_OBJECT: u8 = 0x7b;

const LONG: usize = 256;

// Writes each record (data + starts[i] .. data + ends[i]) with the text of its row at its end, then its line end, which
// extends to starts[i + 1], or "\n" if it has none. Unless `closes` is 0, the text comes before the record's last brace, at
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
    const end = data + load<u32>(ends + place);
    const next = data + load<u32>(starts + place, 4);
    const at = closes != 0 ? data + load<u32>(closes + place) : end;
    to = copy(start, at - start, to);
    if (closes != 0 && !isEmpty(at)) store<u8>(to++, COMMA);
    const from = load<u32>(offsets + place);
    to = copy(values + from, load<u32>(offsets + place, 4) - from, to);
    to = copy(at, next - at, to);
    if (next == end) store<u8>(to++, NEWLINE);
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
    const from = load<u32>(offsets + place);
    to = copy(values + from, load<u32>(offsets + place, 4) - from, to);
    const start = load<u32>(starts + place);
    to = copy(data + start, load<u32>(ends + place) - start, to);
    store<u8>(to++, NEWLINE);
  }
  return to - text;
}

// Copies short pieces in steps of 16 bytes, because a call of memory.copy takes longer. Reads and writes up to 15 more.
export function copy(from: usize, byteLength: usize, to: usize): usize {
  const end = to + byteLength;
  if (byteLength > LONG) memory.copy(to, from, byteLength);
  else for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  return end;
}

// Whether an object has only whitespace between its braces.
function isEmpty(close: usize): bool {
  do close--; while (load<u8>(close) <= 0x20);
  return load<u8>(close) == OPEN_OBJECT;
}
