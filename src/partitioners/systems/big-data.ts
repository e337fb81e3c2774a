import { checkInteger, MAX_BUCKETS, namesIn, wordsOf, wrongValue } from '../../arguments.js';
import { avalanche, mixH1, murmur3X86 } from '../../kernels/js/hashes-32.js';
import { chained, folded, nullAs } from '../columns.js';
import { BIG_ENDIAN, int32AsInt64, int32LittleEndian, int64LittleEndian, uuidAsBytes, widened } from '../encodings.js';
import { type Hashers, hashersOf, javaIntegers, javaUuid, ofBytes, ofUnits, ownValue } from '../hash.js';
import {
  byStrategy,
  type Configuration,
  mapShards,
  remainder,
  type System,
  systemOfCount,
  type ToShard,
} from '../system.js';

export interface SparkOptions {
  /** The number of partitions or buckets, 1 to 2^31 - 1. */
  partitions: number;
  /** `hash` (default): DataFrames, `repartition`, joins, `bucketBy`. `rdd`: the HashPartitioner of RDDs. */
  variant?: 'hash' | 'rdd' | undefined;
}

// Integers of 64 bits without a sign are decimals in Spark.
const { u64: _u64, ...ENCODINGS } = widened(int32LittleEndian, int64LittleEndian);
const { u64: _code, ...HASH_CODES } = javaIntegers;

const SPARK = {
  hash: {
    hashers: hashersOf('murmur3Spark', { ...ENCODINGS, date: int32LittleEndian, timestamp: int64LittleEndian }),
    columns: chained(42, (data, start, end, seed) => murmur3X86(data, start, end, seed, 'spark')),
  },
  rdd: { hashers: { text: ofUnits('javaHash'), ...HASH_CODES }, columns: nullAs(0) },
};

/**
 * Apache Spark. With `hash`, a key may have several columns, and NULL; the hash of each is the seed of the next one.
 * Source: apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`, `plans/physical/partitioning.scala`,
 * `core/Partitioner.scala`.
 */
export const spark = /* @__PURE__ */ systemOfCount<keyof typeof SPARK>(
  'partitions',
  (partitions, variant) => ({ ...SPARK[variant], tokens: 'i32', toShard: remainder('floored', partitions) }),
  { variants: namesIn(SPARK) },
);

export interface HiveOptions {
  /** The number of buckets of the table, 1 to 2^31 - 1. */
  buckets: number;
  /** The `bucketing_version` of the table: 2 by default; 1 for a table from before Hive 3, which does not have the property. */
  version?: 1 | 2 | undefined;
}

const { bytes: _bytes, ...MURMUR3 } = hashersOf('murmur3Hive', { ...BIG_ENDIAN, date: BIG_ENDIAN.int32 });

const HIVE: Record<1 | 2, Hashers> = {
  1: { text: ofBytes('javaHashOfBytes'), ...javaIntegers, date: ownValue },
  2: { ...MURMUR3, int8: ownValue },
};

/** In both versions. The hash of NULL is 0. */
const HIVE_COLUMNS = folded({
  step: (before: number, hash: number) => (Math.imul(31, before) + hash) >>> 0,
  ofNull: 0,
});

/**
 * The buckets of a table in Apache Hive, by one column or several. Keys are not `bytes`, because Hive
 * hashes a binary value in version 2 with whatever lies behind it in its buffer.
 * Source: apache/hive `serde2/objectinspector/ObjectInspectorUtils` (hashCode, hashCodeMurmur, getBucketNumber),
 * `common/util/Murmur3`.
 */
export const hive: System<HiveOptions> = {
  options: ['buckets', 'version'],
  count: 'buckets',
  choice: { option: 'version', values: { 1: 1, 2: 2 }, without: 'one of them' },
  configure({ buckets, version = 2 }) {
    checkInteger('buckets', buckets, 1, MAX_BUCKETS);
    checkInteger('version', version, 1, 2);
    return {
      shards: buckets,
      hashers: HIVE[version],
      tokens: 'i32',
      columns: HIVE_COLUMNS,
      toShard: remainder('cut', buckets),
      json: { buckets, version },
    };
  },
};

export interface IcebergOptions {
  /** The N of `bucket[N]`, 1 to 2^31 - 1. */
  buckets: number;
}

const ICEBERG = {
  ...hashersOf('murmur3', {
    ...widened(int32AsInt64, int64LittleEndian),
    ...{ uuid: uuidAsBytes, date: int32AsInt64, time: int64LittleEndian, timestamp: int64LittleEndian },
  }),
  decimal: ofBytes('murmur3'),
};

/**
 * The bucket transform of Apache Iceberg.
 * Source: the Iceberg table specification, appendix B; apache/iceberg `transforms/Bucket`, `util/BucketUtil`.
 */
