import { FLOOR_SETTING, MAX_AHEAD_MS, type ShardRecord, type Store, TOKENS_SETTING } from '../../store.js';
import { changing, DURABLY, numberIn, reading, selectAnswer, type Tables, writing } from './statements.js';

// The server's clock, in Unix milliseconds: the present time, not the start of the transaction.
const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::double precision';
const CLOCK = `clock as materialized (select ${NOW} as now)`;

export function leaseStatements({ shards, settings }: Tables) {
  /** See `heldRecord`. */
  const ttlOf = (given: string) =>
    `case when kept.stray_until > ${NOW} then greatest(kept.ttl_ms, ${given}) else ${given} end`;
  const isHeld = (clock: string) =>
    `shard = $1::text::integer and owner = $2::text and token = $3::text::bigint and expires > ${clock}`;
  return {
    /** $1 name */
    setting: reading<string | null>(selectAnswer(`to_json((select value from ${settings} where name = $1::text))`)),

    /** $1 name, $2 value. Whether it was inserted */
    insertSetting: changing(`
      insert into ${settings} (name, value) values ($1::text, $2::text)
      on conflict (name) do nothing`),

    /** $1 name, $2 value, $3 expected. Whether it was replaced */
    replaceSetting: changing(`
      update ${settings} set value = $2::text where name = $1::text and value = $3::text`),

    /**
     * A commit that changes nothing. When it is on the standbys, so is everything that was committed before it. The value
     * is written each time, even though it stays the same: a transaction that writes nothing does not wait.
     */
    barrier: changing(`
      insert into ${settings} (name, value) values ('barrier', '')
      on conflict (name) do update set value = excluded.value`),

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
