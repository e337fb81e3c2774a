import { namesIn } from '../../arguments.js';
import { BIG_ENDIAN, hashersOf, uuidAsText } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

// Numbers are written as by Kafka's ShortSerializer, IntegerSerializer and LongSerializer. There are no others.

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
export const kafka = /* @__PURE__ */ systemOfCount<'unsigned' | undefined>(
  'partitions',
  (partitions, variant) => ({
    hashers: hashersOf('murmur2', { ...BIG_ENDIAN, uuid: uuidAsText }),
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

const VARIANTS = {
  consistent: ['crc32', 'u32', 'none'],
  murmur2: ['murmur2', 'i32', 'cut'],
  fnv1a: ['fnv1a', 'i32', 'absolute'],
  'fnv1a-positive': ['fnv1a', 'i32', 'cut'],
} as const;

/**
 * librdkafka and the clients that are built on it.
 * Source: confluentinc/librdkafka `rdkafka_msg.c`, `rdmurmur2.c`, `rdfnv1a.c`; for `fnv1a-positive` IBM/sarama
 * `partitioner.go`, `NewReferenceHashPartitioner`.
 */
export const rdkafka = /* @__PURE__ */ systemOfCount<keyof typeof VARIANTS>(
  'partitions',
  (partitions, variant) => {
    const [hash, tokens, sign] = VARIANTS[variant];
    return { hashers: hashersOf(hash, BIG_ENDIAN), tokens, toShard: remainder(sign, partitions) };
  },
  { variants: namesIn(VARIANTS) },
);
