// The partitioners of queues, and of what collects metrics.
import { bytes, int32, int64, type PartitionerVectors, text, uuid } from '../partitioner-vector.js';

/**
 * apache/kafka common/utils/Utils.java (murmur2, toPositive), BuiltInPartitioner.partitionForKey and the serializers in
 * common/serialization: these classes, compiled with JDK 17. librdkafka, ClickHouse and kafkajs agree.
 */
export const KAFKA: PartitionerVectors = {
  system: 'kafka',
  options: { partitions: 12 },
  vectors: [
    text('', 275646681, 9),
    text('abc', 479470107, 3),
    text('é', 186971271, 3),
    bytes('a7d6506c', -2147483648, 0),
    bytes('a5d4305c', -1, 7),
    int32(42, 1606757304, 0),
    int64(-1n, 185950397, 5),
    uuid(426222961, 1),
  ],
};

/**
 * confluentinc/librdkafka rdkafka_msg.c, rdmurmur2.c, rdfnv1a.c: rd_kafka_msg_partitioner_* of librdkafka 2.0.2. Its
 * murmur2 is Kafka's.
 */
export const RDKAFKA: readonly PartitionerVectors[] = [
  {
    system: 'rdkafka',
    options: { partitions: 12 },
    vectors: [
      text('', undefined, 0),
      text('abc', undefined, 6),
      text('é', undefined, 2),
      bytes('ff', undefined, 0),
      text('user:1000', undefined, 3),
    ],
  },
  {
    system: 'rdkafka',
    options: { partitions: 12, variant: 'fnv1a' },
    vectors: [
      text('', undefined, 3),
      text('abc', undefined, 11),
      text('user:1000', undefined, 1),
      bytes('0e9c450115', -2147483648, 8),
    ],
  },
  {
    system: 'rdkafka',
    options: { partitions: 12, variant: 'murmur2' },
    vectors: KAFKA.vectors.filter(({ kind }) => kind !== 'uuid'),
  },
];

/** platformatic/kafka clients/producer/partitioners.ts, defaultPartitioner: @platformatic/kafka 1.35.0. */
export const KAFKA_UNSIGNED: PartitionerVectors = {
  system: 'kafka',
  options: { partitions: 12, variant: 'unsigned' },
  vectors: [
    text('', 275646681, 9),
    text('a', -1563381124, 0),
    text('abc', 479470107, 3),
    text('user:42', -1493546323, 9),
    text('日本', -700811021, 11),
    bytes('ff', -311467685, 11),
  ],
};

/** IBM/sarama partitioner.go, NewReferenceHashPartitioner: the hashes of librdkafka's FNV-1a without their sign bits. */
export const SARAMA: PartitionerVectors = {
  system: 'rdkafka',
  options: { partitions: 12, variant: 'fnv1a-positive' },
  vectors: [text('', -2128831035, 5), text('a', -468965076, 8), bytes('0e9c450115', -2147483648, 0)],
};

/**
 * nats-io/nats-server server/subject_transform.go, getHashPartition: a mapping with partition() in nats-server 2.9.10. The
 * last one is a whole subject, which `partition(n)` without tokens hashes since 2.12: FNV-1a of its 12 bytes.
 */
export const NATS: PartitionerVectors = {
  system: 'nats',
  options: { partitions: 12 },
  vectors: [
    text('a', 3826002220, 4),
    text('abc', 440920331, 11),
    text('é', 513665217, 9),
    text('user:1000', 1350311305, 1),
    text('日本', 2670128721, 9),
    text('orders.eu.42', 2592627940, 4),
  ],
};

/**
 * apache/pulsar client/impl/JavaStringHash.java, client/impl/Murmur3Hash32.java: the hashes of HashTest.java, which the
 * tests of the C++ client have, too, and otherwise `hashCode` of JDK 17 and hash32x86 of Apache Commons Codec 1.22.1.
 */
export const PULSAR: readonly PartitionerVectors[] = [
  {
    system: 'pulsar',
    options: { partitions: 12 },
    vectors: [
      text('keykeykeykeykey1', 434058482, 2),
      text('keykeykey2', 42978643, 7),
      text('', 0, 0),
      text('abc', 96354, 6),
      text('é', 233, 5),
      text('日本', 835047, 3),
    ],
  },
  {
    system: 'pulsar',
    options: { partitions: 12, variant: 'murmur3' },
    vectors: [
      text('k1', 2110152746, 2),
      text('k2', 1479966664, 4),
      text('key1', 462881061, 9),
      text('key2', 1936800180, 0),
      text('key01', 39696932, 8),
      text('key02', 751761803, 11),
      text('é', 269551495, 7),
    ],
  },
];

/** API reference of PutRecord: MD5 as an integer of 128 bits over even ranges; hashlib of Python. Tokens are its upper half. */
export const KINESIS: PartitionerVectors = {
  system: 'kinesis',
  options: { shards: 12 },
  vectors: [
    text('', 0xd41d8cd98f00b204n, 9),
    text('a', 0x0cc175b9c0f1b6a8n, 0),
    text('abc', 0x900150983cd24fb0n, 6),
    text('user:42', 0x56dadf1868c3ba34n, 4),
    text('é', 0x66ddcd97cfdeabb2n, 4),
    text('日本', 0x4dbed2e657457884n, 3),
  ],
};

/**
 * Azure/azure-sdk-for-js event-hubs/src/impl/partitionKeyToIdMapper.ts: @azure/event-hubs 6.0.4, and for the four last ones
 * its mapPartitionKeyToId.spec.ts, which has them from the service.
 */
export const EVENT_HUBS: readonly PartitionerVectors[] = [
  {
    system: 'eventhubs',
    options: { partitions: 12 },
    vectors: [
      text('', 0, 0),
      text('a', -16220, 8),
      text('abc', -14161, 1),
      text('é', -24812, 8),
      text('漢字', 17702, 2),
      text('😀', -17126, 2),
      text('k25203', -32768, 8),
      text('ABCDEFGHIJKLMNOPQRSTUVWXYZ', -23577, 9),
      text('x'.repeat(12), 332, 8),
      text('x'.repeat(13), 3742, 10),
      text('x'.repeat(24), -20573, 5),
      text('x'.repeat(25), -26933, 5),
      text('x'.repeat(100), 25862, 2),
    ],
  },
  { system: 'eventhubs', options: { partitions: 3 }, vectors: [text('alphabet', undefined, 0)] },
  { system: 'eventhubs', options: { partitions: 11 }, vectors: [text('alphabet', undefined, 4)] },
  { system: 'eventhubs', options: { partitions: 4 }, vectors: [text('TheBestParitionEver', undefined, 2)] },
  { system: 'eventhubs', options: { partitions: 15 }, vectors: [text('TheWorstParitionEver', undefined, 1)] },
];

/** prometheus/prometheus model/relabel/relabel.go: `hashmod` in Prometheus 2.42.0; the last two are in relabel_test.go. */
export const PROMETHEUS: readonly PartitionerVectors[] = [
  {
    system: 'prometheus',
    options: { modulus: 12 },
    vectors: [
      text('', 16825458760271544958n, 10),
      text('abc', 15462616177412505458n, 2),
      text('é', 17796970744824711023n, 11),
      text('a;b', 2420134994223480074n, 2),
      text('漢字😀', 11517913623272235083n, 11),
    ],
  },
  {
    system: 'prometheus',
    options: { modulus: 1000 },
    vectors: [text('baz', 16450797887570275976n, 976), text('foo\nbar', 4523751842884085734n, 734)],
  },
];
