// `shardbits/registry`: ids that stay unique across processes, over a store.
export { InternExhaustedError, LeaseLostError } from '../errors.js';
export type { ShardLease } from '../minting/lease.js';
export { Interner, type InternerOptions } from './interner.js';
export { type LeaseOptions, leaseShard } from './lease.js';
export type { Block, LeaseGrant, LeaseHolder, LeaseRequest, Space, Store } from './store.js';
export { StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../errors.js';
export { memoryStore } from './stores/memory.js';
export { TypeRegistry } from './type-registry.js';
