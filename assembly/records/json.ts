// NDJSON: each line is a JSON object as in RFC 8259, with keys at paths of names. Everything is checked as by JSON.parse,
// with two differences: bytes of strings are not checked, and nesting is limited. If a name occurs twice, the last one counts.

import {
  BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, find, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE, ZERO,
} from './bytes';

// The fault of a record.
const NO_JSON: u32 = 5;
const NO_OBJECT: u32 = 6;
const TOO_DEEP: u32 = 7;
const NO_KEY: u32 = 8;
const HAS_NAME: u32 = 9;

// How deep objects and arrays may be nested.
const MAX_LEVELS: u32 = 1024;

// What is expected next.
const NAME_OR_END: u32 = 0;
const NAME: u32 = 1;
const VALUE_OR_END: u32 = 2;
const VALUE: u32 = 3;
const AFTER_VALUE: u32 = 4;

// The working memory: for each level the paths that continue there, and whether it is an object; then a name.
const IS_OBJECT: usize = <usize>MAX_LEVELS * 4;
const NAME_ROOM: usize = IS_OBJECT + <usize>MAX_LEVELS;

@inline
function isDigit(byte: u8): bool {
  return byte - ZERO < 10;
}

function skipSpace(at: usize, end: usize): usize {
  while (at < end) {
    const byte = load<u8>(at);
    if (byte != SPACE && byte != 0x09 && byte != 0x0a && byte != 0x0d) break;
    at++;
  }
  return at;
}

// The end of a string that starts at `at`, including its quotes, or 0. Reads up to 15 bytes more.
function stringEnd(at: usize, end: usize): usize {
  const quotes = i8x16.splat(QUOTE);
  const backslashes = i8x16.splat(BACKSLASH);
  const spaces = i8x16.splat(SPACE);
  at++;
  while (at < end) {
    const bytes = v128.load(at);
    const found = <u32>(
      i8x16.bitmask(
        v128.or(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes)), i8x16.lt_u(bytes, spaces)),
      )
    );
    if (found == 0) {
      at += 16;
      continue;
    }
    at += ctz(found);
    if (at >= end) return 0;
    const byte = load<u8>(at);
    if (byte == QUOTE) return at + 1;
    if (byte != BACKSLASH || at + 1 >= end) return 0;
    const escaped = load<u8>(at, 1);
    switch (escaped) {
      case QUOTE: case BACKSLASH: case 0x2f: case 0x62: case 0x66: case 0x6e: case 0x72: case 0x74:
        at += 2;
        break;
      case 0x75:
        if (at + 6 > end) return 0;
        for (let i: usize = 2; i < 6; i++) {
          const digit = load<u8>(at + i);
          if (!isDigit(digit) && (digit | 0x20) - 0x61 > 5) return 0;
        }
        at += 6;
        break;
      default:
        return 0;
    }
  }
  return 0;
}

// The end of one or more digits, or 0.
function digitsEnd(from: usize, end: usize): usize {
  let at = from;
  while (at < end && isDigit(load<u8>(at))) at++;
  return at == from ? 0 : at;
}

// The end of a number, or 0.
function numberEnd(at: usize, end: usize): usize {
  if (load<u8>(at) == 0x2d) at++;
  at = at < end && load<u8>(at) == ZERO ? at + 1 : digitsEnd(at, end);
  if (at != 0 && at < end && load<u8>(at) == 0x2e) at = digitsEnd(at + 1, end);
  if (at != 0 && at < end && (load<u8>(at) | 0x20) == 0x65) {
    at++;
    if (at < end && (load<u8>(at) == 0x2b || load<u8>(at) == 0x2d)) at++;
    at = digitsEnd(at, end);
  }
  return at;
}

// The end of true, false or null, or 0. Reads up to 4 bytes more.
function literalEnd(at: usize, end: usize): usize {
  const word = load<u32>(at);
  if (word == 0x65757274 || word == 0x6c6c756e) return at + 4 <= end ? at + 4 : 0;
  return word == 0x736c6166 && load<u8>(at, 4) == 0x65 && at + 5 <= end ? at + 5 : 0;
}

function hexDigits(at: usize): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const digit = load<u8>(at + i);
    value = (value << 4) | (isDigit(digit) ? <u32>digit - ZERO : <u32>(digit | 0x20) - 0x57);
  }
  return value;
}

