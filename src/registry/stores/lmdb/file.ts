import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { newState, STATE_SETTING } from '../../identity.js';
import { queued, type WaitingCall } from '../shared/local-store.js';
import { canonicalPath, checkInPlace, identityOf, writeAtomically, writeOnceAtomically } from '../shared/paths.js';
import { Contents } from './contents.js';
import { checkLmdbFile, importLmdb, type LmdbDatabase, lmdbError, openLmdb, unavailable } from './open.js';

/**
 * Lets all processes that use a file take turns, one at a time. The lock is the one that LMDB itself has for writers,
 * on an empty database beside the file. A process that dies gives up its turn.
 */
class WriterLock {
  // One for each path in a process: opening takes the lock, too, and could wait for its own thread.
  static readonly #opened = new Map<string, WriterLock>();
  readonly #path: string;
  readonly #lock: Promise<LmdbDatabase>;
  #users = 0;

  private constructor(path: string) {
    this.#path = path;
    this.#lock = openLock(path);
    this.#lock.catch(() => {}); // `take` rejects with it
  }

  /**
   * The turns of a file. Give them back with {@link WriterLock.release}.
   * @param file its path, from `canonicalPath`
   */
  static of(file: string): WriterLock {
    const path = turnPath(file);
    const turns = WriterLock.#opened.get(path) ?? new WriterLock(path);
    WriterLock.#opened.set(path, turns);
    turns.#users++;
    return turns;
  }

  async take<T>(work: () => T | Promise<T>): Promise<T> {
    const lock = await this.#lock;
    return lock.transaction(work);
  }

  async release(): Promise<void> {
    if (--this.#users > 0) return;
    WriterLock.#opened.delete(this.#path);
    const lock = await this.#lock.catch(() => undefined); // nobody has had a turn if it could not be opened
    await lock?.close();
  }
}

const turnPath = (file: string): string => `${file}-turn`;

async function openLock(path: string): Promise<LmdbDatabase> {
  // It is empty for a moment while LMDB creates it.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) await checkLmdbFile(path);
  return openLmdb(path);
}

// Room for the file, the file of turns, and their locks. LMDB maps its locks, and crashes if the disk has no room.
const ROOM = 256 * 1024;

interface LmdbCall extends WaitingCall {
  readonly isAlone: boolean;
}

/**
 * A file of LMDB that several processes use at once. One of them at a time opens, commits or closes it.
 *
 * The reason is how lmdb-js opens a file (3.5.6, `mdb_env_open2`): it sets the number of the last transaction, which all
 * processes share, to the number that it has read from the file earlier, without LMDB's lock. If another process commits
 * in between, its commit is lost, although it is on disk. While processes come and go, this happens to one commit in
 * some millions.
 */
export class LmdbFile {
  readonly db: LmdbDatabase;
  readonly #path: string;
  /** The path without symbolic links. */
  readonly #name: string;
  readonly #identity: string | undefined;
  readonly #turns: WriterLock;
  readonly #waiting: LmdbCall[] = [];
  readonly #backups = new Set<Promise<void>>();

  private constructor(db: LmdbDatabase, path: string, name: string, turns: WriterLock) {
    this.db = db;
    this.#path = path;
    this.#name = name;
    this.#identity = identityOf(name);
    this.#turns = turns;
  }

  /**
   * Checks whether a file can be opened, and changes nothing.
   * @returns whether it exists
   * @throws StoreUnavailableError or StoreCorruptError
   */
  static async check(path: string): Promise<boolean> {
    try {
      const name = canonicalPath(path);
      if (!existsSync(name)) return false;
      await checkLmdbFile(name);
      checkAccess(name);
      return true;
    } catch (error) {
      throw lmdbError(path, error);
    }
  }

