// The layout of linear memory. The kernels work on any addresses that they are given; this part of the memory has fixed
// uses.
//
//   0        64        192        128 Ki + 192  ...                                       HEAP
//   +--------+---------+----------+----------+----------+-----------+------------+--------+---- - -
//   | a row  | state   | slot 0   | slot 1   | slot 2   | slot 3    | scratch    | jump   | resident
//   | at 16  | of one  | 16 Ki    | 16 Ki    | 16 Ki    | 256 KiB   | 16 Ki rows | hash,  | columns
//   |        | stream  | rows, u64| rows, u64| rows, u64| of bytes  | of u64     | tables |
//   +--------+---------+----------+----------+----------+-----------+------------+--------+---- - -
//
// A column that lives outside is copied in pieces of PIECE_ROWS rows, and bytes in pieces of
// PIECE_BYTES, so that memory does not grow with the input and a piece stays in the second-level
// cache. Code that calls several kernels in a row may use the scratch column. The tables of jump hash
// have its unfinished keys, at most JUMP_ROWS, and the divisors of two groups: they fit the first-level
// cache.

export const ROW: i32 = 16;
export const STREAM_STATE: i32 = 64;
export const PIECE_ROWS: i32 = 16 * 1024;
export const PIECE_BYTES: i32 = 256 * 1024;
export const SLOT_0: i32 = 192;
export const SLOT_1: i32 = SLOT_0 + PIECE_ROWS * 8;
export const SLOT_2: i32 = SLOT_1 + PIECE_ROWS * 8;
export const SLOT_3: i32 = SLOT_2 + PIECE_ROWS * 8;
export const SCRATCH: i32 = SLOT_3 + PIECE_BYTES;

export const JUMP_GROUP: usize = 6;
export const JUMP_ROWS: usize = 170 * JUMP_GROUP;
export const JUMP_MOST_ROUNDS: usize = 24;
export const JUMP_LIST: usize = <usize>SCRATCH + <usize>PIECE_ROWS * 8;
export const JUMP_DIVISORS: usize = JUMP_LIST + JUMP_ROWS * 20;
export const JUMP_END: usize = JUMP_DIVISORS + 2 * JUMP_GROUP * 8 * (JUMP_MOST_ROUNDS + 1);

// For the format in use: the value of each byte as a digit, then the character of each digit.
export const DIGITS: i32 = <i32>JUMP_END;

// 256 swizzles, see utf16.ts
export const UTF8_PACKING: usize = <usize>DIGITS + 256 + 64;

// The tables of the module for partitioners, see partitioners/crc.ts
export const CRC_TABLES: usize = UTF8_PACKING + 256 * 16;

export const HEAP: i32 = <i32>(CRC_TABLES + 12 * 1024);
