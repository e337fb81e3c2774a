// CSV as in RFC 4180. There may be no quotes, and there may be a character that makes the one after it data, in quotes and
// outside; "\r\n" is then one character.
//
// 64 bytes at a time become bits, the first byte the lowest bit. Whether a byte lies in quotes is the parity of the number
// of quotes up to it: a prefix sum without carries, in six steps. A doubled quote closes and opens at once, which does not
// change the parity. Then there is one step for every wanted delimiter and every end of a record. Characters that are escaped
// are left out of the bits.

import { CARRIAGE_RETURN, find, NEWLINE, NO_BYTE, QUOTE } from './bytes';

const LETTER_N: u8 = 0x4e;

// The fault of a record, in stop[0]; 0 if there is none.
const QUOTE_IN_FIELD: u32 = 1;
const TEXT_AFTER_QUOTE: u32 = 2;
const MISSING_FIELD: u32 = 3;
const OPEN_QUOTE: u32 = 4;
const NO_KEY: u32 = 8;
const FIELD_COUNT: u32 = 10;
const OPEN_ESCAPE: u32 = 11;

const RAGGED: u32 = u32.MAX_VALUE;

@inline
function bitsOf(address: usize, byte: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(address), byte))) |
    (<u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(address, 16), byte))) << 16) |
    (<u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(address, 32), byte))) << 32) |
    (<u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(address, 48), byte))) << 48)
  );
}

// Sets the start and the end of a wanted field, without its quotes if it is in quotes. If it has doubled quotes, it keeps its
// quotes, because it has to be unquoted first. So only such a field starts with a quote. Returns whether it does.
function setField(data: usize, start: u32, end: u32, quote: u32, starts: usize, ends: usize, i: u32): bool {
  const isQuoted = start < end && <u32>load<u8>(data + start) == quote;
  const isDoubled = isQuoted && find(data + start + 1, data + end - 1, QUOTE) < data + end - 1;
  if (isQuoted && !isDoubled) {
    start++;
    end--;
  }
  store<u32>(starts + ((<usize>i) << 2), start);
  store<u32>(ends + ((<usize>i) << 2), end);
  return isDoubled;
}

// Sets the wanted fields from `field` on that a record does not have, as empty ones at its end.
function setMissing(slots: usize, field: u32, last: u32, end: u32, starts: usize, ends: usize, most: u32, row: u32): void {
  for (; field <= last; field++) {
    const slot = <u32>load<u8>(slots + field);
    if (slot) setField(0, end, end, NO_BYTE, starts, ends, (slot - 1) * most + row);
  }
}

// Whether a wanted field of a record is NULL: the escape character and an N.
function hasNull(data: usize, escaper: u32, slots: usize, last: u32, starts: usize, ends: usize, most: u32, row: u32): bool {
  for (let field: u32 = 0; field <= last; field++) {
    const slot = <u32>load<u8>(slots + field);
    if (!slot) continue;
    const place = (<usize>((slot - 1) * most + row)) << 2;
    const start = load<u32>(starts + place);
    if (load<u32>(ends + place) - start != 2) continue;
    if (<u32>load<u8>(data + start) == escaper && load<u8>(data + start, 1) == LETTER_N) return true;
  }
  return false;
}

// The first newline from `at` on that is not escaped, or `end`.
function findNewline(at: usize, end: usize, escaper: u32): usize {
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == NEWLINE) return at;
    if (<u32>byte == escaper && ++at + 1 < end && load<u8>(at) == CARRIAGE_RETURN && load<u8>(at, 1) == NEWLINE) at++;
  }
  return end;
}

// `quote` is QUOTE or NO_BYTE, and `escaper` another byte or NO_BYTE. `last` is the last field that is wanted, and key number
// i of field f is keyStarts and keyEnds[(slots[f] - 1) * most + i], see setField. Reads up to 63 bytes more. `stop` counts
// the wanted fields with doubled quotes, and one more if there may be escapes.
export function csvRecords(
  data: usize,
  from: u32,
  to: u32,
  isEnd: bool,
  delimiter: u8,
  quote: u32,
  escaper: u32,
  fields: u32,
  slots: usize,
  last: u32,
  starts: usize,
  ends: usize,
  keyStarts: usize,
  keyEnds: usize,
  most: u32,
  stop: usize,
): u32 {
  // Tables with escapes or without quotes have code of their own: its checks would take 7% of the time of other tables.
  if (quote == QUOTE && escaper == NO_BYTE) {
    return cut(
      data, from, to, isEnd, delimiter, QUOTE, NO_BYTE, fields, slots, last, starts, ends, keyStarts, keyEnds, most, stop,
    );
  }
  return cut(data, from, to, isEnd, delimiter, quote, escaper, fields, slots, last, starts, ends, keyStarts, keyEnds, most, stop);
}

