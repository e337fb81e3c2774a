import { checkOneOf, MAX_BUCKETS, namesIn, wrongKind, wrongValue } from '../../arguments.js';
import { kernels } from '../../kernels/active.js';
import { partitionerKernels } from '../../kernels/partitioners.js';
import { folded } from '../columns.js';
import { LITTLE_ENDIAN, uuidHalvesReversed } from '../encodings.js';
import {
  type Hashers,
  hashersOf,
  javaIntegers,
  type KeyHasher,
  limited,
  mapValues,
  ofBytes,
  ofValues,
  ownValue,
} from '../hash.js';
import { byStrategy, mapShards, type ShardConfiguration, type System, shardsOr } from '../system.js';

/** A hash, and the shards of the cluster: their number, or their weights. */
export interface ClickhouseOptions {
  /** The function of the sharding key, or `none` for a column of integers itself. */
  hash:
    | ('sipHash64' | 'murmurHash3_64' | 'xxHash64' | 'cityHash64' | 'farmHash64' | 'murmurHash2_64')
    | ('javaHash' | 'intHash64' | 'intHash32' | 'none');
  /** The number of shards, 1 to 2^31 - 1, all of weight 1. */
  shards?: number | undefined;
  /** The weight of each shard; the sum is 1 to 2^24. */
  weights?: readonly number[] | undefined;
}

const word = (value: bigint): bigint => BigInt.asUintN(64, value);

