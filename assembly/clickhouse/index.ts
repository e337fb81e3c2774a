// The module for ClickHouse: what its functions in WebAssembly call (`abi BUFFERED_V1`, RowBinary), over the same kernels.
// `src/engines/sql/clickhouse/module.ts` has the arguments of each function. A function takes the handle of a buffer, which has
// the arguments of some rows, and the number of rows. It returns the handle of a buffer with a result for each row. A handle
// points to the address and the length of a buffer, two u32s. Unlike the other modules, this one checks what it is given,
// because ClickHouse passes on whatever is in a query.

import { HEAP } from '../memory';
import { fnv1a as fnv1aColumn, javaHash as javaHashColumn } from '../partitioners/bytewise';
import { crc16Tag } from '../partitioners/crc';
import { lookup3Citus, lookup3Postgres, murmur2, murmur3, murmur3Hive, murmur3Spark } from '../partitioners/four-rows';
import { toUtf16 } from '../partitioners/utf8';
import { xxh64U64Column } from '../xxh64';
import { fail, say, sayNumber } from './messages';
import { avoidDown, checkDown, checkShards, FASTRANGE, JUMP, MODULO, placeColumn } from './places';
import {
  closeRows,
  down,
  downCount,
  ENDS,
  HASHES,
  hashTexts,
  hashU64s,
  openRows,
  readRouted,
  readTexts,
  RUN_ROWS,
  seed,
  shards,
  STARTS,
} from './rows';

// The allocator. ClickHouse uses an instance for one block at a time. It makes a buffer for the arguments, and destroys this
// one and that of the results before the next block. So each buffer begins where the one before ends, and when all are gone,
// the next one begins at the bottom again. Memory is as large as the largest block needs, however many blocks there are.
//
//   bottom                                        top
//   +-----+------+-------------+-----+------+-----+- - - - - - - - -
//   | at, size   | bytes       | at, size   | ... | room for work, until the next buffer
//   +-----+------+-------------+-----+------+-----+- - - - - - - - -
const HEADER: usize = 16;
const bottom: usize = (max(__heap_base, <usize>HEAP) + 15) & ~15;
let top: usize = bottom;
let buffers: u32 = 0;

/** Makes room above the top. Returns the top. */
function reserve(byteLength: u64): usize {
  const pages = (<u64>top + byteLength + 0xffff) >>> 16;
  const missing = <i64>pages - memory.size();
  if (missing > 0 && (pages > 0xffff || memory.grow(<i32>missing) < 0)) {
    say('no memory for a block of ');
    sayNumber(byteLength);
    say(' bytes: raise webassembly_udf_max_memory, or set webassembly_udf_max_input_block_size to fewer rows');
    fail();
  }
  return top;
}

export function clickhouse_create_buffer(byteLength: u32): usize {
  const handle = reserve(HEADER + <u64>byteLength + 15);
  store<u32>(handle, <u32>(handle + HEADER));
  store<u32>(handle, byteLength, 4);
  top = (handle + HEADER + byteLength + 15) & ~15;
  buffers++;
  return handle;
}

export function clickhouse_destroy_buffer(handle: usize): void {
  if (--buffers == 0) top = bottom;
}

/** Begins to read the rows of a buffer, and makes one for their results, of `width` bytes a row. */
function begin(input: usize, rows: u32, width: u64): usize {
  openRows(load<u32>(input), load<u32>(input, 4));
  const byteLength = <u64>rows * width;
  if (byteLength >>> 32 != 0) reserve(byteLength);
  return clickhouse_create_buffer(<u32>byteLength);
}

// Hashes. The functions take (key String, seed UInt64) or (key UInt64, seed UInt64), and give a UInt64.

export function xxh64(input: usize, rows: u32): usize {
  const output = begin(input, rows, 8);
  hashTexts(load<u32>(output), rows);
  return closeRows(output);
}

export function xxh64_u64(input: usize, rows: u32): usize {
  const output = begin(input, rows, 8);
  hashU64s(load<u32>(output), rows);
  return closeRows(output);
}

// Shards of a Router. The functions take (key String, router UInt128) or (key UInt64, router UInt128), and for `down` also
// (..., down Array(UInt32)), and give a UInt32. `router` is shards + seed * 2^64: each argument costs ClickHouse 12 ns a row.

