/**
 * Ids for strings, numbers for types and leases of shard numbers, unique across processes, over a store.
 * @module shardbits/registry
 */

export {
  InternExhaustedError,
  LeaseLostError,
  MapConflictError,
  StoreConflictError,
  StoreCorruptError,
  StoreUnavailableError,
} from '../errors.js';
export type { ShardLease } from '../minting/lease.js';
export type { CallOptions } from './call.js';
export { checkStore, type StoreSummary } from './check-store.js';
export { type CopyOptions, copyStore } from './copy-store.js';
export type { OnEvent, RegistryEvent } from './events.js';
export { Interner, type InternerOptions } from './interner.js';
export { type LeaseOptions, leaseShard } from './lease.js';
export { type LeaseInfo, leases, mintFloor, releaseShard, resetMark } from './leases.js';
export type { ShardRecord } from './shard-records.js';
export { type SkipOptions, skipAhead } from './skip-ahead.js';
export type { Block, Entries, LeaseGrant, LeaseHolder, LeaseRequest, Space, Store } from './store.js';
export { memoryStore } from './stores/memory.js';
export { TypeRegistry, type TypeRegistryOptions } from './type-registry.js';
