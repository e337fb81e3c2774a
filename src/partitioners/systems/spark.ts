import { namesIn } from '../../arguments.js';
import { hashersOf, int32LittleEndian, int64LittleEndian, javaHashCodes, ofUnits } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

export interface SparkOptions {
  /** The number of partitions or buckets, 1 to 2^31 - 1. */
  partitions: number;
  /** `hash` (default): DataFrames, `repartition`, joins, `bucketBy`. `rdd`: the HashPartitioner of RDDs. */
  variant?: 'hash' | 'rdd' | undefined;
}

const HASHERS = {
  hash: hashersOf('murmur3Spark', { int32: int32LittleEndian, int64: int64LittleEndian }),
  rdd: { text: ofUnits('javaHash'), int32: javaHashCodes.int32, int64: javaHashCodes.int64 },
};

/**
 * Apache Spark.
 * Source: apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`, `plans/physical/partitioning.scala`,
 * `core/Partitioner.scala`.
 */
export const spark = /* @__PURE__ */ systemOfCount<SparkOptions, keyof typeof HASHERS>(
  'partitions',
  (partitions, variant) => ({ hashers: HASHERS[variant], tokens: 'i32', toShard: remainder('floored', partitions) }),
  { variants: namesIn(HASHERS) },
);
