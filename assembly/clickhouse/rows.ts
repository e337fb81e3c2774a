// Rows in ClickHouse's format RowBinary, which has the arguments of a row one after the other: a String after its length
// (LEB128), integers little-endian, an Array after the number of its elements (LEB128). A kernel takes a column of keys with
// one seed and one number of shards. So rows are read in runs: up to RUN_ROWS rows whose arguments after the key are the same,
// which usually are all rows of a block.
//
// ClickHouse makes wasmtime check the bounds of every access to memory with instructions, so the same code takes twice as long
// as in Node.js, and fewer accesses are faster: XXH64 is computed where a text is read, not from a column of starts and ends,
// and a vector compares both options. E-mail addresses at 64 shards took 92 ns a row with columns and with shards and seed as
// two arguments, and take 79 now; ClickHouse itself takes 50 of these.

import { SLOT_0, SLOT_1, SLOT_2 } from '../memory';
import { hash, xxh64OfU64 } from '../xxh64';
import { fail, say } from './messages';

/** The hashes of a run, or its spans, stay in the first-level cache. A multiple of JUMP_ROWS. */
export const RUN_ROWS: u32 = 4080;
export const STARTS: usize = SLOT_0;
export const ENDS: usize = SLOT_1;
export const HASHES: usize = SLOT_2;

/** Where the next row begins, and where the rows end. */
let at: usize = 0;
let end: usize = 0;

export function openRows(data: usize, byteLength: u32): void {
  at = data;
  end = data + byteLength;
}

/** Checks that all rows have been read, and returns their results. */
export function closeRows(output: usize): usize {
  if (at != end) failOnArguments();
  return output;
}

function failOnArguments(): void {
  say('arguments: expected those of the function in the module; create it as `shardbits sql` writes it');
  fail();
}

/** Reads a length of up to 32 bits. */
function readLength(place: usize): u32 {
  let length: u32 = 0;
  at = place;
  for (let shift: u32 = 0; at < end && shift < 35; shift += 7) {
    const byte = <u32>load<u8>(at++);
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return length;
  }
  failOnArguments();
  return 0;
}

// Loops have the place in a local variable, because a global one is in memory, where each row would wait for the one before.

/** The rest of the rows has to have that many bytes, and more. */
@inline
function checkRoom(place: usize, byteLength: u32, more: usize): void {
  if (<u64>byteLength + more > <u64>(end - place)) failOnArguments();
}

// The options of a run: `router UInt128`, which is shards + seed * 2^64, and `down Array(UInt32)`.
export let shards: u64 = 0;
export let seed: u64 = 0;
export let down: usize = 0;
export let downCount: u32 = 0;
const ROUTER: usize = 16;

function takeRouter(place: usize): v128 {
  shards = load<u64>(place);
  seed = load<u64>(place, 8);
  return v128.load(place);
}

/** Reads `down` of a row. Returns whether the row is in the run, in which it may be the first. */
function readDown(isFirst: bool): bool {
  const count = readLength(at);
  const byteLength = <usize>count << 2;
  if (<u64>count << 2 > <u64>(end - at)) failOnArguments();
  if (isFirst) {
    down = at;
    downCount = count;
  } else {
    if (count != downCount) return false;
    for (let i: usize = 0; i < byteLength; i += 4) if (load<u32>(at + i) != load<u32>(down + i)) return false;
  }
  at += byteLength;
  return true;
}

/**
 * Reads a run of rows: the key, which is a String or a UInt64, `router`, and perhaps `down`. Writes their hashes, or for UInt64
 * the keys, and returns their number.
 */
@inline
export function readRouted<Key, Down>(rows: u32): u32 {
  const most = min(rows, RUN_ROWS);
  let place = at;
  let router = i64x2.splat(0);
  for (let i: u32 = 0; i < most; i++) {
    const row = place;
    let length: u32 = 8;
    if (isString<Key>()) {
      checkRoom(place, 1, ROUTER);
      length = load<u8>(place++);
      if (length >= 0x80) {
        length = readLength(row);
        place = at;
      }
    }
    checkRoom(place, length, ROUTER);
    const key = place;
    place += length;
    if (i == 0) router = takeRouter(place);
    else if (v128.any_true(v128.xor(v128.load(place), router))) {
      at = row;
      return i;
    }
    place += ROUTER;
    if (!isVoid<Down>()) {
      at = place;
      if (!readDown(i == 0)) {
        at = row;
        return i;
      }
      place = at;
    }
    store<u64>(HASHES + (<usize>i << 3), isString<Key>() ? hash(key, length, seed) : load<u64>(key));
  }
  at = place;
  return most;
}

/** Writes the XXH64 of rows with a String and `seed UInt64`. */
export function hashTexts(hashes: usize, rows: u32): void {
  let place = at;
  for (const last = hashes + (<usize>rows << 3); hashes != last; hashes += 8) {
    checkRoom(place, 1, 8);
    let length = <u32>load<u8>(place);
    if (length < 0x80) place++;
    else {
      length = readLength(place);
      place = at;
    }
    checkRoom(place, length, 8);
    const key = place;
    place += length;
    store<u64>(hashes, hash(key, length, load<u64>(place)));
    place += 8;
  }
  at = place;
}

/** Writes the XXH64 of rows with a UInt64 and `seed UInt64`. */
export function hashU64s(hashes: usize, rows: u32): void {
  for (const last = hashes + (<usize>rows << 3); hashes != last; hashes += 8) {
    checkRoom(at, 16, 0);
    store<u64>(hashes, xxh64OfU64(load<u64>(at), load<u64>(at, 8)));
    at += 16;
  }
}

/** Reads a run of rows with a String alone. Each is from STARTS[i] to ENDS[i]. Returns their number. */
export function readTexts(rows: u32): u32 {
  const most = min(rows, RUN_ROWS);
  const most4 = <usize>most << 2;
  let place = at;
  for (let i: usize = 0; i < most4; i += 4) {
    checkRoom(place, 1, 0);
    let length = <u32>load<u8>(place);
    if (length < 0x80) place++;
    else {
      length = readLength(place);
      place = at;
    }
    checkRoom(place, length, 0);
    store<u32>(STARTS + i, <u32>place);
    place += length;
    store<u32>(ENDS + i, <u32>place);
  }
  at = place;
  return most;
}
