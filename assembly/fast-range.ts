// Lemire's multiply-high, floor(hash * n / 2^64), and the plain remainder.

// Exact for n < 2^32: hash = high * 2^32 + low, and neither the products nor their sum exceed 2^64.
export function fastRange(hash: u64, n: u32): u32 {
  const high = (hash >> 32) * <u64>n;
  const low = (hash & 0xffffffff) * <u64>n;
  return <u32>((high + (low >> 32)) >> 32);
}

export function fastRangeColumn(hashes: usize, shards: usize, rows: u32, n: u32): void {
  const end = hashes + (<usize>rows << 3);
  const end4 = hashes + (<usize>(rows & ~3) << 3);
  const factor = i32x4.splat(n);
  for (; hashes < end4; hashes += 32, shards += 16) {
    const first = v128.load(hashes);
    const second = v128.load(hashes, 16);
    const low = v128.shuffle<u32>(first, second, 0, 2, 4, 6);
    const high = v128.shuffle<u32>(first, second, 1, 3, 5, 7);
    const even = i64x2.add(
      i64x2.extmul_low_i32x4_u(high, factor),
      i64x2.shr_u(i64x2.extmul_low_i32x4_u(low, factor), 32),
    );
    const odd = i64x2.add(
      i64x2.extmul_high_i32x4_u(high, factor),
      i64x2.shr_u(i64x2.extmul_high_i32x4_u(low, factor), 32),
    );
    v128.store(shards, v128.shuffle<u32>(even, odd, 1, 3, 5, 7));
  }
  for (; hashes < end; hashes += 8, shards += 4) store<u32>(shards, fastRange(load<u64>(hashes), n));
}

export function moduloColumn(hashes: usize, shards: usize, rows: u32, n: u32): void {
  const end = hashes + (<usize>rows << 3);
  for (; hashes < end; hashes += 8, shards += 4) store<u32>(shards, <u32>(load<u64>(hashes) % <u64>n));
}
