import { mysqlKey } from '../../kernels/js/hashes-32.js';
import { type Combination, folded, type HashedBytes, MAX_COLUMNS } from '../columns.js';
import {
  type Encodings,
  int32LittleEndian,
  int64Folded,
  type KeyEncoding,
  LITTLE_ENDIAN,
  mapped,
  uuidAsBytes,
  widened,
} from '../encodings.js';
import { encodedHashers, hashersOf, mapValues, ofBytes } from '../hash.js';
import { byStrategy, remainder, systemOfCount } from '../system.js';

const DAYS_TO_2000 = 10_957;
const US_TO_2000 = BigInt(DAYS_TO_2000) * 86_400_000_000n;

/** Numbers of equal value have the same hash, whatever their width. Dates and timestamps are numbers since 2000. */
const POSTGRES: Encodings = {
  ...widened(int32LittleEndian, int64Folded),
  uuid: uuidAsBytes,
  date: mapped(int32LittleEndian, (day: number) => day - DAYS_TO_2000),
  time: int64Folded,
  timestamp: mapped(int64Folded, (us: bigint) => us - US_TO_2000),
};

/** `hash_combine64` of the hash of each column that is not NULL: postgres `common/hashfn.h`. */
const POSTGRES_COLUMNS = /* @__PURE__ */ folded({
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
    hashers: hashersOf('lookup3Postgres', POSTGRES),
    tokens: 'u64',
    columns: POSTGRES_COLUMNS,
    toShard: byStrategy('modulo', modulus),
  }),
  { noun: 'remainder', otherTexts: OTHER_TEXTS },
);

export interface CitusOptions {
  /** The number of shards of the distributed table, 1 to 64000. */
  shards: number;
}

/**
 * The index of the shard, in the order of shardminvalue, of a Citus table whose shards have not been split.
 * Source: citusdata/citus `utils/shardinterval_utils.c CalculateUniformHashRangeIndex`, `worker_hash`.
 */
export const citus = /* @__PURE__ */ systemOfCount(
  'shards',
  (count) => {
    const size = Math.floor(2 ** 32 / count);
    return {
      hashers: hashersOf('lookup3Citus', POSTGRES),
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
  { max: 64000, otherTexts: OTHER_TEXTS }, // the limit of citus.shard_count
);

export interface MysqlOptions {
  /** The number of partitions of the table, 1 to 8192. */
  partitions: number;
}

/** What letters of latin1 beyond ASCII count as, from 0xc0 and from 0xe0 on: `ctype-latin1.cc`. */
const LATIN = 'AAAA\\[\\CEEEEIIIIDNOOOO]\u00d7\u00d8UUUYY\u00de\u00df';

/** The weight of a byte in latin1_swedish_ci. */
function weightOf(byte: number): number {
  if (byte >= 0x61 && byte <= 0x7a) return byte - 32;
  return byte < 0xc0 || byte === 0xf7 || byte === 0xff ? byte : LATIN.charCodeAt(byte & 31);
}

/** Numbers are hashed as if their bytes were text in latin1_swedish_ci: without spaces at the end, and by their weights. */
function asLatin<V extends { readonly length: number }>(encoding: KeyEncoding<V>): KeyEncoding<V> {
  return (values, bytes, ends) => {
    encoding(values, bytes, ends);
    let start = 0;
    let at = 0;
    for (let row = 0; row < ends.length; row++) {
      const after = ends[row];
      let end = after;
      while (end > start && bytes[end - 1] === 0x20) end--;
      for (; start < end; start++) bytes[at++] = weightOf(bytes[start]);
      ends[row] = at;
      start = after;
    }
  };
}

const MYSQL = {
  ...encodedHashers('mysqlKey', mapValues<KeyEncoding<any>, KeyEncoding<any>>(LITTLE_ENDIAN, asLatin)),
  bytes: ofBytes('mysqlKey'),
};

/** The hash of each column goes on with that of those before it. */
const MYSQL_COLUMNS: Combination = {
  most: MAX_COLUMNS,
  takesNull: true,
  hash(columns: readonly HashedBytes[], from, to, hashes: Uint32Array) {
    const step = new Uint32Array(hashes.length).fill(4);
    hashes.fill(1);
    for (const { hasher, column } of columns) {
      const { data, starts, ends } = hasher.spans(column, from, to);
      for (let row = 0; row < hashes.length; row++) {
        const hash = hashes[row];
        if (column.nulls?.[from + row] === 1) hashes[row] = hash ^ ((hash << 1) | 1);
        else {
          hashes[row] = mysqlKey(data, starts[row], ends[row], hash, step[row]);
          step[row] += 3 * (ends[row] - starts[row]);
        }
      }
    }
  },
};

/**
 * The partitions of a table of MySQL or MariaDB with PARTITION BY KEY, by one column or several: numbers by the width of
 * their type, and bytes. It has no text, because that is hashed by the weights of its collation. Without LINEAR, and with
 * the default ALGORITHM=2.
 * Source: mysql/mysql-server `sql/sql_partition.cc get_part_id_key`, `sql/field.cc Field::hash`,
 * `strings/ctype-simple.cc my_hash_sort_simple`, `strings/ctype-bin.cc my_hash_sort_bin`.
 */
export const mysql = /* @__PURE__ */ systemOfCount(
  'partitions',
  (partitions) => ({ hashers: MYSQL, tokens: 'u32', columns: MYSQL_COLUMNS, toShard: remainder('none', partitions) }),
  { max: 8192, key: 'int64' },
);
