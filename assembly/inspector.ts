// What the inspector uses of the core: it packs no columns and writes no lines.
export { firstOutside } from './bit-fields';
export { formatColumn, parseColumn } from './digits';
export { fastRange, fastRangeColumn, moduloColumn } from './fast-range';
export { jumpHash, jumpHashColumn } from './jump-hash';
export { DIGITS, HEAP, PIECE_BYTES, PIECE_ROWS, SCRATCH, SLOT_0, SLOT_1, SLOT_2, SLOT_3, STREAM_STATE } from './memory';
export { splitMix64Column } from './split-mix';
export { toUtf8 } from './utf16';
export { xxh64, xxh64Digest, xxh64Init, xxh64OfU64, xxh64Spans, xxh64U64Column, xxh64Update } from './xxh64';

import * as bitFields from './bit-fields';

// The type of the values: 0 for u8, 1 u16, 2 u32, 3 f64, 4 u64.
export function unpack(type: u32, ids: usize, values: usize, rows: u32, shift: i32, mask: u64, offset: f64): void {
  switch (type) {
    case 0: return bitFields.unpack<u8>(ids, values, rows, shift, mask, 0);
    case 1: return bitFields.unpack<u16>(ids, values, rows, shift, mask, 0);
    case 2: return bitFields.unpack<u32>(ids, values, rows, shift, mask, 0);
    case 3: return bitFields.unpack<f64>(ids, values, rows, shift, mask, offset);
    default: return bitFields.unpack<u64>(ids, values, rows, shift, mask, 0);
  }
}
