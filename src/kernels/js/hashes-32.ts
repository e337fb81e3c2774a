// The 32-bit hashes of rows in plain JavaScript, for platforms without WebAssembly and for single rows above 256 KiB.
// Each gives the same number as its kernel in WebAssembly.
// A row may end beyond 2^31 bytes: offsets are never cut to 32 bits.

import { md5 } from './md5.js';
import { partialWord32, type Word, word32, wordOf } from './words.js';

// MurmurHash2 after aappleby/smhasher `src/MurmurHash2.cpp`, with the seed of apache/kafka `common/utils/Utils.java`.
export function murmur2(data: Uint8Array, start: number, end: number, seed = 0x9747b28c): number {
  let h = seed ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const k = Math.imul(word32(data, at), 0x5bd1e995);
    h = Math.imul(h, 0x5bd1e995) ^ Math.imul(k ^ (k >>> 24), 0x5bd1e995);
  }
  if (at < end) h = Math.imul(h ^ partialWord32(data, at, end), 0x5bd1e995);
  h = Math.imul(h ^ (h >>> 13), 0x5bd1e995);
  return (h ^ (h >>> 15)) >>> 0;
}

export const rotl = (word: number, places: number): number => (word << places) | (word >>> (32 - places));

const mixK1 = (k: number): number => Math.imul(rotl(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);

export const mixH1 = (h: number, k: number): number => (Math.imul(rotl(h ^ mixK1(k), 13), 5) + 0xe6546b64) | 0;

export function avalanche(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The sign bits of the last bytes, spread over the bits above them. */
const signsAbove = (last: number): number =>
  Math.imul(last & 0x80, -2) ^ Math.imul(last & 0x8000, -2) ^ Math.imul(last & 0x800000, -2);

// After aappleby/smhasher `src/MurmurHash3.cpp`, MurmurHash3_x86_32. Spark's tail is after apache/spark
// `unsafe/hash/Murmur3_x86_32.java`, hashUnsafeBytes: each byte of it is a block of its own, with its sign. Hive's is after
// apache/hive `common/util/Murmur3.java`, hash32: its bytes have their signs, too.
export function murmur3X86(
  data: Uint8Array,
  start: number,
  end: number,
  seed: number,
  tailOf?: 'spark' | 'hive' | undefined,
): number {
  let h = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) h = mixH1(h, word32(data, at));
  if (tailOf === 'spark') {
    for (; at < end; at++) h = mixH1(h, (data[at] << 24) >> 24);
  } else {
    const last = partialWord32(data, at, end); // An empty tail is 0, and so is mixK1(0).
    h ^= mixK1(tailOf === 'hive' ? last ^ signsAbove(last) : last);
  }
  return avalanche(h ^ (end - start));
}

function crcTable(shiftOut: (crc: number) => number, firstShift: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << firstShift;
    for (let bit = 0; bit < 8; bit++) crc = shiftOut(crc);
    return crc;
  });
}

const CRC32_TABLE = /* @__PURE__ */ crcTable((crc) => (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0), 0);
const CRC16_TABLE = /* @__PURE__ */ crcTable((crc) => ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff, 8);

