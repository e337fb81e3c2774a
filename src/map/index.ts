/**
 * Maps of which named machines hold which shards, with weights, replicas and zones.
 * @module shardbits/map
 */

export { MapConflictError, StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../errors.js';
export { leastMoved } from '../routing/plan.js';
export type { Placement } from '../routing/routing.js';
export type { CopyMove, PrimaryChange } from './moves.js';
export type { MapNode, NodeSpec } from './nodes.js';
export { placementOf, type Ring } from './placement.js';
export { currentMap, type MapVersion, mapHistory, publishMap, type RollbackOptions, rollbackMap } from './publish.js';
export { type MapJson, type NodeBalance, ShardMap, type ShardMapChanges, type ShardMapOptions } from './shard-map.js';
export { type WatchOptions, watchMap } from './watch.js';
