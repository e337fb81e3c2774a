// CRC-32 (zlib's: 0xEDB88320, reflected) and CRC-16/XMODEM (0x1021), eight bytes at a time from eight tables each: table k
// has the checksums of a byte before k zero bytes.
//
//   CRC_TABLES 8 KiB      12 KiB
//   +----------+----------+
//   | CRC-32   | CRC-16   |
//   | 8 * 256  | 8 * 256  |
//   | u32      | u16      |
//   +----------+----------+

import { CRC_TABLES } from '../memory';

const CRC16: usize = 8192;

@inline
function at32(byte: u64): usize {
  return CRC_TABLES + (<usize>(byte & 0xff) << 2);
}

@inline
function at16(byte: u64): usize {
  return CRC_TABLES + (<usize>(byte & 0xff) << 1);
}

for (let byte: u32 = 0; byte < 256; byte++) {
  let crc32 = byte;
  let crc16 = byte << 8;
  for (let bit = 0; bit < 8; bit++) {
    crc32 = (crc32 >>> 1) ^ (crc32 & 1 ? 0xedb88320 : 0);
    crc16 = (crc16 << 1) ^ (crc16 & 0x8000 ? 0x1021 : 0);
  }
  store<u32>(at32(byte), crc32);
  store<u16>(at16(byte), <u16>crc16, CRC16);
}
for (let byte: u32 = 0; byte < 7 * 256; byte++) {
  // Table k comes from table k - 1: one more zero byte goes through the first table.
  const to32 = CRC_TABLES + (<usize>byte << 2);
  const to16 = CRC_TABLES + (<usize>byte << 1);
  const crc32 = load<u32>(to32);
  const crc16 = <u32>load<u16>(to16, CRC16);
  store<u32>(to32, (crc32 >>> 8) ^ load<u32>(at32(crc32)), 1024);
  store<u16>(to16, <u16>((crc16 << 8) ^ load<u16>(at16(crc16 >>> 8), CRC16)), CRC16 + 512);
}

export function crc32(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    let at = data + load<u32>(starts);
    const end = data + load<u32>(ends);
    let crc: u32 = 0xffffffff;
    for (; at + 8 <= end; at += 8) {
      const eight = load<u64>(at) ^ <u64>crc;
      crc =
        load<u32>(at32(eight), 7168) ^ load<u32>(at32(eight >>> 8), 6144) ^
        load<u32>(at32(eight >>> 16), 5120) ^ load<u32>(at32(eight >>> 24), 4096) ^
        load<u32>(at32(eight >>> 32), 3072) ^ load<u32>(at32(eight >>> 40), 2048) ^
        load<u32>(at32(eight >>> 48), 1024) ^ load<u32>(at32(eight >>> 56));
    }
    for (; at < end; at++) crc = (crc >>> 8) ^ load<u32>(at32(crc ^ load<u8>(at)));
    store<u32>(hashes, ~crc);
  }
}

function crc16(at: usize, end: usize): u32 {
  let crc: u32 = 0;
  for (; at + 8 <= end; at += 8) {
    const eight = load<u64>(at);
    crc =
      load<u16>(at16(eight ^ (crc >>> 8)), CRC16 + 3584) ^ load<u16>(at16((eight >>> 8) ^ crc), CRC16 + 3072) ^
      load<u16>(at16(eight >>> 16), CRC16 + 2560) ^ load<u16>(at16(eight >>> 24), CRC16 + 2048) ^
      load<u16>(at16(eight >>> 32), CRC16 + 1536) ^ load<u16>(at16(eight >>> 40), CRC16 + 1024) ^
      load<u16>(at16(eight >>> 48), CRC16 + 512) ^ load<u16>(at16(eight >>> 56), CRC16);
  }
  for (; at < end; at++) crc = ((crc << 8) & 0xffff) ^ load<u16>(at16((crc >>> 8) ^ load<u8>(at)), CRC16);
  return crc;
}

const OPEN: u8 = 0x7b;
const CLOSE: u8 = 0x7d;
const ONES: u64 = 0x0101010101010101;

// The first such byte from `at` on, or `end`. Eight at a time: subtracting 1 from a zero byte sets its highest bit.
function find(at: usize, end: usize, byte: u8): usize {
  for (; at + 8 <= end; at += 8) {
    const differs = load<u64>(at) ^ (<u64>byte * ONES);
    const zeros = (differs - ONES) & ~differs & (ONES << 7);
    if (zeros != 0) return at + <usize>(ctz(zeros) >> 3);
  }
  while (at < end && load<u8>(at) != byte) at++;
  return at;
}

// The hash tag is the text between the first { and the first } after it. If there is none, or it is empty, the whole key is
// hashed: redis/redis `cluster.h keyHashSlot`.
export function crc16Tag(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    let at = data + load<u32>(starts);
    let end = data + load<u32>(ends);
    const open = find(at, end, OPEN);
    if (open < end) {
      const close = find(open + 1, end, CLOSE);
      if (close < end && close > open + 1) {
        at = open + 1;
        end = close;
      }
    }
    store<u32>(hashes, crc16(at, end));
  }
}
