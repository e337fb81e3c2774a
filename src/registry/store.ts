import { StoreConflictError, StoreUnavailableError } from '../errors.js';
import type { ShardRecord } from './shard-records.js';

/**
 * A store keeps ids unique. Every engine implements this contract. The effects of a call are durable when its promise
 * resolves. A call that fails may still have taken effect; every call can be repeated.
 *
 * Every method throws `StoreUnavailableError`, `StoreConflictError` and `StoreCorruptError`, and never an error of the
 * engine's client; a closed store throws a `StoreUnavailableError` that is not transient. Whoever calls a method repeats
 * it after a transient error (see `retrying`); a store may have repeated it before.
 *
 * Keys are of any length, may be empty, and have no lone surrogate. A call may have any number of them. Ids are 1 to
 * 2^64 - 1, prefixes 0 to 2^32 - 1, shards 0 to 2^20 - 1. The value of a setting may be empty, or megabytes long.
 */
export interface Store extends AsyncDisposable {
  /** How long a step of a call waits for a server or other programs, in milliseconds; absent if there is no limit. */
  readonly timeoutMs?: number | undefined;

  /** The clock by which leases end, in Unix milliseconds: the server's, or this machine's if there is no server. */
  now(): Promise<number>;

  /** The ids of keys, in the order of the keys; 0 for a key that has none. */
  lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array>;

  /** The keys of ids, in the order of the ids; undefined for an id that the store does not have. */
  resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]>;

  /**
   * Gives ids to the keys that have none: `block.base` plus the next numbers of the block's counter, in the order of
   * the keys. A key is added completely or not at all; a call that fails may have added the first keys. A number is
   * never given twice. Numbers that `skippedSetting` counts come before all that the counter gives.
   * @param keys different from each other
   * @returns the ids of all keys; undefined if those of new keys would pass `block.max`, and nothing has been done then
   * @throws StoreConflictError if other callers took the same keys or numbers first
   * @throws RangeError if a key is longer than the store can keep; nothing has been done
   */
  assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined>;

  /** The last number given by a counter, skipped numbers included; 0 at first. */
  counter(space: Space, prefix: number): Promise<bigint>;

  /** The value of a setting; undefined if it is not set. */
  setting(name: string): Promise<string | undefined>;

  /**
   * Sets a setting that has the expected value, atomically.
   * @param expected the value that it must have now; undefined if it must not be set
   * @returns whether it was set
   */
  replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean>;

  /**
   * Leases one of the shards 0 to `shards` - 1 that nobody holds by the store's clock: the first whose mark is not
   * after `mintFrom`, otherwise the one with the earliest mark. If many ask at once, it may be another. A shard whose
   * mark is too far ahead (see `isTooFarAhead`) is skipped. `FLOOR_SETTING` counts as a mark of all shards. The token is
   * larger than all earlier ones of the shard; no record is ever deleted.
   * @returns undefined if all are held
   * @throws RangeError if `mintUntil` is too far ahead of the store's clock
   * @throws StoreCorruptError if the marks of all shards are too far ahead
   */
  acquireLease(
    request: LeaseRequest & { readonly shards: number; readonly mintFrom: number },
  ): Promise<LeaseGrant | undefined>;

  /**
   * Prolongs a lease that this owner and token still hold, and raises the mark to `mintUntil`.
   * @returns whether they still hold it
   * @throws RangeError if `mintUntil` is too far ahead of the store's clock
   */
  renewLease(request: LeaseRequest & LeaseHolder): Promise<boolean>;

  /**
   * Ends a lease if this owner and token hold it, and sets the mark to what has really been minted. The holder mints
   * nothing more.
   */
  releaseLease(holder: LeaseHolder & { readonly owner: string; readonly mintedUntil: number }): Promise<void>;

  /** The records of all shards that have ever been leased, ascending by shard. */
  shards(): Promise<readonly (ShardRecord & { readonly shard: number })[]>;

  /**
   * Ends the lease of a shard, whoever holds it. The mark stays, so the next holder starts after all that the present
   * one may still mint. @returns whether somebody held it
   */
  freeShard(shard: number): Promise<boolean>;

  /** Sets the mark of a shard to the store's clock. Nothing else ever lowers a mark that a holder may have minted up to. */
  resetMark(shard: number): Promise<MarkReset>;

  /** How many keys have an id. */
  count(space: Space): Promise<number>;

  /**
   * All keys that have an id when it begins, each once, with their ids, in pieces that fit into memory, in the store's own
   * order. Keys that get an id meanwhile may be among them.
   */
  entries(space: Space): AsyncIterable<Entries>;

  /** The last number of every counter, by prefix, without skipped numbers. */
  counters(space: Space): Promise<Map<number, bigint>>;

  /**
   * Adds entries with their ids, for a copy; existing entries stay.
   * @throws StoreConflictError if one of the keys has another id, or one of the ids another key
   */
  restore(space: Space, entries: Entries): Promise<void>;

  /** Raises counters, for a copy; larger ones stay. */
  restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void>;

  /** Adds the records of shards, for a copy, or merges them with those that the store has; see `mergeRecords`. */
  restoreShards(records: readonly (ShardRecord & { readonly shard: number })[]): Promise<void>;

  /**
   * Runs the engine's own check, which reads everything; absent if the engine has none.
   * @throws StoreCorruptError if it finds damage
   */
  check?(): Promise<void>;

  /** Writes a snapshot to a new file, while others use the store; absent if the engine has its own tool. */
  backup?(path: string): Promise<void>;

  /** Ends the use of the store. It can be called again. A call that has not ended gives its result or a `StoreUnavailableError`. */
  close(): Promise<void>;
}

