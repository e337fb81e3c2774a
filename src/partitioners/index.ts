/**
 * The partition, slot or shard that another system, such as Kafka or Redis Cluster, gives a key.
 * @module shardbits/partitioners
 */

export type { KeyKind, PartitionKey, PartitionKeys } from './keys.js';
export {
  type Partitioner,
  type PartitionerJson,
  type PartitionerOptions,
  partitioner,
  partitionerFrom,
} from './partitioner.js';
export type { SystemName } from './systems.js';