export const iceberg = /* @__PURE__ */ systemOfCount('buckets', (buckets) => ({
  hashers: ICEBERG,
  tokens: 'i32',
  toShard: remainder('cut', buckets),
}));

export interface BigqueryOptions {
  /** The number of shards, 1 to 2^31 - 1. */
  shards: number;
  /** By default `MOD(ABS(f), n)`. `floored`: `MOD(MOD(f, n) + n, n)`. */
  variant?: 'floored' | undefined;
}

/**
 * BigQuery's `FARM_FINGERPRINT` of a STRING or of BYTES, modulo the number of shards. Its `ABS` has an error at -2^63.
 * Source: google/farmhash `src/farmhash.cc`, `farmhashna::Hash64`, and BigQuery's reference of hash functions.
 */
export const bigquery = /* @__PURE__ */ systemOfCount<'floored' | undefined>(
  'shards',
  (shards, variant) => ({
    hashers: hashersOf('farmHash'),
    tokens: 'i64',
    toShard: remainderOfInt64(variant !== 'floored', shards),
    ...(variant === undefined && { settle: checkAbsolute, refuses: true }),
  }),
  { variants: ['floored'], without: 'another' },
);

/** The remainder of the absolute value, or the one that is never negative. */
function remainderOfInt64(isAbsolute: boolean, n: number): ToShard {
  const { column } = byStrategy('modulo', n);
  const above = Number(2n ** 64n % BigInt(n)); // what a negative token has too much as an unsigned one
  return {
    column(tokens: BigInt64Array, shards) {
      column(new BigUint64Array(tokens.buffer, tokens.byteOffset, tokens.length), shards);
      const words = wordsOf(tokens);
      for (let i = 0; i < shards.length; i++) {
        if (words[2 * i + 1] >>> 31 === 0) continue;
        const rest = (shards[i] + n - above) % n;
        shards[i] = isAbsolute ? (n - rest) % n : rest;
      }
    },
  };
}

const checkAbsolute: NonNullable<Configuration['settle']> = (tokens, _, bytesOf, from) => {
  const words = wordsOf(tokens as BigInt64Array);
  for (let i = 0; i < tokens.length; i++) {
    if (words[2 * i + 1] !== 0x80000000 || words[2 * i] !== 0) continue;
    const key = new TextDecoder().decode(bytesOf(i));
    const [name, row] = from === undefined ? ['key'] : ['keys', from + i];
    throw wrongValue(name, 'a key whose FARM_FINGERPRINT is not -2^63, which has no absolute value', key, row);
  }
};

/** At least one of the two is required. */
export interface FlinkOptions {
  /** The number of key groups, 1 to 32768; by default what Flink derives from the parallelism. */
  maxParallelism?: number | undefined;
  /** The number of parallel operators, at most the number of key groups. With it, shards are operators; without, key groups. */
  parallelism?: number | undefined;
}

const MAX_GROUPS = 32768;

const FLINK = { text: ofUnits('javaHash'), ...javaIntegers, uuid: javaUuid };

/**
 * The key groups of Apache Flink's `keyBy`, and their operators.
 * Source: apache/flink `runtime/state/KeyGroupRangeAssignment`, `util/MathUtils.murmurHash`.
 */
export const flink: System<FlinkOptions> = {
  options: ['maxParallelism', 'parallelism'],
  count: 'maxParallelism',
  max: MAX_GROUPS,
  noun: 'key group',
  configure({ parallelism, maxParallelism }) {
    const groups =
      parallelism !== undefined && maxParallelism === undefined
        ? defaultGroups(checkInteger('parallelism', parallelism, 1, MAX_GROUPS))
        : checkInteger('maxParallelism', maxParallelism, 1, MAX_GROUPS);
    if (parallelism !== undefined) checkInteger('parallelism', parallelism, 1, maxParallelism ?? MAX_GROUPS);
    return {
      shards: parallelism ?? groups,
      hashers: FLINK,
      tokens: 'i32',
      finalize(codes: Int32Array) {
        for (let i = 0; i < codes.length; i++) codes[i] = murmurHash(codes[i]);
      },
      toShard:
        parallelism === undefined
          ? remainder('none', groups)
          : mapShards(remainder('none', groups), (group) => Math.floor((group * parallelism) / groups)),
      json: { maxParallelism: groups, ...(parallelism !== undefined && { parallelism }) },
    };
  },
};

function defaultGroups(parallelism: number): number {
  const wanted = parallelism + (parallelism >>> 1);
  return Math.min(MAX_GROUPS, Math.max(128, 2 ** (32 - Math.clz32(wanted - 1))));
}

/** MurmurHash3 of 4 bytes without its sign; -2^31 becomes 0. */
function murmurHash(code: number): number {
  const h = avalanche(mixH1(0, code) ^ 4) | 0;
  return Math.max(h, -h | 0, 0);
}
