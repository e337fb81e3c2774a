import { namesIn } from '../../arguments.js';
import { hashersOf, ofBytes, ofUnits } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

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
