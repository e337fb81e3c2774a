import type { Space } from '../../store.js';
import type { HashKey } from '../shared/string-hashes.js';
import { prepare, type SqliteDatabase, type SqliteStatement } from './driver.js';

// A key is found by its hash: an entry of the index is 14 bytes and not the whole key, so a batch of new keys changes
// fewer pages, each of which is written twice (to the log, then to the file). Two keys may have the same hash; both are
// then in the index, and keys are compared in full. The upper 48 bits are enough to tell keys apart, because nobody can
// choose keys that share them; SQLite keeps them in 6 bytes, and a number holds them. The next size is 64 bits: a string of
// 70 characters then takes 120.5 bytes in all, instead of 118.1.
//
// Ids are kept as the signed integers of the same 64 bits.

/** The format of the tables. A store of another format is rejected. */
export const FORMAT = '2';

/** The format of stores that were never released, with an index of XXH64. */
export const UNRELEASED_FORMAT = '1';

/** The setting with the key of the hashes. */
export const HASH_KEY_SETTING = 'hashKey';

/** The names of all tables. */
export const TABLES: readonly string[] = [
  ...['settings', 'counters', 'shards'],
  ...['types', 'strings'].flatMap((space) => [space, `${space}_by_hash`]),
].map((name) => `shardbits_${name}`);

const tablesOf = (space: Space) => `
  create table shardbits_${space} (id integer primary key, key not null);
  create table shardbits_${space}_by_hash (hash integer not null, id integer not null, primary key (hash, id)) without rowid;`;

export const createTables = (hashKey: HashKey): string => `
  create table shardbits_settings (name primary key, value not null) without rowid;
  insert into shardbits_settings values ('format', '${FORMAT}'), ('${HASH_KEY_SETTING}', '${hashKey}');
  create table shardbits_counters (
    space text not null, prefix integer not null, last integer not null, primary key (space, prefix)
  ) without rowid;
  create table shardbits_shards (
    shard integer primary key, owner not null, token integer not null, expires integer not null,
    stray_until integer not null, ttl_ms integer not null, minted_until integer not null
  );
  ${tablesOf('types')}
  ${tablesOf('strings')}`;

/** Inserts a row of two columns, or {@link ROWS_OF_MANY} of them. */
export interface Insert {
  readonly one: SqliteStatement;
  readonly many: SqliteStatement;
}

export const ROWS_OF_MANY = 32;

/** The statements on the keys of one space. */
export interface SqliteKeyStatements {
  /** hash: a row if a key has that hash */
  readonly hasHash: SqliteStatement;
  /** hash, key: id */
  readonly find: SqliteStatement;
  /** id: key */
  readonly keyOf: SqliteStatement;
  /** id, key */
  readonly keys: Insert;
  /** hash, id */
  readonly hashes: Insert;
  /** How many there are. */
  readonly count: SqliteStatement;
  /** id, limit: the entries from that id on, ascending as signed integers */
  readonly page: SqliteStatement;
  /** prefix: last */
  readonly counter: SqliteStatement;
  readonly counters: SqliteStatement;
  /** prefix, last: raises a counter */
  readonly raise: SqliteStatement;
}

export interface Statements {
  readonly strings: SqliteKeyStatements;
  readonly types: SqliteKeyStatements;
  /** name: value */
  readonly setting: SqliteStatement;
  /** name, value */
  readonly set: SqliteStatement;
  /** shard: its record */
  readonly shard: SqliteStatement;
  readonly shards: SqliteStatement;
  /** shard, owner, token, expires, stray_until, ttl_ms, minted_until */
  readonly putShard: SqliteStatement;
}

export function prepareAll(database: SqliteDatabase): Statements {
  const of = (sql: string) => prepare(database, sql);
  return {
    strings: prepareKeys(database, 'strings'),
    types: prepareKeys(database, 'types'),
    setting: of('select value from shardbits_settings where name = ?'),
    set: of('insert into shardbits_settings values (?, ?) on conflict do update set value = excluded.value'),
    shard: of('select * from shardbits_shards where shard = ?'),
    shards: of('select * from shardbits_shards order by shard'),
    putShard: of('insert or replace into shardbits_shards values (?, ?, ?, ?, ?, ?, ?)'),
  };
}

function prepareKeys(database: SqliteDatabase, space: Space): SqliteKeyStatements {
  const of = (sql: string) => prepare(database, sql.replaceAll('KEYS', `shardbits_${space}`));
  const insert = (table: string) => ({
    one: of(`insert into ${table} values (?, ?)`),
    many: of(`insert into ${table} values ${Array(ROWS_OF_MANY).fill('(?, ?)')}`),
  });
  return {
    hasHash: of('select 1 from KEYS_by_hash where hash = ? limit 1'),
    find: of('select id from KEYS_by_hash join KEYS using (id) where hash = ? and key = ?'),
    keyOf: of('select key from KEYS where id = ?'),
    keys: insert('KEYS'),
    hashes: insert('KEYS_by_hash'),
    count: of('select count(*) as count from KEYS'),
    page: of('select id, key from KEYS where id >= ? order by id limit ?'),
    counter: of(`select last from shardbits_counters where space = '${space}' and prefix = ?`),
    counters: of(`select prefix, last from shardbits_counters where space = '${space}'`),
    raise: of(
      `insert into shardbits_counters values ('${space}', ?, ?)
       on conflict do update set last = max(last, excluded.last)`,
    ),
  };
}
