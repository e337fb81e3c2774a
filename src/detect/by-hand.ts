import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { checkOptions, namesIn } from '../arguments.js';
import {
  type Bytes,
  type BytesColumn,
  bytesColumnOf,
  checkBytes,
  checkOut,
  checkTextColumn,
  spansOf,
  utf8ColumnOf,
} from '../columns/keys.js';
import { md5 } from '../kernels/js/md5.js';
import { type ForeignHash, PIECE_ROWS, type TokenSign } from '../kernels/types.js';
import { type KeyHasher, ofBytes, ofUnits } from '../partitioners/hash.js';
import { remainder } from '../partitioners/system.js';
import type { Routing } from '../routing/routing.js';

// What people write by hand: the hash of a text, modulo the number of shards.

/** A hash of texts, and how it becomes a number. */
export interface ByHand {
  readonly name: string;
  /** How many words of 32 bits the hash of a row has, the most significant one first. */
  readonly width: number;
  hash(keys: readonly string[] | BytesColumn): Uint32Array;
  shardsOf(words: Uint32Array, shards: number): Uint32Array;
}

/** A hash of one word that takes one byte after the other. */
function byteByByte(start: number, next: (hash: number, byte: number) => number): ByHand['hash'] {
  return (keys) =>
    eachRow(keys, 1, (bytes, words, at) => {
      let hash = start;
      for (const byte of bytes) hash = next(hash, byte);
      words[at] = hash;
    });
}

/** Fowler, Noll and Vo, 32 bits. */
const fnv1 = byteByByte(0x811c9dc5, (hash, byte) => Math.imul(hash, 0x01000193) ^ byte);
/** Bernstein's hash, from comp.lang.c, and its form with XOR. */
const djb2 = byteByByte(5381, (hash, byte) => (Math.imul(hash, 33) + byte) | 0);
const djb2a = byteByByte(5381, (hash, byte) => Math.imul(hash, 33) ^ byte);
/** The hash of sdbm, a clone of ndbm. */
const sdbm = byteByByte(0, (hash, byte) => (byte + (hash << 6) + (hash << 16) - hash) | 0);
/** RFC 1950. */
const adler32 = byteByByte(1, (hash, byte) => {
  const a = ((hash & 0xffff) + byte) % 65521;
  return ((((hash >>> 16) + a) % 65521) << 16) | a;
});

/** FNV of 64 bits in two words: `1` multiplies first, `1a` afterwards. */
function fnv64(variant: '1' | '1a'): ByHand['hash'] {
  return (keys) =>
    eachRow(keys, 2, (bytes, words, at) => {
      let [high, low] = [0xcbf29ce4, 0x84222325];
      for (const byte of bytes) {
        if (variant === '1a') low = (low ^ byte) >>> 0;
        // The prime is 2^40 + 0x1b3. Products stay below 2^53.
        const product = low * 0x1b3;
        high = (Math.imul(high, 0x1b3) + (low << 8) + Math.floor(product / 2 ** 32)) >>> 0;
        low = product >>> 0;
        if (variant === '1') low = (low ^ byte) >>> 0;
      }
      words[at] = high;
      words[at + 1] = low;
    });
}

function eachRow(
  keys: readonly string[] | BytesColumn,
  width: number,
  write: (bytes: Uint8Array, words: Uint32Array, at: number) => void,
): Uint32Array {
  const { data, starts, ends } = spansOf('offsets' in keys ? keys : utf8ColumnOf(keys));
  const words = new Uint32Array(width * starts.length);
  for (const [row, start] of starts.entries()) write(data.subarray(start, ends[row]), words, width * row);
  return words;
}

/** A hash of the partitioners. */
function ofHasher(hasher: KeyHasher): ByHand['hash'] {
  return (keys) => {
    const column = checkTextColumn('keys', keys);
    const words = new Uint32Array(column.rows);
    for (let from = 0; from < column.rows; from += PIECE_ROWS) {
      const to = Math.min(from + PIECE_ROWS, column.rows);
      hasher.column(column, from, to, words.subarray(from, to));
    }
    return words;
  };
}

