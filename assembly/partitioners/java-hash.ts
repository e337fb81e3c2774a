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
