import { namesIn } from '../../arguments.js';
import { ofBytes, ofUnits } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

export interface PulsarOptions {
  /** The number of partitions of the topic, 1 to 2^31 - 1. */
  partitions: number;
  /** The `hashingScheme` of the producer. `java` (default of the Java client): JavaStringHash. `murmur3`: Murmur3_32Hash. */
  variant?: 'java' | 'murmur3' | undefined;
}

const HASHERS = { java: ofUnits('javaHash'), murmur3: ofBytes('murmur3') };

/**
 * The message routers of Apache Pulsar's Java client, for a message with a key.
 * Source: apache/pulsar `client/impl/JavaStringHash`, `client/impl/Murmur3Hash32`, `common/util/Murmur3_32Hash`,
 * `client/impl/RoundRobinPartitionMessageRouterImpl`.
 */
export const pulsar = /* @__PURE__ */ systemOfCount<PulsarOptions, keyof typeof HASHERS>(
  'partitions',
  (partitions, variant) => ({
    hashers: { text: HASHERS[variant] },
    tokens: 'i32',
    finalize(hashes: Int32Array) {
      for (let i = 0; i < hashes.length; i++) hashes[i] &= 0x7fffffff;
    },
    toShard: remainder('none', partitions),
  }),
  { variants: namesIn(HASHERS) },
);
