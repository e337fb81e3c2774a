import { StoreConflictError } from '../../../errors.js';
import {
  allTooFarAhead,
  clockIsAhead,
  FLOOR_SETTING,
  isTooFarAhead,
  type LeaseGrant,
  MAX_AHEAD_MS,
  recordsByShard,
  type ShardRecord,
  type Store,
  TOKENS_SETTING,
} from '../../store.js';
import { type Connection, fromAscii, type PostgresStatement, selectAnswer, toAscii } from './connection.js';
import { DURABLY, type Tables } from './schema.js';

// The server's clock, in Unix milliseconds: the present time, not the start of the transaction.
const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::double precision';
const CLOCK = `clock as materialized (select ${NOW} as now)`;

function shardStatements({ shards, settings }: Tables) {
  const setting = (name: string, type: string) =>
    `coalesce((select value from ${settings} where name = '${name}')::${type}, 0)`;
  /** See `withLease`. */
  const ttlOf = (given: string) =>
    `case when kept.stray_until > ${NOW} then greatest(kept.ttl_ms, ${given}) else ${given} end`;
  const isHeld = (clock: string) =>
    `shard = $1::text::integer and owner = $2::text and token = $3::text::bigint and expires > ${clock}`;
  return {
    /**
     * $1 shards, $2 owner, $3 ttlMs, $4 mintFrom, $5 mintUntil, $6 how many of the best shards to choose from.
     *
     * A shard is taken only if its record is still as this statement saw it: otherwise another holder may have raised
     * the mark.
     */
    acquire: write(`
      with ${CLOCK}, lost as materialized (
        select ${setting(TOKENS_SETTING, 'bigint')} as last_token,
          ${setting(FLOOR_SETTING, 'double precision')} as floor
      ), open as materialized (
        select shard, token, coalesce(expires, 0) as expires, coalesce(minted_until, 0) as mark
        from clock, lost, generate_series(0, $1::text::integer - 1) as every (shard)
        left join ${shards} using (shard)
        where coalesce(minted_until, 0) <= greatest(now + coalesce(ttl_ms, 0) + ${MAX_AHEAD_MS}, floor)
      ), best as (
        select open.*, greatest(mark, floor, $4::text::double precision) as mint_from from open, clock, lost
        where expires <= now
          and $5::text::double precision <= now + $3::text::double precision + ${MAX_AHEAD_MS}
        order by mint_from, shard
        limit $6::text::integer
      ), chosen as materialized (
        select * from best order by mint_from, random() limit 1
      ), taken as (
        insert into ${shards} as kept (shard, owner, token, expires, stray_until, ttl_ms, minted_until)
        select shard, $2::text, greatest(coalesce(chosen.token, 0), last_token) + 1,
          now + $3::text::double precision, 0, $3::text::double precision,
          greatest(mark, floor, $5::text::double precision)
        from chosen, clock, lost
        on conflict (shard) do update set
          owner = excluded.owner,
          token = excluded.token,
          expires = excluded.expires,
          ttl_ms = ${ttlOf('excluded.ttl_ms')},
          minted_until = excluded.minted_until
        where (kept.token, kept.expires, kept.minted_until) = (select token, expires, mark from chosen)
        returning shard, token, ${DURABLY} as durably
      )
      ${selectAnswer(`json_build_object(
        'now', now,
        'isOpen', exists (select from open),
        'isFree', exists (select from chosen),
        'taken', (
          select json_build_object('shard', shard, 'token', taken.token::text, 'mark', greatest(mark, floor))
          from lost, taken join chosen using (shard)))`)}
      from clock`),

    /** $1 shard, $2 owner, $3 token, $4 ttlMs, $5 mintUntil */
    renew: write(`
      with ${CLOCK}, renewed as (
        update ${shards} as kept set
          expires = now + $4::text::double precision,
          ttl_ms = ${ttlOf('$4::text::double precision')},
          minted_until = greatest(minted_until, $5::text::double precision)
        from clock
        where ${isHeld(NOW)}
          and $5::text::double precision <= now + $4::text::double precision + ${MAX_AHEAD_MS}
        returning ${DURABLY} as durably
      )
      ${selectAnswer(`json_build_object(
        'now', now,
        'wasHeld', exists (select from ${shards} where ${isHeld('now')}),
        'isRenewed', exists (select from renewed))`)}
      from clock`),

    /** $1 shard, $2 owner, $3 token, $4 mintedUntil */
    release: write(`
      with released as (
        update ${shards} set expires = 0, minted_until = $4::text::double precision
        where ${isHeld(NOW)}
        returning ${DURABLY} as durably
      )
      ${selectAnswer('to_json(exists (select from released))')}`),

    /** $1 shard */
    free: write(`
      with freed as (
        update ${shards} set expires = 0, stray_until = greatest(stray_until, least(expires, ${NOW} + ttl_ms))
        where shard = $1::text::integer and expires > ${NOW}
        returning ${DURABLY} as durably
      )
      ${selectAnswer('to_json(exists (select from freed))')}`),

    /** $1 shard. See `markReset` */
    resetMark: write(`
      with ${CLOCK}, looked_up as materialized (
        select shard, case
          when expires > now then 'held'
          when minted_until > now and minted_until <= now + ttl_ms + ${MAX_AHEAD_MS} then 'near'
          when stray_until > now then 'alive'
          else 'reset' end as verdict
        from ${shards} as kept, clock where shard = $1::text::integer for update of kept
      ), reset as (
        update ${shards} as kept set minted_until = now from clock, looked_up
        where kept.shard = looked_up.shard and verdict = 'reset'
        returning ${DURABLY} as durably
      )
      ${selectAnswer(`to_json(coalesce((select verdict from looked_up left join reset on true), 'absent'))`)}`),

    /** The server's clock */
    now: { isRead: true, text: selectAnswer(`to_json(${NOW})`) },

    /** $1 first shard, $2 most rows */
    list: {
      isRead: true,
      text: `
        with page as (
          select * from ${shards} where shard >= $1::text::integer order by shard limit $2::text::integer
        )
        ${selectAnswer(`json_agg(json_build_object(
          'shard', shard, 'owner', owner, 'token', token::text, 'expires', expires, 'strayUntil', stray_until, 'ttlMs', ttl_ms,
          'mintedUntil', minted_until
        ) order by shard)`)}
        from page`,
    },

    /** $1 JSON of records. See `mergeRecords` */
    restore: write(`
      with restored as (
        insert into ${shards} as kept (shard, owner, token, expires, stray_until, ttl_ms, minted_until)
        select * from json_to_recordset($1::text::json) as given (
          shard integer, owner text, token bigint, expires double precision, stray_until double precision,
          ttl_ms double precision, minted_until double precision)
        order by shard
        on conflict (shard) do update set
          (owner, expires) = (select
            case when is_later then excluded.owner else kept.owner end,
            case when is_later then excluded.expires else kept.expires end
            from (select excluded.token >= kept.token as is_later) as compared),
          token = greatest(excluded.token, kept.token),
          stray_until = greatest(excluded.stray_until, kept.stray_until),
          ttl_ms = greatest(excluded.ttl_ms, kept.ttl_ms),
          minted_until = greatest(excluded.minted_until, kept.minted_until)
        returning ${DURABLY} as durably
      )
      ${selectAnswer('to_json((select count(*) from restored))')}`),
  } satisfies { readonly [name: string]: PostgresStatement };
}

