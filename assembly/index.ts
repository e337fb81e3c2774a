// The ABI: everything the module exports. Addresses and byte lengths are u32 (`usize`), counts of rows u32; columns hold
// consecutive little-endian elements. Nothing is checked here: the caller is responsible for addresses, lengths and ranges.
// `CoreKernels` in src/kernels/types.ts and `LineKernels` in src/kernels/record-types.ts say what each function does and
// requires. The module imports nothing.
//
// Keys, hashes, ids and the values of digits are u64[]; shards, starts and ends u32[]; the units of toUtf8 u16[].
export * from './inspector';
export { lines, shardedRows, shardRows } from './lines';

import * as bitFields from './bit-fields';

// The types of the values are as in unpack.
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
