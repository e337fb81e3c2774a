// SipHash-2-4 with a key of zeros, after Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012).

import { lastBytes } from './last-bytes';

export function sipHash(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    const length = load<u32>(ends) - start;
    let at = data + start;
    let v0: u64 = 0x736f6d6570736575;
    let v1: u64 = 0x646f72616e646f6d;
    let v2: u64 = 0x6c7967656e657261;
    let v3: u64 = 0x7465646279746573;
    // The last word has the bytes that are left and the length. Rounds are written out: a loop around one takes half as long again.
    for (let words = length >>> 3; ; words--) {
      let word: u64;
      if (words > 0) {
        word = load<u64>(at);
        at += 8;
      } else {
        const left = length & 7;
        word = (left == 0 ? 0 : lastBytes(at, left, length)) | (<u64>length << 56);
      }
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = rotl(v1, 13) ^ v0;
      v3 = rotl(v3, 16) ^ v2;
      v0 = rotl(v0, 32) + v3;
      v2 += v1;
      v1 = rotl(v1, 17) ^ v2;
      v3 = rotl(v3, 21) ^ v0;
      v2 = rotl(v2, 32);
      v0 += v1;
      v2 += v3;
      v1 = rotl(v1, 13) ^ v0;
      v3 = rotl(v3, 16) ^ v2;
      v0 = rotl(v0, 32) + v3;
      v2 += v1;
      v1 = rotl(v1, 17) ^ v2;
      v3 = rotl(v3, 21) ^ v0;
      v2 = rotl(v2, 32);
      v0 ^= word;
      if (words == 0) break;
    }
    v2 ^= 0xff;
    for (let i = 0; i < 2; i++) {
      v0 += v1;
      v2 += v3;
      v1 = rotl(v1, 13) ^ v0;
      v3 = rotl(v3, 16) ^ v2;
      v0 = rotl(v0, 32) + v3;
      v2 += v1;
      v1 = rotl(v1, 17) ^ v2;
      v3 = rotl(v3, 21) ^ v0;
      v2 = rotl(v2, 32);
      v0 += v1;
      v2 += v3;
      v1 = rotl(v1, 13) ^ v0;
      v3 = rotl(v3, 16) ^ v2;
      v0 = rotl(v0, 32) + v3;
      v2 += v1;
      v1 = rotl(v1, 17) ^ v2;
      v3 = rotl(v3, 21) ^ v0;
      v2 = rotl(v2, 32);
    }
    store<u64>(hashes, v0 ^ v1 ^ v2 ^ v3);
  }
}
