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
  type KeyColumn,
  type PartitionKeys,
  spansOf,
  utf8ColumnOf,
} from '../columns/keys.js';
import { murmur2 } from '../kernels/js/hashes-32.js';
import { murmur3Of128 } from '../kernels/js/hashes-64.js';
import { md5 } from '../kernels/js/md5.js';
import { type ForeignHash, PIECE_ROWS, type TokenSign } from '../kernels/types.js';
import { javaIntegers, type KeyHasher, ofBytes, ofUnits } from '../partitioners/hash.js';
import { areOf, checkPartitionKeys } from '../partitioners/keys.js';
import type { Routing } from '../routing/routing.js';
import { xxh3, xxh32 } from './hashes.js';

// What people write by hand: the hash of a text, modulo the number of shards.

/** What keys are that people hash by hand. */
export type HandKind = 'text' | 'int32' | 'int64';

/** A hash of keys, and how it becomes a number. */
export interface ByHand {
  readonly name: string;
  /** How many words of 32 bits the hash of a row has, the most significant one first. */
  readonly width: number;
  hash(keys: any): Uint32Array;
  shardsOf(words: Uint32Array, shards: number): Uint32Array;
}

/** A hash of so many words for each row. */
function eachRow(width: number, write: (bytes: Uint8Array, words: Uint32Array, at: number) => void): ByHand['hash'] {
  return (keys: readonly string[] | BytesColumn) => {
    const { data, starts, ends } = spansOf('offsets' in keys ? keys : utf8ColumnOf(keys));
    const words = new Uint32Array(width * starts.length);
    for (const [row, start] of starts.entries()) write(data.subarray(start, ends[row]), words, width * row);
    return words;
  };
}

function wordOfEach(hash: (bytes: Uint8Array) => number): ByHand['hash'] {
  return eachRow(1, (bytes, words, at) => {
    words[at] = hash(bytes);
  });
}

