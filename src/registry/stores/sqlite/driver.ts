import { wrongKind } from '../../../arguments.js';
import { detailsOf } from '../../../errors.js';
import { unavailable } from '../../store.js';

/** The part of an open database of `node:sqlite` or better-sqlite3 that is used. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): object;
  close(): unknown;
}

type DatabaseClass = new (path: string, options: object) => SqliteDatabase;

/** A value in SQLite. Numbers are integers. */
export type Value = string | number | bigint | Uint8Array;

/**
 * A statement; integers come back as bigints.
 * @typeParam R its rows
 */
export interface SqliteStatement<R = object> {
  get(...values: Value[]): R | undefined;
  all(...values: Value[]): R[];
  run(...values: Value[]): unknown;
}

/** Opens a file. @throws StoreUnavailableError if neither library is available; the library's own errors */
export async function openSqlite(path: string, { readOnly }: { readonly readOnly: boolean }): Promise<SqliteDatabase> {
  const builtIn = await importOr<{ DatabaseSync: DatabaseClass }>('node:sqlite');
  if (builtIn) return new builtIn.DatabaseSync(path, { readOnly });
  const installed = await importOr<{ default: DatabaseClass }>('better-sqlite3');
  if (installed) return new installed.default(path, { readonly: readOnly, fileMustExist: readOnly, timeout: 0 });
  const needed = 'Node.js 22.13, 23.4 or later, or the package "better-sqlite3"';
  throw unavailable(`sqliteStore needs ${needed}: npm install better-sqlite3`);
}

export function checkDatabase(argument: string, value: SqliteDatabase): SqliteDatabase {
  if (typeof value?.exec === 'function' && typeof value.prepare === 'function') return value;
  throw wrongKind(argument, 'a path, or a database of node:sqlite or better-sqlite3', value);
}

export function prepare<R>(database: SqliteDatabase, sql: string): SqliteStatement<R> {
  const statement = database.prepare(sql) as SqliteStatement<R> & {
    setReadBigInts?(on: boolean): void;
    safeIntegers?(on: boolean): void;
  };
  // node:sqlite and better-sqlite3 have different names for it.
  if (statement.setReadBigInts) {
    statement.setReadBigInts(true);
    // `run` of node:sqlite makes an object of two bigints each time. With it, inserting a row takes 1.0 instead of 0.7 µs.
    statement.run = statement.get;
  } else statement.safeIntegers?.(true);
  return statement;
}

/** Runs work within a transaction. If it throws, its changes are undone. */
export function transaction<T>(database: SqliteDatabase, begin: 'begin' | 'begin immediate', work: () => T): T {
  database.exec(begin);
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    try {
      database.exec('rollback');
    } catch {} // after some errors, such as a full disk, SQLite has rolled back itself
    throw error;
  }
}

/**
 * The result code of SQLite in an error of either library, without its extension: `BUSY`, `CORRUPT`; undefined for
 * other errors.
 */
export function resultCode(error: unknown): string | undefined {
  const { errcode, code } = detailsOf(error);
  if (typeof errcode === 'number') return RESULT_CODES[errcode & 0xff] ?? 'ERROR';
  return typeof code === 'string' ? /^SQLITE_([A-Z]+)/.exec(code)?.[1] : undefined;
}

// From https://sqlite.org/rescode.html: the codes that the store distinguishes.
const RESULT_CODES: { readonly [code: number]: string } = {
  3: 'PERM',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  19: 'CONSTRAINT',
  26: 'NOTADB',
};

const NOT_FOUND: readonly unknown[] = ['ERR_MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE', 'MODULE_NOT_FOUND'];

// The name is in a variable, so that bundlers leave it alone: one of the two libraries is usually missing. webpack and
// Next.js need to be told.
async function importOr<T>(name: string): Promise<T | undefined> {
  try {
    return await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ name);
  } catch (error) {
    if (NOT_FOUND.includes(detailsOf(error).code)) return undefined;
    throw error;
  }
}
