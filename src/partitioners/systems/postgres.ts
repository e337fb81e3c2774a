import { folded } from '../columns.js';
import { type Encodings, hashersOf, int32LittleEndian, int64Folded, mapped, uuidAsBytes, widened } from '../hash.js';
import { byStrategy, systemOfCount } from '../system.js';

const DAYS_TO_2000 = 10_957;
const US_TO_2000 = BigInt(DAYS_TO_2000) * 86_400_000_000n;

/** Numbers of equal value have the same hash, whatever their width. Dates and timestamps are numbers since 2000. */
const ENCODINGS: Encodings = {
  ...widened(int32LittleEndian, int64Folded),
  uuid: uuidAsBytes,
  date: mapped(int32LittleEndian, (day: number) => day - DAYS_TO_2000),
  time: int64Folded,
  timestamp: mapped(int64Folded, (us: bigint) => us - US_TO_2000),
};

/** `hash_combine64` of the hash of each column that is not NULL: postgres `common/hashfn.h`. */
const COLUMNS = /* @__PURE__ */ folded({
  step: (before: bigint, hash: bigint) => before ^ BigInt.asUintN(64, hash + (before << 54n) + (before >> 7n)),
  start: 0n,
  ofNull: 'skipped',
});

/** Of an enumeration the number of its label is hashed, and jsonb by its values. */
const OTHER_TEXTS = ['enum', 'json'] as const;

export interface PostgresModulus {
  /** The modulus of the partitions, 1 to 2^31 - 1. */
  modulus: number;
}

/**
 * The remainder of PARTITION BY HASH over one column or several, in UTF-8 and with a deterministic collation. NULL is
 * skipped.
 * Source: postgres `partitioning/partbounds.c compute_partition_hash_value`, `common/hashfn.c`, `access/hash/hashfunc.c`.
 */
export const postgres = /* @__PURE__ */ systemOfCount(
  'modulus',
  (modulus) => ({
    hashers: hashersOf('lookup3Postgres', ENCODINGS),
    tokens: 'u64',
    columns: COLUMNS,
    toShard: byStrategy('modulo', modulus),
  }),
  { noun: 'remainder', otherTexts: OTHER_TEXTS },
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
export const citus = /* @__PURE__ */ systemOfCount(
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
  { max: MAX_SHARDS, otherTexts: OTHER_TEXTS },
);
