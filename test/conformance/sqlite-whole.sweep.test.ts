import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreCorruptError } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite, openSqlite, rowsOf } from '../support/sqlite.js';
import { filled, opened } from './sqlite-stores.js';

// A store is whole if it has what its own statements make, and nothing else that could change it.

/** Statements that leave a store with all columns, but not whole; and what the error names. */
const CHANGES: [what: string, sql: string, named: RegExp][] = [
  ['a table is missing', 'drop table shardbits_types_by_hash', /missing: shardbits_types_by_hash;/],
  [
    'a key is missing',
    `create table other as select * from shardbits_settings; drop table shardbits_settings;
     alter table other rename to shardbits_settings`,
    /expected "create table shardbits_settings /,
  ],
  [
    'a table has rowids',
    `alter table shardbits_counters rename to other;
     create table shardbits_counters
       (space text not null, prefix integer not null, last integer not null, primary key (space, prefix));
     insert into shardbits_counters select * from other; drop table other`,
    /expected "create table shardbits_counters .*without rowid", got/,
  ],
  [
    'a key has another order',
    `drop table shardbits_strings_by_hash;
     create table shardbits_strings_by_hash
       (hash integer not null, id integer not null, primary key (id, hash)) without rowid`,
    /shardbits_strings_by_hash/,
  ],
  [
    'a column has another type',
    `alter table shardbits_shards rename to other;
     create table shardbits_shards (shard integer primary key, owner not null, token text not null,
       expires integer not null, stray_until integer not null, ttl_ms integer not null, minted_until integer not null);
     drop table other`,
    /shardbits_shards/,
  ],
  ['a column more', 'alter table shardbits_strings add column more', /shardbits_strings/],
  [
    'a view is in the place of a table',
    'drop table shardbits_types; create view shardbits_types as select 1 as id, 2 as key',
    /missing: shardbits_types;/,
  ],
  [
    'a trigger of others',
    'create trigger spy after insert on shardbits_strings begin delete from shardbits_types; end',
    /the trigger spy on shardbits_strings/,
  ],
  [
    'an index of others',
    'create unique index narrow on shardbits_strings (key)',
    /the index narrow on shardbits_strings/,
  ],
  ['a setting is missing', `delete from shardbits_settings where name = 'store'`, /missing: the setting store;/],
];

describeWithSqlite('a store in SQLite is refused if', () => {
  it.each(CHANGES)('%s', async (_, sql, named) => {
    const path = join(temporaryFolder(), 'ids.db');
    await filled(path, 10);
    const database = openSqlite(path);
    database.exec(sql);
    for (const where of [path, database]) {
      const error = await sqliteStore(where).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreCorruptError);
      expect((error as Error).message).toMatch(named);
    }
    database.close();
    expect(await runHere(['store', 'check', path])).toMatchObject({ code: 1, stderr: expect.stringMatching(named) });
  });

  it('a change was made while it was open: check finds it', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    const { store, intern } = await opened(path).then((interner) => ({
      store: interner.store,
      intern: (key: string) => interner.intern(key),
    }));
    await intern('a');
    const database = openSqlite(path);
    database.exec('create trigger spy after insert on shardbits_strings begin delete from shardbits_types; end');
    database.close();
    await expect(store.check?.()).rejects.toThrow(/the trigger spy/);
  });
});

/** The statements that `.dump` of the program sqlite3 writes for a store. */
function dumpOf(path: string): string[] {
  const database = openSqlite(path);
  const tables = rowsOf(database, `select name, sql from sqlite_schema where type = 'table' order by rowid`);
  const statements = tables.flatMap(({ name, sql }) => {
    const columns = rowsOf(database, `select name from pragma_table_info('${name}')`).map(
      (column) => `quote(${column.name})`,
    );
    const values = rowsOf(database, `select ${columns.join(` || ',' || `)} as row from ${name}`);
    return [String(sql), ...values.map(({ row }) => `insert into ${name} values (${row})`)];
  });
  database.close();
  return statements;
}

function madeOf(statements: readonly string[], path: string): void {
  const database = openSqlite(path);
  database.exec(`begin; ${statements.join(';\n')}; commit`);
  database.close();
}

describeWithSqlite('a store that was made of a dump', () => {
  it('is opened if the dump is whole, however a tool has written it', async () => {
    const folder = temporaryFolder();
    const { keys, ids } = await filled(join(folder, 'ids.db'), 50);
    const dump = dumpOf(join(folder, 'ids.db'));
    madeOf(dump, join(folder, 'whole.db'));
    const quoted = dump.map((sql) => sql.replace(/^CREATE TABLE (\w+) /, 'CREATE  TABLE IF NOT EXISTS\n"$1"\t'));
    madeOf(quoted, join(folder, 'quoted.db'));
    for (const name of ['whole.db', 'quoted.db']) {
      expect(await (await opened(join(folder, name))).lookupMany(keys)).toEqual(ids);
      expect((await runHere(['store', 'check', join(folder, name)])).code).toBe(0);
    }
  });

  it('is refused wherever the dump was cut', async () => {
    const folder = temporaryFolder();
    await filled(join(folder, 'ids.db'), 20);
    const dump = dumpOf(join(folder, 'ids.db'));
    for (let length = 1; length < dump.length; length++) {
      const path = join(folder, `${length}.db`);
      madeOf(dump.slice(0, length), path);
      await expect(sqliteStore(path), `${length} of ${dump.length} statements`).rejects.toBeInstanceOf(
        StoreCorruptError,
      );
    }
  });
});
