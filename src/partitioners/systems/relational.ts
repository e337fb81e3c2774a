import { wordsOf, wrongKind, wrongValue } from '../../arguments.js';
import { folded, nullAs } from '../columns.js';
import {
  type Encodings,
  hashersOf,
  int32Decimal,
  int32LittleEndian,
  int64Decimal,
  int64Folded,
  mapped,
  swapped,
  u64Decimal,
  uuidAsBytes,
  widened,
} from '../hash.js';
import { Bounds, byStrategy, type ShardConfiguration, type System, shardsOr, systemOfCount } from '../system.js';

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

/** Either the number of shards, whose ranges are as equal as their bounds allow, or the key ranges of all shards. */
export interface VitessOptions {
  /** The number of shards, 1 to 65536. Their bounds have two digits up to 256 shards, and four above. */
  shards?: number | undefined;
  /** The names of the shards, ascending: `['-40', '40-80', '80-']`. */
  ranges?: readonly string[] | undefined;
}

const MAX_SHARDS = 65536;

/** NULL is hashed as the empty text: XXH64 of nothing. */
const NULL_AS_EMPTY = nullAs(0xef46db3751d8e999n);

/**
 * The keyspace ids of Vitess' `xxhash` vindex, and the shards whose key ranges contain them.
 * Source: vitessio/vitess `vtgate/vindexes/xxhash.go`, `key/key.go`.
 */
export const vitess: System<VitessOptions> = {
  options: ['shards', 'ranges'],
  count: 'shards',
  max: MAX_SHARDS,
  configure(options) {
    return {
      hashers: hashersOf('xxh64', { ...widened(int32Decimal, int64Decimal), u64: u64Decimal }),
      tokens: 'u64',
      columns: NULL_AS_EMPTY,
      finalize: reverseBytes,
      ...shardsOr('ranges', options, [MAX_SHARDS, ofEqualShards], ofRanges),
    };
  },
};

/** Shard i starts at floor(i * 2^bits / n) in the first bits of a keyspace id. */
function ofEqualShards(n: number): ShardConfiguration {
  const bits = n > 256 ? 16 : 8;
  return {
    shards: n,
    toShard: {
      column(tokens: BigUint64Array, indices) {
        const words = wordsOf(tokens);
        for (let i = 0; i < indices.length; i++) {
          // At most 2^32 - 1: the largest i whose start is not above.
          indices[i] = (((words[2 * i + 1] >>> (32 - bits)) + 1) * n - 1) / 2 ** bits;
        }
      },
    },
    json: { shards: n },
  };
}

function ofRanges(ranges: readonly string[]): ShardConfiguration {
  const starts = startsOf(ranges);
  // A range ends before the next one starts, and only the first one starts at 0.
  const ends = new Bounds(BigUint64Array.from(starts.slice(1), (start) => start - 1n));
  return {
    shards: starts.length,
    toShard: { column: (tokens: BigUint64Array, indices) => ends.countBelow(tokens, 0, indices) },
    json: { ranges: [...ranges] },
  };
}

/** The hash is written little-endian and compared byte by byte. */
function reverseBytes(tokens: ArrayBufferView): void {
  const words = new Uint32Array(tokens.buffer, tokens.byteOffset, tokens.byteLength / 4);
  for (let i = 0; i < words.length; i += 2) {
    const low = words[i];
    words[i] = swapped(words[i + 1]);
    words[i + 1] = swapped(low);
  }
}

const RANGE = /^((?:[0-9a-f]{2}){0,8})-((?:[0-9a-f]{2}){0,8})$/i;

/** Every range starts where the one before it ends. */
function startsOf(ranges: readonly string[]): bigint[] {
  if (!Array.isArray(ranges)) throw wrongKind('ranges', 'an array of key ranges', ranges);
  if (ranges.length === 0) throw wrongValue('ranges', 'at least one key range', ranges);
  let previousEnd = '';
  return Array.from(ranges, (range: string, row) => {
    if (typeof range !== 'string') throw wrongKind('ranges', 'a string', range, row);
    const [, start = '', end = ''] =
      RANGE.exec(range) ?? wrong('a key range such as 40-80, with up to 16 digits in a bound');
    if (bound(start) !== bound(previousEnd)) wrong(`a key range that starts with "${previousEnd}-"`);
    if (row === ranges.length - 1) {
      if (end !== '') wrong('a key range without an end, because it is the last one');
    } else if (end === '' || bound(end) <= bound(start)) wrong(`a key range that ends above "${start}"`);
    previousEnd = end;
    return bound(start);

    function wrong(expected: string): never {
      throw wrongValue('ranges', expected, range, row);
    }
  });
}

/** A bound of fewer than 8 bytes is padded with zeros at its end. */
function bound(digits: string): bigint {
  return BigInt(`0x${digits.padEnd(16, '0')}`);
}
