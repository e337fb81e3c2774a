/**
 * Place keys in the same partition, slot or shard as another system, such as Kafka or Redis Cluster.
 * @module shardbits/partitioners
 */

export type { IntegerArray } from '../columns/keys.js';
export {
  KEY_KINDS,
  type KeyKind,
  type KeyOf,
  type PartitionColumn,
  type PartitionKey,
  type PartitionKeys,
  type PartitionValue,
} from './keys.js';
export {
  type KeyKinds,
  type KeyOfKinds,
  type Partitioner,
  type PartitionerJson,
  type PartitionerOptions,
  partitioner,
  partitionerFrom,
} from './partitioner.js';
export type { RingServer } from './systems/rings.js';
export type { SystemName, UsualKind } from './systems.js';
export { partitionerNamed, type SystemVariant, systems } from './variants.js';
