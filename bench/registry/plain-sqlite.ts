import { openSqlite } from '../../test/support/sqlite.js';

/** What people write by hand: a table with a unique index of the strings, as durable as the store. */
export async function plainSqlite(path: string, settings = '') {
  const database = openSqlite(path);
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    ${settings};
    create table strings (id integer primary key, key text not null unique)`);
  type Statement = { get(key: string): { id: number } | undefined; run(key: string): unknown };
  const find = database.prepare('select id from strings where key = ?') as Statement;
  const add = database.prepare('insert into strings (key) values (?) returning id') as Statement;
  return {
    async internMany(keys: readonly string[]) {
      const ids = keys.map((key) => find.get(key)?.id);
      if (!ids.includes(undefined)) return ids;
      database.exec('begin immediate');
      for (const [row, key] of keys.entries()) ids[row] ??= (find.get(key) ?? add.get(key))?.id;
      database.exec('commit');
      return ids;
    },
    close: async () => {
      database.close();
    },
  };
}
