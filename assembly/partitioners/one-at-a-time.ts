// One-at-a-time of 32 bits, after Bob Jenkins; as in awesomized/libmemcached `src/libhashkit/one_at_a_time.cc`, whose bytes
// have signs, as `char` has on x86.
export function oneAtATime(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const end = data + load<u32>(ends);
    let h: u32 = 0;
    for (let at = data + load<u32>(starts); at < end; at++) {
      h += load<i8>(at);
      h += h << 10;
      h ^= h >>> 6;
    }
    h += h << 3;
    h ^= h >>> 11;
    store<u32>(hashes, h + (h << 15));
  }
}
