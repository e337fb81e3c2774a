// FNV-1a of 32 bits, after Fowler, Noll and Vo; as in confluentinc/librdkafka `rdfnv1a.c` before the sign is dropped.
export function fnv1a(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const end = data + load<u32>(ends);
    let h: u32 = 0x811c9dc5;
    for (let at = data + load<u32>(starts); at < end; at++) h = (h ^ load<u8>(at)) * 0x01000193;
    store<u32>(hashes, h);
  }
}
