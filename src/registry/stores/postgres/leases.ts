import { StoreConflictError } from '../../../errors.js';
import {
  allTooFarAhead,
  checkMark,
  FLOOR_SETTING,
  MAX_AHEAD_MS,
  recordsByShard,
  type ShardRecord,
  type Store,
  TOKENS_SETTING,
} from '../../store.js';
import { checkedShard } from '../../values.js';
import type { Connection } from './connection.js';
import {
  changing,
  DURABLY,
  fromAscii,
  numberIn,
  reading,
  selectAnswer,
  toAscii,
  writing,
} from './guarded-statements.js';
import { MAX_ROWS_READ } from './key-statements.js';
import type { Tables } from './schema.js';

// The first try takes the best shard. If others take it at the same time, later tries choose among more and more.
const CHOICES = [1, 16, 256, 4096];

export function leasesOf(connection: Connection, tables: Tables) {
  const statements = leaseStatements(tables);
  return {
    now: () => connection.askAlways(statements.now), // a restore that was interrupted asks before it goes on

    async acquireLease(request) {
      const { shards, owner, ttlMs, mintFrom, mintUntil } = request;
      for (const choices of CHOICES) {
        const params = [shards, toAscii(owner), ttlMs, mintFrom, mintUntil, choices];
        const { now, isOpen, isFree, taken } = await connection.ask(statements.acquire, ...params);
        checkMark(request, now);
        if (!isOpen) throw allTooFarAhead(shards);
        if (!isFree) return undefined;
        if (taken !== null) return { shard: taken.shard, token: BigInt(taken.token), mintedUntil: taken.mark };
      }
      throw new StoreConflictError('other holders took the shards');
    },

    async renewLease(request) {
      const { shard, token, owner, ttlMs, mintUntil } = request;
      const params = [shard, toAscii(owner), token, ttlMs, mintUntil];
      const { now, wasHeld, isRenewed } = await connection.ask(statements.renew, ...params);
      if (isRenewed || !wasHeld) return isRenewed;
      checkMark(request, now);
      throw new StoreConflictError('another holder took the shard');
    },

    async releaseLease({ shard, token, owner, mintedUntil }) {
      await connection.ask(statements.release, shard, toAscii(owner), token, mintedUntil);
    },

    freeShard: (shard) => connection.ask(statements.free, shard),
    resetMark: (shard) => connection.ask(statements.resetMark, shard),

    async shards() {
      const records: (ShardRecord & { readonly shard: number })[] = [];
      const lastOf = (page: readonly { shard: number }[] | null) => page?.[MAX_ROWS_READ - 1]?.shard;
      for await (const page of connection.pages(statements.list, 0n, lastOf, MAX_ROWS_READ)) {
        for (const record of page ?? []) {
          const { shard, owner, token } = record;
          records.push(checkedShard(shard, { ...record, owner: fromAscii(owner), token: BigInt(token) }));
        }
      }
      return records;
    },

    async restoreShards(records) {
      connection.checkOpen();
      const json = Array.from(recordsByShard(records), ([shard, record]) =>
        JSON.stringify({ ...record, shard, owner: toAscii(record.owner), token: String(record.token) }),
      );
      for (let from = 0; from < json.length; from += MAX_ROWS_READ) {
        await connection.ask(statements.restore, `[${json.slice(from, from + MAX_ROWS_READ)}]`);
      }
    },
  } satisfies Partial<Store>;
}

// The server's clock, in Unix milliseconds: the present time, not the start of the transaction.
const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::double precision';
const CLOCK = `clock as materialized (select ${NOW} as now)`;

function leaseStatements({ shards, settings }: Tables) {
  /** See `heldRecord`. */
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
    acquire: writing<{
      now: number;
      isOpen: boolean;
      isFree: boolean;
      taken: { shard: number; token: string; mark: number } | null;
    }>(`
      with ${CLOCK}, lost as materialized (
        select ${numberIn(settings, TOKENS_SETTING, 'bigint')} as last_token,
          ${numberIn(settings, FLOOR_SETTING, 'double precision')} as floor
      ), open as materialized (
        select every.shard, token, coalesce(expires, 0) as expires, coalesce(minted_until, 0) as mark
        from clock, lost, generate_series(0, $1::text::integer - 1) as every (shard)
        left join ${shards} as kept on kept.shard = every.shard
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
          select json_build_object('shard', chosen.shard, 'token', taken.token::text, 'mark', greatest(mark, floor))
          from lost, taken join chosen on chosen.shard = taken.shard))`)}
      from clock`),

    /** $1 shard, $2 owner, $3 token, $4 ttlMs, $5 mintUntil */
    renew: writing<{ now: number; wasHeld: boolean; isRenewed: boolean }>(`
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
    release: changing(`
      update ${shards} set expires = 0, minted_until = $4::text::double precision
      where ${isHeld(NOW)}`),

    /** $1 shard */
    free: changing(`
      update ${shards} set expires = 0, stray_until = greatest(stray_until, least(expires, ${NOW} + ttl_ms))
      where shard = $1::text::integer and expires > ${NOW}`),

    /** $1 shard. See `markReset` */
    resetMark: writing<Awaited<ReturnType<Store['resetMark']>>>(`
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

    now: reading<number>(selectAnswer(`to_json(${NOW})`)),

    /** $1 first shard, $2 most rows */
    list: reading<(Omit<ShardRecord, 'token'> & { shard: number; token: string })[] | null>(`
      with page as (
        select * from ${shards} where shard >= $1::text::integer order by shard limit $2::text::integer
      )
      ${selectAnswer(`json_agg(json_build_object(
        'shard', shard, 'owner', owner, 'token', token::text, 'expires', expires, 'strayUntil', stray_until, 'ttlMs', ttl_ms,
        'mintedUntil', minted_until
      ) order by shard)`)}
      from page`),

    /** $1 JSON of records. See `mergeRecords` */
    restore: changing(`
      insert into ${shards} as kept (shard, owner, token, expires, stray_until, ttl_ms, minted_until)
      select * from json_to_recordset($1::text::json) as given (
        shard integer, owner text, token bigint, expires double precision, "strayUntil" double precision,
        "ttlMs" double precision, "mintedUntil" double precision)
      order by shard
      on conflict (shard) do update set
        (owner, expires) = (select
          case when is_later then excluded.owner else kept.owner end,
          case when is_later then excluded.expires else kept.expires end
          from (select excluded.token >= kept.token as is_later) as compared),
        token = greatest(excluded.token, kept.token),
        stray_until = greatest(excluded.stray_until, kept.stray_until),
        ttl_ms = greatest(excluded.ttl_ms, kept.ttl_ms),
        minted_until = greatest(excluded.minted_until, kept.minted_until)`),
  };
}