/** How a hash of 32 bits is made a number that is not negative. */
const SIGNS: { readonly [sign in TokenSign]: (hash: string) => string } = {
  none: (hash) => `${hash} % n`,
  cut: (hash) => `(${hash} & 0x7fffffff) % n`,
  absolute: (hash) => `abs(${hash}) % n`,
  floored: (hash) => `floorMod(${hash}, n)`,
};

function signed(name: string, hash: ByHand['hash']): ByHand[] {
  return namesIn(SIGNS).map((sign) => ({
    name: SIGNS[sign](name),
    width: 1,
    hash,
    shardsOf(words, n) {
      const shards = new Uint32Array(words.length);
      remainder(sign, n).column(words, shards);
      return shards;
    },
  }));
}

/** Words `from` to `to` of a hash as an unsigned number, modulo the number of shards. */
function wordsModulo(name: string, hash: ByHand['hash'], from: number, to: number, width = to): ByHand {
  return {
    name: `${name} % n`,
    width,
    hash,
    shardsOf(words, n) {
      const shards = new Uint32Array(words.length / width);
      for (let row = 0; row < shards.length; row++) {
        let rest = 0;
        for (let i = from; i < to; i++) rest = remainderAfter(rest, words[width * row + i], n);
        shards[row] = rest;
      }
      return shards;
    },
  };
}

/** (rest * 2^32 + word) % n, for a rest below n. In two steps of 16 bits numbers stay below 2^47. */
function remainderAfter(rest: number, word: number, n: number): number {
  const upper = (rest * 65536 + (word >>> 16)) % n;
  return (upper * 65536 + (word & 0xffff)) % n;
}

const foreign = (hash: ForeignHash) => ofHasher(ofBytes(hash));

function digests(name: string, digest: (bytes: Uint8Array) => DataView, length: number): ByHand[] {
  const all = length / 4;
  const hash: ByHand['hash'] = (keys) =>
    eachRow(keys, all, (bytes, words, at) => {
      const view = digest(bytes);
      for (let i = 0; i < all; i++) words[at + i] = view.getUint32(4 * i);
    });
  return [
    wordsModulo(`all of ${name}`, hash, 0, all),
    wordsModulo(`the first 32 bits of ${name}`, hash, 0, 1, all),
    wordsModulo(`the first 64 bits of ${name}`, hash, 0, 2, all),
    wordsModulo(`the last 32 bits of ${name}`, hash, all - 1, all),
    wordsModulo(`the last 64 bits of ${name}`, hash, all - 2, all),
  ];
}

const viewOf = ({ buffer, byteOffset }: Uint8Array) => new DataView(buffer, byteOffset);

export const BY_HAND: readonly ByHand[] = [
  ...signed('CRC32', foreign('crc32')),
  ...signed('murmur3', foreign('murmur3')),
  ...signed('murmur2', foreign('murmur2')),
  ...signed('hashCode', ofHasher(ofUnits('javaHash'))),
  ...signed('FNV-1a', foreign('fnv1a')),
  ...signed('FNV-1', fnv1),
  ...signed('djb2', djb2),
  ...signed('djb2a', djb2a),
  ...signed('sdbm', sdbm),
  ...signed('Adler-32', adler32),
  wordsModulo('64-bit FNV-1a', fnv64('1a'), 0, 2),
  wordsModulo('64-bit FNV-1', fnv64('1'), 0, 2),
  ...digests('MD5', (bytes) => md5(bytes, 0, bytes.length), 16),
  ...digests('SHA-1', (bytes) => viewOf(sha1(bytes)), 20),
  ...digests('SHA-256', (bytes) => viewOf(sha256(bytes)), 32),
];

/** A routing of texts by a hash that is written by hand. */
export function routingByHand(byHand: ByHand, shards: number): Routing {
  return {
    shards,
    route(key: string | Bytes) {
      const keys = typeof key === 'string' ? [key] : bytesColumnOf([checkBytes('key', key)]);
      return byHand.shardsOf(byHand.hash(keys), shards)[0];
    },
    routeMany(keys: readonly string[] | BytesColumn, options) {
      const column = checkTextColumn('keys', keys);
      const out = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.rows, column.memory);
      out.set(byHand.shardsOf(byHand.hash(keys), shards));
      return out;
    },
    toJSON: () => ({ hash: byHand.name, shards }),
  };
}