const write = (text: string): PostgresStatement => ({ text, isRead: false });

type StoreRequest<Call extends 'acquireLease' | 'renewLease' | 'releaseLease' | 'restoreShards'> = Parameters<
  Store[Call]
>[0];

const MAX_ROWS = 10_000;
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
      const params = [shards, toAscii(owner), ttlMs, mintFrom, mintUntil, choices];
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
    const params = [shard, toAscii(owner), token, ttlMs, mintUntil];
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
    await this.#connection.ask(this.#statements.release, shard, toAscii(owner), token, mintedUntil);
  }

  free(shard: number): Promise<boolean> {
    return this.#connection.ask(this.#statements.free, shard);
  }

  resetMark(shard: number): ReturnType<Store['resetMark']> {
    return this.#connection.ask(this.#statements.resetMark, shard);
  }

  now(): Promise<number> {
    return this.#connection.ask(this.#statements.now);
  }

  async all(): ReturnType<Store['shards']> {
    const records: Awaited<ReturnType<Store['shards']>>[number][] = [];
    for (let first = 0; ; ) {
      const page = await this.#connection.ask<(Omit<ShardRecord, 'token'> & { shard: number; token: string })[] | null>(
        this.#statements.list,
        first,
        MAX_ROWS,
      );
      for (const record of page ?? []) {
        records.push({ ...record, owner: fromAscii(record.owner), token: BigInt(record.token) });
      }
      if (page === null || page.length < MAX_ROWS) return records;
      first = page[page.length - 1].shard + 1;
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
    for (let from = 0; from < json.length; from += MAX_ROWS) {
      await this.#connection.ask(this.#statements.restore, `[${json.slice(from, from + MAX_ROWS)}]`);
    }
  }
}
