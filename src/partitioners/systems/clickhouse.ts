import { checkOneOf, MAX_BUCKETS, namesIn, wrongKind, wrongValue } from '../../arguments.js';
import { kernels } from '../../kernels/active.js';
import { partitionerKernels } from '../../kernels/partitioners.js';
import { folded } from '../columns.js';
import { hashersOf, LITTLE_ENDIAN, ofValues, uuidHalvesReversed } from '../hash.js';
import { byStrategy, mapShards, type ShardConfiguration, type System, shardsOr } from '../system.js';

/** A hash, and the shards of the cluster: their number, or their weights. */
export interface ClickhouseOptions {
  /** The function of the sharding key. */
  hash: 'sipHash64' | 'murmurHash3_64' | 'xxHash64' | 'cityHash64';
  /** The number of shards, 1 to 2^31 - 1, all of weight 1. */
  shards?: number | undefined;
  /** The weight of each shard; the sum is 1 to 2^24. */
  weights?: readonly number[] | undefined;
}

/** Each hash, and how those of two columns become one: `combineHashes` in FunctionsHashing.h. */
const HASHES = {
  sipHash64: ['sipHash', sipHashOfBoth],
  murmurHash3_64: ['murmur3ClickHouse', (before: bigint, hash: bigint) => intHash64(before) ^ hash],
  xxHash64: ['xxh64', cityHashOfBoth],
  cityHash64: ['cityHash', cityHashOfBoth],
} as const;

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
    const [name, step] = HASHES[hash];
    return {
      ...placing,
      hashers: {
        ...hashersOf(name, { ...LITTLE_ENDIAN, uuid: uuidHalvesReversed }),
        ...(hash === 'cityHash64' && INT_HASHES),
      },
      columns: folded({ step }),
      tokens: 'u64',
      json: { hash, ...json },
    };
  },
};

const word = (value: bigint): bigint => BigInt.asUintN(64, value);

/** `src/Common/HashTable/Hash.h intHash64`: the last steps of MurmurHash3. */
function intHash64(value: bigint): bigint {
  let h = value ^ 0x4cf2d2baae6da887n;
  h = word((h ^ (h >> 33n)) * 0xff51afd7ed558ccdn);
  h = word((h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return h ^ (h >> 33n);
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

/** cityHash64 of an integer is that of its value without a sign in its own width. */
const intHash = (bits: number) =>
  ofValues(BigUint64Array, (values: Int32Array | BigInt64Array, hashes) => {
    for (let i = 0; i < values.length; i++) {
      hashes[i] = intHash64(BigInt.asUintN(bits, BigInt(values[i])));
    }
  });

const INT_HASHES = {
  ...{ int8: intHash(8), int16: intHash(16), int32: intHash(32), int64: intHash(64) },
  ...{ uint8: intHash(8), uint16: intHash(16), uint32: intHash(32), u64: intHash(64) },
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
