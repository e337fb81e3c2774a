import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { checkOptions, namesIn } from '../arguments.js';
import { type Bytes, checkOut, type KeyColumn, type PartitionKeys, type TextColumn } from '../columns/keys.js';
import { murmur2 } from '../kernels/js/hashes-32.js';
import { murmur3Of128 } from '../kernels/js/hashes-64.js';
import { md5 } from '../kernels/js/md5.js';
import { type ForeignHash, PIECE_ROWS, type TokenSign } from '../kernels/types.js';
import { type Hashers, hashersOf, javaIntegers, ofUnits, spansOfTexts } from '../partitioners/hash.js';
import { checkPartitionKeys, columnOfKey } from '../partitioners/keys.js';
import type { Routing } from '../routing/routing.js';
import { xxh3, xxh32 } from './hashes.js';

// What people write by hand: the hash of a text, modulo the number of shards.

/** What keys are that people hash by hand. */
type HandKind = 'text' | 'int32' | 'int64';

/** A hash of keys. */
export interface KeyWords {
  /** How many words of 32 bits the hash of a row has. */
  readonly width: number;
  /** Those of all rows, the most significant one of each row first. */
  words(keys: KeyColumn): Uint32Array;
}

/** A hash of keys, and how it becomes a number. */
export interface ByHand {
  readonly name: string;
  readonly hash: KeyWords;
  shardsOf(words: Uint32Array, shards: number): Uint32Array;
}

/** A hash of the bytes of each row. */
function eachRow(width: number, write: (bytes: Uint8Array, words: Uint32Array, at: number) => void): KeyWords {
  return {
    width,
    words(keys: TextColumn) {
      const { data, starts, ends } = spansOfTexts(keys, 0, keys.rows);
      const words = new Uint32Array(width * keys.rows);
      for (const [row, start] of starts.entries()) write(data.subarray(start, ends[row]), words, width * row);
      return words;
    },
  };
}

function wordOfEach(hash: (bytes: Uint8Array) => number): KeyWords {
  return eachRow(1, (bytes, words, at) => {
    words[at] = hash(bytes);
  });
}

function bigOfEach(width: number, hash: (bytes: Uint8Array) => bigint): KeyWords {
  return eachRow(width, (bytes, words, at) => {
    let rest = hash(bytes);
    for (let i = width - 1; i >= 0; i--, rest >>= 32n) words[at + i] = Number(BigInt.asUintN(32, rest));
  });
}

/** Fowler, Noll and Vo, 32 bits. */
const fnv1 = wordOfEach((bytes) => {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash, 0x01000193) ^ byte;
  return hash;
});

/** RFC 1950. */
const adler32 = wordOfEach((bytes) => {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return (b << 16) | a;
});

/** CRCs of 16 bits without a start or an end of their own. @param shift where a byte goes */
function crc16(shift: number, next: (crc: number) => number): KeyWords {
  return wordOfEach((bytes) => {
    let crc = 0;
    for (const byte of bytes) {
      crc ^= byte << shift;
      for (let bit = 0; bit < 8; bit++) crc = next(crc);
    }
    return crc;
  });
}

/**
 * Hashes of 64 bits that multiply for each byte, in two words. The last one is the same hash of 32 bits.
 * @param factor its lower part, so that products stay below 2^53
 * @param how the byte is added, or XORed after the product or before it
 * @param shift the factor has 2^(32 + shift), too
 */
function multiplying(
  start: readonly [high: number, low: number],
  factor: number,
  how: '+' | '*^' | '^*',
  shift?: number,
): KeyWords {
  return eachRow(2, (bytes, words, at) => {
    let [high, low] = start;
    for (const byte of bytes) {
      if (how === '^*') low = (low ^ byte) >>> 0;
      const product = low * factor + (how === '+' ? byte : 0);
      const upper = shift === undefined ? 0 : low << shift;
      high = (Math.imul(high, factor) + upper + Math.floor(product / 2 ** 32)) >>> 0;
      low = how === '*^' ? (product ^ byte) >>> 0 : product >>> 0;
    }
    words[at] = high;
    words[at + 1] = low;
  });
}

/** A hash of the partitioners, of each kind of column. */
function ofHashers(hashers: Hashers): KeyWords {
  return {
    width: 1,
    words(keys) {
      const words = new Uint32Array(keys.rows);
      for (let from = 0; from < keys.rows; from += PIECE_ROWS) {
        const to = Math.min(from + PIECE_ROWS, keys.rows);
        hashers[keys.kind]?.column(keys, from, to, words.subarray(from, to));
      }
      return words;
    },
  };
}

/** How a hash is made a number that is not negative. */
const SIGNS: { readonly [sign in TokenSign]: (hash: string, mask: string) => string } = {
  none: (hash) => `${hash} % n`,
  cut: (hash, mask) => `(${hash} & ${mask}) % n`,
  absolute: (hash) => `abs(${hash}) % n`,
  floored: (hash) => `floorMod(${hash}, n)`,
};

/** Words `from` to `to` of a hash as a number with or without a sign. */
function signed(name: string, hash: KeyWords, from = 0, to = hash.width): ByHand[] {
  const mask = `0x7fffffff${'ffffffff'.repeat(to - from - 1)}`;
  return namesIn(SIGNS).map((sign) => modulo(SIGNS[sign](name, mask), hash, sign, from, to));
}

