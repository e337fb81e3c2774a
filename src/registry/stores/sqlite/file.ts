import { rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { detailsOf, hasCode, type StoreConflictError, StoreCorruptError } from '../../../errors.js';
import {
  firstBytes,
  isWritable,
  rename,
  syncDirectory,
  syncFile,
  temporaryName,
  whenFree,
} from '../../../file-system.js';
import { newState, STATE_SETTING, type StoreState, stateIn } from '../../identity.js';
import { refused, unavailable } from '../../store.js';
import { keepReplaced, keepRights, makePrivate, removeEnds, writeAtomically } from '../shared/paths.js';
import { newHashKey } from '../shared/string-hashes.js';
import { isBusy, sqliteError } from './connection.js';
import { openSqlite, prepare, resultCode, type SqliteDatabase, transaction } from './driver.js';
import { checkLog, identify, isIdentified } from './log.js';
import { createTables, hasStore, hasTable, prepareSetting } from './tables.js';

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
  const size = await sizeWhenMade(path);
  if (size === 0) throw new StoreCorruptError(`${path}: the file is empty, not a store of shardbits`);
  const isWhole = size % PAGE_BYTES === 0 || hasLog(path);
  if (hasLog(path)) await checkLog(path);
  // SQLite's own read-only connections leave the files beside the store behind when they are closed.
  const database = await openSqlite(path, { readOnly: readOnly && !(isWritable(path) && isWritable(dirname(path))) });
  try {
    if (!hasStore(database, path)) {
      throw new StoreCorruptError(`${path}: a SQLite database, but not a store of shardbits`);
    }
    // SQLite notices missing pages, but reads the missing end of the last page as zeros.
    if (!isWhole) throw new StoreCorruptError(`${path}: the file is cut short; restore a backup`);
    setUp(database, readOnly);
    database.exec(`pragma cache_size = -${KIB_OF_CACHE}; pragma wal_autocheckpoint = ${PAGES_OF_LOG}`);
  } catch (error) {
    database.close();
    if (resultCode(error) !== 'CANTOPEN' || isWritable(dirname(path))) throw error;
    const why = `SQLite must create files beside a database to read it, but ${dirname(path)} is not writable`;
    throw unavailable(`${path}: ${why}. Copy the file to a writable folder`, error);
  }
  return database;
}

