// Text in lines: where they start and end, and shard numbers written beside them.

import { writeU32 } from './digits';

const NEWLINE: u8 = 0x0a;
const CARRIAGE_RETURN: u8 = 0x0d;

export function lines(data: usize, from: u32, to: u32, end: u8, starts: usize, ends: usize, most: u32): u32 {
  const newlines = i8x16.splat(end);
  let count: u32 = 0;
  let start = load<u32>(starts);
  let at = from;
  while (at < to) {
    let found: u32;
    if (at + 16 <= to) {
      found = <u32>i8x16.bitmask(i8x16.eq(v128.load(data + at), newlines));
    } else {
      found = 0;
      for (let i: u32 = at; i < to; i++) {
        if (load<u8>(data + i) == end) found |= <u32>1 << (i - at);
      }
    }
    for (; found != 0; found &= found - 1) {
      if (count == most) return count;
      const newline = at + ctz(found);
      const returned = end == NEWLINE && newline > start && load<u8>(data + newline - 1) == CARRIAGE_RETURN;
      store<u32>(ends + ((<usize>count) << 2), newline - <u32>returned);
      count++;
      start = newline + 1;
      store<u32>(starts + ((<usize>count) << 2), start);
    }
    at += 16;
  }
  return count;
}

export function shardedRows(data: usize, starts: usize, ends: usize, shards: usize, rows: u32, text: usize): usize {
  let to = text;
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, shards += 4) {
    to = writeU32(to, load<u32>(shards));
    store<u8>(to++, 0x09);
    const start = load<u32>(starts);
    const byteLength = load<u32>(ends) - start;
    memory.copy(to, data + start, byteLength);
    to += byteLength;
    store<u8>(to++, NEWLINE);
  }
  return to - text;
}

export function shardRows(shards: usize, rows: u32, text: usize): usize {
  let to = text;
  for (let i: u32 = 0; i < rows; i++, shards += 4) {
    to = writeU32(to, load<u32>(shards));
    store<u8>(to++, NEWLINE);
  }
  return to - text;
}
