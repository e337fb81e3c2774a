import { checkOneOf, MAX_BUCKETS, namesIn, wrongKind, wrongValue } from '../../arguments.js';
import { hashersOf, int32LittleEndian, int64LittleEndian, ofValues, uuidHalvesReversed } from '../hash.js';
import { byStrategy, type Configuration, mapShards, type System, shardsOr } from '../system.js';

/** A hash, and the shards of the cluster: their number, or their weights. */
export interface ClickhouseOptions {
  /** The function of the sharding key. */
  hash: 'sipHash64' | 'murmurHash3_64' | 'xxHash64' | 'cityHash64';
  /** The number of shards, 1 to 2^31 - 1, all of weight 1. */
  shards?: number | undefined;
  /** The weight of each shard; the sum is 1 to 2^24. */
  weights?: readonly number[] | undefined;
}

const HASHES = {
  sipHash64: 'sipHash',
  murmurHash3_64: 'murmur3ClickHouse',
  xxHash64: 'xxh64',
  cityHash64: 'cityHash',
} as const;
const ENCODINGS = { int32: int32LittleEndian, int64: int64LittleEndian, uuid: uuidHalvesReversed };
const NAMES = /* @__PURE__ */ namesIn(HASHES);

/**
 * A Distributed table of ClickHouse, by a hash of one column.
 * Source: ClickHouse `src/Functions/FunctionsHashing.h`, `src/Interpreters/createBlockSelector.cpp`.
 */
export const clickhouse: System<ClickhouseOptions> = {
  options: ['hash', 'shards', 'weights'],
  count: 'shards',
  choice: { option: 'hash', values: NAMES, without: 'refused' },
  configure({ hash, ...options }) {
    checkOneOf('hash', hash, NAMES);
    const { json, ...placing } = shardsOr('weights', options, [MAX_BUCKETS, equal], weighted);
    return {
      ...placing,
      hashers: { ...hashersOf(HASHES[hash], ENCODINGS), ...(hash === 'cityHash64' && intHashes) },
      tokens: 'u64',
      json: { hash, ...json },
    };
  },
};

/** ClickHouse hashes integers in another way with cityHash64: `src/Common/HashTable/Hash.h intHash64`, of a u64. */
const intHashes = {
  int32: ofValues<Int32Array, BigUint64Array>(BigUint64Array, (values, hashes) => {
    for (let i = 0; i < values.length; i++) hashes[i] = intHash(BigInt(values[i] >>> 0));
  }),
  int64: ofValues<BigInt64Array, BigUint64Array>(BigUint64Array, (values, hashes) => {
    for (let i = 0; i < values.length; i++) hashes[i] = intHash(BigInt.asUintN(64, values[i]));
  }),
} as const;

function intHash(value: bigint): bigint {
  let h = BigInt.asUintN(64, value ^ 0x4cf2d2baae6da887n);
  h = BigInt.asUintN(64, (h ^ (h >> 33n)) * 0xff51afd7ed558ccdn);
  h = BigInt.asUintN(64, (h ^ (h >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return h ^ (h >> 33n);
}

const MAX_SLOTS = 2 ** 24;

type Placement = Pick<Configuration, 'shards' | 'toShard' | 'json'>;

const equal = (shards: number): Placement => ({ shards, toShard: byStrategy('modulo', shards), json: { shards } });

/** A slot for each unit of weight, as in ClickHouse's own table of slots. */
function weighted(weights: readonly number[]): Placement {
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
