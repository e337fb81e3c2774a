import { namesIn, wordsOf, wrongKind, wrongValue } from '../../arguments.js';
import { md5 } from '../../kernels/js/md5.js';
import { BIG_ENDIAN, uuidAsText } from '../encodings.js';
import { hashersOf, ofBytes, ofUnits } from '../hash.js';
import {
  Bounds,
  byStrategy,
  remainder,
  type ShardConfiguration,
  type System,
  shardsOr,
  systemOfCount,
} from '../system.js';

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

const RDKAFKA = {
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
export const rdkafka = /* @__PURE__ */ systemOfCount<keyof typeof RDKAFKA>(
  'partitions',
  (partitions, variant) => {
    const [hash, tokens, sign] = RDKAFKA[variant];
    return { hashers: hashersOf(hash, BIG_ENDIAN), tokens, toShard: remainder(sign, partitions) };
  },
  { variants: namesIn(RDKAFKA) },
);

export interface EventhubsOptions {
  /** The number of partitions of the event hub, 1 to 32767. */
  partitions: number;
}

/**
 * The partitions of Azure Event Hubs for events with a partition key. Kafka clients of an event hub place keys as with Kafka.
 * Source: Azure/azure-sdk-for-js `sdk/eventhub/event-hubs/src/impl/partitionKeyToIdMapper.ts`.
 */
export const eventhubs = /* @__PURE__ */ systemOfCount(
  'partitions',
  (partitions) => ({
    hashers: hashersOf('lookup3EventHubs'),
    tokens: 'i32',
    finalize(hashes: Int32Array) {
      for (let i = 0; i < hashes.length; i++) hashes[i] = (hashes[i] << 16) >> 16;
    },
    toShard: remainder('absolute', partitions),
  }),
  { max: 32767 },
);

export interface NatsOptions {
  /** The first number of `partition(n, …)`, 1 to 2^31 - 1. */
  partitions: number;
}

/**
 * `partition()` in a subject mapping of NATS. For several tokens of a subject, the key is the text of all of them, without
 * dots. For `partition(n)` without tokens, which nats-server has since 2.12, it is the whole subject with its dots.
 * Source: nats-io/nats-server `server/subject_transform.go`, `TransformTokenizedSubject` and `getHashPartition`.
 */
export const nats = /* @__PURE__ */ systemOfCount('partitions', (partitions) => ({
  hashers: hashersOf('fnv1a'),
  tokens: 'u32',
  toShard: remainder('none', partitions),
}));

export interface PulsarOptions {
  /** The number of partitions of the topic, 1 to 2^31 - 1. */
  partitions: number;
  /** The `hashingScheme` of the producer. `java` (default of the Java client): JavaStringHash. `murmur3`: Murmur3_32Hash. */
  variant?: 'java' | 'murmur3' | undefined;
}

const PULSAR = { java: ofUnits('javaHash'), murmur3: ofBytes('murmur3') };

/**
 * The message routers of Apache Pulsar's Java client, for a message with a key.
 * Source: apache/pulsar `client/impl/JavaStringHash`, `client/impl/Murmur3Hash32`, `common/util/Murmur3_32Hash`,
 * `client/impl/RoundRobinPartitionMessageRouterImpl`.
 */
export const pulsar = /* @__PURE__ */ systemOfCount<keyof typeof PULSAR>(
  'partitions',
  (partitions, variant) => ({
    hashers: { text: PULSAR[variant] },
    tokens: 'i32',
    finalize(hashes: Int32Array) {
      for (let i = 0; i < hashes.length; i++) hashes[i] &= 0x7fffffff;
    },
    toShard: remainder('none', partitions),
  }),
  { variants: namesIn(PULSAR) },
);

/** Either the number of shards of equal size, or where all open shards start. */
export interface KinesisOptions {
  /** The number of shards, 1 to 100000. */
  shards?: number | undefined;
  /** The `StartingHashKey` of every open shard, ascending, as decimal text. The first one is `'0'`. */
  startingHashKeys?: readonly string[] | undefined;
}

const MAX_SHARDS = 100_000;

/**
 * The shards of a stream of Amazon Kinesis Data Streams, in the order of their hash keys, which are MD5 as integers of 128
 * bits. The shards of a new stream are equally long, but the last one also has the remainder.
 * Source: the API reference of PutRecord; mhart/kinesalite `actions/putRecord.js` and `actions/util.createShards.js`.
 */
export const kinesis: System<KinesisOptions> = {
  options: ['shards', 'startingHashKeys'],
  count: 'shards',
  max: MAX_SHARDS,
  configure(options) {
    const placement = shardsOr('startingHashKeys', options, [MAX_SHARDS, ofEqualShards], ofShardsFrom);
    return { hashers: hashersOf('md5High'), tokens: 'u64', ...placement };
  },
};

// A token is the upper half of a hash key. It decides unless the bound of a shard is in its range.

/**
 * Shards of 2^128 / n hash keys, rounded down: multiply-high of the tokens, unless their products end so near to the next
 * shard that the lower halves may reach it.
 */
function ofEqualShards(n: number): ShardConfiguration {
  const size = 2n ** 128n / BigInt(n);
  return {
    shards: n,
    toShard: { column: byStrategy('fastrange', n).column },
    settle(tokens: BigUint64Array, indices, bytesOf) {
      const words = wordsOf(tokens);
      for (let i = 0; i < indices.length; i++) {
        // The lower half of a hash key adds less than n / 2^64 of a shard, and n is below 2^17. So it can only decide if the
        // fraction of the product begins with 32 ones.
        const carry = Math.floor((words[2 * i] * n) / 2 ** 32);
        if ((Math.imul(words[2 * i + 1], n) + carry) >>> 0 !== 0xffffffff) continue;
        indices[i] = Math.min(Number(hashKeyOf(bytesOf(i)) / size), n - 1);
      }
    },
    json: { shards: n },
  };
}

function ofShardsFrom(startingHashKeys: readonly string[]): ShardConfiguration {
  const starts = checkStarts(startingHashKeys);
  const later = starts.slice(1);
  const high = BigUint64Array.from(later, (start) => start >> 64n);
  const highWords = wordsOf(high);
  const bounds = new Bounds(high);
  return {
    shards: starts.length,
    toShard: { column: (tokens: BigUint64Array, indices) => bounds.countBelow(tokens, 0, indices) },
    settle(tokens: BigUint64Array, indices, bytesOf) {
      const words = wordsOf(tokens);
      for (let i = 0; i < indices.length; i++) {
        const at = 2 * indices[i];
        if (words[2 * i + 1] !== highWords[at + 1] || words[2 * i] !== highWords[at]) continue;
        const hashKey = hashKeyOf(bytesOf(i));
        while (indices[i] < later.length && later[indices[i]] <= hashKey) indices[i]++;
      }
    },
    json: { startingHashKeys: starts.map(String) },
  };
}

function hashKeyOf(bytes: Uint8Array): bigint {
  const digest = md5(bytes, 0, bytes.length);
  return (digest.getBigUint64(0) << 64n) | digest.getBigUint64(8);
}

function checkStarts(texts: readonly string[]): bigint[] {
  const name = 'startingHashKeys';
  if (!Array.isArray(texts)) throw wrongKind(name, 'an array of decimal integers as text', texts);
  if (texts.length === 0) throw wrongValue(name, 'at least one hash key', texts);
  let previous = -1n;
  return Array.from(texts, (text: string, row) => {
    if (typeof text !== 'string') throw wrongKind(name, 'a decimal integer as text', text, row);
    const start = /^\d{1,39}$/.test(text) ? BigInt(text) : 2n ** 128n;
    if (start >> 128n !== 0n) throw wrongValue(name, 'a decimal integer from 0 to 2^128 - 1', text, row);
    if (row === 0 && start !== 0n) throw wrongValue(name, 'a first hash key of 0', text, row);
    if (start <= previous) throw wrongValue(name, `a hash key above ${previous}`, text, row);
    previous = start;
    return start;
  });
}
