// What lies where in linear memory. The kernels work on whatever addresses they are given; this is
// the agreement on the part of it that is not handed out.
//
//   0        64        192        128 Ki + 192  ...                              HEAP
//   +--------+---------+----------+----------+----------+-----------+------------+---- - -
//   | a row  | state   | slot 0   | slot 1   | slot 2   | slot 3    | scratch    | resident
//   | at 16  | of one  | 16 Ki    | 16 Ki    | 16 Ki    | 256 KiB   | 16 Ki rows | columns
//   |        | stream  | rows, u64| rows, u64| rows, u64| of bytes  | of u64     |
//   +--------+---------+----------+----------+----------+-----------+------------+---- - -
//
// A column that lives outside is worked on in pieces of PIECE_ROWS rows, and bytes in pieces of
// PIECE_BYTES, so that memory does not grow with the input and a piece stays in the second-level
// cache while it is worked on. The scratch column belongs to whoever calls several kernels in a row.

export const ROW: i32 = 16;
export const STREAM_STATE: i32 = 64;
export const PIECE_ROWS: i32 = 16 * 1024;
export const PIECE_BYTES: i32 = 256 * 1024;
export const SLOT_0: i32 = 192;
export const SLOT_1: i32 = SLOT_0 + PIECE_ROWS * 8;
export const SLOT_2: i32 = SLOT_1 + PIECE_ROWS * 8;
export const SLOT_3: i32 = SLOT_2 + PIECE_ROWS * 8;
export const SCRATCH: i32 = SLOT_3 + PIECE_BYTES;
export const HEAP: i32 = SCRATCH + PIECE_ROWS * 8;
