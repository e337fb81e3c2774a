import type { Space } from '../store.js';

// Each is one statement and a transaction of its own, so that clients of all kinds can run them, over whichever
// connection. Parameters and columns are text, arrays too, as clients differ in what they make of other types;
// names of columns are single words, which those that change names leave.

// Whatever the server's or the session's setting: an answer is sent when the commit is on disk, and on the
// synchronous standbys if there are any.
const DURABLY = `set_config('synchronous_commit', 'on', true)`;

/**
 * Those on keys, for each space. A space has a table of its own: with the space in a column PostgreSQL took the
 * whole of it for a small part, and read it instead of the index, until the table was analyzed.
 */
export const KEY_STATEMENTS: { readonly [S in Space]: KeyStatements } = {
  strings: keyStatements('strings'),
  types: keyStatements('types'),
};

interface KeyStatements {
  /** $1 names */
  readonly lookup: string;
  /** $1 ids */
  readonly resolve: string;
  /**
   * $1 names, $2 whole keys of long ones, $3 prefix, $4 base, $5 max.
   *
   * The counter moves on only from where this statement sees it: whoever moved it meanwhile may have numbered
   * the same keys, and types would run out of numbers by racing for them. Batches of other prefixes that insert
   * the same keys first keep them; they are missing in the answer, and their numbers stay unused. All insert in
   * one order, so that they wait for each other but never in a circle.
   *
   * A row without name says why nothing has been done: FULL or PASSED.
   */
  readonly assign: string;
  /** $1 prefix */
  readonly counter: string;
}

function keyStatements(space: Space): KeyStatements {
  const keys = `shardbits_${space}`;
  return {
    lookup: `
      select encode(name, 'hex') as name, encode(whole, 'hex') as whole, id::text as id
      from ${keys} where name = any ($1::bytea[])`,

    resolve: `
      select id::text as id, encode(coalesce(whole, name), 'hex') as key
      from ${keys} where id = any ($1::bigint[])`,

    assign: `
      with known as (
        select name, whole, id from ${keys} where name = any ($1::bytea[])
      ), missing as (
        select name, whole, row_number() over (order by n) as n
        from unnest($1::bytea[], $2::bytea[]) with ordinality as given (name, whole, n)
        where not exists (select 1 from known where known.name = given.name)
      ), counter as (
        select coalesce(max(last), 0) as last, (select count(*) from missing) as missing
        from shardbits_counters where space = '${space}' and prefix = $3::bigint
      ), moved as (
        insert into shardbits_counters as counters (space, prefix, last)
        select '${space}', $3::bigint, last + missing from counter
        where missing > 0 and last <= $5::bigint - missing
        on conflict (space, prefix) do update set last = excluded.last
        where counters.last = (select last from counter)
        returning ${DURABLY} as durably
      ), inserted as (
        insert into ${keys} (name, whole, id)
        select missing.name, missing.whole, $4::bigint + counter.last + missing.n
        from moved, counter, missing
        order by missing.name
        on conflict (name) do nothing
        returning name, id
      )
      select encode(name, 'hex') as name, encode(whole, 'hex') as whole, id::text as id from known
      union all
      select encode(name, 'hex'), null, id::text from inserted
      union all
      select null, null, case when last <= $5::bigint - missing then 'PASSED' else 'FULL' end
      from counter where missing > 0 and not exists (select 1 from moved)`,

    counter: `select last::text as last from shardbits_counters where space = '${space}' and prefix = $1::bigint`,
  };
}

/** $1 name, $2 value; returns also what was there, which "do nothing" would not */
export const REMEMBER = `
  insert into shardbits_settings as kept (name, value) values ($1::text, $2::text)
  on conflict (name) do update set value = kept.value
  returning value, ${DURABLY} as durably`;

/**
 * $1 shards, $2 owner, $3 ttlMs, $4 mintFrom, $5 mintUntil.
 *
 * Takes the free shard from which ids may be minted soonest, if it is still free and with the same holder when
 * it is locked. The answer has a row if there was a free one, with a shard if it was taken.
 */
export const ACQUIRE_LEASE = `
  with free as (
    select shard, coalesce(token, 0) + 1 as token
    from generate_series(0, $1::integer - 1) as every (shard) left join shardbits_leases using (shard)
    where expires is null or expires <= clock_timestamp()
    order by greatest(coalesce(minted_until, 0), $4::bigint), shard
    limit 1
  ), taken as (
    insert into shardbits_leases as lease (shard, owner, token, expires, not_before, minted_until)
    select shard, $2::bytea, token, clock_timestamp() + $3::bigint * interval '1 millisecond', 0, $5::bigint
    from free
    on conflict (shard) do update set
      owner = excluded.owner,
      token = excluded.token,
      expires = excluded.expires,
      not_before = lease.minted_until,
      minted_until = greatest(lease.minted_until, excluded.minted_until)
    where lease.token = excluded.token - 1 and lease.expires <= clock_timestamp()
    returning shard, token, not_before, ${DURABLY} as durably
  )
  select taken.shard::text as shard, taken.token::text as token, taken.not_before::text as minted
  from free left join taken using (shard)`;

/** $1 shard, $2 owner, $3 token, $4 ttlMs, $5 mintUntil */
export const RENEW_LEASE = `
  update shardbits_leases set
    expires = clock_timestamp() + $4::bigint * interval '1 millisecond',
    minted_until = greatest(minted_until, $5::bigint)
  where shard = $1::integer and owner = $2::bytea and token = $3::bigint and expires > clock_timestamp()
  returning ${DURABLY} as durably`;

/** $1 shard, $2 owner, $3 token */
export const RELEASE_LEASE = `
  update shardbits_leases set expires = 'epoch'
  where shard = $1::integer and owner = $2::bytea and token = $3::bigint
  returning ${DURABLY} as durably`;
