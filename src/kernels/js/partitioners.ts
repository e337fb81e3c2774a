import { encoder } from '../../utf8.js';
import { type ForeignHash, type PartitionerKernels, sameLength } from '../types.js';
import { HASHES_32 } from './hashes-32.js';
import { HASHES_64, keyedSipHash } from './hashes-64.js';
import { word32 } from './words.js';

// Up to this length, writing ASCII takes less time than calling the engine's encoder.
const MAX_UNITS = 48;

/** Writes a text as UTF-8 if it is short and ASCII. Otherwise it returns false, and the bytes from `at` on are undefined. */
export function writeShortAscii(text: string, bytes: Uint8Array, at: number): boolean {
  if (text.length > MAX_UNITS) return false;
  let all = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[at + i] = unit;
    all |= unit;
  }
  return all < 0x80;
}

/** Room for one text that `writeShortAscii` writes. */
const shortAscii = /* @__PURE__ */ new Uint8Array(MAX_UNITS);

export function isHash32(hash: ForeignHash): hash is keyof typeof HASHES_32 {
  return hash in HASHES_32;
}

function hashBytes(hash: ForeignHash, bytes: Uint8Array, end = bytes.length): number | bigint {
  return isHash32(hash) ? HASHES_32[hash](bytes, 0, end) : HASHES_64[hash](bytes, 0, end);
}

function hashText(hash: ForeignHash, text: string): number | bigint {
  if (writeShortAscii(text, shortAscii, 0)) return hashBytes(hash, shortAscii, text.length);
  return hashBytes(hash, encoder().encode(text));
}

/** The hashes of other systems, computed in numbers. 64-bit hashes become BigInts only at the end. */
export const jsPartitioners: PartitionerKernels = {
  hashSpans(hash, { data, starts, ends }, hashes) {
    sameLength(starts, ends);
    sameLength(starts, hashes);
    // Two loops, so that V8 compiles each for one type of result.
    if (isHash32(hash)) {
      const work = HASHES_32[hash];
      for (let i = 0; i < hashes.length; i++) hashes[i] = work(data, starts[i], ends[i]);
    } else {
      const work = HASHES_64[hash];
      for (let i = 0; i < hashes.length; i++) hashes[i] = work(data, starts[i], ends[i]);
    }
  },

  hashTexts(hash, texts, hashes) {
    sameLength(texts, hashes);
    for (let i = 0; i < texts.length; i++) hashes[i] = hashText(hash, texts[i]);
  },

  hashUnits(hash, texts, hashes) {
    sameLength(texts, hashes);
    for (let i = 0; i < texts.length; i++) hashes[i] = hashBytes(hash, utf16Of(texts[i]));
  },

  hashSpansAsUnits(hash, { data, starts, ends }, hashes) {
    sameLength(starts, ends);
    sameLength(starts, hashes);
    for (let i = 0; i < hashes.length; i++) {
      const text = textOf(data.slice(starts[i], ends[i])); // a copy, because decoders refuse shared memory
      if (text === undefined) return i;
      hashes[i] = hashBytes(hash, utf16Of(text));
    }
    return -1;
  },

  hashBytes,
  hashText,
  hashTextUnits: (hash, text) => hashBytes(hash, utf16Of(text)),

  sipHashTexts(texts, key, width, hashes) {
    sameLength({ length: texts.length * width }, hashes);
    const keyWords = Int32Array.from({ length: 4 }, (_, i) => word32(key, 4 * i));
    const words = new Int32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
    for (let i = 0; i < texts.length; i++) {
      const bytes = encoder().encode(texts[i]);
      keyedSipHash(bytes, 0, bytes.length, keyWords, words, 2 * width * i, width === 2 ? 4 : 2);
    }
  },

  remainders(tokens, sign, n, shards) {
    sameLength(tokens, shards);
    const signed = new Int32Array(tokens.buffer, tokens.byteOffset, tokens.length);
    switch (sign) {
      case 'cut':
        for (let i = 0; i < signed.length; i++) shards[i] = (signed[i] & 0x7fffffff) % n;
        break;
      case 'none':
        for (let i = 0; i < tokens.length; i++) shards[i] = tokens[i] % n;
        break;
      case 'absolute':
        for (let i = 0; i < signed.length; i++) shards[i] = (Math.abs(signed[i]) >>> 0) % n;
        break;
      case 'floored':
        for (let i = 0; i < signed.length; i++) {
          const rest = (signed[i] % n) | 0; // `| 0` also turns -0 into 0
          shards[i] = rest < 0 ? rest + n : rest;
        }
    }
  },
};

/** The UTF-16 units of a text, little-endian as every CPU that this package runs on. */
export function utf16Of(text: string): Uint8Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return new Uint8Array(units.buffer);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
