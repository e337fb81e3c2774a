import { u64, wordsOf } from '../../arguments.js';
import { encoder } from '../../utf8.js';
import { idOf, idText } from '../ids.js';
import { type ColumnArray, type CoreKernels, columnType, PIECE_ROWS, sameLength, viewOf } from '../types.js';
import { xxh64Bytes, xxh64Digest, xxh64Init, xxh64U64, xxh64U64Column, xxh64Update } from './xxh64.js';

let scratch: BigUint64Array | undefined;

export const jsKernels: CoreKernels = {
  name: 'bigint',

  get scratch() {
    scratch ??= new BigUint64Array(PIECE_ROWS);
    return scratch;
  },

  xxh64: xxh64Bytes,
  xxh64U64,
  xxh64Init,
  xxh64Update,
  xxh64Digest,

  xxh64Text(text, seed) {
    return xxh64Bytes(encoder().encode(text), seed);
  },

  xxh64U64Column,

  xxh64TextColumn(texts, seed, hashes) {
    sameLength(texts, hashes);
    for (let i = 0; i < texts.length; i++) hashes[i] = xxh64Bytes(encoder().encode(texts[i]), seed);
  },

  xxh64SpanColumn({ data, starts, ends }, seed, hashes) {
    sameLength(starts, ends);
    sameLength(starts, hashes);
    for (let i = 0; i < hashes.length; i++) hashes[i] = xxh64Bytes(viewOf(data, starts[i], ends[i]), seed);
  },

  jumpHash,

  jumpHashColumn(keys, buckets, shards) {
    sameLength(keys, shards);
    for (let i = 0; i < keys.length; i++) shards[i] = jumpHash(keys[i], buckets);
  },

  fastRange(hash, n) {
    const shard = new Uint32Array(1);
    jsKernels.fastRangeColumn(BigUint64Array.of(hash), n, shard);
    return shard[0];
  },

  // All numbers stay below 2^49. With BigInts this takes 9 times as long.
  fastRangeColumn(hashes, n, shards) {
    sameLength(hashes, shards);
    const words = wordsOf(hashes);
    for (let i = 0; i < shards.length; i++) {
      const low = words[2 * i];
      const high = words[2 * i + 1];
      const lowest = Math.floor(((low & 65535) * n) / 65536);
      const below = Math.floor(((low >>> 16) * n + lowest) / 65536);
      const above = Math.floor(((high & 65535) * n + below) / 65536);
      shards[i] = Math.floor(((high >>> 16) * n + above) / 65536);
    }
  },

  moduloColumn(hashes, n, shards) {
    sameLength(hashes, shards);
    const divisor = BigInt(n);
    for (let i = 0; i < hashes.length; i++) shards[i] = Number(hashes[i] % divisor);
  },

  splitMix64Column(keys, increment, mixed) {
    sameLength(keys, mixed);
    for (let i = 0; i < keys.length; i++) {
      let z = BigInt.asUintN(64, keys[i] + increment);
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      mixed[i] = z ^ (z >> 31n);
    }
  },

  pack(fields, base, ids) {
    ids.fill(base);
    for (const { values, shift, mask, epoch } of fields) {
      sameLength(values, ids);
      const places = BigInt(shift);
      // Bounds of the same type as the values: comparing a number with a BigInt takes 5 times as long.
      const [least, most] = isU64(values) ? [0n, mask] : [0, Number(mask)];
      for (let i = 0; i < ids.length; i++) {
        const given = values[i];
        const value = epoch === undefined ? given : Math.floor(given as number) - epoch;
        if (!(value >= least && value <= most && (typeof value === 'bigint' || Number.isInteger(value)))) return false;
        ids[i] = ids[i] | u64(BigInt(value) << places);
      }
    }
    return true;
  },

  unpack(ids, fields) {
    for (const { values, shift, mask, epoch = 0 } of fields) {
      sameLength(values, ids);
      const places = BigInt(shift);
      if (isU64(values)) {
        for (let i = 0; i < ids.length; i++) values[i] = (ids[i] >> places) & mask;
      } else {
        for (let i = 0; i < ids.length; i++) values[i] = Number((ids[i] >> places) & mask) + epoch;
      }
    }
  },

  firstOutside(values, min, max) {
    return values.findIndex((value) => value < min || value > max);
  },

  formatColumn(ids, format, text) {
    let at = 0;
    for (const id of ids) {
      const digits = idText(id, format);
      for (let i = 0; i < digits.length; i++) text[at++] = digits.charCodeAt(i);
    }
  },

  parseSpans({ data, starts, ends }, format, ids) {
    const decoder = new TextDecoder();
    return ids.findIndex((_, i) => {
      const text = decoder.decode(data.slice(starts[i], ends[i])); // a copy, because decoders refuse shared memory
      return !keep(ids, i, idOf(text, format));
    });
  },

  parseTexts(texts, format, ids) {
    sameLength(texts, ids);
    return texts.findIndex((text, i) => !keep(ids, i, idOf(text, format)));
  },
};

/** Stores an id, if there is one. Returns whether there is. */
function keep(ids: BigUint64Array, row: number, id: bigint | undefined): boolean {
  if (id !== undefined) ids[row] = id;
  return id !== undefined;
}

/** Works for arrays from other realms, too. */
function isU64(values: ColumnArray): values is BigUint64Array {
  return columnType(values) === 'u64';
}

const state = /* @__PURE__ */ new BigUint64Array(1);
const halves = /* @__PURE__ */ new Uint32Array(state.buffer);

/** The high half is read from memory: converting a BigInt to a number takes 5 times as long. */
function jumpHash(key: bigint, buckets: number): number {
  let b = 0;
  let j = 0;
  while (j < buckets) {
    b = j;
    key = BigInt.asUintN(64, BigInt.asUintN(64, key * 2862933555777941757n) + 1n);
    state[0] = key;
    j = Math.floor((b + 1) * (2147483648 / ((halves[1] >>> 1) + 1)));
  }
  return b;
}
