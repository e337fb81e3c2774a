import { hashersOf, int16BigEndian, int32BigEndian, int64BigEndian, uuidAsText } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

/** Numbers are written as by Kafka's ShortSerializer, IntegerSerializer and LongSerializer. There are no others. */
const NUMBERS = { int16: int16BigEndian, int32: int32BigEndian, int64: int64BigEndian, u64: int64BigEndian };

interface PartitionsOptions {
  /** The number of partitions of the topic, 1 to 2^31 - 1. */
  partitions: number;
}

export interface KafkaOptions extends PartitionsOptions {
  /** `unsigned` for the default of @platformatic/kafka: the same hash as an unsigned number, where Kafka drops the sign bit. */
  variant?: 'unsigned' | undefined;
}

/**
 * The default partitioner of the Java client and of Kafka Streams, for a key that is not null.
 * Source: apache/kafka `BuiltInPartitioner.partitionForKey`, `common/utils/Utils.murmur2`, `common/serialization/*Serializer`;
 * for `unsigned` platformatic/kafka `clients/producer/partitioners.ts`, `defaultPartitioner`.
 */
export const kafka = /* @__PURE__ */ systemOfCount<KafkaOptions, 'unsigned' | undefined>(
  'partitions',
  (partitions, variant) => ({
    hashers: hashersOf('murmur2', { ...NUMBERS, uuid: uuidAsText }),
    tokens: 'i32',
    toShard: remainder(variant === undefined ? 'cut' : 'none', partitions),
  }),
  { variants: ['unsigned'], without: 'another' },
);

export interface RdkafkaOptions extends PartitionsOptions {
  /**
   * librdkafka's `partitioner`; its `_random` forms differ only for empty keys. `consistent` by default. `fnv1a-positive`
   * is Sarama's reference hash, which drops the sign bit where `fnv1a` takes the absolute value.
   */
  variant?: 'consistent' | 'murmur2' | 'fnv1a' | 'fnv1a-positive' | undefined;
}

const VARIANTS = ['consistent', 'murmur2', 'fnv1a', 'fnv1a-positive'] as const;

/**
 * librdkafka and the clients that are built on it.
 * Source: confluentinc/librdkafka `rdkafka_msg.c`, `rdmurmur2.c`, `rdfnv1a.c`; for `fnv1a-positive` IBM/sarama
 * `partitioner.go`, `NewReferenceHashPartitioner`.
 */
export const rdkafka = /* @__PURE__ */ systemOfCount<RdkafkaOptions, (typeof VARIANTS)[number]>(
  'partitions',
  (n, variant) => {
    if (variant === 'consistent') {
      return { hashers: hashersOf('crc32', NUMBERS), tokens: 'u32', toShard: remainder('none', n) };
    }
    const hash = variant === 'murmur2' ? variant : 'fnv1a';
    const sign = variant === 'fnv1a' ? 'absolute' : 'cut';
    return { hashers: hashersOf(hash, NUMBERS), tokens: 'i32', toShard: remainder(sign, n) };
  },
  { variants: VARIANTS },
);
