// The ABI: everything the module exports. Addresses and byte lengths are u32 (`usize`), counts of rows u32; columns hold
// consecutive little-endian elements. Nothing is checked here: the caller is responsible for addresses, lengths and ranges.
// `CoreKernels` in src/kernels/types.ts and `LineKernels` in src/kernels/record-types.ts say what each function does and
// requires. The module imports nothing.
//
// Keys, hashes, ids and the values of digits are u64[]; shards, starts and ends u32[]; the units of toUtf8 u16[].
export { formatColumn, parseColumn } from './digits';
export { fastRange, fastRangeColumn, moduloColumn } from './fast-range';
export { jumpHash, jumpHashColumn } from './jump-hash';
export { lines, shardedRows, shardRows } from './lines';
export { DIGITS, HEAP, PIECE_BYTES, PIECE_ROWS, SCRATCH, SLOT_0, SLOT_1, SLOT_2, SLOT_3, STREAM_STATE } from './memory';
export { splitMix64Column } from './split-mix';
export { toUtf8 } from './utf16';
export { xxh64, xxh64Digest, xxh64Init, xxh64OfU64, xxh64Spans, xxh64U64Column, xxh64Update } from './xxh64';

import * as bitFields from './bit-fields';
export { firstOutside } from './bit-fields';

// The type of the values: 0 for u8, 1 u16, 2 u32, 3 f64, 4 u64.
export function pack(
  type: u32,
  values: usize,
  before: usize,
  ids: usize,
  rows: u32,
  shift: i32,
  mask: u64,
  isTime: bool,
  offset: f64,
): bool {
  switch (type) {
    case 0: return bitFields.pack<u8>(values, before, ids, rows, shift, mask, false, 0);
    case 1: return bitFields.pack<u16>(values, before, ids, rows, shift, mask, false, 0);
    case 2: return bitFields.pack<u32>(values, before, ids, rows, shift, mask, false, 0);
    case 3:
      if (isTime) return bitFields.pack<f64>(values, before, ids, rows, shift, mask, true, offset);
      return bitFields.pack<f64>(values, before, ids, rows, shift, mask, false, 0);
    default: return bitFields.pack<u64>(values, before, ids, rows, shift, mask, false, 0);
  }
}

export function unpack(type: u32, ids: usize, values: usize, rows: u32, shift: i32, mask: u64, offset: f64): void {
  switch (type) {
    case 0: return bitFields.unpack<u8>(ids, values, rows, shift, mask, 0);
    case 1: return bitFields.unpack<u16>(ids, values, rows, shift, mask, 0);
    case 2: return bitFields.unpack<u32>(ids, values, rows, shift, mask, 0);
    case 3: return bitFields.unpack<f64>(ids, values, rows, shift, mask, offset);
    default: return bitFields.unpack<u64>(ids, values, rows, shift, mask, 0);
  }
}
