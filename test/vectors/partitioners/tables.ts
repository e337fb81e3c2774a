// Engines that compute over tables.
import { bytes, int32, int64, type PartitionerVectors, text, uuid } from '../partitioner-vector.js';

/**
 * apache/spark unsafe/hash/Murmur3_x86_32.java (hashUnsafeBytes), plans/physical/partitioning.scala, and for `rdd`
 * Partitioner.scala: a transcription in Java, which gives the values in Spark's documentation and test suites, and those
 * that apache/datafusion-comet has from Spark.
 */
export const SPARK: readonly PartitionerVectors[] = [
  {
    system: 'spark',
    options: { partitions: 200 },
    vectors: [
      text('', 142593372, 172),
      text('abc', 1322437556, 156),
      text('天地', -1899966402, 198),
      bytes('80', 775851899, 99),
      int32(42, 29417773, 173),
      int64(42n, 1316951768, 168),
      int64(-1n, -939490007, 193),
    ],
  },
  {
    system: 'spark',
    options: { partitions: 12, variant: 'rdd' },
    vectors: [text('abc', undefined, 6), text('é', undefined, 5), int64(-1n, undefined, 0)],
  },
];

/**
 * apache/iceberg util/BucketUtil.java, transforms/Bucket.java: BucketUtil with Guava 31.1. ClickHouse's icebergBucket
 * agrees.
 */
export const ICEBERG: PartitionerVectors = {
  system: 'iceberg',
  options: { buckets: 16 },
  vectors: [
    text('', 0, 0),
    text('iceberg', 1210000089, 9),
    text('abc', -1277324294, 10),
    int32(34, 2017239379, 3),
    int64(34n, 2017239379, 3),
    int32(-255825987, -1, 15),
    uuid(1488055340, 12),
    bytes('00010203', -188683207, 9),
  ],
};

/**
 * apache/hive ObjectInspectorUtils.java (hashCode, hashCodeMurmur, getBucketNumber), Murmur3.java (hash32): the hashes of
 * trinodb/trino TestHiveBucketing.java, which compares them with Hive's own classes. No text of these ends with a byte from
 * 0x80 on that is left over from its words of 4 bytes. For `é`, `你`, `你好` and `naïveté`: hash32 of Apache Commons Codec 1.22.1,
 * which was Hive's.
 */
export const HIVE: readonly PartitionerVectors[] = [
  {
    system: 'hive',
    options: { buckets: 12 },
    vectors: [
      text('Trino rocks', -399107423, 9),
      text('', -965378730, 2),
      text('test string', -138301454, 6),
      text('强大的Trino引擎', 1784416344, 0),
      text('𠿼𠿽𠿾𠿿', -697348811, 9),
      text('é', -527561221, 7),
      text('你', 1993875730, 10),
      text('你好', 252376810, 10),
      text('naïveté', 1600945196, 8),
      int32(300_000, -678663480, 8),
      int32(-(2 ** 31), 1194881028, 0),
      int32(2 ** 31 - 1, 1133859967, 7),
      int64(300_000_000_000n, -888935297, 3),
      int64(-(2n ** 63n), 1728983947, 7),
      int64(2n ** 63n - 1n, -536577852, 8),
    ],
  },
  {
    system: 'hive',
    options: { buckets: 12, version: 1 },
    vectors: [
      text('Trino rocks', 1132136730, 6),
      text('', 0, 0),
      text('test string', -318923937, 11),
      text('强大的Trino引擎', 1688501507, 11),
      text('𠿼𠿽𠿾𠿿', -1810797254, 6),
      int32(300_000, 300000, 0),
      int32(-(2 ** 31), -2147483648, 0),
      int32(2 ** 31 - 1, 2147483647, 7),
      int64(300_000_000_000n, -647710651, 1),
      int64(-(2n ** 63n), -2147483648, 0),
      int64(2n ** 63n - 1n, -2147483648, 0),
    ],
  },
  { system: 'hive', options: { buckets: 4 }, vectors: [text('Trino rocks', undefined, 1)] },
  { system: 'hive', options: { buckets: 4, version: 1 }, vectors: [text('Trino rocks', undefined, 2)] },
];

/**
 * apache/flink MathUtils.java (murmurHash), KeyGroupRangeAssignment.java: a transcription, whose mix gives Guava's
 * published values.
 */
export const FLINK: PartitionerVectors = {
  system: 'flink',
  options: { maxParallelism: 128 },
  vectors: [
    text('', undefined, 94),
    text('abc', undefined, 115),
    text('é', undefined, 30),
    int32(-1, undefined, 80),
    int64(-1n, undefined, 94),
    int32(-2089875627, undefined, 0),
  ],
};