/** `src/Common/HashTable/Hash.h intHash64`: the last steps of MurmurHash3. */
function intHash64(value: bigint): bigint {
  let h = value ^ 0x4cf2d2baae6da887n;
  h = word((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn);
  h = word((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return h ^ (h >> 33n);
}

const rotateRight = (value: bigint, places: bigint): bigint => word((value >> places) | (value << (64n - places)));

/** `src/Functions/FunctionsHashing.h intHash32`, after Thomas Wang. */
function intHash32(value: bigint): bigint {
  let h = value ^ 0x75d9543de018bf45n;
  h = word(~h + (h << 18n));
  h = word((h ^ rotateRight(h, 31n)) * 21n);
  h = word((h ^ rotateRight(h, 11n)) * 65n);
  return (h ^ rotateRight(h, 22n)) & 0xffffffffn;
}

const CITY = 0x9ddfea08eb382d69n;

/** CityHash 1.0.2 `Hash128to64`. */
function cityHashOfBoth(before: bigint, hash: bigint): bigint {
  let a = word((before ^ hash) * CITY);
  a ^= a >> 47n;
  let b = word((hash ^ a) * CITY);
  b ^= b >> 47n;
  return word(b * CITY);
}

const both = /* @__PURE__ */ new BigUint64Array(2);

function sipHashOfBoth(before: bigint, hash: bigint): number | bigint {
  both[0] = before;
  both[1] = hash;
  return partitionerKernels(kernels()).hashBytes('sipHash', new Uint8Array(both.buffer));
}

/** Hashes integers as unsigned ones, from those of their own width or, with a sign, from those of 64 bits. */
const ofIntegers = (isWidened: boolean, hash: (value: bigint) => bigint): Hashers => {
  const ofBits = (bits: number) =>
    ofValues(BigUint64Array, (values: Int32Array | BigInt64Array, hashes) => {
      for (let i = 0; i < hashes.length; i++) hashes[i] = hash(BigInt.asUintN(bits, BigInt(values[i])));
    });
  const signed = (bits: number) => ofBits(isWidened ? 64 : bits);
  return {
    ...{ int8: signed(8), int16: signed(16), int32: signed(32), int64: ofBits(64) },
    ...{ uint8: ofBits(8), uint16: ofBits(16), uint32: ofBits(32), u64: ofBits(64) },
  };
};

/** A hash of 32 bits as one of 64. */
const zeroExtended = ({ one, column }: KeyHasher): KeyHasher => ({
  one: (key) => BigInt(one(key)),
  column(keys, from, to, hashes: BigUint64Array) {
    const words = new Uint32Array(hashes.length);
    column(keys, from, to, words);
    for (let i = 0; i < words.length; i++) hashes[i] = BigInt(words[i]);
  },
});

/** The column itself. Up to 32 bits, it becomes a UInt32. */
const THEMSELVES = {
  ...ofIntegers(true, (value) => value),
  ...mapValues({ int8: ownValue, int16: ownValue, int32: ownValue }, zeroExtended),
};

const { uint8: _8, uint16: _16, uint32: _32, u64: _64, ...SIGNED } = javaIntegers;
const JAVA = { ...hashersOf('javaHashOfBytes', { uuid: uuidHalvesReversed }), ...SIGNED };

const ofBytesIn = (hash: Parameters<typeof hashersOf>[0]) =>
  hashersOf(hash, { ...LITTLE_ENDIAN, uuid: uuidHalvesReversed });

interface ClickhouseFunction {
  readonly hashers: Hashers;
  /** How the hashes of two columns become one, `combineHashes`; undefined: it takes one argument. */
  readonly step?: (before: bigint, hash: bigint) => number | bigint;
}

const INT_HASH_64 = /* @__PURE__ */ ofIntegers(false, intHash64);
const murmurHashOfBoth = (before: bigint, hash: bigint) => intHash64(before) ^ hash;

/** Hash64 of FarmHash. Longer texts have other steps, and from 512 bytes on those of the server's processor. */
const OF_FARM = limited(256, ofBytes('farmHashXo'));
const FARM_HASH = { ...ofBytesIn('farmHashXo'), text: OF_FARM, bytes: OF_FARM };

/** The functions of a sharding key, after FunctionsHashing.h. */
const HASHES: Record<ClickhouseOptions['hash'], ClickhouseFunction> = {
  sipHash64: { hashers: ofBytesIn('sipHash'), step: sipHashOfBoth },
  murmurHash3_64: { hashers: ofBytesIn('murmur3ClickHouse'), step: murmurHashOfBoth },
  xxHash64: { hashers: ofBytesIn('xxh64'), step: cityHashOfBoth },
  cityHash64: { hashers: { ...ofBytesIn('cityHash'), ...INT_HASH_64 }, step: cityHashOfBoth },
  farmHash64: { hashers: { ...FARM_HASH, ...INT_HASH_64 }, step: cityHashOfBoth },
  murmurHash2_64: { hashers: ofBytesIn('murmur64AUnseeded'), step: murmurHashOfBoth },
  javaHash: { hashers: mapValues<KeyHasher, KeyHasher>(JAVA, zeroExtended) },
  intHash64: { hashers: ofIntegers(true, intHash64) },
  intHash32: { hashers: ofIntegers(true, intHash32) },
  none: { hashers: THEMSELVES },
};

const NAMES = /* @__PURE__ */ namesIn(HASHES);

/**
 * A Distributed table of ClickHouse, by a hash of one column or several.
 * Source: ClickHouse `src/Functions/FunctionsHashing.h`, `src/Interpreters/createBlockSelector.cpp`.
 */
export const clickhouse: System<ClickhouseOptions> = {
  options: ['hash', 'shards', 'weights'],
  count: 'shards',
  choice: { option: 'hash', values: NAMES, without: 'refused' },
  otherTexts: ['enum'], // the number of a label is hashed
  configure({ hash, ...options }) {
    checkOneOf('hash', hash, NAMES);
    const { json, ...placing } = shardsOr('weights', options, [MAX_BUCKETS, equal], weighted);
    const { hashers, step } = HASHES[hash];
    return { ...placing, hashers, columns: step && folded({ step }), tokens: 'u64', json: { hash, ...json } };
  },
};

const MAX_SLOTS = 2 ** 24;

const equal = (shards: number): ShardConfiguration => ({
  shards,
  toShard: byStrategy('modulo', shards),
  json: { shards },
});

/** A slot for each unit of weight, as in ClickHouse's own table of slots. */
function weighted(weights: readonly number[]): ShardConfiguration {
  if (!Array.isArray(weights)) throw wrongKind('weights', 'an array of integers', weights);
  const total = Array.from(weights, checkWeight).reduce((sum, weight) => sum + weight, 0);
  if (total < 1 || total > MAX_SLOTS) throw wrongValue('weights', `weights whose sum is 1 to ${MAX_SLOTS}`, total);
  const slots = new Uint32Array(total);
  let from = 0;
  weights.forEach((weight: number, shard) => {
    slots.fill(shard, from, from + weight);
    from += weight;
  });
  const toShard = mapShards(byStrategy('modulo', total), (slot) => slots[slot]);
  return { shards: weights.length, toShard, json: { weights: [...weights] } };
}

function checkWeight(weight: number, row: number): number {
  if (typeof weight !== 'number') throw wrongKind('weights', 'an integer, 0 or more', weight, row);
  if (!Number.isSafeInteger(weight) || weight < 0) throw wrongValue('weights', 'an integer, 0 or more', weight, row);
  return weight;
}