@inline
function cut(
  data: usize,
  from: u32,
  to: u32,
  isEnd: bool,
  delimiter: u8,
  quote: u32,
  escaper: u32,
  fields: u32,
  slots: usize,
  last: u32,
  starts: usize,
  ends: usize,
  keyStarts: usize,
  keyEnds: usize,
  most: u32,
  stop: usize,
): u32 {
  const quotes = i8x16.splat(QUOTE);
  const delimiters = i8x16.splat(delimiter);
  const newlines = i8x16.splat(NEWLINE);
  const returns = i8x16.splat(CARRIAGE_RETURN);
  const escapes = i8x16.splat(<u8>escaper);
  const mayQuote: u64 = quote == NO_BYTE ? 0 : ~(<u64>0);
  let count: u32 = 0;
  let start = from;
  let field: u32 = 0;
  let fieldStart = from;
  let breaks: u32 = 0;
  let empty: u32 = 0; // lines
  const isCounted = fields != 0 && fields != RAGGED;
  let breaksBefore: u32 = 0; // line ends in quotes and escaped ones in earlier blocks
  let delimitersBefore: u32 = 0; // delimiters of the record in earlier blocks
  let doubled: u32 = 0;
  let fault: u32 = 0;
  let faultAt: u32 = 0;
  // State from the previous block: all ones if it ends in quotes. Then single bits: a quote may open now; a quote has just
  // closed; a "\r" came after a closing quote, also at the end of the last block; the first byte is escaped; it follows an
  // escaped "\r".
  let carried: u64 = 0;
  let mayOpen: u64 = 1;
  let hasClosed: u64 = 0;
  let hasReturned: u64 = 0;
  let isEscaped: u64 = 0;
  let afterReturn: u64 = 0;
  store<u32>(starts, from);
  store<u32>(stop, 0);

  for (let at = from; at < to && count < most; at += 64) {
    const address = data + at;
    const there: u64 = to - at < 64 ? ((<u64>1) << (to - at)) - 1 : ~(<u64>0);
    let q = bitsOf(address, quotes) & there & mayQuote;
    let d = bitsOf(address, delimiters) & there;
    const newline = bitsOf(address, newlines) & there;
    let n = newline;
    if (escaper != NO_BYTE) {
      let escaped = isEscaped;
      let one: u64 = 0;
      for (let open = bitsOf(address, escapes) & there & ~escaped; open; open &= ~(one | (one << 1))) {
        one = open & -open;
        escaped |= one << 1;
      }
      isEscaped = u64(one > there >> 1); // the last byte is an escape
      const r = bitsOf(address, returns) & there & escaped;
      escaped |= ((r << 1) | afterReturn) & n;
      afterReturn = r >> 63;
      q &= ~escaped;
      d &= ~escaped;
      n &= ~escaped;
    }
    let inside = q;
    inside ^= inside << 1;
    inside ^= inside << 2;
    inside ^= inside << 4;
    inside ^= inside << 8;
    inside ^= inside << 16;
    inside ^= inside << 32;
    inside ^= carried;
    carried = <u64>((<i64>inside) >> 63);

    const structure = (d | n) & ~inside;
    const within = newline & ~structure; // line ends that are data
    const closes = q & ~inside;
    const afterClose = (closes << 1) | hasClosed;
    const opensLate = q & inside & ~(((structure | closes) << 1) | mayOpen);
    let follows: u64 = 0; // bytes after a closing quote that are not allowed there
    mayOpen = (structure | closes) >> 63;
    hasClosed = closes >> 63;
    if ((afterClose & ~(d | n | q) & there) | hasReturned) {
      const r = bitsOf(address, returns) & there;
      const returned = afterClose & r;
      follows = (afterClose & ~(d | n | q | r) & there) | (((returned << 1) | hasReturned) & ~n & there);
      hasReturned = u64(returned > there >> 1);
    }

    const faults = opensLate | follows;
    const sound = faults ? (faults & -faults) - 1 : ~(<u64>0);
    const records = structure & sound;
    let counted: u64 = 0; // bits up to the start of the record
    let bits = field <= last ? records : records & n;
    while (bits) {
      const bit = ctz(bits);
      const place = at + <u32>bit;
      if ((n >> bit) & 1) {
        const end = place - u32(place > start && load<u8>(data + place - 1) == CARRIAGE_RETURN);
        const done = ((<u64>2) << bit) - 1;
        if (end == start) {
          empty++;
          start = fieldStart = place + 1;
          store<u32>(starts + ((<usize>count) << 2), start);
          bits = records & ~done;
          continue;
        }
        if (field <= last) {
          if (field < last && fields != RAGGED) {
            fault = MISSING_FIELD;
            break;
          }
          const slot = <u32>load<u8>(slots + field);
          if (slot) doubled += u32(setField(data, fieldStart, end, quote, keyStarts, keyEnds, (slot - 1) * most + count));
          setMissing(slots, field + 1, last, end, keyStarts, keyEnds, most, count);
        }
        if (isCounted) {
          if (delimitersBefore + <u32>popcnt(d & records & done & ~counted) + 1 != fields) {
            fault = FIELD_COUNT;
            break;
          }
          delimitersBefore = 0;
          counted = done;
        }
        if (escaper != NO_BYTE && hasNull(data, escaper, slots, last, keyStarts, keyEnds, most, count)) {
          fault = NO_KEY;
          break;
        }
        store<u32>(ends + ((<usize>count) << 2), end);
        count++;
        start = place + 1;
        store<u32>(starts + ((<usize>count) << 2), start);
        field = 0;
        fieldStart = start;
        breaks = breaksBefore + <u32>popcnt(within & done);
        if (count == most) break;
        bits = records & ~done;
      } else {
        const slot = <u32>load<u8>(slots + field);
        if (slot) doubled += u32(setField(data, fieldStart, place, quote, keyStarts, keyEnds, (slot - 1) * most + count));
        field++;
        fieldStart = place + 1;
        bits &= bits - 1;
        if (field > last) bits &= n;
      }
    }
    if (fault) {
      faultAt = at + <u32>ctz(bits);
      break;
    }
    if (faults && count < most) {
      const place = ctz(faults);
      fault = (follows >> place) & 1 ? TEXT_AFTER_QUOTE : QUOTE_IN_FIELD;
      faultAt = at + <u32>place;
      break;
    }
    breaksBefore += <u32>popcnt(within);
    delimitersBefore += <u32>popcnt(d & records & ~counted);
  }

  if (!fault && isEnd && start < to && count < most) {
    faultAt = carried ? start : to;
    if (carried) fault = OPEN_QUOTE;
    else if (hasReturned) fault = TEXT_AFTER_QUOTE;
    else if (isEscaped) fault = OPEN_ESCAPE;
    else if (field < last && fields != RAGGED) fault = MISSING_FIELD;
    else if (isCounted && delimitersBefore + 1 != fields) fault = FIELD_COUNT;
    else {
      if (field <= last) {
        const slot = <u32>load<u8>(slots + field);
        if (slot) doubled += u32(setField(data, fieldStart, to, quote, keyStarts, keyEnds, (slot - 1) * most + count));
        setMissing(slots, field + 1, last, to, keyStarts, keyEnds, most, count);
      }
      if (escaper != NO_BYTE && hasNull(data, escaper, slots, last, keyStarts, keyEnds, most, count)) fault = NO_KEY;
    }
    if (!fault) {
      store<u32>(ends + ((<usize>count) << 2), to);
      count++;
      start = to;
      store<u32>(starts + ((<usize>count) << 2), to);
      breaks = breaksBefore;
    }
  }
  if (fault) {
    let end = <u32>(findNewline(data + faultAt, data + to, escaper) - data);
    const next = min(end + 1, to);
    if (end == to) {
      if (!isEnd) fault = 0; // the record may continue
    } else if (end > start && load<u8>(data + end - 1) == CARRIAGE_RETURN) end--;
    store<u32>(stop, fault);
    store<u32>(stop, end, 4);
    store<u32>(stop, next, 8);
  }
  store<u32>(stop, breaks + empty, 12);
  store<u32>(stop, doubled + u32(escaper != NO_BYTE), 16);
  return count;
}

// Writes the value of a field, with doubled quotes as one and without escapes. Returns the end of what it wrote.
export function unquote(from: usize, end: usize, quote: u32, escaper: u32, to: usize): usize {
  for (; from < end; from++) {
    const byte = load<u8>(from);
    if (<u32>byte == escaper) {
      store<u8>(to++, unescaped(load<u8>(++from)));
    } else {
      store<u8>(to++, byte);
      if (<u32>byte == quote) from++;
    }
  }
  return to;
}

// What an escape character and a byte mean, as MySQL and PostgreSQL write them.
function unescaped(byte: u8): u8 {
  switch (byte) {
    case 0x30: return 0; // 0
    case 0x62: return 0x08; // b
    case 0x74: return 0x09; // t
    case 0x6e: return NEWLINE; // n
    case 0x76: return 0x0b; // v
    case 0x66: return 0x0c; // f
    case 0x72: return CARRIAGE_RETURN; // r
    case 0x5a: return 0x1a; // Z
    default: return byte;
  }
}
