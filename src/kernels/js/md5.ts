import { word32 } from './words.js';

const CONSTANTS = /* @__PURE__ */ Int32Array.from({ length: 64 }, (_, i) => Math.abs(Math.sin(i + 1)) * 2 ** 32);
/** How far each round rotates, in turn. */
const PLACES = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const;

const BLOCK = 64;
const state = /* @__PURE__ */ new Int32Array(4);
const words = /* @__PURE__ */ new Int32Array(BLOCK / 4);
const last = /* @__PURE__ */ new Uint8Array(2 * BLOCK);
const digest = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(16));

/**
 * MD5 of the row from `start` to `end` of `data`, after RFC 1321.
 * @returns its 16 bytes, valid until the next call
 */
export function md5(data: Uint8Array, start: number, end: number): DataView {
  state[0] = 0x67452301;
  state[1] = 0xefcdab89;
  state[2] = 0x98badcfe;
  state[3] = 0x10325476;
  let at = start;
  for (; at + BLOCK <= end; at += BLOCK) mixIn(data, at);
  const left = end - at;
  const size = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
  for (let i = 0; i < size; i++) last[i] = i < left ? data[at + i] : 0;
  last[left] = 0x80;
  let bits = 8 * (end - start);
  for (let i = size - 8; i < size; i++) {
    last[i] = bits;
    bits = Math.floor(bits / 256);
  }
  for (let block = 0; block < size; block += BLOCK) mixIn(last, block);
  for (let i = 0; i < 4; i++) digest.setInt32(4 * i, state[i], true);
  return digest;
}

function mixIn(data: Uint8Array, at: number): void {
  for (let i = 0; i < words.length; i++) words[i] = word32(data, at + 4 * i);
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  for (let i = 0; i < 64; i++) {
    const round = i >> 4;
    let f: number;
    let word = i;
    if (round === 0) f = d ^ (b & (c ^ d));
    else if (round === 1) {
      f = c ^ (d & (b ^ c));
      word = 5 * i + 1;
    } else if (round === 2) {
      f = b ^ c ^ d;
      word = 3 * i + 5;
    } else {
      f = c ^ (b | ~d);
      word = 7 * i;
    }
    const sum = a + f + CONSTANTS[i] + words[word & 15];
    const places = PLACES[4 * round + (i & 3)];
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << places) | (sum >>> (32 - places)))) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}
