import { u64 } from '../arguments.js';
import { rotl as rotl32 } from '../kernels/js/hashes-32.js';
import { word32 } from '../kernels/js/words.js';
import { PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5, rotl } from '../kernels/js/xxh64.js';

// Hashes of bytes that no system has here, with the seed 0.

const [P1, P2, P3, P4, P5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1];

/** Cyan4973/xxHash `doc/xxhash_spec.md`, XXH32 with the seed 0. */
export function xxh32(data: Uint8Array): number {
  const { length } = data;
  const lanes = [P1 + P2, P2, 0, -P1];
  let at = 0;
  for (; at + 16 <= length; at += 16) {
    for (let i = 0; i < 4; i++)
      lanes[i] = Math.imul(rotl32(lanes[i] + Math.imul(word32(data, at + 4 * i), P2), 13), P1);
  }
  const [a, b, c, d] = lanes;
  let hash = (at === 0 ? P5 : rotl32(a, 1) + rotl32(b, 7) + rotl32(c, 12) + rotl32(d, 18)) + length;
  for (; at + 4 <= length; at += 4) hash = Math.imul(rotl32(hash + Math.imul(word32(data, at), P3), 17), P4);
  for (; at < length; at++) hash = Math.imul(rotl32(hash + Math.imul(data[at], P5), 11), P1);
  hash = Math.imul(hash ^ (hash >>> 15), P2);
  hash = Math.imul(hash ^ (hash >>> 13), P3);
  return hash ^ (hash >>> 16);
}

/** Folds a word and multiplies it, in turn. */
function shuffled(word: bigint, ...steps: readonly bigint[]): bigint {
  return steps.reduce((hash, step, i) => (i % 2 === 0 ? hash ^ (hash >> step) : u64(hash * step)), u64(word));
}

const SECRET = /* @__PURE__ */ BigInt(
  '0x7e404bbbcafbd7af280416958f3acb45ce31d07ad1b8f88ffca1477d58be162b9e68d429265516d349daf0b751dd0d17' +
    'eb6313faffa081c5c3ebd33483acc5ea647378d9c97e9fc83159b4cd4be0518a1d4f0bc7c7bbdcf93f349ce33f76faa8' +
    'd8acdea946ef19384ef90da297486471a32e531b8b65d088cb00c391bb52283c4c263a81e69035e08e2443f7744608b8' +
    '2172ffcc7dd05a8278e5c0cc4ee679cb1f67b3b7a4a44072db979083e96dd4de1cad21f72c81017cbe4ba423396cfeb8',
);
/** The words that begin at each byte. */
const KEYS = /* @__PURE__ */ Array.from({ length: 185 }, (_, at) => u64(SECRET >> BigInt(8 * at)));
const [MIX_1, MIX_2, LOW] = [0x165667919e3779f9n, 0x9fb21c651e98df25n, 0xffffffffn];

/** Cyan4973/xxHash `doc/xxhash_spec.md`, XXH3 of 64 bits. */
export function xxh3(data: Uint8Array): bigint {
  const { length } = data;
  const view = new DataView(data.buffer, data.byteOffset, length);
  const word = (at: number) => view.getBigUint64(at, true);
  const mixed = (at: number, key: number) => folded(word(at) ^ KEYS[key], word(at + 8) ^ KEYS[key + 8]);
  if (length < 4) {
    const bytes = (data[0] << 16) | (data[length >> 1] << 24) | data[length - 1] | (length << 8);
    const hash = length === 0 ? KEYS[56] ^ KEYS[64] : (BigInt(bytes) ^ KEYS[0] ^ (KEYS[0] >> 32n)) & LOW;
    return shuffled(hash, 33n, PRIME_2, 29n, PRIME_3, 32n);
  }
  let hash = BigInt(length) * PRIME_1;
  if (length < 9) {
    const [first, last] = [0, length - 4].map((at) => BigInt(view.getUint32(at, true)));
    const keyed = ((first << 32n) | last) ^ KEYS[8] ^ KEYS[16];
    const product = u64((keyed ^ rotl(keyed, 49n) ^ rotl(keyed, 24n)) * MIX_2);
    return shuffled((product ^ ((product >> 35n) + BigInt(length))) * MIX_2, 28n);
  }
  if (length < 17) {
    const last = word(length - 8) ^ KEYS[40] ^ KEYS[48];
    const swapped = view.getBigUint64(0) ^ 0xb93942ea7b738267n;
    hash = BigInt(length) + swapped + last + folded(word(0) ^ KEYS[24] ^ KEYS[32], last);
  } else if (length < 129) {
    for (let i = (length - 1) >> 5; i >= 0; i--) {
      hash += mixed(16 * i, 32 * i) + mixed(length - 16 * (i + 1), 32 * i + 16);
    }
  } else if (length < 241) {
    for (let i = 0; i < length >> 4; i++) {
      hash += mixed(16 * i, i < 8 ? 16 * i : 16 * i - 125);
      if (i === 7) hash = shuffled(hash, 37n, MIX_1, 32n);
    }
    hash += mixed(length - 16, 119);
  } else {
    const lanes = lanesOf(length, word);
    for (let i = 0; i < 8; i += 2) hash += folded(lanes[i] ^ KEYS[8 * i + 11], lanes[i + 1] ^ KEYS[8 * i + 19]);
  }
  return shuffled(hash, 37n, MIX_1, 32n);
}

/** The XOR of the halves of a product. */
function folded(one: bigint, other: bigint): bigint {
  const product = one * other;
  return u64(product) ^ (product >> 64n);
}

/** What XXH3 makes of more than 240 bytes. */
function lanesOf(length: number, word: (at: number) => bigint): bigint[] {
  const lanes = [BigInt(P3), PRIME_1, PRIME_2, PRIME_3, PRIME_4, BigInt(P2), PRIME_5, BigInt(P1)];
  const add = (at: number, key: number) => {
    for (let i = 0; i < 8; i++) {
      const value = word(at + 8 * i);
      const keyed = value ^ KEYS[key + 8 * i];
      lanes[i ^ 1] = u64(lanes[i ^ 1] + value);
      lanes[i] = u64(lanes[i] + (keyed & LOW) * (keyed >> 32n));
    }
  };
  for (let stripe = 0; 64 * (stripe + 1) < length; stripe++) {
    add(64 * stripe, 8 * (stripe % 16));
    if (stripe % 16 < 15) continue;
    for (const [i, lane] of lanes.entries()) lanes[i] = u64((lane ^ (lane >> 47n) ^ KEYS[128 + 8 * i]) * BigInt(P1));
  }
  add(length - 64, 121);
  return lanes;
}
