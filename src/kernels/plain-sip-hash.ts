import { carry, partialWord32, word32 } from './plain-words.js';

/**
 * SipHash-2-4 of the row from `start` to `end` of `data`. Each 64-bit word is two variables, the low half and the high
 * half: words in memory take 3 times as long, and swapping halves by destructuring twice as long.
 * @param key four words of 32 bits
 * @param hashes gets the hash, the low half of each 64 bits first, from `at` on
 * @param words how many words of 32 bits the hash has: 2, or 4 for the one of 128 bits
 */
export function keyedSipHash(
  data: Uint8Array,
  start: number,
  end: number,
  key: Int32Array,
  hashes: Int32Array,
  at: number,
  words: 2 | 4,
): void {
  const key0 = key[0] as number;
  const key1 = key[1] as number;
  const key2 = key[2] as number;
  const key3 = key[3] as number;
  let a0 = 0x70736575 ^ key0;
  let a1 = 0x736f6d65 ^ key1;
  let b0 = 0x6e646f6d ^ key2 ^ (words === 4 ? 0xee : 0);
  let b1 = 0x646f7261 ^ key3;
  let c0 = 0x6e657261 ^ key0;
  let c1 = 0x6c796765 ^ key1;
  let d0 = 0x79746573 ^ key2;
  let d1 = 0x74656462 ^ key3;
  // The last word of a row holds 0 to 7 bytes and, on top, the low byte of the length. One more turn finishes, or two.
  for (let from = start, written = 0; ; from += 8) {
    const finishing = from > end;
    let m0 = 0;
    let m1 = 0;
    if (finishing) {
      if (written > 0) b0 ^= 0xdd;
      else c0 ^= words === 4 ? 0xee : 0xff;
    } else if (from + 8 <= end) {
      m0 = word32(data, from);
      m1 = word32(data, from + 4);
    } else {
      m0 = partialWord32(data, from, end);
      m1 = partialWord32(data, from + 4, end) | ((end - start) << 24);
    }
    d0 ^= m0;
    d1 ^= m1;
    for (let rounds = finishing ? 4 : 2; rounds > 0; rounds--) {
      a0 = (a0 + b0) | 0;
      a1 = (a1 + b1 + carry(a0, b0)) | 0;
      c0 = (c0 + d0) | 0;
      c1 = (c1 + d1 + carry(c0, d0)) | 0;
      let low = ((b0 << 13) | (b1 >>> 19)) ^ a0;
      b1 = ((b1 << 13) | (b0 >>> 19)) ^ a1;
      b0 = low;
      low = ((d0 << 16) | (d1 >>> 16)) ^ c0;
      d1 = ((d1 << 16) | (d0 >>> 16)) ^ c1;
      d0 = low;
      low = a1; // a rotated by 32
      a1 = a0;
      a0 = low;
      c0 = (c0 + b0) | 0;
      c1 = (c1 + b1 + carry(c0, b0)) | 0;
      a0 = (a0 + d0) | 0;
      a1 = (a1 + d1 + carry(a0, d0)) | 0;
      low = ((b0 << 17) | (b1 >>> 15)) ^ c0;
      b1 = ((b1 << 17) | (b0 >>> 15)) ^ c1;
      b0 = low;
      low = ((d0 << 21) | (d1 >>> 11)) ^ a0;
      d1 = ((d1 << 21) | (d0 >>> 11)) ^ a1;
      d0 = low;
      low = c1;
      c1 = c0;
      c0 = low;
    }
    if (finishing) {
      hashes[at + written++] = a0 ^ b0 ^ c0 ^ d0;
      hashes[at + written++] = a1 ^ b1 ^ c1 ^ d1;
      if (written === words) return;
    }
    a0 ^= m0;
    a1 ^= m1;
  }
}