  /**
   * @param isToBeCreated whether to create the file if it does not exist
   * @returns undefined if it does not exist
   * @throws StoreUnavailableError or StoreCorruptError
   */
  static async open(path: string, isToBeCreated: boolean): Promise<LmdbFile | undefined> {
    const exists = await LmdbFile.check(path);
    if (!exists && !isToBeCreated) return undefined;
    const name = canonicalPath(path);
    if (!exists) checkFolder(name);
    await importLmdb(); // first: if this fails, no turns are left behind
    const turns = WriterLock.of(name);
    try {
      const db = await turns.take(async () => {
        if (!existsSync(name)) await createFile(name);
        await checkLmdbFile(name);
        return openLmdb(name);
      });
      return new LmdbFile(db, path, name, turns);
    } catch (error) {
      await turns.release();
      throw lmdbError(path, error);
    }
  }

  /**
   * Reads and writes in one transaction, which is on disk when this resolves. Work that arrives while other processes
   * have their turn is committed together.
   * @param work must not throw unless it is alone: the others would fail with it
   * @param isAlone whether the work gets a transaction of its own. Values longer than a page need one: if one of them
   *   is replaced in the transaction that wrote it, the file may become shorter than its header says
   */
  commit<T>(work: () => T, isAlone = false): Promise<T> {
    return queued(work, (call) => {
      const failed = (error: unknown) => call.failed(lmdbError(this.#path, error));
      if (this.#waiting.push({ ...call, failed, isAlone }) > 1) return;
      this.#turns.take(() => this.#commitWaiting()).catch((error) => fail(this.#waiting.splice(0), error));
    });
  }

  #commitWaiting(): void {
    const waiting = this.#waiting.splice(0);
    while (waiting.length > 0) {
      const next = waiting.findIndex(({ isAlone }) => isAlone);
      this.#commitTogether(waiting.splice(0, next === -1 ? waiting.length : Math.max(next, 1)));
    }
  }

  // Not lmdb-js's asynchronous transactions: on a full disk they reject promises that nobody holds.
  #commitTogether(commits: readonly LmdbCall[]): void {
    try {
      checkInPlace(this.#name, this.#identity); // what is written to a file without a name is lost when the file is closed
      this.db.transactionSync(() => {
        for (const { work } of commits) work();
      });
    } catch (error) {
      fail(commits, error);
      return;
    }
    for (const { done } of commits) done();
  }

  /** Writes a snapshot. Others can use the store in the meantime. */
  backup(path: string): Promise<void> {
    if (existsSync(path)) throw unavailable(path, 'the file exists already. Give the path of one that does not');
    if (!existsSync(dirname(path))) throw unavailable(path, `there is no folder ${dirname(path)}. Create it first`);
    const copying = writeAtomically(path, (temporary) => this.db.backup(temporary, false))
      .catch((error) => {
        throw lmdbError(path, error);
      })
      .finally(() => this.#backups.delete(copying));
    this.#backups.add(copying);
    return copying;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#backups); // they read memory that closing frees
    await this.#turns.take(() => this.db.close());
    await this.#turns.release();
  }
}

function fail(commits: readonly LmdbCall[], error: unknown): void {
  for (const { failed } of commits) failed(error);
}

/** Makes an empty file, unless another process has just made it. */
function createFile(path: string): Promise<void> {
  return writeOnceAtomically(path, async (temporary) => {
    const db = await openLmdb(temporary);
    new Contents(db, path).set(STATE_SETTING, JSON.stringify(newState()));
    await db.close();
  });
}

/** lmdb-js can crash the process if it lacks a permission. Readers, too, write to the files beside the store. */
function checkAccess(name: string): void {
  const all = [name, `${name}-lock`, turnPath(name), `${turnPath(name)}-lock`];
  for (const file of all.filter((path) => existsSync(path))) accessSync(file, constants.R_OK | constants.W_OK);
  if (!all.every((path) => existsSync(path))) checkFolder(name);
}

function checkFolder(name: string): void {
  const folder = dirname(name);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unavailable(name, `cannot create files in its folder ${folder}`, cause);
  }
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < ROOM) {
    throw unavailable(
      name,
      `the disk is full: a store needs ${ROOM} bytes for its locks, ${folder} has ${bavail * bsize}`,
    );
  }
}
