// What the kernels for records have in common: characters, and searching and copying bytes.

// For a format without quotes or without escapes: no byte equals it.
export const NO_BYTE: u32 = 256;

export const NEWLINE: u8 = 0x0a;
export const CARRIAGE_RETURN: u8 = 0x0d;
export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const COMMA: u8 = 0x2c;
export const ZERO: u8 = 0x30;
export const COLON: u8 = 0x3a;
export const OPEN_ARRAY: u8 = 0x5b;
export const BACKSLASH: u8 = 0x5c;
export const CLOSE_ARRAY: u8 = 0x5d;
export const OPEN_OBJECT: u8 = 0x7b;
export const CLOSE_OBJECT: u8 = 0x7d;

// The first such byte from `at` on, or `end`.
export function find(at: usize, end: usize, byte: u8): usize {
  while (at < end && load<u8>(at) != byte) at++;
  return at;
}

// The length of the line end after `end`: 0 at the end of the input, where `next` is `end`. Empty lines may follow before `next`.
@inline
export function lineEndLength(data: usize, end: u32, next: u32): u32 {
  return next == end ? 0 : 1 + u32(load<u8>(data + end) == CARRIAGE_RETURN);
}

const LONG: usize = 256;

// Copies short pieces in steps of 16 bytes, because a call of memory.copy takes longer. Reads and writes up to 15 more.
export function copy(from: usize, byteLength: usize, to: usize): usize {
  const end = to + byteLength;
  if (byteLength > LONG) memory.copy(to, from, byteLength);
  else for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  return end;
}

// Copies text number i: texts + offsets[i] .. texts + offsets[i + 1].
@inline
export function copyText(texts: usize, offsets: usize, i: usize, to: usize): usize {
  const place = offsets + (i << 2);
  const from = load<u32>(place);
  return copy(texts + from, load<u32>(place, 4) - from, to);
}
