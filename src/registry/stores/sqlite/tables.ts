import { STATE_SETTING } from '../../identity.js';
import type { Space } from '../../store.js';
import { HASH_KEY_SETTING, type HashKey } from '../shared/string-hashes.js';
import { prepare, type SqliteDatabase, type Value } from './driver.js';

// A key is found by its hash: an entry of the index is 14 bytes and not the whole key, so a batch of new keys changes
// fewer pages, each of which is written twice (to the log, then to the file). Two keys may have the same hash; both are
// then in the index, and keys are compared in full. The upper 48 bits are enough to tell keys apart, because nobody can
// choose keys that share them; SQLite keeps them in 6 bytes, and a number holds them. The next size is 64 bits: a string of
// 70 characters then takes 120.5 bytes in all, instead of 118.1.
//
// Ids are kept as the signed integers of the same 64 bits.

/** The format of the tables. A store of another format is rejected. */
export const FORMAT = '3';

/** The formats of stores that were never released: with an index of XXH64, and without a state. */
export const UNRELEASED_FORMATS: readonly Value[] = ['1', '2'];

const IDS = '(id integer primary key, key not null)';
const HASHES = '(hash integer not null, id integer not null, primary key (hash, id)) without rowid';

/** What each table is made of, by its name. There is nothing else: no index, trigger or view. */
export const TABLES: { readonly [table: string]: string } = {
  shardbits_settings: '(name primary key, value not null) without rowid',
  shardbits_counters:
    '(space text not null, prefix integer not null, last integer not null, primary key (space, prefix)) without rowid',
  shardbits_shards:
    '(shard integer primary key, owner not null, token integer not null, expires integer not null, ' +
    'stray_until integer not null, ttl_ms integer not null, minted_until integer not null)',
  shardbits_types: IDS,
  shardbits_types_by_hash: HASHES,
  shardbits_strings: IDS,
  shardbits_strings_by_hash: HASHES,
};

/** The settings that a store has from the beginning. */
export const FIRST_SETTINGS = ['format', HASH_KEY_SETTING, STATE_SETTING] as const;

/** The statement that makes a table. */
export const createTable = (name: string): string => `create table ${name} ${TABLES[name]}`;

/** @param state without an apostrophe, as `newState` gives it */
export function createTables(hashKey: HashKey, state: string): string {
  const values = [FORMAT, hashKey, state].map((value, i) => `('${FIRST_SETTINGS[i]}', '${value}')`);
  const insert = `insert into shardbits_settings values ${values.join()}`;
  return [...Object.keys(TABLES).map(createTable), insert].join(';\n');
}

export const ROWS_OF_MANY = 32;

/** A row of the table of shards, with the shard. */
export interface ShardRow {
  readonly shard: bigint;
  readonly owner: Value;
  readonly token: bigint;
  readonly expires: bigint;
  readonly stray_until: bigint;
  readonly ttl_ms: bigint;
  readonly minted_until: bigint;
}

export function prepareAll(database: SqliteDatabase) {
  const of = <R>(sql: string) => prepare<R>(database, sql);
  return {
    strings: prepareKeys(database, 'strings'),
    types: prepareKeys(database, 'types'),
    setting: of<{ value: Value }>('select value from shardbits_settings where name = ?'),
    set: of('insert into shardbits_settings values (?, ?) on conflict do update set value = excluded.value'),
    shard: of<ShardRow>('select * from shardbits_shards where shard = ?'),
    shards: of<ShardRow>('select * from shardbits_shards order by shard'),
    putShard: of('insert or replace into shardbits_shards values (?, ?, ?, ?, ?, ?, ?)'),
  };
}

/** The statements on the keys of one space. */
export type SqliteKeyStatements = ReturnType<typeof prepareKeys>;

/** Inserts a row of two columns, or {@link ROWS_OF_MANY} of them. */
export type Insert = SqliteKeyStatements['keys'];

function prepareKeys(database: SqliteDatabase, space: Space) {
  const of = <R>(sql: string) => prepare<R>(database, sql.replaceAll('KEYS', `shardbits_${space}`));
  const insert = (table: string) => ({
    one: of(`insert into ${table} values (?, ?)`),
    many: of(`insert into ${table} values ${Array(ROWS_OF_MANY).fill('(?, ?)')}`),
  });
  return {
    hasHash: of('select 1 from KEYS_by_hash where hash = ? limit 1'),
    /** Like `find`, with the state of the store: what a look-up of one key needs, without a transaction. */
    findAlone: of<{ id: bigint; state: Value | null }>(
      `select id, (select value from shardbits_settings where name = '${STATE_SETTING}') as state
       from KEYS_by_hash join KEYS using (id) where hash = ? and key = ?`,
    ),
    find: of<{ id: bigint }>('select id from KEYS_by_hash join KEYS using (id) where hash = ? and key = ?'),
    keyOf: of<{ key: Value }>('select key from KEYS where id = ?'),
    keys: insert('KEYS'),
    hashes: insert('KEYS_by_hash'),
    count: of<{ count: bigint }>('select count(*) as count from KEYS'),
    /** Entries ascend by their id as a signed integer. */
    page: of<{ id: bigint; key: Value }>('select id, key from KEYS where id >= ? order by id limit ?'),
    counter: of<{ last: bigint }>(`select last from shardbits_counters where space = '${space}' and prefix = ?`),
    counters: of<{ prefix: bigint; last: bigint }>(
      `select prefix, last from shardbits_counters where space = '${space}'`,
    ),
    raise: of(
      `insert into shardbits_counters values ('${space}', ?, ?)
       on conflict do update set last = max(last, excluded.last)`,
    ),
  };
}
