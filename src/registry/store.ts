/**
 * What keeps ids unique: one contract, an engine behind it. All that a call says it has done is durable when
 * it resolves. A call that fails may have been done all the same; each can be made again.
 */
export interface Store {
  /** The ids of keys, in their order; 0 for those that have none. */
  lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array>;

  /** The keys of ids, in their order. */
  resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]>;

  /**
   * Gives ids to those of some keys that have none: `block.base` plus the next numbers of the block's counter, in
   * the order of the keys. A key gets all that belongs to it or nothing; a call that fails may have given ids to
   * the first of them. A number that has been given is never given again.
   * @param keys different from each other
   * @returns the ids of all keys; or nothing, and nothing has been done, if the numbers would pass `block.max`
   * @throws StoreConflictError if others were at the same keys or counter: to be made again
   * @throws RangeError if a key is longer than the store can keep; nothing has been done
   */
  assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined>;

  /** The last number given of a counter; 0 at first. */
  counter(space: Space, prefix: number): Promise<bigint>;

  /** Keeps a value under a name, unless there is one. @returns the one that is kept */
  remember(name: string, value: string): Promise<string>;

  /**
   * Gives one of the shards 0 to `shards` - 1 that nobody holds by the store's clock, if there is any: the first of
   * which ids may be minted at `mintFrom`, or another where many ask at once; else that which may be soonest. Its
   * token is larger than any before; no record is ever deleted.
   */
  acquireLease(request: LeaseRequest & { shards: number; mintFrom: number }): Promise<LeaseGrant | undefined>;

  /** Prolongs a lease that is still held by this owner and token. @returns whether it was */
  renewLease(request: LeaseRequest & LeaseHolder): Promise<boolean>;

  /** Gives a lease back, if this owner and token hold it. */
  releaseLease(holder: LeaseHolder & { owner: string }): Promise<void>;

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

/** Others were faster: to be tried again. */
export class StoreConflictError extends Error {
  override readonly name = 'StoreConflictError';
}

/** The store could not be reached, or was lost before it answered; the call may have been done. To be tried again. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}
