import { checkInteger, MAX_BUCKETS } from '../../arguments.js';
import * as encodings from '../encode.js';
import { type HashName, ofBytes, ofEncoded } from '../hash.js';
import type { System } from '../system.js';
import { byStrategy } from '../to-shard.js';

/** Numbers of equal value have the same hash, whatever their width. */
const hashersOf = (hash: HashName) => ({
  text: ofBytes(hash),
  bytes: ofBytes(hash),
  int32: ofEncoded(encodings.int32LittleEndian, hash),
  int64: ofEncoded(encodings.int64Folded, hash),
  uuid: ofEncoded(encodings.uuidAsBytes, hash),
});

export interface PostgresModulus {
  /** The modulus of the partitions, 1 to 2^31 - 1. */
  modulus: number;
}

/**
 * The remainder of PARTITION BY HASH over one column, in UTF-8 and with a deterministic collation.
 * Source: postgres `partitioning/partbounds.c compute_partition_hash_value`, `common/hashfn.c`, `access/hash/hashfunc.c`.
 */
export const postgres: System<PostgresModulus> = {
  options: ['modulus'],
  count: 'modulus',
  configure({ modulus }) {
    checkInteger('modulus', modulus, 1, MAX_BUCKETS);
    return {
      shards: modulus,
      hashers: hashersOf('lookup3Postgres'),
      tokens: 'u64',
      toShard: byStrategy('modulo', modulus),
      json: { modulus },
    };
  },
};

export interface CitusOptions {
  /** The number of shards of the distributed table, 1 to 64000. */
  shards: number;
}

const MAX_SHARDS = 64000; // the limit of citus.shard_count

/**
 * The index of the shard, in the order of shardminvalue, of a Citus table whose shards have not been split.
 * Source: citusdata/citus `utils/shardinterval_utils.c CalculateUniformHashRangeIndex`, `worker_hash`.
 */
export const citus: System<CitusOptions> = {
  options: ['shards'],
  count: 'shards',
  configure({ shards: count }) {
    checkInteger('shards', count, 1, MAX_SHARDS);
    const size = Math.floor(2 ** 32 / count);
    return {
      shards: count,
      hashers: hashersOf('lookup3Citus'),
      tokens: 'i32',
      toShard: {
        column(words: Int32Array, shards) {
          for (let i = 0; i < words.length; i++) {
            shards[i] = Math.min(count - 1, Math.floor((words[i] + 2 ** 31) / size));
          }
        },
      },
      json: { shards: count },
    };
  },
};
