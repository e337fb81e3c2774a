import { hashersOf, int32LittleEndian, int64Folded, uuidAsBytes } from '../hash.js';
import { byStrategy, systemOfCount } from '../system.js';

/** Numbers of equal value have the same hash, whatever their width. */
const ENCODINGS = { int32: int32LittleEndian, int64: int64Folded, uuid: uuidAsBytes };

export interface PostgresModulus {
  /** The modulus of the partitions, 1 to 2^31 - 1. */
  modulus: number;
}

/**
 * The remainder of PARTITION BY HASH over one column, in UTF-8 and with a deterministic collation.
 * Source: postgres `partitioning/partbounds.c compute_partition_hash_value`, `common/hashfn.c`, `access/hash/hashfunc.c`.
 */
export const postgres = /* @__PURE__ */ systemOfCount<PostgresModulus>(
  'modulus',
  (modulus) => ({
    hashers: hashersOf('lookup3Postgres', ENCODINGS),
    tokens: 'u64',
    toShard: byStrategy('modulo', modulus),
  }),
  { noun: 'remainder' },
);

export interface CitusOptions {
  /** The number of shards of the distributed table, 1 to 64000. */
  shards: number;
}

const MAX_SHARDS = 64000; // the limit of citus.shard_count

/**
 * The index of the shard, in the order of shardminvalue, of a Citus table whose shards have not been split.
 * Source: citusdata/citus `utils/shardinterval_utils.c CalculateUniformHashRangeIndex`, `worker_hash`.
 */
export const citus = /* @__PURE__ */ systemOfCount<CitusOptions>(
  'shards',
  (count) => {
    const size = Math.floor(2 ** 32 / count);
    return {
      hashers: hashersOf('lookup3Citus', ENCODINGS),
      tokens: 'i32',
      toShard: {
        column(words: Int32Array, shards) {
          for (let i = 0; i < words.length; i++) {
            shards[i] = Math.min(count - 1, Math.floor((words[i] + 2 ** 31) / size));
          }
        },
      },
    };
  },
  { max: MAX_SHARDS },
);
