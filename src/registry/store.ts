import { StoreConflictError, StoreUnavailableError } from '../errors.js';
import type { ShardRecord } from './shard-records.js';

/**
 * What keeps ids unique: one contract, and one engine behind each implementation. Whatever a call says it has done is
 * durable when its promise resolves. A call that fails may have been done all the same; every call can be made again.
 *
 * Every method throws `StoreUnavailableError`, `StoreConflictError` and `StoreCorruptError`, and never an error of the
 * engine's client; a closed store throws a `StoreUnavailableError` that is not transient.
 */
export interface Store extends AsyncDisposable {
  /** The ids of keys, in the order of the keys; 0 for a key that has none. */
  lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array>;

  /** The keys of ids, in the order of the ids. */
  resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]>;

  /**
   * Gives ids to those of some keys that have none: `block.base` plus the next numbers of the block's counter, in
   * the order of the keys. A key gets all that belongs to it or nothing; a call that fails may have given ids to
   * the first of them. A number that has been given is never given again.
   *
   * Numbers begin after those that {@link skippedSetting} says: the number of a new key is the counter plus that.
   * @param keys different from each other
   * @returns the ids of all keys; or undefined, and nothing has been done, if the numbers would pass `block.max`
   * @throws StoreConflictError if other callers took the same keys or numbers first
   * @throws RangeError if a key is longer than the store can keep; nothing has been done
   */
  assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined>;

  /** The last number given by a counter, skipped numbers included; 0 at first. */
  counter(space: Space, prefix: number): Promise<bigint>;

  /** The value of a setting. */
  setting(name: string): Promise<string | undefined>;

  /**
   * Sets a setting that has the expected value, atomically.
   * @param expected the present value; undefined if there must be none
   * @returns whether it was set
   */
  replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean>;

  /**
   * Leases one of the shards 0 to `shards` - 1 that nobody holds by the store's clock: the first whose mark is not
   * after `mintFrom`, or another where many ask at once; else the one with the earliest mark. Shards whose mark is too
   * far ahead (see `isTooFarAhead`) are passed over. The token is larger than any before; no record is ever deleted.
   * @returns undefined if all are held
   * @throws RangeError if `mintUntil` is too far ahead of the store's clock
   * @throws StoreCorruptError if the marks of all shards are too far ahead
   */
  acquireLease(
    request: LeaseRequest & { readonly shards: number; readonly mintFrom: number },
  ): Promise<LeaseGrant | undefined>;

  /**
   * Prolongs a lease that this owner and token still hold, and moves the mark to `mintUntil` if it is earlier.
   * @returns whether they hold it
   * @throws RangeError if `mintUntil` is too far ahead of the store's clock
   */
  renewLease(request: LeaseRequest & LeaseHolder): Promise<boolean>;

  /** Ends a lease if this owner and token hold it, and sets the mark to what has really been minted. */
  releaseLease(holder: LeaseHolder & { readonly owner: string; readonly mintedUntil: number }): Promise<void>;

  /** The records of all shards that have ever been leased, ascending by shard. */
  shards(): Promise<readonly (ShardRecord & { readonly shard: number })[]>;

  /**
   * Ends whatever lease there is on a shard. The mark stays, so the next holder starts after all that the present one
   * may still mint. @returns whether somebody held it
   */
  freeShard(shard: number): Promise<boolean>;

  /** Sets the mark of a shard to the store's clock, unless somebody holds it or it has never been leased. */
  resetMark(shard: number): Promise<'reset' | 'held' | 'absent'>;

  /** How many keys have an id. */
  count(space: Space): Promise<number>;

  /** All keys that had an id when it began, with their ids, in pieces that fit into memory, in an order of the store's. */
  entries(space: Space): AsyncIterable<Entries>;

  /** The last number of every counter, by prefix, without skipped numbers. */
  counters(space: Space): Promise<Map<number, bigint>>;

  /**
   * Adds entries as they are, for a copy; an entry that is there already stays.
   * @throws StoreConflictError if one of the keys has another id, or one of the ids another key
   */
  restore(space: Space, entries: Entries): Promise<void>;

  /** Raises counters, for a copy; those that are larger already stay. */
  restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void>;

  /** Adds or replaces the records of shards, for a copy. */
  restoreShards(records: readonly (ShardRecord & { readonly shard: number })[]): Promise<void>;

  /**
   * Has the engine look for damage; absent if it has no such check. Slow: it reads everything.
   * @throws StoreCorruptError if there is any
   */
  check?(): Promise<void>;

  /** Writes a copy as of one instant to a file that does not exist, while others go on; absent if the engine has its own tool. */
  backup?(path: string): Promise<void>;

  close(): Promise<void>;
}

/** Keys in different spaces have nothing to do with each other. */
export type Space = 'strings' | 'types';

/** Where new ids come from. */
export interface Block {
  readonly prefix: number;
  /** The id is base + n, n counting from 1 up to max. */
  readonly base: bigint;
  readonly max: bigint;
}

/** Keys and their ids, row by row. */
export interface Entries {
  readonly keys: readonly string[];
  readonly ids: BigUint64Array;
}

export interface LeaseRequest {
  readonly owner: string;
  readonly ttlMs: number;
  /** Ids may be minted up to this instant, in Unix milliseconds; kept beyond the lease. */
  readonly mintUntil: number;
}

export interface LeaseHolder {
  readonly shard: number;
  readonly token: bigint;
}

export interface LeaseGrant extends LeaseHolder {
  /** Up to when earlier holders may have minted ids, in Unix milliseconds; 0 if there was none. */
  readonly mintedUntil: number;
}

/** The setting that says how many numbers every counter of a space has skipped; absent for none. */
export const skippedSetting = (space: Space): string => `skipped:${space}`;

/** The setting that says which tokens may have been given, up to which: the next ones are larger. Absent for none. */
export const TOKENS_SETTING = 'tokens';

/** The error of every call on a store that has been closed. */
export function closed(): StoreUnavailableError {
  return new StoreUnavailableError('the store is closed', { isTransient: false });
}

/** The error of restoring an entry whose key has another id already, or whose id another key. */
export function contradicts(id: bigint): StoreConflictError {
  return new StoreConflictError(`the store has another id for the string of id ${id}, or another string for the id`, {
    isTransient: false,
  });
}