/** Words `from` to `to` of a hash as a number, modulo the number of shards. */
function modulo(name: string, hash: KeyWords, sign: TokenSign = 'none', from = 0, to = hash.width): ByHand {
  const { width } = hash;
  const mask = sign === 'cut' ? 0x7fffffff : 0xffffffff;
  const hasSign = sign === 'absolute' || sign === 'floored';
  return {
    name,
    hash,
    shardsOf(words, n) {
      const shards = new Uint32Array(words.length / width);
      for (let row = 0; row < shards.length; row++) {
        const at = width * row + from;
        // A negative number is -1 minus what its inverted bits are.
        const inverted = hasSign && words[at] >>> 31 === 1 ? -1 : 0;
        let rest = (((words[at] & mask) ^ inverted) >>> 0) % n;
        for (let i = at + 1; i < at + to - from; i++) rest = remainderAfter(rest, (words[i] ^ inverted) >>> 0, n);
        if (inverted < 0) rest = sign === 'absolute' ? (rest + 1) % n : n - 1 - rest;
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

const foreign = (hash: ForeignHash) => ofHashers(hashersOf(hash));

/** A hash of 64 bits, and its lower 32. */
const inBothWidths = (name: string, hash: KeyWords) => [...signed(name, hash, 1), ...signed(`64-bit ${name}`, hash)];

function digests(name: string, digest: (bytes: Uint8Array) => ArrayBufferView, length: number): ByHand[] {
  const all = length / 4;
  const hash = eachRow(all, (bytes, words, at) => {
    const { buffer, byteOffset } = digest(bytes);
    const view = new DataView(buffer, byteOffset);
    for (let i = 0; i < all; i++) words[at + i] = view.getUint32(4 * i);
  });
  const part = (which: string, from: number, to: number) => modulo(`${which} of ${name} % n`, hash, 'none', from, to);
  return [
    part('all', 0, all),
    part('the first 32 bits', 0, 1),
    part('the first 64 bits', 0, 2),
    part('the last 32 bits', all - 1, all),
    part('the last 64 bits', all - 2, all),
  ];
}

const javaText = ofUnits('javaHash');
const javaHash = ofHashers({ text: javaText, bytes: javaText, ...javaIntegers });
const javaHashOfList: KeyWords = { width: 1, words: (keys) => javaHash.words(keys).map((code) => code + 31) };

const FNV_START = [0xcbf29ce4, 0x84222325] as const;
const murmur128 = bigOfEach(4, murmur3Of128);
const xmodem = crc16(8, (crc) => (crc << 1) ^ (crc & 0x8000 ? 0x11021 : 0));
const arc = crc16(0, (crc) => (crc >>> 1) ^ (crc & 1 ? 0xa001 : 0));

/** Systems that take `hashCode`, of texts or of integers of 32 and 64 bits. */
export const BY_HAND_OF_INTEGERS: readonly ByHand[] = [
  modulo("abs(hashCode) % n, as ShardingSphere's HASH_MOD and Pekko", javaHash, 'absolute'),
  modulo('(List.of(key).hashCode() & 0x7fffffff) % n, as Hudi', javaHashOfList, 'cut'),
];

/** Of texts. */
export const BY_HAND: readonly ByHand[] = [
  ...signed('CRC32', foreign('crc32')),
  ...signed('murmur3', foreign('murmur3')),
  ...signed('murmur2', foreign('murmur2')),
  ...signed(
    'murmur2 with seed 0',
    wordOfEach((bytes) => murmur2(bytes, 0, bytes.length, 0)),
  ),
  ...signed('hashCode', javaHash).filter(({ name }) => !name.startsWith('abs')),
  ...BY_HAND_OF_INTEGERS,
  ...inBothWidths('31-polynomial', multiplying([0, 0], 31, '+')),
  ...signed('FNV-1a', foreign('fnv1a')),
  ...signed('FNV-1', fnv1),
  ...signed('64-bit FNV-1a', multiplying(FNV_START, 0x1b3, '^*', 8)),
  ...signed('64-bit FNV-1', multiplying(FNV_START, 0x1b3, '*^', 8)),
  ...inBothWidths('djb2', multiplying([0, 5381], 33, '+')),
  ...inBothWidths('djb2a', multiplying([0, 5381], 33, '*^')),
  ...inBothWidths('sdbm', multiplying([0, 0], 65599, '+')), // of a clone of ndbm
  ...signed('Adler-32', adler32),
  ...signed('XXH32', wordOfEach(xxh32)),
  ...signed('XXH3', bigOfEach(2, xxh3)),
  ...signed('the first 64 bits of murmur3_128', murmur128, 2),
  ...signed('the first 32 bits of murmur3_128', murmur128, 3),
  modulo('all of murmur3_128 % n', murmur128),
  modulo('CRC-16/XMODEM % n', xmodem),
  modulo('CRC-16/ARC % n', arc),
  ...digests('MD5', (bytes) => md5(bytes, 0, bytes.length), 16),
  ...digests('SHA-1', sha1, 20),
  ...digests('SHA-256', sha256, 32),
];

/** A routing by a hash that is written by hand. */
export function routingByHand({ name, hash, shardsOf }: ByHand, shards: number, kind: HandKind = 'text'): Routing<any> {
  return {
    shards,
    route(key: string | Bytes | number | bigint) {
      const isBytes = kind === 'text' && typeof key === 'object';
      return shardsOf(hash.words(columnOfKey(isBytes ? 'bytes' : kind, key, false, 'key')), shards)[0];
    },
    routeMany(keys: PartitionKeys, options) {
      const column = checkPartitionKeys(kind, keys, 'of any kind');
      const out = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.rows, column.memory);
      out.set(shardsOf(hash.words(column), shards));
      return out;
    },
    toJSON: () => ({ hash: name, shards }),
  };
}
