import { checkInteger, checkOptions, checkRecord } from '../arguments.js';
import { checkedClock, retrying } from './calls.js';
import { checkUsable } from './identity.js';
import { ownerOf } from './lease.js';
import { checkBy, type JournalOptions, numberIn, record } from './settings.js';
import { FLOOR_SETTING, isTooFarAhead, refused, type Store } from './store.js';

/** What a store knows about a shard that has been leased. */
export interface LeaseInfo {
  readonly shard: number;
  /** Who holds it, or held it last: the `owner` of `leaseShard`. */
  readonly owner: string;
  readonly token: bigint;
  /** When the lease ends unless it is renewed, by the store's clock; 1970 if it was given back, or an operator ended it. */
  readonly expires: Date;
  /**
   * Until when holders whose lease an operator ended may still mint, by the store's clock; 1970 if there were none. The
   * shard's mark cannot be reset before.
   */
  readonly strayUntil: Date;
  /** The shard's mark: up to when ids may have been minted with it, by the clocks of its holders. */
  readonly mintedUntil: Date;
  /**
   * Whether only a wrong clock can have set the mark, so that nobody can lease the shard until then: it is more than an
   * hour beyond what the lease allowed. {@link resetMark} resets it.
   */
  readonly isMarkTooFarAhead: boolean;
}

/** What {@link releaseShard} did. Only `released` has changed something. */
export interface ReleaseOutcome {
  readonly outcome: 'released' | 'free already' | 'never leased';
}

/** What {@link resetMark} did. Only `reset` has changed something. */
export type ResetOutcome =
  | { readonly outcome: 'reset'; readonly from: Date; readonly to: Date }
  /** The mark is not in the future. */
  | { readonly outcome: 'not ahead'; readonly from: Date }
  | { readonly outcome: 'never leased' };

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
  const floor = await mintFloor(store);
  const now = await retrying(store, () => store.now());
  return records.map((record) => ({
    shard: record.shard,
    owner: ownerOf(record.owner),
    token: record.token,
    expires: new Date(record.expires),
    strayUntil: new Date(record.strayUntil),
    mintedUntil: new Date(record.mintedUntil),
    isMarkTooFarAhead: record.mintedUntil > floor && isTooFarAhead(record.mintedUntil, record.ttlMs, now),
  }));
}

/** The instant before which no lease of a store may mint, in Unix milliseconds, because a backup was restored; 0 if none. */
export async function mintFloor(store: Store): Promise<number> {
  checkRecord('store', store);
  return Number(await numberIn(store, FLOOR_SETTING));
}

/**
 * Ends the lease of a shard, for an operator who knows that its holder is gone. A holder that is still there notices
 * when it next renews the lease, and may mint until its lease would have ended; the next holder starts after that.
 * @param options.by who does it, for the journal
 * @returns what was done
 * @throws StoreConflictError if the store was moved away
 * @throws TypeError or RangeError for arguments of the wrong kind or value; what the store throws
 */
export async function releaseShard(store: Store, shard: number, options?: JournalOptions): Promise<ReleaseOutcome> {
  checkRecord('store', store);
  checkInteger('shard', shard, 0, 2 ** 20 - 1);
  const by = checkBy(checkOptions(options, ['by']).by);
  await checkUsable(store, 'write');
  const before = await recordOf(store, shard);
  const wasHeld = await retrying(store, () => store.freeShard(shard));
  const after = await recordOf(store, shard);
  // Its answer may have been lost, and another try then found the shard free.
  if (wasHeld || (before && after && after.strayUntil > before.strayUntil)) {
    await record(store, 'release', by, `ended the lease of shard ${shard}`);
    return { outcome: 'released' };
  }
  return { outcome: after === undefined ? 'never leased' : 'free already' };
}

/**
 * Sets the mark of a shard to the store's clock, for an operator who knows that a wrong clock has set it. Nothing else
 * lowers a mark. If ids with later times were really minted with the shard, they can be minted again when that time comes.
 * @param options.by who does it, for the journal
 * @returns what was done. A mark that is not in the future stays as it is
 * @throws StoreConflictError with a `reason`, if the store was moved away; if somebody holds the shard; if a holder whose
 *   lease was ended by {@link releaseShard} may still mint; or if the mark is at most an hour beyond what the lease
 *   allowed, because correct clocks may have set it
 * @throws RangeError for the argument `clock`, if the store's clock is not between 2025 and 2164, or differs from this
 *   machine's by more than an hour
 * @throws TypeError or RangeError for arguments of the wrong kind or value; what the store throws
 */
export async function resetMark(store: Store, shard: number, options?: JournalOptions): Promise<ResetOutcome> {
  checkRecord('store', store);
  checkInteger('shard', shard, 0, 2 ** 20 - 1);
  const by = checkBy(checkOptions(options, ['by']).by);
  await checkUsable(store, 'write');
  const now = await checkedClock(store);
  const before = await recordOf(store, shard);
  if (before === undefined) return { outcome: 'never leased' };
  const { expires, strayUntil, mintedUntil: from } = before;
  if (from.getTime() <= now && expires.getTime() <= now) return { outcome: 'not ahead', from };
  const done = await retrying(store, () => store.resetMark(shard));
  if (done === 'absent') return { outcome: 'never leased' };
  const [stray, mark] = [strayUntil.toJSON(), from.toJSON()];
  if (done === 'reset') {
    await record(store, 'reset-mark', by, `lowered the mark of shard ${shard} from ${mark}`);
    return { outcome: 'reset', from, to: (await recordOf(store, shard))?.mintedUntil ?? from };
  }
  const reasons = {
    held: `shard ${shard} is held: release it first`,
    alive: `a holder of shard ${shard} whose lease was ended may mint until ${stray}. Reset the mark after that`,
    near:
      `ids may still be minted with shard ${shard} up to its mark, ${mark}, which correct clocks can have set. ` +
      'Wait until then: the shard can be leased, and its ids begin at the mark',
  };
  throw refused(done, reasons[done]);
}

async function recordOf(store: Store, shard: number): Promise<LeaseInfo | undefined> {
  return (await leases(store)).find((one) => one.shard === shard);
}
