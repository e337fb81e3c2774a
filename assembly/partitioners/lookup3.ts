// Bob Jenkins' lookup3 as PostgreSQL has it: `hash_bytes_extended` in `common/hashfn.c`.

import { lastBytes } from './last-bytes';

// Both words, the second of them low.
@inline
function hash(at: usize, length: u32, seed: u64): u64 {
  let a = 0x9e3779b9 + length + 3923095;
  let b = a;
  let c = a;
  let left = length;
  let isMixed = seed == 0;
  a += <u32>(seed >>> 32);
  b += <u32>seed;
  for (;;) {
    if (!isMixed) {
      a = (a - c) ^ rotl(c, 4);
      c += b;
      b = (b - a) ^ rotl(a, 6);
      a += c;
      c = (c - b) ^ rotl(b, 8);
      b += a;
      a = (a - c) ^ rotl(c, 16);
      c += b;
      b = (b - a) ^ rotl(a, 19);
      a += c;
      c = (c - b) ^ rotl(b, 4);
      b += a;
    }
    if (left < 12) break;
    a += load<u32>(at);
    b += load<u32>(at, 4);
    c += load<u32>(at, 8);
    at += 12;
    left -= 12;
    isMixed = false;
  }
  if (left >= 8) {
    a += load<u32>(at);
    b += load<u32>(at, 4);
    if (left > 8) c += <u32>lastBytes(at + 8, left - 8) << 8; // the lowest byte is the length's
  } else if (left != 0) {
    const last = lastBytes(at, left);
    a += <u32>last;
    b += <u32>(last >>> 32);
  }
  c = (c ^ b) - rotl(b, 14);
  a = (a ^ c) - rotl(c, 11);
  b = (b ^ a) - rotl(a, 25);
  c = (c ^ b) - rotl(b, 16);
  a = (a ^ c) - rotl(c, 4);
  b = (b ^ a) - rotl(a, 14);
  c = (c ^ b) - rotl(b, 24);
  return (<u64>b << 32) | <u64>c;
}

// HASH_PARTITION_SEED of `catalog/partition.h`.
export function lookup3Postgres(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    store<u64>(hashes, hash(data + start, load<u32>(ends) - start, 0x7a5b22367996dcfd));
  }
}

export function lookup3Citus(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 4) {
    const start = load<u32>(starts);
    store<u32>(hashes, <u32>hash(data + start, load<u32>(ends) - start, 0));
  }
}
