// The last 1 to 7 bytes of a row as a little-endian integer. If the row is long enough, they are read together with bytes
// before them. No byte outside the row is read, because the row may end the memory.
@inline
export function lastBytes(at: usize, count: u32, length: u32): u64 {
  return length >= 8 ? load<u64>(at + count - 8) >>> (64 - (count << 3)) : fewBytes(at, count);
}

function fewBytes(at: usize, count: u32): u64 {
  let value: u64 = 0;
  let shift: u64 = 0;
  if (count & 4) {
    value = load<u32>(at);
    at += 4;
    shift = 32;
  }
  if (count & 2) {
    value |= <u64>load<u16>(at) << shift;
    at += 2;
    shift += 16;
  }
  if (count & 1) value |= <u64>load<u8>(at) << shift;
  return value;
}
