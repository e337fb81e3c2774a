import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { detailsOf, StoreCorruptError, StoreUnavailableError } from '../../../errors.js';
import { isWritable, syncDirectory, syncFile } from '../../../file-system.js';
import { newState, type StoreState, stateIn } from '../../identity.js';
import { writeAtomically, writeOnceAtomically } from '../shared/paths.js';
import { madeBeforeRelease, newHashKey } from '../shared/string-hashes.js';
import { isBusy, sqliteError } from './connection.js';
import { openSqlite, prepare, resultCode, type SqliteDatabase, transaction, type Value } from './driver.js';
import { checkLog, identify, isIdentified } from './log.js';
import { createTables, FORMAT, TABLES, UNRELEASED_FORMATS } from './tables.js';

// Only SQLite may open the file: closing another handle would release the locks that SQLite holds in the same process
// (https://sqlite.org/howtocorrupt.html, 2.2). `stat` opens nothing.

// SQLite writes the log back to the file when the log has this many pages of 4 KiB. With the default, 1,000, it writes
// a page of a large index for nearly every entry. With 8,000, random entries share pages; it takes about 100 ms.
const PAGES_OF_LOG = 8000;
const PAGE_BYTES = 4096;
const KIB_OF_CACHE = 65_536;

export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Opens a store that exists.
 * @throws StoreCorruptError if it is not a store; SQLite's own errors
 */