// May overwrite a byte more.
function writeUtf8(to: usize, character: u32): usize {
  if (character < 0x80) {
    store<u8>(to, character);
    return to + 1;
  }
  const last = 0x80 | (character & 0x3f);
  if (character < 0x800) {
    store<u16>(to, 0xc0 | (character >> 6) | (last << 8));
    return to + 2;
  }
  const third = 0x80 | ((character >> 6) & 0x3f);
  if (character < 0x10000) {
    store<u32>(to, 0xe0 | (character >> 12) | (third << 8) | (last << 16));
    return to + 3;
  }
  store<u32>(to, 0xf0 | (character >> 18) | ((0x80 | ((character >> 12) & 0x3f)) << 8) | (third << 16) | (last << 24));
  return to + 4;
}

// Writes the value of a string, which is given without its quotes. Returns the end of what it wrote; it is never longer than
// the string. A lone surrogate becomes U+FFFD, as in the UTF-8 of any text.
export function unescape(from: usize, end: usize, to: usize): usize {
  while (from < end) {
    const byte = load<u8>(from++);
    if (byte != BACKSLASH) {
      store<u8>(to++, byte);
      continue;
    }
    const escaped = load<u8>(from++);
    switch (escaped) {
      case 0x62: store<u8>(to++, 0x08); break;
      case 0x66: store<u8>(to++, 0x0c); break;
      case 0x6e: store<u8>(to++, 0x0a); break;
      case 0x72: store<u8>(to++, 0x0d); break;
      case 0x74: store<u8>(to++, 0x09); break;
      case 0x75: {
        let unit = hexDigits(from);
        from += 4;
        if ((unit & 0xf800) == 0xd800) {
          let low: u32 = 0;
          if (unit < 0xdc00 && from + 6 <= end && load<u16>(from) == 0x755c) low = hexDigits(from + 2);
          if ((low & 0xfc00) == 0xdc00) {
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            from += 6;
          } else unit = 0xfffd;
        }
        to = writeUtf8(to, unit);
        break;
      }
      default: store<u8>(to++, escaped);
    }
  }
  return to;
}

// `paths` is a list of u32s with texts between them: the number of paths, at most 31; for each path the number of its names;
// for each name its byte length and its bytes, padded to a multiple of 4.
//
// Returns those of the paths in `alive` whose name number `level` is this one. `last` gets those for which it is the last name.
function matching(paths: usize, alive: u32, level: u32, name: usize, byteLength: u32, last: usize): u32 {
  let found: u32 = 0;
  let ending: u32 = 0;
  const count = load<u32>(paths);
  let at = paths + 4;
  for (let path: u32 = 0; path < count; path++) {
    const names = load<u32>(at);
    at += 4;
    for (let i: u32 = 0; i < names; i++) {
      const length = load<u32>(at);
      if (i == level && (alive >> path) & 1 && length == byteLength && !memory.compare(at + 4, name, length)) {
        found |= (<u32>1) << path;
        if (i + 1 == names) ending |= (<u32>1) << path;
      }
      at += 4 + ((length + 3) & ~3);
    }
  }
  store<u32>(last, ending);
  return found;
}