// After madler/zlib `crc32.c`, by bytes. librdkafka and Couchbase have the same CRC.
function crc32(data: Uint8Array, start: number, end: number): number {
  let crc = -1;
  for (let at = start; at < end; at++) {
    crc = CRC32_TABLE[(crc ^ data[at]) & 255] ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

const OPENING = 0x7b; // {
const CLOSING = 0x7d; // }

function firstOf(byte: number, data: Uint8Array, at: number, end: number): number {
  while (at < end && data[at] !== byte) at++;
  return at;
}

// After redis/redis `src/crc16.c` and keyHashSlot of `src/cluster.c`: only the first pair of braces counts, and only
// with bytes between them. The result is the CRC before its 14 low bits are taken.
function crc16Tag(data: Uint8Array, start: number, end: number): number {
  const tag = firstOf(OPENING, data, start, end) + 1;
  const tagEnd = firstOf(CLOSING, data, tag, end);
  const tagged = tagEnd > tag && tagEnd < end;
  let crc = 0;
  for (let at = tagged ? tag : start, last = tagged ? tagEnd : end; at < last; at++) {
    crc = ((crc << 8) & 0xffff) ^ CRC16_TABLE[(crc >>> 8) ^ data[at]];
  }
  return crc;
}

// After confluentinc/librdkafka `src/rdfnv1a.c`, before it drops the sign.
function fnv1a(data: Uint8Array, start: number, end: number): number {
  let h = 0x811c9dc5;
  for (let at = start; at < end; at++) h = Math.imul(h ^ data[at], 0x01000193);
  return h >>> 0;
}

/**
 * After postgres `src/common/hashfn.c`, hash_bytes_extended; or, without a seed, after Bob Jenkins' `lookup3.c`, hashlittle2,
 * which has another beginning, mixes a last block of 12 bytes as a tail, and has no mark of the length in it.
 * @param result its high half is the reference's b, its low half c
 */
export function lookup3(
  data: Uint8Array,
  start: number,
  end: number,
  seedHigh: number,
  seedLow: number,
  result: Word,
  isJenkins = false,
): void {
  const initial = (isJenkins ? 0xdeadbeef : 0x9e3779b9 + 3923095) + (end - start);
  let a = (initial + seedHigh) | 0;
  let b = (initial + seedLow) | 0;
  let c = initial | 0;
  // A seed counts as a block before the row. The seed 0 is no seed.
  let at = seedHigh === 0 && seedLow === 0 ? start : start - 12;
  const block = isJenkins ? 13 : 12;
  for (; at + block <= end; at += 12) {
    if (at >= start) {
      a = (a + word32(data, at)) | 0;
      b = (b + word32(data, at + 4)) | 0;
      c = (c + word32(data, at + 8)) | 0;
    }
    a = (a - c) ^ rotl(c, 4);
    c = (c + b) | 0;
    b = (b - a) ^ rotl(a, 6);
    a = (a + c) | 0;
    c = (c - b) ^ rotl(b, 8);
    b = (b + a) | 0;
    a = (a - c) ^ rotl(c, 16);
    c = (c + b) | 0;
    b = (b - a) ^ rotl(a, 19);
    a = (a + c) | 0;
    c = (c - b) ^ rotl(b, 4);
    b = (b + a) | 0;
  }
  a = (a + partialWord32(data, at, end)) | 0;
  b = (b + partialWord32(data, at + 4, end)) | 0;
  // postgres keeps c's low byte for the length.
  c = (c + (partialWord32(data, at + 8, end) << (isJenkins ? 0 : 8))) | 0;
  c = ((c ^ b) - rotl(b, 14)) | 0;
  a = ((a ^ c) - rotl(c, 11)) | 0;
  b = ((b ^ a) - rotl(a, 25)) | 0;
  c = ((c ^ b) - rotl(b, 16)) | 0;
  a = ((a ^ c) - rotl(c, 4)) | 0;
  b = ((b ^ a) - rotl(a, 14)) | 0;
  c = ((c ^ b) - rotl(b, 24)) | 0;
  result[0] = c;
  result[1] = b;
}

const lookup3Result = /* @__PURE__ */ wordOf(0, 0);

// worker_hash of citusdata/citus `operations/isolate_shards.c` calls hash_bytes of postgres, which is the low half.
function lookup3Citus(data: Uint8Array, start: number, end: number): number {
  lookup3(data, start, end, 0, 0, lookup3Result);
  return lookup3Result[0] >>> 0;
}

// After Azure/azure-sdk-for-js `sdk/eventhub/event-hubs/src/impl/partitionKeyToIdMapper.ts`. Nothing is mixed for an empty row.
function lookup3EventHubs(data: Uint8Array, start: number, end: number): number {
  if (start === end) return 0;
  lookup3(data, start, end, 0, 0, lookup3Result, true);
  return (lookup3Result[0] ^ lookup3Result[1]) >>> 0;
}

// After OpenJDK `java/lang/StringUTF16.java`, hashCode. Rows are UTF-16LE code units: an even number of bytes.
function javaHash(data: Uint8Array, start: number, end: number): number {
  let h = 0;
  for (let at = start; at < end; at += 2) {
    h = (Math.imul(h, 31) + (data[at] | (data[at + 1] << 8))) | 0;
  }
  return h >>> 0;
}

// After apache/hive `serde2/objectinspector/ObjectInspectorUtils.java`, hashCode of a string.
function javaHashOfBytes(data: Uint8Array, start: number, end: number): number {
  let h = 0;
  for (let at = start; at < end; at++) h = (Math.imul(h, 31) + ((data[at] << 24) >> 24)) | 0;
  return h >>> 0;
}

// After awesomized/libmemcached `src/libhashkit/one_at_a_time.cc`, whose bytes have signs, as `char` has on x86.
function oneAtATime(data: Uint8Array, start: number, end: number): number {
  let h = 0;
  for (let at = start; at < end; at++) {
    h = (h + ((data[at] << 24) >> 24)) | 0;
    h = (h + (h << 10)) | 0;
    h ^= h >>> 6;
  }
  h = (h + (h << 3)) | 0;
  h ^= h >>> 11;
  return (h + (h << 15)) >>> 0;
}

/**
 * After mysql/mysql-server `strings/ctype-bin.cc`, my_hash_sort_bin: the low half of what has 64 bits there.
 * @param hash what comes of the columns before it
 * @param step the factor that is added, 4 and 3 more for each byte before
 */
export function mysqlKey(data: Uint8Array, start: number, end: number, hash: number, step: number): number {
  for (let at = start; at < end; at++, step += 3) hash ^= Math.imul((hash & 63) + step, data[at]) + (hash << 8);
  return hash >>> 0;
}

/** A hash of the row from `start` to `end` of `data`, from 0 to 2^32 - 1. */
export const HASHES_32 = {
  murmur2: (data, start, end) => murmur2(data, start, end),
  murmur3: (data, start, end) => murmur3X86(data, start, end, 0),
  murmur3Hive: (data, start, end) => murmur3X86(data, start, end, 104729, 'hive'),
  murmur3Spark: (data, start, end) => murmur3X86(data, start, end, 42, 'spark'),
  crc32,
  crc16Tag,
  fnv1a,
  lookup3Citus,
  lookup3EventHubs,
  javaHash,
  javaHashOfBytes,
  md5: (data, start, end) => md5(data, start, end).getUint32(0, true),
  oneAtATime,
  mysqlKey: (data, start, end) => mysqlKey(data, start, end, 1, 4),
} satisfies { readonly [name: string]: (data: Uint8Array, start: number, end: number) => number };
