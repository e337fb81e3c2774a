// Integers as text: single u32s in decimal, and columns of u64 in any radix up to 64.

// Writes value and returns the address after its last digit.
export function writeU32(to: usize, value: u32): usize {
  const end = to + digits(value);
  let at = end;
  do {
    store<u8>(--at, 0x30 + (value % 10));
    value /= 10;
  } while (value != 0);
  return end;
}

function digits(value: u32): u32 {
  if (value < 100) return value < 10 ? 1 : 2;
  if (value < 10000) return value < 1000 ? 3 : 4;
  if (value < 1000000) return value < 100000 ? 5 : 6;
  if (value < 100000000) return value < 10000000 ? 7 : 8;
  return value < 1000000000 ? 9 : 10;
}

export const TEN_8: u64 = 100000000;
export const ZEROS: u64 = 0x3030303030303030;

// Eight decimal digits in one word, the first in its lowest byte: halves of four, pairs, single ones.
// Each product is a division by a constant, exact for the lanes it is used on.
export function eightDigits(value: u64): u64 {
  const fours = value / 10000;
  let lanes = fours | ((value - fours * 10000) << 32);
  const hundreds = ((lanes * 10486) >> 20) & 0x0000007f0000007f;
  lanes = hundreds | ((lanes - hundreds * 100) << 16);
  const tens = ((lanes * 103) >> 10) & 0x000f000f000f000f;
  return (tens | ((lanes - tens * 10) << 8)) + ZEROS;
}

// The value of eight digits. Precondition: all are digits.
function eightDigitsValue(text: u64): u64 {
  let lanes = text - ZEROS;
  lanes = (lanes * 10 + (lanes >> 8)) & 0x00ff00ff00ff00ff;
  lanes = (lanes * 100 + (lanes >> 16)) & 0x0000ffff0000ffff;
  return (lanes * 10000 + (lanes >> 32)) & 0xffffffff;
}

// Whether every byte is from 0x30 to 0x39: its high half is 3, even after adding 6.
function areEightDigits(text: u64): bool {
  const highHalves: u64 = 0xf0f0f0f0f0f0f0f0;
  return ((text & highHalves) | (((text + 0x0606060606060606) & highHalves) >> 4)) == 0x3333333333333333;
}

// Writes every value in `width` digits, which hold any u64. `alphabet` has a character for each digit.
export function formatColumn(values: usize, text: usize, rows: u32, radix: u32, width: u32, alphabet: usize): void {
  for (const end = values + (<usize>rows << 3); values < end; values += 8, text += width) {
    let value = load<u64>(values);
    if (radix == 10) {
      const high = value / TEN_8;
      const highest = high / TEN_8;
      store<u32>(text, <u32>(eightDigits(highest) >> 32));
      store<u64>(text, eightDigits(high - highest * TEN_8), 4);
      store<u64>(text, eightDigits(value - high * TEN_8), 12);
    } else if ((radix & (radix - 1)) == 0) {
      const bits = <u64>ctz(radix);
      for (let at = text + width; at != text; value >>= bits) {
        store<u8>(--at, load<u8>(alphabet + <usize>(value & (radix - 1))));
      }
    } else {
      for (let at = text + width; at != text; ) {
        const rest = value / radix;
        store<u8>(--at, load<u8>(alphabet + <usize>(value - rest * radix)));
        value = rest;
      }
    }
  }
}

// digitOf has the value of each byte as a digit, or 255. Returns the first row that is not a u64, or `rows`.
export function parseColumn(data: usize, starts: usize, ends: usize, values: usize, rows: u32, radix: u32, digitOf: usize): u32 {
  const limit = u64.MAX_VALUE / radix;
  const last = u64.MAX_VALUE % radix;
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, values += 8) {
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    if (at == end) return i;
    let value: u64 = 0;
    if (radix == 10) {
      // Sixteen digits cannot exceed 2^64 - 1.
      for (let twice = 0; twice < 2 && end - at >= 8 && areEightDigits(load<u64>(at)); twice++, at += 8) {
        value = value * TEN_8 + eightDigitsValue(load<u64>(at));
      }
      // Four more digits, as in full width, read as eight with zeros before them. Larger values are handled below.
      if (end - at == 4 && value < 1844674407370955) {
        const text = ((load<u64>(end - 8) >> 32) << 32) | (ZEROS >> 32);
        if (areEightDigits(text)) {
          value = value * 10000 + eightDigitsValue(text);
          at = end;
        }
      }
    }
    for (; at != end; at++) {
      const digit = <u64>load<u8>(digitOf + load<u8>(at));
      if (digit >= radix || value > limit || (value == limit && digit > last)) return i;
      value = value * radix + digit;
    }
    store<u64>(values, value);
  }
  return rows;
}
