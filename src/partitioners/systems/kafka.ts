import { checkInteger, checkOneOf, MAX_BUCKETS } from '../../arguments.js';
import { hashersOf, int32BigEndian, int64BigEndian, uuidAsText } from '../hash.js';
import { type Configuration, ownWords, remainder, type System, systemOfCount } from '../system.js';

/** Numbers are written as by Kafka's IntegerSerializer and LongSerializer. */
const NUMBERS = { int32: int32BigEndian, int64: int64BigEndian };

export interface KafkaOptions {
  /** The number of partitions of the topic, 1 to 2^31 - 1. */
  partitions: number;
}

/**
 * The default partitioner of the Java client and of Kafka Streams, for a key that is not null.
 * Source: apache/kafka `BuiltInPartitioner.partitionForKey`, `common/utils/Utils.murmur2`, `common/serialization/*Serializer`.
 */
export const kafka = /* @__PURE__ */ systemOfCount<KafkaOptions>('partitions', (partitions) => ({
  hashers: hashersOf('murmur2', { ...NUMBERS, uuid: uuidAsText }),
  tokens: 'i32',
  toShard: remainder('cut', partitions),
}));

export interface RdkafkaOptions extends KafkaOptions {
  /** librdkafka's `partitioner`; its `_random` forms differ only for empty keys. `consistent` by default. */
  variant?: 'consistent' | 'murmur2' | 'fnv1a' | undefined;
}

const VARIANTS = ['consistent', 'murmur2', 'fnv1a'] as const;

/**
 * librdkafka and the clients that are built on it.
 * Source: confluentinc/librdkafka `rdkafka_msg.c`, `rdmurmur2.c`, `rdfnv1a.c`.
 */
export const rdkafka: System<RdkafkaOptions> = {
  options: ['partitions', 'variant'],
  count: 'partitions',
  choice: { option: 'variant', values: /* @__PURE__ */ ownWords(VARIANTS), hasUnnamed: false },
  configure({ partitions, variant = 'consistent' }) {
    checkInteger('partitions', partitions, 1, MAX_BUCKETS);
    checkOneOf('variant', variant, VARIANTS);
    return { shards: partitions, ...variants(partitions)[variant], json: { partitions, variant } };
  },
};

const variants = (
  n: number,
): Record<(typeof VARIANTS)[number], Pick<Configuration, 'hashers' | 'tokens' | 'toShard'>> => ({
  consistent: { hashers: hashersOf('crc32', NUMBERS), tokens: 'u32', toShard: remainder('none', n) },
  murmur2: { hashers: hashersOf('murmur2', NUMBERS), tokens: 'i32', toShard: remainder('cut', n) },
  fnv1a: { hashers: hashersOf('fnv1a', NUMBERS), tokens: 'i32', toShard: remainder('absolute', n) },
});