function bigOfEach(width: number, hash: (bytes: Uint8Array) => bigint): ByHand['hash'] {
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
function crc16(shift: number, next: (crc: number) => number): ByHand['hash'] {
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
): ByHand['hash'] {
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

/** A hash of the partitioners. */
function ofHasher(hasher: KeyHasher): ByHand['hash'] {
  return (keys: readonly string[] | BytesColumn) => {
    const column = checkTextColumn('keys', keys);
    const words = new Uint32Array(column.rows);
    for (let from = 0; from < column.rows; from += PIECE_ROWS) {
      const to = Math.min(from + PIECE_ROWS, column.rows);
      hasher.column(column, from, to, words.subarray(from, to));
    }
    return words;
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
function signed(name: string, hash: ByHand['hash'], from = 0, to = 1, width = to): ByHand[] {
  const mask = `0x7fffffff${'ffffffff'.repeat(to - from - 1)}`;
  return namesIn(SIGNS).map((sign) => modulo(SIGNS[sign](name, mask), hash, sign, from, to, width));
}

/** Words `from` to `to` of a hash as an unsigned number, modulo the number of shards. */
const wordsModulo = (name: string, hash: ByHand['hash'], from = 0, to = 1, width = to) =>
  modulo(SIGNS.none(name, ''), hash, 'none', from, to, width);

function modulo(name: string, hash: ByHand['hash'], sign: TokenSign, from = 0, to = 1, width = to): ByHand {
  const mask = sign === 'cut' ? 0x7fffffff : 0xffffffff;
  const hasSign = sign === 'absolute' || sign === 'floored';
  return {
    name,
    width,
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

const foreign = (hash: ForeignHash) => ofHasher(ofBytes(hash));

function digests(name: string, digest: (bytes: Uint8Array) => DataView, length: number): ByHand[] {
  const all = length / 4;
  const hash = eachRow(all, (bytes, words, at) => {
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

const javaHash = ofHasher(ofUnits('javaHash'));
const [djb2, djb2a] = [multiplying([0, 5381], 33, '+'), multiplying([0, 5381], 33, '*^')];
/** The hash of sdbm, a clone of ndbm. */
const sdbm = multiplying([0, 0], 65599, '+');
const by31 = multiplying([0, 0], 31, '+');
const FNV_START = [0xcbf29ce4, 0x84222325] as const;
const murmur128 = bigOfEach(4, murmur3Of128);
const xmodem = crc16(8, (crc) => (crc << 1) ^ (crc & 0x8000 ? 0x11021 : 0));
const arc = crc16(0, (crc) => (crc >>> 1) ^ (crc & 1 ? 0xa001 : 0));

/** Systems that take `hashCode`, of texts or of integers. */
function ofJava(hash: ByHand['hash']): ByHand[] {
  const ofList: ByHand['hash'] = (keys) => hash(keys).map((code) => code + 31);
  return [
    modulo("abs(hashCode) % n, as ShardingSphere's HASH_MOD and Pekko", hash, 'absolute'),
    modulo('(List.of(key).hashCode() & 0x7fffffff) % n, as Hudi', ofList, 'cut'),
  ];
}

export const BY_HAND: readonly ByHand[] = [
  ...signed('CRC32', foreign('crc32')),
  ...signed('murmur3', foreign('murmur3')),
  ...signed('murmur2', foreign('murmur2')),
  ...signed(
    'murmur2 with seed 0',
    wordOfEach((bytes) => murmur2(bytes, 0, bytes.length, 0)),
  ),
  ...signed('hashCode', javaHash).filter(({ name }) => !name.startsWith('abs')),
  ...ofJava(javaHash),
  ...signed('31-polynomial', by31, 1, 2),
  ...signed('64-bit 31-polynomial', by31, 0, 2),
  ...signed('FNV-1a', foreign('fnv1a')),
  ...signed('FNV-1', fnv1),
  ...signed('64-bit FNV-1a', multiplying(FNV_START, 0x1b3, '^*', 8), 0, 2),
  ...signed('64-bit FNV-1', multiplying(FNV_START, 0x1b3, '*^', 8), 0, 2),
  ...signed('djb2', djb2, 1, 2),
  ...signed('64-bit djb2', djb2, 0, 2),
  ...signed('djb2a', djb2a, 1, 2),
  ...signed('64-bit djb2a', djb2a, 0, 2),
  ...signed('sdbm', sdbm, 1, 2),
  ...signed('64-bit sdbm', sdbm, 0, 2),
  ...signed('Adler-32', adler32),
  ...signed('XXH32', wordOfEach(xxh32)),
  ...signed('XXH3', bigOfEach(2, xxh3), 0, 2),
  ...signed('the first 64 bits of murmur3_128', murmur128, 2, 4),
  ...signed('the first 32 bits of murmur3_128', murmur128, 3, 4),
  wordsModulo('all of murmur3_128', murmur128, 0, 4),
  wordsModulo('CRC-16/XMODEM', xmodem),
  wordsModulo('CRC-16/ARC', arc),
  ...digests('MD5', (bytes) => md5(bytes, 0, bytes.length), 16),
  ...digests('SHA-1', (bytes) => viewOf(sha1(bytes)), 20),
  ...digests('SHA-256', (bytes) => viewOf(sha256(bytes)), 32),
];

/** The same for integers of 32 and 64 bits. */
export const BY_HAND_OF_INTEGERS = ofJava((keys: Int32Array | BigInt64Array) => {
  const words = new Uint32Array(keys.length);
  const kind = areOf('int32', keys) ? 'int32' : 'int64';
  javaIntegers[kind].column(checkPartitionKeys(kind, keys), 0, keys.length, words);
  return words;
});

/** A routing by a hash that is written by hand. */
export function routingByHand(byHand: ByHand, shards: number, kind: HandKind = 'text'): Routing<any> {
  const shardsOf = (keys: any, column: KeyColumn) =>
    byHand.shardsOf(byHand.hash('keys' in column ? column.keys : keys), shards);
  const check = (keys: PartitionKeys) => checkPartitionKeys(kind, keys, 'of any kind');
  return {
    shards,
    route(key: string | Bytes | number | bigint) {
      const keys = typeof key === 'object' ? bytesColumnOf([checkBytes('key', key)]) : [key];
      return shardsOf(keys, check(keys))[0];
    },
    routeMany(keys: PartitionKeys, options) {
      const column = check(keys);
      const out = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.rows, column.memory);
      out.set(shardsOf(keys, column));
      return out;
    },
    toJSON: () => ({ hash: byHand.name, shards }),
  };
}
