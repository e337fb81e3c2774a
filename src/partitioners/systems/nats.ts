import { hashersOf } from '../hash.js';
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
export const nats = /* @__PURE__ */ systemOfCount<NatsOptions>('partitions', (partitions) => ({
  hashers: hashersOf('fnv1a'),
  tokens: 'u32',
  toShard: remainder('none', partitions),
}));
