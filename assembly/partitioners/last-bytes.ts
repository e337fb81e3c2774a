// 1 to 7 bytes as a little-endian integer. No byte behind them is read: they may be the last ones of the memory.
@inline
export function lastBytes(at: usize, count: u32): u64 {
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
