import { StoreCorruptError } from '../../../errors.js';
import { STATE_SETTING } from '../../identity.js';
import type { Space } from '../../store.js';
import { HASH_KEY_SETTING, type HashKey } from '../shared/string-hashes.js';
import { prepare, type SqliteDatabase, type Value } from './driver.js';
import { isIdentified } from './log.js';

// A key is found by its hash: an entry of the index is 14 bytes and not the whole key, so a batch of new keys changes
// fewer pages, each of which is written twice (to the log, then to the file). Two keys may have the same hash; both are
// then in the index, and keys are compared in full. The upper 48 bits are enough to tell keys apart, because nobody can
// choose keys that share them; SQLite keeps them in 6 bytes, and a number holds them. The next size is 64 bits: a string of
// 70 characters then takes 120.5 bytes in all, instead of 118.1.
//
// Ids are kept as the signed integers of the same 64 bits.

/** The format of the tables. A store of another format is rejected. */
const FORMAT = '3';

const IDS = '(id integer primary key, key not null)';
const HASHES = '(hash integer not null, id integer not null, primary key (hash, id)) without rowid';

/** What each table is made of, by its name. There is nothing else: no index, trigger or view. */
const TABLES: { readonly [table: string]: string } = {
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

const NAMES = Object.keys(TABLES);
const LISTED = NAMES.map((table) => `'${table}'`).join();

const FIRST_SETTINGS = ['format', HASH_KEY_SETTING, STATE_SETTING] as const;

const createTable = (name: string): string => `create table ${name} ${TABLES[name]}`;

/** @param state without an apostrophe, as `newState` gives it */
export function createTables(hashKey: HashKey, state: string): string {
  const values = [FORMAT, hashKey, state].map((value, i) => `('${FIRST_SETTINGS[i]}', '${value}')`);
  const insert = `insert into shardbits_settings values ${values.join()}`;
  return [...NAMES.map(createTable), insert].join(';\n');
}

export const ROWS_OF_MANY = 32;

export type ShardRow = { readonly owner: Value } & {
  readonly [column in 'shard' | 'token' | 'expires' | 'stray_until' | 'ttl_ms' | 'minted_until']: bigint;
};

export function prepareAll(database: SqliteDatabase) {
  const of = <R>(sql: string) => prepare<R>(database, sql);
  return {
    strings: prepareKeys(database, 'strings'),
    types: prepareKeys(database, 'types'),
    setting: prepareSetting(database),
    set: of('insert into shardbits_settings values (?, ?) on conflict do update set value = excluded.value'),
    shard: of<ShardRow>('select * from shardbits_shards where shard = ?'),
    shards: of<ShardRow>('select * from shardbits_shards order by shard'),
    putShard: of('insert or replace into shardbits_shards values (?, ?, ?, ?, ?, ?, ?)'),
  };
}

export function prepareSetting(database: SqliteDatabase) {
  return prepare<{ value: Value }>(database, 'select value from shardbits_settings where name = ?');
}

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
    /** Like `find`, with the state of the store. */
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

// A store that lacks a part would give second ids, or the same id twice. So it is compared with what `createTables` makes:
// the statements in sqlite_schema have the columns, types, keys and constraints of each table.

type SchemaRow = { readonly [column in 'type' | 'name' | 'tbl_name' | 'sql']: string };

/**
 * Whether a database has a store.
 * @param name of the store, for errors
 * @throws StoreCorruptError if a part of the store is missing, is not as the store makes it, or has another format
 */
export function hasStore(database: SqliteDatabase, name: string): boolean {
  const found = prepare<SchemaRow>(
    database,
    `select type, lower(name) as name, lower(tbl_name) as tbl_name, sql from sqlite_schema
     where lower(tbl_name) in (${LISTED}) and sql is not null order by name`,
  ).all();
  const missing = NAMES.filter((table) => !found.some((row) => row.type === 'table' && row.name === table));
  if (missing.length === NAMES.length) return false;
  if (missing.length > 0) throw damaged(name, `a part of the store is missing: ${missing.join(', ')}`);
  const [settings] = NAMES;
  for (const row of found.filter((row) => row.tbl_name === settings)) checkPart(row, name);
  checkSettings(database, name); // before the other tables, which another format has otherwise
  for (const row of found) checkPart(row, name);
  // Only a whole copy of a file has its identity. What was made of statements may lack the last ones.
  if (!isIdentified(database)) checkHashes(database, name);
  return true;
}

export function hasTable(database: SqliteDatabase): boolean {
  const found = prepare(database, `select 1 from sqlite_schema where type = 'table' and lower(name) in (${LISTED})`);
  return found.get() !== undefined;
}

/** @throws StoreCorruptError if there are not as many hashes as strings or types, so that some are not found */
export function checkHashes(database: SqliteDatabase, name: string): void {
  for (const table of ['shardbits_types', 'shardbits_strings']) {
    // One statement reads one snapshot. Others may write between two.
    const sql = `select (select count(*) from ${table}) as rows, (select count(*) from ${table}_by_hash) as hashes`;
    const { rows, hashes } = prepare<{ rows: bigint; hashes: bigint }>(database, sql).get() ?? {};
    if (rows !== hashes) {
      throw damaged(name, `a part of the store is missing: ${table} has ${rows} rows, and ${table}_by_hash ${hashes}`);
    }
  }
}

function checkPart({ type, name: part, tbl_name: table, sql }: SchemaRow, name: string): void {
  if (type !== 'table') {
    const message = `${name}: the ${type} ${part} on ${table} is not the store's. Find out who made it, and drop it`;
    throw new StoreCorruptError(message);
  }
  const expected = createTable(table);
  if (plain(sql) !== plain(expected)) throw damaged(name, `expected "${expected}", got "${sql}"`);
}

/** A statement as the store writes it: tools quote names, and break lines. */
function plain(sql: string): string {
  const words = sql.toLowerCase().replace(/["'`[\]]/g, '');
  const joined = words.trim().replace(/\s+/g, ' ');
  return joined.replace(/ ?([(),]) ?/g, '$1').replace('table if not exists', 'table');
}

function checkSettings(database: SqliteDatabase, name: string): void {
  const setting = prepareSetting(database);
  const [format, ...others] = FIRST_SETTINGS.map((key) => setting.get(key)?.value);
  if (format !== FORMAT) {
    throw new StoreCorruptError(`${name}: expected a store of format ${FORMAT}, got ${format ?? 'none'}`);
  }
  const missing = FIRST_SETTINGS.slice(1).filter((_, i) => others[i] === undefined);
  if (missing.length > 0) throw damaged(name, `a part of the store is missing: the setting ${missing.join(', ')}`);
}

function damaged(name: string, why: string): StoreCorruptError {
  return new StoreCorruptError(`${name}: ${why}; restore a backup`);
}
