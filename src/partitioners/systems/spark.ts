import { checkInteger, checkOneOf, MAX_BUCKETS } from '../../arguments.js';
import { hashersOf, int32LittleEndian, int64LittleEndian, javaHashCodes, ofUnits } from '../hash.js';
import { type Configuration, ownWords, remainder, type System } from '../system.js';

export interface SparkOptions {
  /** The number of partitions or buckets, 1 to 2^31 - 1. */
  partitions: number;
  /** `hash` (default): DataFrames, `repartition`, joins, `bucketBy`. `rdd`: the HashPartitioner of RDDs. */
  variant?: 'hash' | 'rdd' | undefined;
}

const VARIANTS = ['hash', 'rdd'] as const;

const HASHERS: Record<(typeof VARIANTS)[number], Configuration['hashers']> = {
  hash: hashersOf('murmur3Spark', { int32: int32LittleEndian, int64: int64LittleEndian }),
  rdd: { text: ofUnits('javaHash'), int32: javaHashCodes.int32, int64: javaHashCodes.int64 },
};

/**
 * Apache Spark.
 * Source: apache/spark `unsafe/hash/Murmur3_x86_32.hashUnsafeBytes`, `plans/physical/partitioning.scala`,
 * `core/Partitioner.scala`.
 */
export const spark: System<SparkOptions> = {
  options: ['partitions', 'variant'],
  count: 'partitions',
  choice: { option: 'variant', values: /* @__PURE__ */ ownWords(VARIANTS), without: 'one of them' },
  configure({ partitions, variant = 'hash' }) {
    checkInteger('partitions', partitions, 1, MAX_BUCKETS);
    checkOneOf('variant', variant, VARIANTS);
    return {
      shards: partitions,
      hashers: HASHERS[variant],
      tokens: 'i32',
      toShard: remainder('floored', partitions),
      json: { partitions, variant },
    };
  },
};
