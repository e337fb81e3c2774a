import { namesIn } from '../../arguments.js';
import { murmur3X86 } from '../../kernels/js/hashes-32.js';
import { chained, nullAs } from '../columns.js';
import { hashersOf, int32LittleEndian, int64LittleEndian, javaHashCodes, ofUnits, widened } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

export interface SparkOptions {
  /** The number of partitions or buckets, 1 to 2^31 - 1. */
  partitions: number;
  /** `hash` (default): DataFrames, `repartition`, joins, `bucketBy`. `rdd`: the HashPartitioner of RDDs. */
  variant?: 'hash' | 'rdd' | undefined;
}

// Integers of 64 bits without a sign are decimals in Spark.
const { u64: _, ...ENCODINGS } = widened(int32LittleEndian, int64LittleEndian);
const { u64: __, ...HASH_CODES } = widened(javaHashCodes.int32, javaHashCodes.int64);

const VARIANTS = {
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
export const spark = /* @__PURE__ */ systemOfCount<SparkOptions, keyof typeof VARIANTS>(
  'partitions',
  (partitions, variant) => ({ ...VARIANTS[variant], tokens: 'i32', toShard: remainder('floored', partitions) }),
  { variants: namesIn(VARIANTS) },
);