export async function openFile(path: string, readOnly: boolean): Promise<SqliteDatabase> {
  const size = sizeOf(path);
  if (size === 0) throw new StoreCorruptError(`${path}: the file is empty, not a store of shardbits`);
  const isWhole = size % PAGE_BYTES === 0 || hasLog(path);
  if (hasLog(path)) await checkLog(path);
  // SQLite's own read-only connections leave the files beside the store behind when they are closed.
  const database = await openSqlite(path, { readOnly: readOnly && !(isWritable(path) && isWritable(dirname(path))) });
  try {
    if (!hasTables(database, path)) {
      throw new StoreCorruptError(`${path}: a SQLite database, but not a store of shardbits`);
    }
    // SQLite notices missing pages, but reads the missing end of the last page as zeros.
    if (!isWhole) throw new StoreCorruptError(`${path}: the file is cut short; restore a backup`);
    setUp(database, readOnly);
    database.exec(`pragma cache_size = -${KIB_OF_CACHE}; pragma wal_autocheckpoint = ${PAGES_OF_LOG}`);
  } catch (error) {
    database.close();
    if (resultCode(error) !== 'CANTOPEN' || isWritable(dirname(path))) throw error;
    const message =
      `${path}: SQLite must create files beside a database to read it, but ${dirname(path)} is not writable. ` +
      'Copy the file to a writable folder';
    throw new StoreUnavailableError(message, { isTransient: false, cause: error });
  }
  return database;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether a log must still be written back. Until then the file may be shorter or longer. */
function hasLog(path: string): boolean {
  return sizeOf(`${path}-wal`) > 0;
}

/**
 * Makes a store, unless another process makes it first. It appears under its name when it is complete.
 * @throws SQLite's and Node's own errors; nothing is left behind then
 */
export function createFile(path: string): Promise<void> {
  return writeOnceAtomically(path, async (temporary) => {
    const database = await openSqlite(temporary, { readOnly: false });
    try {
      database.exec(`pragma page_size = ${PAGE_BYTES}`);
      identify(database);
      makeTables(database);
      database.exec('pragma journal_mode = wal'); // the file remembers this
    } finally {
      database.close();
    }
  });
}

/** Makes the tables in a database, unless it has them. */
export function makeTables(database: SqliteDatabase): void {
  transaction(database, 'begin immediate', () => {
    if (!hasTables(database, 'the database')) {
      database.exec(createTables(newHashKey(), JSON.stringify(newState())));
    }
  });
}

/** Whether a database has the tables. @throws StoreCorruptError if some are missing, or they have another format */
export function hasTables(database: SqliteDatabase, name: string): boolean {
  const found = prepare<{ name: string }>(database, `select name from sqlite_schema where type = 'table'`).all();
  const missing = TABLES.filter((table) => !found.some((row) => row.name === table));
  if (missing.length === TABLES.length) return false;
  if (missing.length > 0) {
    throw new StoreCorruptError(`${name}: a part of the store is missing: ${missing.join(', ')}; restore a backup`);
  }
  const row = prepare<{ value: Value }>(database, `select value from shardbits_settings where name = 'format'`).get();
  if (row?.value === FORMAT) return true;
  if (row !== undefined && UNRELEASED_FORMATS.includes(row.value)) throw madeBeforeRelease(name);
  throw new StoreCorruptError(`${name}: expected a store of format ${FORMAT}, got ${row?.value ?? 'none'}`);
}

/** Sets up a connection, whoever opened it, so that a commit is on disk when it returns. */
export function setUp(database: SqliteDatabase, readOnly: boolean): void {
  database.exec('pragma synchronous = full');
  if (!readOnly) prepare(database, 'pragma journal_mode = wal').get();
}

/**
 * Writes a snapshot to a new file, complete or not at all.
 * @param check throws if the store may not be used, so that the snapshot could not be restored
 * @throws the errors of a store
 */
export async function backUp(database: SqliteDatabase, path: string, check: () => void): Promise<void> {
  try {
    await writeAtomically(path, async (temporary) => {
      await copyTo(database, temporary);
      check(); // a store that was moved away meanwhile still is
    });
  } catch (error) {
    if (detailsOf(error).code !== 'EEXIST') throw sqliteError(error, path);
    throw new StoreUnavailableError(`${path}: the file exists already`, { isTransient: false, cause: error });
  }
}

/** Writes a snapshot to a new file, which is a part of one if the process dies. @throws SQLite's own errors */
async function copyTo(database: SqliteDatabase, path: string): Promise<void> {
  prepare(database, 'vacuum into ?').run(path);
  const copy = await openSqlite(path, { readOnly: false });
  if (isIdentified(copy)) identify(copy);
  copy.close();
}

/**
 * Puts a backup in the place of a store, complete or not at all. The log of the store that was there is removed.
 * @param prepare makes a copy of the backup fit to be used before it gets its name
 * @throws StoreUnavailableError if other processes use the store; StoreConflictError if it is another one than the backup;
 *   what `prepare` throws. Nothing has been changed then
 */
export async function replaceFile(
  path: string,
  backup: string,
  prepare: (copy: string, replaced: StoreState | undefined) => Promise<void>,
): Promise<void> {
  const copy = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const database = await openFile(backup, true);
    try {
      await copyTo(database, copy);
    } finally {
      database.close();
    }
    await prepare(copy, await stateOfUnused(path));
    syncFile(copy);
    await stateOfUnused(path); // nobody has begun to use it in the meantime
    removeEnds(path); // first: a log would be mixed with the file that it lies beside
    renameSync(copy, path);
    syncDirectory(dirname(path));
  } catch (error) {
    throw sqliteError(error, path);
  } finally {
    rmSync(copy, { force: true });
    removeEnds(copy);
  }
}

function removeEnds(path: string): void {
  for (const end of ['-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}

/**
 * The state of a file that nobody uses; undefined if it is missing or damaged.
 * @throws StoreUnavailableError if another process uses it
 */
async function stateOfUnused(path: string): Promise<StoreState | undefined> {
  if (!exists(path)) return undefined;
  let database: SqliteDatabase | undefined;
  try {
    database = await openSqlite(path, { readOnly: false });
    // Only the last user can leave WAL mode. The file gets it again when it is opened as a store.
    prepare(database, 'pragma journal_mode = delete').get();
    const found = prepare<{ value: string }>(
      database,
      `select value from shardbits_settings where name = 'store'`,
    ).get();
    return found && stateIn(found.value);
  } catch (error) {
    if (!isBusy(error)) return undefined;
    const message = `${path}: other processes use the store. Stop them first`;
    throw new StoreUnavailableError(message, { isTransient: false, cause: error });
  } finally {
    database?.close();
  }
}
