// Hashes that take a row unit by unit, most of them bytes.

// FNV-1a of 32 bits, after Fowler, Noll and Vo; as in confluentinc/librdkafka `rdfnv1a.c` before the sign is dropped.
export function fnv1a(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const end = data + load<u32>(ends);
    let h: u32 = 0x811c9dc5;
    for (let at = data + load<u32>(starts); at < end; at++) h = (h ^ load<u8>(at)) * 0x01000193;
    store<u32>(hashes, h);
  }
}

// `String.hashCode` of Java SE: the units of UTF-16 as digits to the base 31.
export function javaHash(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const end = data + load<u32>(ends);
    let h: u32 = 0;
    for (let at = data + load<u32>(starts); at < end; at += 2) h = h * 31 + load<u16>(at);
    store<u32>(hashes, h);
  }
}

// The same of bytes with their signs: apache/hive `serde2/objectinspector/ObjectInspectorUtils.hashCode` of a string.
export function javaHashOfBytes(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const end = data + load<u32>(ends);
    let h: u32 = 0;
    for (let at = data + load<u32>(starts); at < end; at++) h = h * 31 + load<i8>(at);
    store<u32>(hashes, h);
  }
}

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

// my_hash_sort_bin of mysql/mysql-server `strings/ctype-bin.cc` for a key of one column.
export function mysqlKey(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const end = data + load<u32>(ends);
    let h: u32 = 1;
    let step: u32 = 4;
    for (let at = data + load<u32>(starts); at < end; at++, step += 3) {
      h ^= ((h & 63) + step) * load<u8>(at) + (h << 8);
    }
    store<u32>(hashes, h);
  }
}
