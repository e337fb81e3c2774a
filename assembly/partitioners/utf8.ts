// UTF-8 to UTF-16, after the Unicode Standard, 3.9 (tables 3-6 and 3-7).

// Writes the units of rows one after the other. Row i lies between unitStarts[i] and unitEnds[i], counted in bytes from `units`
// on. Returns the first row that is not UTF-8, or rows. May overwrite up to 14 bytes more.
export function toUtf16(
  data: usize,
  starts: usize,
  ends: usize,
  rows: u32,
  units: usize,
  unitStarts: usize,
  unitEnds: usize,
): u32 {
  let to = units;
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, unitStarts += 4, unitEnds += 4) {
    store<u32>(unitStarts, <u32>(to - units));
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    while (at < end) {
      if (at + 8 <= end) {
        const eight = load<u64>(at);
        if ((eight & 0x8080808080808080) == 0) {
          v128.store(to, i16x8.extend_low_i8x16_u(i64x2.splat(eight)));
          at += 8;
          to += 16;
          continue;
        }
      }
      const lead: u32 = load<u8>(at);
      if (lead < 0x80) {
        store<u16>(to, <u16>lead);
        at += 1;
        to += 2;
        continue;
      }
      const length: u32 = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      if (lead < 0xc2 || lead > 0xf4 || at + length > end) return i;
      let point = lead & (0x7f >>> length);
      for (let k: u32 = 1; k < length; k++) {
        const trail: u32 = load<u8>(at + k);
        if ((trail & 0xc0) != 0x80) return i;
        point = (point << 6) | (trail & 0x3f);
      }
      at += length;
      if (length == 4) {
        if (point < 0x10000 || point > 0x10ffff) return i;
        store<u32>(to, ((point - 0x10000) >>> 10) | 0xd800 | ((0xdc00 | (point & 0x3ff)) << 16));
        to += 4;
        continue;
      }
      if (length == 3 && (point < 0x800 || (point & 0xf800) == 0xd800)) return i;
      store<u16>(to, <u16>point);
      to += 2;
    }
    store<u32>(unitEnds, <u32>(to - units));
  }
  return rows;
}
