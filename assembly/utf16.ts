// UTF-16 to UTF-8, after the Unicode Standard, 3.9 (table 3-6); a lone surrogate becomes U+FFFD.

import { UTF8_PACKING } from './memory';

const REPLACEMENT: u32 = 0xfffd;

// What takes eight pairs of bytes, of which the second counts where its bit is set in the index, to one
// run of bytes: indices for a swizzle.
for (let mask: u32 = 0; mask < 256; mask++) {
  let to = UTF8_PACKING + (<usize>mask << 4);
  for (let i: u32 = 0; i < 8; i++) {
    store<u8>(to++, 2 * i);
    if ((mask >> i) & 1) store<u8>(to++, 2 * i + 1);
  }
}

// Texts in a row, as units from units + 2 * (the end of the one before) to units + 2 * ends[i], each on its
// own. Writes their bytes in a row, and sets ends[i] to where each ends there. Up to 8 bytes more are
// written over.
export function toUtf8(units: usize, ends: usize, rows: u32, text: usize): void {
  let at = units;
  let to = text;
  for (let i: u32 = 0; i < rows; i++, ends += 4) {
    const end = units + (<usize>load<u32>(ends) << 1);
    while (at < end) {
      if (at + 16 <= end) {
        const eight = v128.load(at);
        if (!v128.any_true(v128.and(eight, i16x8.splat(-0x800)))) {
          // Below 0x800, lead byte and trail byte; below 0x80 the first alone, which is the unit.
          const isTwo = i16x8.gt_u(eight, i16x8.splat(0x7f));
          const lead = v128.or(i16x8.shr_u(eight, 6), i16x8.splat(0xc0));
          const trail = v128.or(i16x8.shl(v128.and(eight, i16x8.splat(0x3f)), 8), i16x8.splat(<i16>0x8000));
          const pairs = v128.bitselect(v128.or(lead, trail), eight, isTwo);
          const mask = i16x8.bitmask(isTwo);
          v128.store(to, i8x16.swizzle(pairs, v128.load(UTF8_PACKING + (<usize>mask << 4))));
          to += 8 + popcnt(mask);
          at += 16;
          continue;
        }
        const isThree = v128.and(
          i16x8.gt_u(eight, i16x8.splat(0x7ff)),
          i16x8.ne(v128.and(eight, i16x8.splat(-0x800)), i16x8.splat(-0x2800)),
        );
        if (i16x8.all_true(isThree)) {
          const first = v128.or(i16x8.shr_u(eight, 12), i16x8.splat(0xe0));
          const second = i16x8.shl(v128.or(v128.and(i16x8.shr_u(eight, 6), i16x8.splat(0x3f)), i16x8.splat(0x80)), 8);
          const pairs = v128.or(first, second);
          const third = v128.or(v128.and(eight, i16x8.splat(0x3f)), i16x8.splat(0x80));
          v128.store(to, v128.shuffle<u8>(pairs, third, 0, 1, 16, 2, 3, 18, 4, 5, 20, 6, 7, 22, 8, 9, 24, 10));
          v128.store(to, v128.shuffle<u8>(pairs, third, 11, 26, 12, 13, 28, 14, 15, 30, 0, 0, 0, 0, 0, 0, 0, 0), 16);
          to += 24;
          at += 16;
          continue;
        }
      }
      // Other blocks unit by unit, to their end before vectors are tried again.
      const stop = min(at + 16, end);
      while (at < stop) {
        let point: u32 = load<u16>(at);
        at += 2;
        if (point < 0x80) {
          store<u8>(to++, point);
          continue;
        }
        if (point < 0x800) {
          store<u16>(to, 0x80c0 | (point >> 6) | ((point & 0x3f) << 8));
          to += 2;
          continue;
        }
        if ((point & 0xf800) == 0xd800) {
          const next: u32 = at < end ? load<u16>(at) : 0;
          if (point < 0xdc00 && (next & 0xfc00) == 0xdc00) {
            at += 2;
            point = 0x10000 + ((point & 0x3ff) << 10) + (next & 0x3ff);
            store<u32>(
              to,
              0x808080f0 | (point >> 18) | (((point >> 12) & 0x3f) << 8) | (((point >> 6) & 0x3f) << 16) | ((point & 0x3f) << 24),
            );
            to += 4;
            continue;
          }
          point = REPLACEMENT;
        }
        store<u32>(to, 0x8080e0 | (point >> 12) | (((point >> 6) & 0x3f) << 8) | ((point & 0x3f) << 16));
        to += 3;
      }
    }
    store<u32>(ends, <u32>(to - text));
  }
}
