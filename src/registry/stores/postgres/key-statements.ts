import { type Space, skippedSetting } from '../../store.js';
import { HASH_KEY_SETTING, type HashKey } from '../shared/string-hashes.js';
import { changing, DURABLY, numberIn, reading, selectAnswer, writing } from './guarded-statements.js';
import type { Tables } from './schema.js';

export interface AssignAnswer {
  /**
   * Nothing has been done if all keys are known, the prefix is full, others have just filled it (passed), the hashes need
   * another key (rekeyed), or another string has the same hash (collision). Outrun: others have inserted some of the keys
   * at the same time.
   */
  readonly verdict: 'assigned' | 'known' | 'full' | 'passed' | 'rekeyed' | 'collision' | 'outrun';
  /** Null if nothing has been done. */
  readonly last: string | null;
  readonly known: readonly (readonly [row: number, id: string])[] | null;
}

/** The code of the error if a key or an id exists already: unique_violation. */
export const KNOWN = '23505';

/** The code of the error if others have inserted the same types: invalid_text_representation. */
export const OUTRUN = '22P02';

/** Keys in an answer; null if there are none. */
export type SentKeys = { readonly bytes: string | null; readonly lengths: readonly number[] | null };

export const MAX_ROWS_READ = 10_000;

/** Stands for an id if another key has the same hash. */
export const COLLISION = 'collision';

// Every key is looked up by itself: given a list, PostgreSQL reads the whole table instead of the index if it takes the
// list for a large part of the table, for instance because nobody has analyzed it yet. "offset 0" keeps a subquery as
// it is. Keys are sent both ways as one column of bytes, which is read faster than an array. Arrays are read from
// another table, because PostgreSQL reads an array that is a parameter twice: first to plan, and then to run.

const GIVEN = `
  sent as materialized (
    select $1::text::uuid[] as hashes, decode($2::text, 'base64') as bytes,
      $3::text::integer[] as starts, $4::text::integer[] as lengths
  ), given as materialized (
    select n, hash, substring(bytes from start for length) as key
    from sent, rows from (unnest(hashes), unnest(starts), unnest(lengths)) with ordinality as given (hash, start, length, n)
  )`;

/** Selects the first keys of a table, up to a size: see `SentKeys`. @param more what else is in the answer */
const sent = (table: string, order: string, mostBytes: string, more: string) => `sized as (
        select *, sum(octet_length(key)) over (order by ${order}) - octet_length(key) as before from ${table}
      )
      ${selectAnswer(`json_build_object(
        ${more},
        'lengths', json_agg(octet_length(key) order by ${order}),
        'bytes', encode(string_agg(key, '' order by ${order}), 'base64'))`)}
      from sized where before < ${mostBytes}::text::bigint`;

