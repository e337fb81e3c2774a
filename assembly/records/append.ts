// Records with more columns: last fields of CSV, or last properties of NDJSON. Lines with one in front.

const NEWLINE: u8 = 0x0a;
const COMMA: u8 = 0x2c;
const OPEN_OBJECT: u8 = 0x7b;

const LONG: usize = 256;

// Writes each record from data + starts[i] to data + ends[i] with the text of its row at its end, and its line end, which
// goes on to starts[i + 1]; "\n" if it has none. `isJson`: the text comes before the record's last brace, at closes[i],
// behind a comma unless there is nothing before it. Returns the bytes written: at most those of the records and of the
// texts, and two for each row. Reads and writes up to 15 more.
export function appendColumn(
  data: usize,
  starts: usize,
  ends: usize,
  closes: usize,
  isJson: bool,
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
    const at = isJson ? data + load<u32>(closes + place) : end;
    to = copy(start, at - start, to);
    if (isJson && !isEmpty(at)) store<u8>(to++, COMMA);
    const from = load<u32>(offsets + place);
    to = copy(values + from, load<u32>(offsets + place, 4) - from, to);
    to = copy(at, next - at, to);
    if (next == end) store<u8>(to++, NEWLINE);
  }
  return to - text;
}

// Writes each line from data + starts[i] to data + ends[i] behind the text of its row, and "\n". Returns the bytes written.
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

// Short pieces in steps of 16 bytes, as a call of memory.copy takes longer than they do. Reads and writes up to 15 more.
export function copy(from: usize, byteLength: usize, to: usize): usize {
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
