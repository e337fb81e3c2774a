import { wrongValue } from '../arguments.js';
import { StoreCorruptError } from '../errors.js';
import type { LeaseGrant, LeaseRequest, MarkReset } from './store.js';

/** What a store keeps about a shard, for ever. */
export interface ShardRecord {
  /** Who leased it last. */
  readonly owner: string;
  readonly token: bigint;
  /** When the lease ends, by the store's clock, in Unix milliseconds; 0 if it was given back, or an operator ended it. */
  readonly expires: number;
  /**
   * Until when holders whose lease an operator ended may still mint, by the store's clock, in Unix milliseconds; 0 if there
   * were none.
   */
  readonly strayUntil: number;
  /** The `ttlMs` of the last lease; or a longer one of a holder that may still mint after an operator has ended its lease. */
  readonly ttlMs: number;
  /** The mark: up to when ids may have been minted, by the clocks of the holders, in Unix milliseconds. */
  readonly mintedUntil: number;
}

/** How far clocks may differ before one is taken for wrong. */
export const MOST_AHEAD_MS = 3_600_000;

/** The default `ttlMs` of `leaseShard`. */
export const DEFAULT_TTL_MS = 30_000;

/**
 * Whether a mark can only come from a clock that was wrong: a holder's mark is `ttlMs`, or up to a second more, ahead of
 * its clock, and clocks
 * that differ by more than an hour are taken for wrong. Such a mark would block a shard until that time.
 * @param ttlMs of the lease that set the mark
 */
export function isTooFarAhead(mark: number, ttlMs: number, now: number): boolean {
  return mark > now + ttlMs + MOST_AHEAD_MS;
}

/**
 * Whether the mark of a shard may be reset. Not if somebody holds the shard; nor if the mark is in the future, but near
 * enough for correct clocks, because ids up to it may have been minted; nor if a holder whose lease was ended by an
 * operator may be alive, because it may mint up to the mark.
 */
export function markReset(record: ShardRecord | undefined, now: number): MarkReset {
  if (record === undefined) return 'absent';
  const { expires, strayUntil, mintedUntil, ttlMs } = record;
  if (expires > now) return 'held';
  if (mintedUntil > now && !isTooFarAhead(mintedUntil, ttlMs, now)) return 'near';
  return strayUntil > now ? 'alive' : 'reset';
}

/** The record of a shard in two stores: the later lease, and the later of all instants until which anybody may mint. */
export function mergeRecords(kept: ShardRecord | undefined, given: ShardRecord): ShardRecord {
  if (kept === undefined) return given;
  const last = given.token >= kept.token ? given : kept;
  return {
    ...last,
    ttlMs: Math.max(kept.ttlMs, given.ttlMs),
    strayUntil: Math.max(kept.strayUntil, given.strayUntil),
    mintedUntil: Math.max(kept.mintedUntil, given.mintedUntil),
  };
}

/** What a new lease or a renewal keeps of a record: it ends no stray holder. */
export function withLease(record: Omit<ShardRecord, 'expires'> | undefined, { ttlMs }: LeaseRequest, now: number) {
  const { strayUntil = 0, ttlMs: before = 0 } = record ?? {};
  return { strayUntil, ttlMs: strayUntil > now ? Math.max(before, ttlMs) : ttlMs };
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
      'Check the clocks. Then, when its holder is gone, reset the mark of each shard, with: ' +
      'shardbits leases --store STORE --reset-mark SHARD',
  );
}

/** Records by shard; those of the same shard are merged. */
export function recordsByShard(
  records: readonly (ShardRecord & { readonly shard: number })[],
): Map<number, ShardRecord> {
  const merged = new Map<number, ShardRecord>();
  for (const { shard, ...record } of records) merged.set(shard, mergeRecords(merged.get(shard), record));
  return merged;
}

/**
 * Until when holders may still mint if an operator ends the lease now: no longer than the lease, which ends earlier than
 * the record says if the clock has been set back since.
 */
export function strayUntil({ expires, ttlMs, strayUntil: before }: ShardRecord, now: number): number {
  return Math.max(before, Math.min(expires, now + ttlMs));
}

/** What may have been given or minted even if no record says so, because records were lost with a later state. */
export interface Lost {
  readonly token: bigint;
  readonly mintedUntil: number;
}

/** @param settings the values of `TOKENS_SETTING` and `FLOOR_SETTING` */
export function lostBy(tokens: string | undefined, floor: string | undefined): Lost {
  return { token: BigInt(tokens ?? 0), mintedUntil: Number(floor ?? 0) };
}

/**
 * Chooses a free shard: the first one whose ids may be minted now, otherwise the one with the earliest mark.
 * @param recordOf the record of a shard that has been leased before
 * @throws StoreCorruptError if the marks of all shards are too far ahead
 */
export function chooseShard(
  { shards, mintFrom }: { readonly shards: number; readonly mintFrom: number },
  recordOf: (shard: number) => Pick<ShardRecord, 'token' | 'expires' | 'mintedUntil' | 'ttlMs'> | undefined,
  now: number,
  lost: Lost,
): LeaseGrant | undefined {
  let best: LeaseGrant | undefined;
  let tooFarAhead = 0;
  for (let shard = 0; shard < shards; shard++) {
    const { token = 0n, expires = 0, mintedUntil: mark = 0, ttlMs = 0 } = recordOf(shard) ?? {};
    if (mark > lost.mintedUntil && isTooFarAhead(mark, ttlMs, now)) tooFarAhead++;
    else if (expires <= now) {
      const mintedUntil = Math.max(mark, lost.mintedUntil);
      const grant = { shard, token: (token > lost.token ? token : lost.token) + 1n, mintedUntil };
      if (mintedUntil <= mintFrom) return grant;
      if (best === undefined || mintedUntil < best.mintedUntil) best = grant;
    }
  }
  if (tooFarAhead === shards) throw allTooFarAhead(shards);
  return best;
}
