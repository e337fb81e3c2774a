import { StoreConflictError } from '../../errors.js';
import { allTooFarAhead, clockIsAhead, isTooFarAhead, recordsByShard, type ShardRecord } from '../shard-records.js';
import type { LeaseGrant, Store } from '../store.js';
import type { Connection } from './postgres-connection.js';
import type { Tables } from './postgres-schema.js';
import { fromAscii, toAscii } from './postgres-settings.js';
import { shardStatements } from './postgres-shard-statements.js';

type StoreRequest<Call extends 'acquireLease' | 'renewLease' | 'releaseLease' | 'restoreShards'> = Parameters<
  Store[Call]
>[0];

const MOST_ROWS = 10_000;
// The first try takes the best shard. If others take it at the same time, later tries choose among more and more.
const CHOICES = [1, 16, 256, 4096];

/** The records of shards, and their leases. */
export class Shards {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof shardStatements>;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#statements = shardStatements(tables);
  }

  async acquire(request: StoreRequest<'acquireLease'>): Promise<LeaseGrant | undefined> {
    const { shards, owner, ttlMs, mintFrom, mintUntil } = request;
    for (const choices of CHOICES) {
      const params = [shards, toAscii(owner), ttlMs, mintFrom, mintUntil, choices].map(String);
      const { now, isOpen, isFree, taken } = await this.#connection.ask<{
        now: number;
        isOpen: boolean;
        isFree: boolean;
        taken: { shard: number; token: string; mark: number } | null;
      }>(this.#statements.acquire, ...params);
      if (isTooFarAhead(mintUntil, ttlMs, now)) throw clockIsAhead(mintUntil, ttlMs, now);
      if (!isOpen) throw allTooFarAhead(shards);
      if (!isFree) return undefined;
      if (taken !== null) return { shard: taken.shard, token: BigInt(taken.token), mintedUntil: taken.mark };
    }
    throw new StoreConflictError('other holders took the shards');
  }

  async renew({ shard, token, owner, ttlMs, mintUntil }: StoreRequest<'renewLease'>): Promise<boolean> {
    const params = [shard, toAscii(owner), token, ttlMs, mintUntil].map(String);
    const { now, wasHeld, isRenewed } = await this.#connection.ask<{
      now: number;
      wasHeld: boolean;
      isRenewed: boolean;
    }>(this.#statements.renew, ...params);
    if (isRenewed || !wasHeld) return isRenewed;
    if (isTooFarAhead(mintUntil, ttlMs, now)) throw clockIsAhead(mintUntil, ttlMs, now);
    throw new StoreConflictError('another holder took the shard');
  }

  async release({ shard, token, owner, mintedUntil }: StoreRequest<'releaseLease'>): Promise<void> {
    await this.#connection.ask(this.#statements.release, ...[shard, toAscii(owner), token, mintedUntil].map(String));
  }

  free(shard: number): Promise<boolean> {
    return this.#connection.ask(this.#statements.free, String(shard));
  }

  resetMark(shard: number): ReturnType<Store['resetMark']> {
    return this.#connection.ask(this.#statements.resetMark, String(shard));
  }

  now(): Promise<number> {
    return this.#connection.ask(this.#statements.now);
  }

  async all(): ReturnType<Store['shards']> {
    const records: Awaited<ReturnType<Store['shards']>>[number][] = [];
    for (let first = 0; ; ) {
      const page = await this.#connection.ask<(Omit<ShardRecord, 'token'> & { shard: number; token: string })[] | null>(
        this.#statements.list,
        String(first),
        String(MOST_ROWS),
      );
      for (const record of page ?? []) {
        records.push({ ...record, owner: fromAscii(record.owner), token: BigInt(record.token) });
      }
      if (page === null || page.length < MOST_ROWS) return records;
      first = (page.at(-1)?.shard as number) + 1;
    }
  }

  async restore(records: StoreRequest<'restoreShards'>): Promise<void> {
    const rows = recordsByShard(records);
    const json = Array.from(rows, ([shard, { owner, token, expires, strayUntil, ttlMs, mintedUntil }]) =>
      JSON.stringify({
        shard,
        owner: toAscii(owner),
        token: String(token),
        expires,
        stray_until: strayUntil,
        ttl_ms: ttlMs,
        minted_until: mintedUntil,
      }),
    );
    for (let from = 0; from < json.length; from += MOST_ROWS) {
      await this.#connection.ask(this.#statements.restore, `[${json.slice(from, from + MOST_ROWS)}]`);
    }
  }
}
