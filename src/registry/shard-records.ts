import type { LeaseGrant, LeaseHolder, LeaseRequest } from './store.js';

/** What a store keeps of a shard, for ever. */
export interface ShardRecord {
  readonly owner: string;
  readonly token: bigint;
  /** By the store's clock, in Unix milliseconds. */
  readonly expires: number;
  readonly mintedUntil: number;
}

/**
 * The free shard to take: the first of which ids may be minted now, else that which may be soonest.
 * @param recordOf of a shard, if it has ever been leased
 */
export function chooseShard(
  shards: number,
  recordOf: (shard: number) => ShardRecord | undefined,
  now: number,
  mintFrom: number,
): LeaseGrant | undefined {
  let best: LeaseGrant | undefined;
  for (let shard = 0; shard < shards; shard++) {
    const record = recordOf(shard);
    if (record !== undefined && record.expires > now) continue;
    const grant = { shard, token: (record?.token ?? 0n) + 1n, mintedUntil: record?.mintedUntil ?? 0 };
    if (grant.mintedUntil <= mintFrom) return grant;
    if (best === undefined || grant.mintedUntil < best.mintedUntil) best = grant;
  }
  return best;
}

/** The record of a lease that is given or prolonged. */
export function heldRecord(
  request: LeaseRequest,
  { token, mintedUntil }: { token: bigint; mintedUntil: number },
  now: number,
): ShardRecord {
  const { owner, ttlMs, mintUntil } = request;
  return { owner, token, expires: now + ttlMs, mintedUntil: Math.max(mintedUntil, mintUntil) };
}

/** Whether a record is that of this holder, and not expired. */
export function isHeldBy(
  record: ShardRecord | undefined,
  { owner, token }: LeaseHolder & { owner: string },
  now: number,
): record is ShardRecord {
  return record !== undefined && record.owner === owner && record.token === token && record.expires > now;
}
