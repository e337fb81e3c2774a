// The remainders of tokens of 32 bits, by two multiplications instead of a division: Lemire, Kaser and Kurz, "Faster remainder
// by direct computation" (2019), exact for 32 bits.

@inline
function remainder(value: u32, n: u64, inverse: u64): u32 {
  const fraction = inverse * <u64>value;
  return <u32>(((fraction >>> 32) * n + (((fraction & 0xffffffff) * n) >>> 32)) >>> 32);
}

// sign: 0 clears the sign bit, 1 unsigned tokens, 2 absolute values, 3 a remainder that is never negative. 1 <= n < 2^31
export function remainders(tokens: usize, shards: usize, rows: u32, n: u32, sign: u32): void {
  const end = tokens + (<usize>rows << 2);
  const inverse = u64.MAX_VALUE / <u64>n + 1;
  switch (sign) {
    case 0:
      for (; tokens < end; tokens += 4, shards += 4) store<u32>(shards, remainder(load<u32>(tokens) & 0x7fffffff, n, inverse));
      break;
    case 1:
      for (; tokens < end; tokens += 4, shards += 4) store<u32>(shards, remainder(load<u32>(tokens), n, inverse));
      break;
    case 2:
      for (; tokens < end; tokens += 4, shards += 4) {
        store<u32>(shards, remainder(abs<i32>(load<i32>(tokens)), n, inverse));
      }
      break;
    default:
      for (; tokens < end; tokens += 4, shards += 4) {
        const token = load<i32>(tokens);
        const mask = token >> 31; // below 0: n - 1 minus the remainder of -1 - token
        const rest = remainder(token ^ mask, n, inverse);
        store<u32>(shards, mask ? n - 1 - rest : rest);
      }
  }
}
