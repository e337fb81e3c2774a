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
export { type StoreState, storeState } from './identity.js';
export { Interner, type InternerOptions } from './interner.js';
export { type LeaseOptions, leaseShard } from './lease.js';
export {
  type LeaseInfo,
  leases,
  mintFloor,
  type ReleaseOutcome,
  type ResetOutcome,
  releaseShard,
  resetMark,
} from './leases.js';
export {
  type CopyOptions,
  type CopyOutcome,
  checkStore,
  copyStore,
  type Room,
  type StoreSummary,
} from './maintenance.js';
export { type MoveBackOutcome, type MoveOptions, type MoveOutcome, moveBack, moveStore } from './move.js';
export { type RestoreOptions, restoreStore, type SkipOptions, type SkipOutcome, skipAhead } from './restore.js';
export { type JournalAction, type JournalEntry, type JournalOptions, journal } from './settings.js';
export type {
  Block,
  Entries,
  LeaseGrant,
  LeaseHolder,
  LeaseRequest,
  OpenOptions,
  ShardRecord,
  Space,
  Store,
} from './store.js';
export { memoryStore } from './stores/memory.js';
export { TypeRegistry, type TypeRegistryOptions } from './type-registry.js';
