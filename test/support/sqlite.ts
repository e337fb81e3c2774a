import { createRequire } from 'node:module';
import { describe } from 'vitest';
import type { SqliteDatabase } from '../../src/registry/stores/sqlite/store.js';
import { notTested } from './not-tested.js';

type Open = (path: string) => SqliteDatabase;

const require = createRequire(import.meta.url);
const found = find();

function find(): { library: string; open: Open } | undefined {
  for (const [library, name] of [
    ['node:sqlite', 'DatabaseSync'],
    ['better-sqlite3', undefined],
  ] as const) {
    try {
      const loaded = require(library);
      const Database = name === undefined ? loaded : loaded[name];
      return { library, open: (path) => new Database(path) };
    } catch {}
  }
  notTested('stores in SQLite, which neither Node nor better-sqlite3 has here: npm run test:node24');
  return undefined;
}

/**
 * Whether this Node.js has SQLite, or better-sqlite3 is installed. Otherwise the tests that need it are skipped with a note;
 * `npm run test:node24` runs them on a Node.js that has it.
 */
export function hasSqlite(): boolean {
  return found !== undefined;
}

/** For tests of stores in files. */
export const describeWithSqlite = describe.skipIf(!hasSqlite());

/** Whether this Node has SQLite. */
export function hasNodeSqlite(): boolean {
  return found?.library === 'node:sqlite';
}

/** A database of the library that the store uses. */
export function openSqlite(path: string): SqliteDatabase {
  if (found === undefined) throw new Error('no SQLite here');
  return found.open(path);
}

/** The rows of a query. */
export function rowsOf(database: SqliteDatabase, sql: string): Record<string, unknown>[] {
  return (database.prepare(sql) as { all(): Record<string, unknown>[] }).all();
}