// Sets keyStarts and keyEnds[path * most + i]. `longest` is the byte length of the longest name; `work` has room for six times
// as much after its first 5 KiB. `stop` counts the values with escapes. Reads up to 15 bytes more.
export function jsonRecords(
  data: usize,
  starts: usize,
  ends: usize,
  rows: u32,
  paths: usize,
  extraPaths: u32,
  isClosed: bool,
  longest: u32,
  work: usize,
  closes: usize,
  keyStarts: usize,
  keyEnds: usize,
  most: u32,
  stop: usize,
): u32 {
  const count = load<u32>(paths);
  const all = ((<u32>1) << count) - 1;
  const extra = all ^ (((<u32>1) << (count - extraPaths)) - 1);
  const last = work + NAME_ROOM;
  const room = last + 4;
  let escaped: u32 = 0;
  store<u32>(stop, 0);
  let row: u32 = 0;
  for (; row < rows; row++) {
    const place = (<usize>row) << 2;
    const end = data + load<u32>(ends + place);
    let at = skipSpace(data + load<u32>(starts + place), end);
    let fault = NO_JSON; // if the loop ends before the record does
    let found: u32 = 0; // the paths whose values have been found
    let named: u32 = 0; // the paths whose first name has been seen
    let ending: u32 = 0; // the paths that end with the previous name
    let entering: u32 = 0; // the paths that continue after it
    let level: u32 = 0; // how many objects and arrays are open
    let expected = VALUE;
    let isFirst = true;
    let hasOther = false;
    const isObject = at < end && load<u8>(at) == OPEN_OBJECT;
    while (true) {
      at = skipSpace(at, end);
      if (level == 0 && !isFirst) {
        if (at == end) fault = 0;
        break;
      }
      if (at >= end) break;
      const byte = load<u8>(at);
      if (expected != NAME && expected != VALUE) {
        const isInObject = load<u8>(work + IS_OBJECT + level - 1);
        if (expected == AFTER_VALUE && byte == COMMA) {
          at++;
          expected = isInObject ? NAME : VALUE;
          continue;
        }
        if (byte == (isInObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
          level--;
          if (level == 0) store<u32>(closes + place, <u32>(at - data));
          at++;
          expected = AFTER_VALUE;
          continue;
        }
        if (expected == AFTER_VALUE) break;
      }
      if (expected <= NAME) {
        const nameEnd = byte == QUOTE ? stringEnd(at, end) : 0;
        if (nameEnd == 0) break;
        const alive = load<u32>(work + ((<usize>(level - 1)) << 2));
        ending = entering = 0;
        if (alive) {
          let name = at + 1;
          let byteLength = <u32>(nameEnd - at - 2);
          if (byteLength <= 6 * longest && find(name, nameEnd - 1, BACKSLASH) < nameEnd - 1) {
            byteLength = <u32>(unescape(name, nameEnd - 1, room) - room);
            name = room;
          }
          const matched = matching(paths, alive, level - 1, name, byteLength, last);
          ending = load<u32>(last);
          entering = matched & ~ending;
          found &= ~matched;
          if (isClosed ? !matched || named & matched : ending & extra) hasOther = true;
          named |= matched;
        }
        at = skipSpace(nameEnd, end);
        if (at >= end || load<u8>(at) != COLON) break;
        at++;
        expected = VALUE;
        continue;
      }
      if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
        if (level == MAX_LEVELS) {
          fault = TOO_DEEP;
          break;
        }
        const opensObject = byte == OPEN_OBJECT;
        store<u8>(work + IS_OBJECT + level, u8(opensObject));
        store<u32>(work + ((<usize>level) << 2), isFirst ? all : entering); // no path continues in an array
        isFirst = false;
        level++;
        at++;
        expected = opensObject ? NAME_OR_END : VALUE_OR_END;
        ending = entering = 0;
        continue;
      }
      let valueEnd: usize;
      if (byte == QUOTE) valueEnd = stringEnd(at, end);
      else if (byte == 0x2d || isDigit(byte)) valueEnd = numberEnd(at, end);
      else valueEnd = literalEnd(at, end);
      if (valueEnd == 0) break;
      isFirst = false;
      if (ending && byte != 0x6e) {
        let from = <u32>(at - data);
        let to = <u32>(valueEnd - data);
        if (byte == QUOTE) {
          if (find(at, valueEnd, BACKSLASH) < valueEnd) escaped++;
          else {
            from++;
            to--;
          }
        }
        for (let path: u32 = 0; path < count; path++) {
          if (!((ending >> path) & 1)) continue;
          const key = (<usize>(path * most + row)) << 2;
          store<u32>(keyStarts + key, from);
          store<u32>(keyEnds + key, to);
        }
        found |= ending;
      }
      at = valueEnd;
      expected = AFTER_VALUE;
      ending = entering = 0;
    }
    if (!fault && !isObject) fault = NO_OBJECT;
    if (!fault && hasOther) fault = HAS_NAME;
    if (!fault && ((found | extra) & all) != all) fault = NO_KEY;
    if (fault) {
      store<u32>(stop, fault);
      break;
    }
  }
  store<u32>(stop, escaped, 16);
  return row;
}
