import { checkInteger, checkRecord } from '../arguments.js';
import { StoreConflictError } from '../errors.js';
import { ownerOf } from './holder.js';
import { retrying } from './retrying.js';
import { DEFAULT_TTL_MS, isTooFarAhead } from './shard-records.js';
import type { Store } from './store.js';

/** What a store knows about a shard that has been leased. */
export interface LeaseInfo {
  readonly shard: number;
  /** Who holds it, or held it last: the `owner` of `leaseShard`. */
  readonly owner: string;
  readonly token: bigint;
  /** When the lease ends unless it is renewed, by the store's clock; 1970 if it was given back. */
  readonly expires: Date;
  /** Up to when ids may have been minted with the shard, by the clocks of its holders. */
  readonly mintedUntil: Date;
}

/**
 * All shards that have ever been leased, ascending: who holds them, until when, and up to when ids may have been
 * minted.
 * @throws TypeError if `store` is not a store; what the store throws
 * @example
 * const held = (await leases(store)).filter(({ expires }) => expires > new Date());
 */
export async function leases(store: Store): Promise<LeaseInfo[]> {
  checkRecord('store', store);
  const records = await retrying(store, () => store.shards());
  return records.map(({ shard, owner, token, expires, mintedUntil }) => ({
    shard,
    owner: ownerOf(owner),
    token,
    expires: new Date(expires),
    mintedUntil: new Date(mintedUntil),
  }));
}

/**
 * Whether a wrong clock has set the mark of a shard so far ahead that nobody can lease the shard: more than an hour
 * beyond the end of a lease of 30 seconds, by this machine's clock. {@link resetMark} resets it.
 */
export function isMarkTooFarAhead({ mintedUntil, expires }: LeaseInfo): boolean {
  return isTooFarAhead(mintedUntil.getTime(), DEFAULT_TTL_MS, Math.max(expires.getTime(), Date.now()));
}

/**
 * Ends the lease of a shard, for an operator who knows that its holder is gone. A holder that is still there notices
 * when it next renews the lease, and may mint until its lease would have ended; the next holder starts after that.
 * @returns whether somebody held the shard
 * @throws TypeError or RangeError for arguments of the wrong kind or value; what the store throws
 */
export async function releaseShard(store: Store, shard: number): Promise<boolean> {
  checkRecord('store', store);
  checkInteger('shard', shard, 0, 2 ** 20 - 1);
  return retrying(store, () => store.freeShard(shard));
}

/**
 * Sets the mark of a shard to the store's clock, for an operator who knows that a wrong clock has set it. If ids with
 * later times were really minted with the shard, they can be minted again when that time comes.
 * @returns whether the shard has ever been leased
 * @throws StoreConflictError if somebody holds the shard; or if the mark is at most an hour ahead, because a holder
 *   whose lease was ended by {@link releaseShard} may still mint up to it
 * @throws TypeError or RangeError for arguments of the wrong kind or value; what the store throws
 */
export async function resetMark(store: Store, shard: number): Promise<boolean> {
  checkRecord('store', store);
  checkInteger('shard', shard, 0, 2 ** 20 - 1);
  const done = await retrying(store, () => store.resetMark(shard));
  if (done === 'held') throw new StoreConflictError(`shard ${shard} is held: release it first`, { isTransient: false });
  if (done === 'near') {
    const message =
      `ids may still be minted with shard ${shard} up to its mark, which is at most an hour ahead. ` +
      'Wait until then: the shard can be leased, and its ids begin at the mark';
    throw new StoreConflictError(message, { isTransient: false });
  }
  return done === 'reset';
}
