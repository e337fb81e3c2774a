// The ABI: everything the module exports. Addresses and byte lengths are u32 (`usize`), counts of
// rows u32; columns hold consecutive little-endian elements. Nothing is checked here: the caller
// is responsible for addresses, lengths and ranges. The module imports nothing.

// xxh64(data, byteLength, seed): hash of one buffer
// xxh64OfU64(key, seed): hash of the 8 bytes of a key
// xxh64U64Column(keys u64[], hashes u64[], rows, seed); may work in place
// xxh64Spans(data, starts u32[], ends u32[], hashes u64[], rows, seed): a row is data + starts[i] .. data + ends[i]
// xxh64Init(state, seed), xxh64Update(state, data, byteLength), xxh64Digest(state): a stream; its state is 80 bytes, see xxh64.ts
export { xxh64, xxh64Digest, xxh64Init, xxh64OfU64, xxh64Spans, xxh64U64Column, xxh64Update } from './xxh64';

// jumpHash(key, buckets), jumpHashColumn(keys u64[], shards u32[], rows, buckets): 1 <= buckets < 2^31
export { jumpHash, jumpHashColumn } from './jump-hash';

// fastRange(hash, n), fastRangeColumn(hashes u64[], shards u32[], rows, n): 1 <= n < 2^32
// moduloColumn(hashes u64[], shards u32[], rows, n): 1 <= n < 2^32
export { fastRange, fastRangeColumn, moduloColumn } from './fast-range';

// splitMix64Column(keys u64[], mixed u64[], rows, increment): may work in place
export { splitMix64Column } from './split-mix';

// pack(type, values, before u64[], ids u64[], rows, shift, mask, isTime, offset): ids[i] = before[i] | values[i] << shift;
//   returns whether no value is above the mask. `before` is ids, or eight equal ids for all rows. For times in milliseconds
//   (f64) the value is floor(values[i]) - offset
// unpack(type, ids u64[], values, rows, shift, mask, offset): values[i] = ((ids[i] >>> shift) & mask) + offset
// type: of the values, 0 for u8, 1 u16, 2 u32, 3 f64, 4 u64
// firstOutside(values u64[], rows, min, max): the first row outside min to max, or rows
import * as bitFields from './bit-fields';
export { firstOutside } from './bit-fields';

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

// lines(data, from, to, starts u32[], ends u32[], most): finds the lines that end in from..to; their number
// shardedRows(data, starts u32[], ends u32[], shards u32[], rows, text), shardRows(shards u32[], rows, text): bytes written
export { lines, shardedRows, shardRows } from './lines';

// toUtf8(units u16[], ends u32[], rows, text): the UTF-8 of each text; ends in units become ends in bytes
export { toUtf8 } from './utf16';

// formatColumn(values u64[], text, rows, radix, width, alphabet): `width` digits a row, most significant first
// parseColumn(data, starts u32[], ends u32[], values u64[], rows, radix, digitOf u8[256]): the first row that is not a u64, or rows
export { formatColumn, parseColumn } from './digits';

// The addresses of pieces: see memory.ts
export { DIGITS, HEAP, PIECE_BYTES, PIECE_ROWS, SCRATCH, SLOT_0, SLOT_1, SLOT_2, SLOT_3, STREAM_STATE } from './memory';
