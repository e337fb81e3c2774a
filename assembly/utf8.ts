// UTF-8 text that JavaScript has encoded.

const CONTINUATION_END: i8 = -64; // as signed bytes, 0x80..0xbf are those below
const FOUR_BYTES: u8 = 0xf0; // leads a character of four bytes, which is two UTF-16 units

// Texts in a row, `byteLength` bytes of them; ends[i] is where text i ends in UTF-16 units, and becomes
// where it ends in bytes. Returns 1, or 0 if one ends within a character: halves of surrogate pairs at
// the seam of two texts have met, and the bytes are not those of the texts.
export function unitsToBytes(text: usize, byteLength: u32, ends: usize, rows: u32): u32 {
  const limit = text + byteLength;
  let at = text;
  let units: u32 = 0;
  for (let i: u32 = 0; i < rows; i++, ends += 4) {
    const end = load<u32>(ends);
    // Sixteen bytes are seventeen units at the most. A character cut by a block is counted in the one
    // where it begins.
    for (; units + 17 <= end && at + 16 <= limit; at += 16) {
      const block = v128.load(at);
      units += 16 - popcnt(<u32>i8x16.bitmask(i8x16.lt_s(block, i8x16.splat(CONTINUATION_END))));
      units += popcnt(<u32>i8x16.bitmask(i8x16.ge_u(block, i8x16.splat(FOUR_BYTES))));
    }
    for (; at < limit; at++) {
      const byte = load<u8>(at);
      if (<i8>byte < CONTINUATION_END) continue;
      if (units >= end) break;
      units += byte >= FOUR_BYTES ? 2 : 1;
    }
    if (units != end) return 0;
    store<u32>(ends, <u32>(at - text));
  }
  return 1;
}
