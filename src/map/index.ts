// `shardbits/map`

export type { MapJson } from './map-json.js';
export type { CopyMove, PrimaryChange } from './moves.js';
export type { MapNode, NodeSpec } from './nodes.js';
export { type NodeBalance, ShardMap, type ShardMapChanges, type ShardMapOptions } from './shard-map.js';
