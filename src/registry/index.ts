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
export type { CallOptions, OnEvent, RegistryEvent } from './calls.js';
export { Interner, type InternerOptions } from './interner.js';
export { type LeaseOptions, leaseShard } from './lease.js';
export { type LeaseInfo, leases, mintFloor, releaseShard, resetMark } from './leases.js';
export {
  type CopyOptions,
  checkStore,
  copyStore,
  type SkipOptions,
  type StoreSummary,
  skipAhead,
} from './maintenance.js';
export type { Block, Entries, LeaseGrant, LeaseHolder, LeaseRequest, ShardRecord, Space, Store } from './store.js';
export { memoryStore } from './stores/memory.js';
export { TypeRegistry, type TypeRegistryOptions } from './type-registry.js';