/** Keys and ids in different spaces are independent. */
export type Space = 'strings' | 'types';

/** Where new ids come from. */
export interface Block {
  readonly prefix: number;
  /** The id is base + n, where n counts from 1 to max. */
  readonly base: bigint;
  readonly max: bigint;
}

/** Keys and their ids, row by row. */
export interface Entries {
  readonly keys: readonly string[];
  readonly ids: BigUint64Array;
}

/**
 * The result of resetting a mark; see `markReset`. Nothing was done unless it is `reset`.
 * @inline
 */
export type MarkReset = 'reset' | 'held' | 'alive' | 'near' | 'absent';

export interface LeaseRequest {
  readonly owner: string;
  readonly ttlMs: number;
  /** Ids may be minted up to this instant, in Unix milliseconds. The store keeps it when the lease has ended. */
  readonly mintUntil: number;
}

export interface LeaseHolder {
  readonly shard: number;
  readonly token: bigint;
}

export interface LeaseGrant extends LeaseHolder {
  /** Up to when earlier holders may have minted ids, in Unix milliseconds; 0 if there were no holders. */
  readonly mintedUntil: number;
}

/** The setting with how many numbers every counter of a space has skipped; absent if it has skipped none. */
export const skippedSetting = (space: Space): string => `skipped:${space}`;

/** The setting with the last token that may have been given: new ones are larger. Absent if none were skipped. */
export const TOKENS_SETTING = 'tokens';

/** The setting with an instant, in Unix milliseconds, before which no lease may mint. Absent if none was set. */
export const FLOOR_SETTING = 'floor';

/** The setting with how many bits of the ids of strings are the prefix. Absent until the first string is interned. */
export const PREFIX_BITS_SETTING = 'prefixBits';
export const DEFAULT_PREFIX_BITS = 14;

/** The setting with the shard map that was published last, as JSON. Absent until the first one is published. */
export const MAP_SETTING = 'map';

/** The error of every call on a store that has been closed. */
export function closed(): StoreUnavailableError {
  return new StoreUnavailableError('the store is closed', { isTransient: false });
}

/** The error of restoring an entry whose key already has another id, or whose id already has another key. */
export function contradicts(id: bigint): StoreConflictError {
  return new StoreConflictError(`the store has another id for the string of id ${id}, or another string for that id`, {
    isTransient: false,
  });
}