/** On FAT and exFAT, a store that another process makes is an empty file for a moment. */
async function sizeWhenMade(path: string): Promise<number> {
  for (let tries = 0; exists(path) && sizeOf(path) === 0 && tries < 25; tries++) await setTimeout(20);
  return sizeOf(path);
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
export async function createFile(path: string, like: string | undefined): Promise<void> {
  const make = async (temporary: string) => {
    const database = await openSqlite(temporary, { readOnly: false });
    try {
      database.exec(`pragma page_size = ${PAGE_BYTES}`);
      identify(database);
      makeTables(database);
      database.exec('pragma journal_mode = wal'); // the file remembers this
    } finally {
      database.close();
    }
  };
  await writeAtomically(path, make, like).catch(async (error) => {
    if (detailsOf(error).code !== 'EEXIST') throw error;
    await syncDirectory(dirname(path)); // the process that made it may have ended before it did so
  });
}

export function makeTables(database: SqliteDatabase): void {
  transaction(database, 'begin immediate', () => {
    if (!hasStore(database, 'the database')) database.exec(createTables(newHashKey(), JSON.stringify(newState())));
  });
}

/** Sets up a connection, whoever opened it, so that a commit is on disk when it returns. */
export function setUp(database: SqliteDatabase, readOnly: boolean): void {
  database.exec('pragma synchronous = full');
  if (!readOnly) prepare(database, 'pragma journal_mode = wal').get();
}

/**
 * Writes a snapshot to a new file, complete or not at all.
 * @param like the file of the store, whose mode and owner the new file gets
 * @param check throws if the store may not be used, so that the snapshot could not be restored
 * @throws the errors of a store
 */
export async function backUp(
  database: SqliteDatabase,
  path: string,
  like: string | undefined,
  check: () => void,
): Promise<void> {
  const make = async (temporary: string) => {
    await copyTo(database, temporary);
    check(); // a store that was moved away meanwhile still is
  };
  await writeAtomically(path, make, like).catch((error) => {
    if (detailsOf(error).code !== 'EEXIST') throw sqliteError(error, path);
    throw unavailable(`${path}: the file exists already`, error);
  });
}

/** Writes a snapshot to an empty file, which has a part of one if the process dies. @throws SQLite's own errors */
async function copyTo(database: SqliteDatabase, path: string): Promise<void> {
  prepare(database, 'vacuum into ?').run(path);
  const copy = await openSqlite(path, { readOnly: false });
  if (isIdentified(copy)) identify(copy);
  copy.close();
}

/**
 * Puts a backup in the place of a store, complete or not at all. What was there stays beside it, under the name that
 * {@link keepReplaced} gives it.
 * @param prepare makes a copy of the backup fit to be used before it gets its name
 * @returns what `prepare` returns, and that name; undefined if nothing was there
 * @throws StoreUnavailableError if other processes use the store; StoreConflictError if the file is not a store, or another
 *   one than the backup; what `prepare` throws. Nothing has been changed then
 */
export async function replaceFile<T>(
  path: string,
  backup: string,
  prepare: (copy: string, replaced: StoreState | undefined) => Promise<T>,
): Promise<{ readonly outcome: T; readonly replaced: string | undefined }> {
  const copy = temporaryName(path);
  try {
    const database = await openFile(backup, true);
    let replaced: StoreState | undefined;
    try {
      replaced = await stateOfUnused(path);
      makePrivate(copy);
      await copyTo(database, copy);
    } finally {
      database.close();
    }
    const outcome = await prepare(copy, replaced);
    await keepRights(copy, exists(path) ? path : backup);
    await syncFile(copy);
    const check = async (replica = path) => {
      const isSame = JSON.stringify(await stateOfUnused(path)) === JSON.stringify(replaced);
      if (isSame && headerOf(replica) === headerOf(path)) return;
      throw refused('in use', 'another process has changed the store in the meantime. Restore it again');
    };
    await check();
    const kept = exists(path) ? await keepReplaced(path, check) : undefined;
    removeEnds(path);
    rename(copy, path);
    await syncDirectory(dirname(path));
    return { outcome, replaced: kept };
  } catch (error) {
    throw sqliteError(error, path);
  } finally {
    whenFree(() => rmSync(copy, { force: true }));
    removeEnds(copy);
  }
}

/**
 * The state of a file that nobody uses; undefined if it is missing, empty, or a store that is damaged.
 * @throws StoreUnavailableError if another process uses it; StoreConflictError if it is not a store
 */
async function stateOfUnused(path: string): Promise<StoreState | undefined> {
  if ((await sizeWhenMade(path)) === 0) return undefined;
  let database: SqliteDatabase | undefined;
  try {
    // First: SQLite would write the log of another file into this one, which is to be kept.
    if (hasLog(path)) await checkLog(path);
    database = await openSqlite(path, { readOnly: false });
    if (!hasTable(database)) throw notAStore(path);
    // Only the last user can leave WAL mode. The file gets it again when it is opened as a store.
    prepare(database, 'pragma journal_mode = delete').get();
    const found = prepareSetting(database).get(STATE_SETTING);
    return found && stateIn(String(found.value));
  } catch (error) {
    if (isBusy(error)) throw unavailable(`${path}: other processes use the store. Stop them first`, error);
    const code = resultCode(error);
    // Nobody has it open, so opening it takes nobody's locks.
    if (code === 'NOTADB' && !headerOf(path).startsWith(HEADER)) throw notAStore(path);
    if (UNREADABLE.includes(code) || hasCode(error, 'ERR_STORE_CORRUPT')) return undefined;
    throw error;
  } finally {
    database?.close();
  }
}

/** The results of reading a file of SQLite that is damaged. Other ones, such as CANTOPEN, say nothing about it. */
const UNREADABLE: readonly unknown[] = ['CORRUPT', 'NOTADB', 'IOERR', 'ERROR'];

function notAStore(path: string): StoreConflictError {
  return refused(undefined, `${path}: this is not a store of shardbits. Give another name, or move it away first`);
}

const HEADER = 'SQLite format 3\0';

/** The first bytes of a file, in which SQLite counts its changes. */
function headerOf(path: string): string {
  return sizeOf(path) === 0 ? '' : Buffer.from(firstBytes(path, 100)).toString('latin1');
}
