import { checkInteger, checkOneOf, MAX_BUCKETS } from '../../arguments.js';
import { type KeyHasher, ofBytes, ofUnits } from '../hash.js';
import { ownWords, remainder, type System } from '../system.js';

export interface PulsarOptions {
  /** The number of partitions of the topic, 1 to 2^31 - 1. */
  partitions: number;
  /** The `hashingScheme` of the producer. `java` (default of the Java client): JavaStringHash. `murmur3`: Murmur3_32Hash. */
  variant?: 'java' | 'murmur3' | undefined;
}

const VARIANTS = ['java', 'murmur3'] as const;

const HASHERS: Record<(typeof VARIANTS)[number], KeyHasher> = {
  java: ofUnits('javaHash'),
  murmur3: ofBytes('murmur3'),
};

/**
 * The message routers of Apache Pulsar's Java client, for a message with a key.
 * Source: apache/pulsar `client/impl/JavaStringHash`, `client/impl/Murmur3Hash32`, `common/util/Murmur3_32Hash`,
 * `client/impl/RoundRobinPartitionMessageRouterImpl`.
 */
export const pulsar: System<PulsarOptions> = {
  options: ['partitions', 'variant'],
  count: 'partitions',
  choice: { option: 'variant', values: /* @__PURE__ */ ownWords(VARIANTS), without: 'one of them' },
  configure({ partitions, variant = 'java' }) {
    checkInteger('partitions', partitions, 1, MAX_BUCKETS);
    checkOneOf('variant', variant, VARIANTS);
    return {
      shards: partitions,
      hashers: { text: HASHERS[variant] },
      tokens: 'i32',
      finalize(hashes: Int32Array) {
        for (let i = 0; i < hashes.length; i++) hashes[i] &= 0x7fffffff;
      },
      toShard: remainder('none', partitions),
      json: { partitions, variant },
    };
  },
};
