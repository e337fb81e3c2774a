// UTF-16 to UTF-8, after the Unicode Standard, 3.9 (table 3-6); a lone surrogate becomes U+FFFD.

import { UTF8_PACKING } from './memory';

const REPLACEMENT: u32 = 0xfffd;

// Indices for swizzles that turn eight pairs of bytes into one run of bytes. The second byte of a pair is kept only if its bit
// is set in the index of the swizzle.
for (let mask: u32 = 0; mask < 256; mask++) {
  let to = UTF8_PACKING + (<usize>mask << 4);
  for (let i: u32 = 0; i < 8; i++) {
    store<u8>(to++, 2 * i);
    if ((mask >> i) & 1) store<u8>(to++, 2 * i + 1);
  }
}

// Encodes texts that lie one after the other: text i is the units from units + 2 * ends[i - 1] to units + 2 * ends[i]. Writes
// their bytes one after the other, and sets ends[i] to the end of each in bytes. May overwrite up to 8 bytes more.
export function toUtf8(units: usize, ends: usize, rows: u32, text: usize): void {
  let at = units;
  let to = text;
  for (let i: u32 = 0; i < rows; i++, ends += 4) {
    const end = units + (<usize>load<u32>(ends) << 1);
    while (at < end) {
      if (at + 16 <= end) {
        const eight = v128.load(at);
        const top = v128.and(eight, i16x8.splat(-0x800)); // 0 below 0x800, 0xd800 for a surrogate
        let mask = i16x8.bitmask(i16x8.gt_u(eight, i16x8.splat(0x7f)));
        if (!v128.any_true(top)) {
          v128.store(to, i8x16.swizzle(twoBytes(eight), v128.load(UTF8_PACKING + (<usize>mask << 4))));
          to += 8 + popcnt(mask);
          at += 16;
          continue;
        }
        const isSurrogate = i16x8.eq(top, i16x8.splat(-0x2800));
        const isThree = v128.andnot(top, isSurrogate);
        if (!v128.any_true(isThree)) {
          const isHigh = i16x8.eq(v128.and(eight, i16x8.splat(-0x400)), i16x8.splat(-0x2800));
          const highs = i16x8.bitmask(isHigh);
          if (((highs << 1) & 0xff) == (i16x8.bitmask(isSurrogate) ^ highs)) {
            const pairs = v128.bitselect(surrogateBytes(eight, isHigh), twoBytes(eight), isSurrogate);
            let count = 8;
            if (highs & 0x80) {
              // The low surrogate of a last high one is in the next block.
              count = 7;
              mask &= 0x7f;
            }
            v128.store(to, i8x16.swizzle(pairs, v128.load(UTF8_PACKING + (<usize>mask << 4))));
            to += count + popcnt(mask);
            at += 2 * count;
            continue;
          }
        }
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
      // Other blocks are encoded unit by unit to their end before vectors are tried again.
      const stop = min(at + 16, end);
      while (at < stop) {
        const two = load<u32>(at);
        if ((two & 0xfc00fc00) == 0xdc00d800 && at + 2 < end) {
          const point = 0x10000 + ((two & 0x3ff) << 10) + ((two >> 16) & 0x3ff);
          at += 4;
          store<u32>(
            to,
            0x808080f0 | (point >> 18) | (((point >> 12) & 0x3f) << 8) | (((point >> 6) & 0x3f) << 16) | ((point & 0x3f) << 24),
          );
          to += 4;
          continue;
        }
        let point = two & 0xffff;
        at += 2;
        if (point < 0x80) store<u8>(to++, point);
        else if (point < 0x800) {
          store<u16>(to, 0x80c0 | (point >> 6) | ((point & 0x3f) << 8));
          to += 2;
        } else {
          if ((point & 0xf800) == 0xd800) point = REPLACEMENT;
          store<u32>(to, 0x8080e0 | (point >> 12) | (((point >> 6) & 0x3f) << 8) | ((point & 0x3f) << 16));
          to += 3;
        }
      }
    }
    store<u32>(ends, <u32>(to - text));
  }
}

// The lead byte and the trail byte of each unit. Below 0x80, the first is the unit, and the second is not used.
@inline
function twoBytes(eight: v128): v128 {
  const lead = v128.or(i16x8.shr_u(eight, 6), i16x8.splat(0xc0));
  return v128.bitselect(v128.or(lead, trailByte(eight)), eight, i16x8.gt_u(eight, i16x8.splat(0x7f)));
}

// The bytes of surrogates: the first two for a high one, the last two for a low one. The third byte has two bits of the high
// surrogate before it.
@inline
function surrogateBytes(eight: v128, isHigh: v128): v128 {
  const high = i16x8.add(eight, i16x8.splat(0x40)); // the 0x10000 that a pair leaves out
  const first = v128.or(v128.and(i16x8.shr_u(high, 8), i16x8.splat(7)), i16x8.splat(0xf0));
  const before = v128.shuffle<u8>(eight, eight, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
  const low = v128.or(v128.and(i16x8.shr_u(eight, 6), i16x8.splat(15)), i16x8.shl(v128.and(before, i16x8.splat(3)), 4));
  const third = v128.or(low, i16x8.splat(0x80));
  const trail = trailByte(v128.bitselect(i16x8.shr_u(high, 2), eight, isHigh));
  return v128.or(v128.bitselect(first, third, isHigh), trail);
}

// The low six bits of each unit as a continuation byte, in the second place.
@inline
function trailByte(units: v128): v128 {
  return v128.or(i16x8.shl(v128.and(units, i16x8.splat(0x3f)), 8), i16x8.splat(<i16>0x8000));
}
