import { wrongValue } from '../arguments.js';
import { StoreCorruptError } from '../errors.js';
import type { LeaseGrant, LeaseRequest } from './store.js';

/** What a store keeps about a shard, for ever. */
export interface ShardRecord {
  /** Who leased it last. */
  readonly owner: string;
  readonly token: bigint;
  /** By the store's clock, in Unix milliseconds; 0 if it was given back. */
  readonly expires: number;
  /** The mark: up to when ids may have been minted, by the clocks of the holders, in Unix milliseconds. */
  readonly mintedUntil: number;
}

/** How far clocks may differ before one is taken for wrong. */
export const MOST_AHEAD_MS = 3_600_000;

/** The default `ttlMs` of `leaseShard`, also for checking a mark without a lease. */
export const DEFAULT_TTL_MS = 30_000;

/**
 * Whether a mark can only come from a clock that was wrong: a holder's mark is `ttlMs` ahead of its clock, and clocks
 * that differ by more than an hour are taken for wrong. Such a mark would block a shard until that time.
 */
export function isTooFarAhead(mark: number, ttlMs: number, now: number): boolean {
  return mark > now + ttlMs + MOST_AHEAD_MS;
}

/**
 * Whether a mark is in the future, but near enough for correct clocks. A holder whose lease was ended by an operator may
 * then still mint up to it.
 */
export function isNear(mark: number, now: number): boolean {
  return mark > now && !isTooFarAhead(mark, DEFAULT_TTL_MS, now);
}

/** @throws RangeError if a holder asks for a mark that is too far ahead of the store's clock */
export function checkMark({ mintUntil, ttlMs }: LeaseRequest, now: number): void {
  if (isTooFarAhead(mintUntil, ttlMs, now)) throw clockIsAhead(mintUntil, ttlMs, now);
}

/** The error of a holder whose clock is more than an hour ahead of the store's. */
export function clockIsAhead(mintUntil: number, ttlMs: number, now: number): RangeError {
  const [ours, theirs] = [mintUntil - ttlMs, now].map((ms) => new Date(ms).toISOString());
  return wrongValue('clock', `at most an hour ahead of the store's clock (${theirs})`, ours, undefined, `${ours}`);
}

/** The error if no shard can be leased because a wrong clock has set all marks. */
export function allTooFarAhead(shards: number): StoreCorruptError {
  return new StoreCorruptError(
    `all ${shards} shards are marked as minted until more than an hour after the store's clock: a clock was wrong. ` +
      'Check the clocks. Then end the lease of each shard that is still held, with --release, and reset each mark, ' +
      'with: shardbits leases --store STORE --reset-mark SHARD',
  );
}

/**
 * Chooses a free shard: the first one whose ids may be minted now, otherwise the one with the earliest mark.
 * @param recordOf the record of a shard that has been leased before
 * @param lastToken the last token that may have been given, even if no record has it
 * @throws StoreCorruptError if the marks of all shards are too far ahead
 */
export function chooseShard(
  { shards, ttlMs, mintFrom }: { readonly shards: number; readonly ttlMs: number; readonly mintFrom: number },
  recordOf: (shard: number) => ShardRecord | undefined,
  now: number,
  lastToken: bigint,
): LeaseGrant | undefined {
  let best: LeaseGrant | undefined;
  let tooFarAhead = 0;
  for (let shard = 0; shard < shards; shard++) {
    const record = recordOf(shard);
    const { token = 0n, expires = 0, mintedUntil = 0 } = record ?? {};
    if (isTooFarAhead(mintedUntil, ttlMs, now)) tooFarAhead++;
    else if (expires <= now) {
      const grant = { shard, token: (token > lastToken ? token : lastToken) + 1n, mintedUntil };
      if (mintedUntil <= mintFrom) return grant;
      if (best === undefined || mintedUntil < best.mintedUntil) best = grant;
    }
  }
  if (tooFarAhead === shards) throw allTooFarAhead(shards);
  return best;
}
