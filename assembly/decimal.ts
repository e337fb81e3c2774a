// Decimal text.

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

const LAST_BUT_DIGIT: u64 = 1844674407370955161; // floor((2^64 - 1) / 10), which leaves 5

// Reads rows of ASCII digits as u64. Returns the first row that is empty, holds anything but
// digits or passes 2^64 - 1, or `rows` when there is none; rows before it have been written.
export function parseDecimal(data: usize, starts: usize, ends: usize, values: usize, rows: u32): u32 {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, values += 8) {
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    if (at == end) return i;
    let value: u64 = 0;
    for (; at != end; at++) {
      const digit = <u32>load<u8>(at) - 0x30;
      if (digit > 9 || value > LAST_BUT_DIGIT || (value == LAST_BUT_DIGIT && digit > 5)) return i;
      value = value * 10 + digit;
    }
    store<u64>(values, value);
  }
  return rows;
}
