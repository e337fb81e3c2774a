import type { LeaseGrant, LeaseHolder, LeaseRequest, MarkReset, Store } from './store.js';
import {
  checkMark,
  chooseShard,
  type Lost,
  markReset,
  mergeRecords,
  recordsByShard,
  type ShardRecord,
  strayUntil,
  withLease,
} from './store.js';

/** The records of shards as an engine keeps them, used within one of its transactions. */
export interface ShardRecords {
  /** The store's clock, in Unix milliseconds. */
  now(): number;
  get(shard: number): ShardRecord | undefined;
  put(shard: number, record: ShardRecord): void;
  lost(): Lost;
}

/**
 * The calls of `Store` on leases, for an engine whose transactions come one after the other, or that commits only if what
 * was read is unchanged.
 */
export class ShardLeases {
  readonly #records: ShardRecords;

  constructor(records: ShardRecords) {
    this.#records = records;
  }

  acquire(request: Parameters<Store['acquireLease']>[0]): LeaseGrant | undefined {
    const now = this.#records.now();
    checkMark(request, now);
    const recordOf = (shard: number) => this.#records.get(shard);
    const grant = chooseShard(request, recordOf, now, this.#records.lost());
    if (grant !== undefined) {
      const kept = this.#records.get(grant.shard);
      this.#records.put(grant.shard, heldRecord(request, grant, kept, now));
    }
    return grant;
  }

  renew(request: LeaseRequest & LeaseHolder): boolean {
    const now = this.#records.now();
    const record = this.#records.get(request.shard);
    if (!isHeldBy(record, request, now)) return false;
    checkMark(request, now);
    this.#records.put(request.shard, heldRecord(request, record, record, now));
    return true;
  }

  release(holder: Parameters<Store['releaseLease']>[0]): void {
    const record = this.#records.get(holder.shard);
    if (!isHeldBy(record, holder, this.#records.now())) return;
    this.#records.put(holder.shard, { ...record, expires: 0, mintedUntil: holder.mintedUntil });
  }

  free(shard: number): boolean {
    const now = this.#records.now();
    const record = this.#records.get(shard);
    if (record === undefined || record.expires <= now) return false;
    this.#records.put(shard, { ...record, expires: 0, strayUntil: strayUntil(record, now) });
    return true;
  }

  resetMark(shard: number): MarkReset {
    const now = this.#records.now();
    const record = this.#records.get(shard);
    const done = markReset(record, now);
    if (record !== undefined && done === 'reset') this.#records.put(shard, { ...record, mintedUntil: now });
    return done;
  }

  restore(records: Parameters<Store['restoreShards']>[0]): void {
    for (const [shard, record] of recordsByShard(records)) {
      this.#records.put(shard, mergeRecords(this.#records.get(shard), record));
    }
  }
}

/** The record of a lease that is given or renewed. @param kept the record until now */
function heldRecord(
  request: LeaseRequest,
  { token, mintedUntil }: { readonly token: bigint; readonly mintedUntil: number },
  kept: ShardRecord | undefined,
  now: number,
): ShardRecord {
  const { owner, ttlMs, mintUntil } = request;
  const mark = Math.max(mintedUntil, mintUntil);
  return { owner, token, expires: now + ttlMs, mintedUntil: mark, ...withLease(kept, request, now) };
}

/** Whether a record is that of this holder, and has not expired. */
function isHeldBy(
  record: ShardRecord | undefined,
  { owner, token }: LeaseHolder & { readonly owner: string },
  now: number,
): record is ShardRecord {
  return record !== undefined && record.owner === owner && record.token === token && record.expires > now;
}