export function keyStatements(space: Space, { [space]: keys, counters, settings }: Tables) {
  const hashKey = `(select value from ${settings} where name = '${HASH_KEY_SETTING}')`;
  const skipped = numberIn(settings, skippedSetting(space), 'numeric');
  const last = (prefix: string) =>
    `coalesce((select last from ${counters} where space = '${space}' and prefix = ${prefix}::text::bigint), 0)`;
  const idOfGiven = `(
          select case when found.key = given.key then found.id::text else '${COLLISION}' end
          from ${keys} as found where found.hash = given.hash)`;
  /** Checks for room, and moves the counter. @param cases that come before the last two */
  const move = (cases = '') => `verdict as materialized (
        select counter.*, case
          when coalesce(${hashKey}, '') <> $5::text then 'rekeyed'
          ${cases}
          when skipped + last + missing + $9::text::bigint > $8::text::numeric then 'full'
          else 'assigned' end as verdict
        from counter
      ), moved as (
        insert into ${counters} as counters (space, prefix, last)
        select '${space}', $6::text::bigint, missing from verdict where verdict = 'assigned'
        on conflict (space, prefix) do update set last = counters.last + excluded.last
        where (select skipped from counter) + counters.last + excluded.last + $9::text::bigint <= $8::text::numeric
        returning last - (select missing from counter) as start, ${DURABLY} as durably
      )`;
  const start = '(select (skipped + start)::text from moved, counter)';
  const outrun = space === 'types' ? `('outrun: ' || missing::text)::integer::text` : `'outrun'`;
  return {
    /** $1 hashes, $2 bytes, $3 starts, $4 lengths. The key of the hashes, and the ids: 0 for none */
    lookup: reading<{ hashKey: HashKey | null; ids: string[] }>(`
      with ${GIVEN}
      ${selectAnswer(`json_build_object(
        'hashKey', ${hashKey},
        'ids', json_agg(coalesce(${idOfGiven}, '0') order by n))`)}
      from given`),

    /** $1 ids, $2 most bytes. The rows from 1, lengths and bytes of the first keys that were found, and how many were */
    resolve: reading<SentKeys & { rows: number[] | null; found: number }>(`
      with sent as materialized (
        select $1::text::bigint[] as ids
      ), found as materialized (
        select n, key from sent, unnest(ids) with ordinality as given (id, n)
        cross join lateral (select key from ${keys} as kept where kept.id = given.id offset 0) as kept
      ), ${sent('found', 'n', '$2', `'rows', json_agg(n order by n), 'found', (select count(*) from found)`)}`),

    // Others who take numbers of the same prefix wait for the row of its counter, and then go on from there, so nobody is
    // outrun who has keys of its own. If others insert some of the keys first, they keep them, and the numbers for them
    // here stay unused. There are few numbers of types, so there the statement fails, which undoes it. All batches insert
    // in one order, so that none deadlock.
    /**
     * $1 to $4 as lookup, $5 key of the hashes, $6 prefix, $7 base, $8 max, $9 how many numbers are needed after these.
     * A verdict, the last number given before those that are assigned, and the rows from 1 with the ids of keys that had one
     */
    assign: writing<AssignAnswer>(`
      with ${GIVEN}, looked_up as materialized (
        select n, hash, key, ${idOfGiven} as id from given
      ), missing as materialized (
        select hash, key, row_number() over (order by n) as number from looked_up where id is null
      ), counter as materialized (
        select ${last('$6')} as last, ${skipped} as skipped, (select count(*) from missing) as missing
      ), ${move(`when exists (select from looked_up where id = '${COLLISION}') then '${COLLISION}'
          when missing = 0 then 'known'`)}, inserted as (
        insert into ${keys} (id, hash, key)
        select $7::text::bigint + (skipped + start)::bigint + number, hash, key
        from moved, counter, missing
        order by hash
        on conflict (hash) do nothing
        returning id
      )
      ${selectAnswer(`json_build_object(
        'verdict', case
          when verdict <> 'assigned' then verdict
          when not exists (select from moved) then 'passed'
          when (select count(*) from inserted) < missing then ${outrun}
          else verdict end,
        'last', ${start},
        'known', (select json_agg(json_build_array(n, id)) from looked_up where id is not null))`)}
      from verdict`),

    // Half the work of assign, for keys that have just been looked up: they are not looked up again before or during
    // the insert. A caller that is outrun starts again with assign.
    /** Like assign, for keys that have no ids. It fails with {@link KNOWN} if a key has one; nothing has been done then. */
    assignNew: writing<AssignAnswer>(`
      with ${GIVEN}, counter as materialized (
        select ${last('$6')} as last, ${skipped} as skipped, cardinality(hashes) as missing from sent
      ), ${move()}, inserted as (
        insert into ${keys} (id, hash, key)
        select $7::text::bigint + (skipped + start)::bigint + n, hash, key
        from moved, counter, given
        order by hash
      )
      ${selectAnswer(`json_build_object(
        'verdict', case when verdict = 'assigned' and not exists (select from moved) then 'passed' else verdict end,
        'last', ${start},
        'known', null)`)}
      from verdict`),

    /** $1 prefix */
    counter: reading<string>(selectAnswer(`to_json((${last('$1')} + ${skipped})::text)`)),

    /** $1 first id, as signed, $2 most rows. How many ids it finds, at most $2, and the last one */
    count: reading<{ count: number; last: string | null }>(`
      with page as (select id from ${keys} where id >= $1::text::bigint order by id limit $2::text::bigint)
      ${selectAnswer(`json_build_object('count', count(*), 'last', max(id)::text)`)}
      from page`),

    /** $1 first id, as signed, $2 most rows, $3 most bytes */
    entries: reading<SentKeys & { ids: string[] | null }>(`
      with page as materialized (
        select id, key from ${keys} where id >= $1::text::bigint order by id limit $2::text::bigint
      ), ${sent('page', 'id', '$3', `'ids', json_agg(id::text order by id)`)}`),

    /** $1 first prefix, $2 most rows */
    counters: reading<{ prefixes: number[] | null; last: string[] }>(`
      with page as (
        select prefix, last from ${counters} where space = '${space}' and prefix >= $1::text::bigint
        order by prefix limit $2::text::bigint
      )
      ${selectAnswer(`json_build_object(
        'prefixes', json_agg(prefix order by prefix), 'last', json_agg(last::text order by prefix))`)}
      from page`),

    // Nothing is inserted if an existing entry differs. Entries that others insert at the same time are missing from
    // the counts, and are found when the statement is run again.
    /** $1 to $4 as lookup, $5 key of the hashes, $6 ids */
    restore: writing<{
      hashKey: HashKey | null;
      inserted: number;
      kept: number;
      collision: number | null;
      other: number | null;
    }>(`
      with ${GIVEN}, entries as materialized (
        select given.n, hash, key, id
        from given join unnest($6::text::bigint[]) with ordinality as ids (id, n) on ids.n = given.n
      ), kept as materialized (
        select n, case
          when same.key <> entries.key then '${COLLISION}' when same.id <> entries.id then 'other' else 'same' end as kind
        from entries cross join lateral (select id, key from ${keys} as kept where kept.hash = entries.hash offset 0) as same
        union all
        select n, case when same.hash = entries.hash then 'same' else 'other' end
        from entries cross join lateral (select hash from ${keys} as kept where kept.id = entries.id offset 0) as same
      ), inserted as (
        insert into ${keys} (id, hash, key)
        select id, hash, key from entries
        where ${hashKey} = $5::text
          and not exists (select from kept where kind <> 'same')
          and not exists (select from kept where kept.n = entries.n)
        order by hash
        on conflict do nothing
        returning id, ${DURABLY} as durably
      )
      ${selectAnswer(`json_build_object(
        'hashKey', ${hashKey},
        'inserted', (select count(*) from inserted),
        'kept', (select count(distinct n) from kept where kind = 'same'),
        'collision', (select min(n) from kept where kind = '${COLLISION}'),
        'other', (select min(n) from kept where kind = 'other'))`)}`),

    /** $1 JSON of rows with prefix and last */
    restoreCounters: changing(`
        insert into ${counters} as counters (space, prefix, last)
        select '${space}', prefix, last from json_to_recordset($1::text::json) as given (prefix bigint, last bigint)
        order by prefix
        on conflict (space, prefix) do update set last = greatest(counters.last, excluded.last)`),
  };
}