// Key is string or u64. Down is void if there is none.
function route<Key, Down>(input: usize, rows: u32, strategy: u32): usize {
  const output = begin(input, rows, 4);
  let out = <usize>load<u32>(output);
  while (rows != 0) {
    const count = readRouted<Key, Down>(rows);
    const n = checkShards(shards);
    if (!isString<Key>()) xxh64U64Column(HASHES, HASHES, count, seed);
    placeColumn(HASHES, out, count, n, strategy);
    if (!isVoid<Down>()) {
      checkDown(down, downCount, n);
      avoidDown(HASHES, out, count, n, strategy, down, downCount);
    }
    out += <usize>count << 2;
    rows -= count;
  }
  return closeRows(output);
}

export function jump(input: usize, rows: u32): usize {
  return route<string, void>(input, rows, JUMP);
}
export function fastrange(input: usize, rows: u32): usize {
  return route<string, void>(input, rows, FASTRANGE);
}
export function modulo(input: usize, rows: u32): usize {
  return route<string, void>(input, rows, MODULO);
}
export function jump_u64(input: usize, rows: u32): usize {
  return route<u64, void>(input, rows, JUMP);
}
export function fastrange_u64(input: usize, rows: u32): usize {
  return route<u64, void>(input, rows, FASTRANGE);
}
export function modulo_u64(input: usize, rows: u32): usize {
  return route<u64, void>(input, rows, MODULO);
}
export function jump_down(input: usize, rows: u32): usize {
  return route<string, u32[]>(input, rows, JUMP);
}
export function fastrange_down(input: usize, rows: u32): usize {
  return route<string, u32[]>(input, rows, FASTRANGE);
}
export function modulo_down(input: usize, rows: u32): usize {
  return route<string, u32[]>(input, rows, MODULO);
}
export function jump_down_u64(input: usize, rows: u32): usize {
  return route<u64, u32[]>(input, rows, JUMP);
}
export function fastrange_down_u64(input: usize, rows: u32): usize {
  return route<u64, u32[]>(input, rows, FASTRANGE);
}
export function modulo_down_u64(input: usize, rows: u32): usize {
  return route<u64, u32[]>(input, rows, MODULO);
}

// Hashes of partitioners that ClickHouse does not have. The functions take (key String), and give a UInt32, or for
// lookup3_postgres a UInt64. SQL makes shards of them.

type Hash = (data: usize, starts: usize, ends: usize, hashes: usize, rows: u32) => void;

function hash(input: usize, rows: u32, kernel: Hash, width: u64): usize {
  const output = begin(input, rows, width);
  let out = <usize>load<u32>(output);
  while (rows != 0) {
    const count = readTexts(rows);
    kernel(0, STARTS, ENDS, out, count);
    out += <usize>count * <usize>width;
    rows -= count;
  }
  return closeRows(output);
}

export function fnv1a(input: usize, rows: u32): usize {
  return hash(input, rows, fnv1aColumn, 4);
}
export function crc16(input: usize, rows: u32): usize {
  return hash(input, rows, crc16Tag, 4);
}
export function murmur2_kafka(input: usize, rows: u32): usize {
  return hash(input, rows, murmur2, 4);
}
export function murmur3_spark(input: usize, rows: u32): usize {
  return hash(input, rows, murmur3Spark, 4);
}
export function murmur3_hive(input: usize, rows: u32): usize {
  return hash(input, rows, murmur3Hive, 4);
}
export function lookup3_citus(input: usize, rows: u32): usize {
  return hash(input, rows, lookup3Citus, 4);
}
export function lookup3_postgres(input: usize, rows: u32): usize {
  return hash(input, rows, lookup3Postgres, 8);
}

// The hashes of Java, of text as UTF-16.

const UNIT_STARTS = HASHES;
const UNIT_ENDS = HASHES + 4 * RUN_ROWS;

/** Writes the units of a run of texts, and returns where they are. */
function unitsOf(rows: u32): usize {
  const byteLength = load<u32>(ENDS + (<usize>(rows - 1) << 2)) - load<u32>(STARTS);
  const units = reserve((<u64>byteLength << 1) + 16);
  if (toUtf16(0, STARTS, ENDS, rows, units, UNIT_STARTS, UNIT_ENDS) != rows) {
    say('key: expected text in UTF-8, got other bytes');
    fail();
  }
  return units;
}

export function java_hash(input: usize, rows: u32): usize {
  const kernel: Hash = (_, starts, ends, hashes, rows) =>
    javaHashColumn(unitsOf(rows), UNIT_STARTS, UNIT_ENDS, hashes, rows);
  return hash(input, rows, kernel, 4);
}
export function murmur3_utf16(input: usize, rows: u32): usize {
  const kernel: Hash = (_, starts, ends, hashes, rows) =>
    murmur3(unitsOf(rows), UNIT_STARTS, UNIT_ENDS, hashes, rows);
  return hash(input, rows, kernel, 4);
}
