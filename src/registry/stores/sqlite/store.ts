/**
 * A store in a file of SQLite, for the processes of one machine.
 * @module shardbits/stores/sqlite
 */

import { checkBoolean, checkInteger, checkOptions, checkString, MAX_TIMER_MS, wrongValue } from '../../../arguments.js';
import { StoreConflictError, StoreCorruptError } from '../../../errors.js';
import { letOthersRun } from '../../calls.js';
import { checkIsNoTarget, checkOpening, expectedStore, STATE_SETTING, storeState } from '../../identity.js';
import { restoreStore, type SkipOptions, type SkipOutcome } from '../../restore.js';
import {
  type Block,
  contradicts,
  type Entries,
  type LookupToken,
  type OpenOptions,
  refused,
  type Space,
  type Store,
  unavailable,
} from '../../store.js';
import { LocalStore, skippedIn } from '../shared/local-store.js';
import { canonicalPath, checkInPlace, identityOf } from '../shared/paths.js';
import { piecesOf } from '../shared/pieces.js';
import { patiently, type SqliteWaiting } from './connection.js';
import { checkDatabase, openSqlite, prepare, type SqliteDatabase } from './driver.js';
import { backUp, createFile, exists, makeTables, openFile, replaceFile, setUp } from './file.js';
import {
  addKeys,
  areSame,
  findKeys,
  hashKeys,
  type KeyHashes,
  missingRows,
  SqliteContents,
  textOf,
  timer,
} from './keys.js';
import { checkHashes, hasStore } from './tables.js';

export type { SqliteDatabase } from './driver.js';

export interface SqliteStoreOptions extends OpenOptions {
  /** Opens the file for reading only, and fails if it is missing; false by default. */
  readOnly?: boolean | undefined;
  /**
   * How long a call, or each piece of a large batch, waits while other programs write to the file, in milliseconds, 1 to
   * 2147483647; 30,000 by default. It counts from the call's own start, however many calls wait before it. It then fails
   * with a transient `StoreUnavailableError`.
   */
  timeoutMs?: number | undefined;
  /**
   * The path of a file whose mode and owner a new store gets, as far as this user may give them, and if the file exists.
   * By default only this user may read and write a new store, because it has the key of its hashes.
   */
  like?: string | undefined;
}

const TIMEOUT_MS = 30_000;

// Calls that only read look this often whether the file is still in its place. Calls that write always look.
const LOOK_MS = 100;

/**
 * A store in a SQLite file, for several processes and threads on one machine: the default. It needs Node.js 22.13, 23.4 or
 * later, or the package better-sqlite3. While the store is in use, the files `path-wal` and `path-shm` lie beside its
 * file and belong to it. A copy of the file alone is not a backup; `Store.backup` makes one.
 *
 * The file is made at the first write, and only this user can read it unless `like` says otherwise. A commit is on disk
 * when a call resolves. SQLite works on the calling thread: about 10 ms for a thousand new strings. Calls made at the same
 * time are committed together, and large batches are cut into pieces, so that other processes get their turn.
 *
 * Leases end by the machine's clock. If it is wrong when a shard is leased, only the next holder can find out.
 * @param where the path of a file on a local disk; or an open database of `node:sqlite` or better-sqlite3, which
 *   {@link Store.close} leaves open. It gets tables that begin with `shardbits_`, unless `readOnly` is set, and is set to
 *   WAL mode; all commits over this connection wait for the disk from then on
 * @throws TypeError or RangeError for arguments of the wrong kind or value
 * @throws StoreCorruptError if the file is not a store or is damaged; StoreUnavailableError if it cannot be opened
 * @example
 * const store = await sqliteStore('./ids.db');
 */
export async function sqliteStore(where: string | SqliteDatabase, options?: SqliteStoreOptions): Promise<Store> {
  const known = checkOptions(options, ['readOnly', 'mustExist', 'expect', 'timeoutMs', 'like']);
  const { readOnly = false, timeoutMs = TIMEOUT_MS, like } = known;
  checkBoolean('readOnly', readOnly);
  checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  if (like !== undefined) checkString('like', like);
  const { mustExist, guard } = checkOpening(known);
  const opening = { name: 'the database', readOnly, mustExist: mustExist || readOnly, timeoutMs, guard, like };
  if (typeof where !== 'string') return overDatabase(checkDatabase('where', where), opening);
  if (where === ':memory:') return overDatabase(await openSqlite(where, { readOnly: false }), opening);
  if (where === '') throw wrongValue('where', 'a path', where);
  const store = new SqliteStore({ ...opening, name: canonicalPath(where) });
  await store.open();
  return expectedStore(store, guard);
}

/**
 * Puts a backup in the place of a store in a file, and makes it fit to be used, as `restoreStore` does. The store appears
 * when that is complete, with the mode and the owner of the file that was there, or else of the backup, as far as this user
 * may give them. The file that was there stays beside it as `PATH.replaced`, with the log that was left; if there is such
 * a file, as `PATH.replaced.2`, and so on. Stop all processes that use the store first.
 * @param backup the path of the backup, which stays as it is
 * @param path the path of the store, which may be missing, empty or damaged
 * @returns when minting resumes, what the store holds, and where the file is that was there
 * @throws TypeError or RangeError for arguments of the wrong kind or value
 * @throws StoreUnavailableError if other processes use the store; StoreCorruptError if the backup is damaged
 * @throws StoreConflictError if the file is not a store, is another one than the backup, is the second store of a move, or
 *   is changed meanwhile; or if one of them was moved away
 * @example
 * await restoreSqlite('./backup.db', './ids.db');
 */
export async function restoreSqlite(backup: string, path: string, options?: SkipOptions): Promise<SkipOutcome> {
  checkString('backup', backup);
  const name = canonicalPath(checkString('path', path));
  if (!exists(backup)) throw unavailable(`${backup}: no such file`);
  const { outcome, replaced } = await replaceFile(name, backup, async (copy, before) => {
    const store = await sqliteStore(copy);
    try {
      const state = await storeState(store);
      if (before !== undefined && before.identity !== state?.identity) {
        throw refused('in use', 'this is another store than the backup: move it away first');
      }
      if (before?.movedTo !== undefined)
        throw refused('moved', `this store was moved to ${before.movedTo}, and cannot be used again`);
      if (before !== undefined) checkIsNoTarget(before);
      return await restoreStore(store, options);
    } finally {
      await store.close();
    }
  });
  return { ...outcome, replaced };
}

/** The name is the path, unless the caller has opened the database. */
interface Opening extends SqliteWaiting, ReturnType<typeof checkOpening> {
  readonly readOnly: boolean;
  readonly like: string | undefined;
}

async function overDatabase(database: SqliteDatabase, opening: Opening): Promise<Store> {
  await patiently(opening, () => {
    setUp(database, opening.readOnly);
    if (!opening.mustExist) makeTables(database);
    else if (!hasStore(database, opening.name)) throw unavailable('the database has no tables of shardbits');
  });
  return expectedStore(new SqliteStore(opening, new SqliteContents(database, opening)), opening.guard);
}

const ROWS_A_READ = 10_000;
const READ_MS = 5; // at a time, so that timers run at least every 10 ms
const ENTRIES_A_PAGE = 5000n; // a few MB at most
const ALL_IDS = -(1n << 63n);

// A piece of a large batch is sized so that its commit takes about PIECE_MS.
const PIECE_MS = 50;
const FIRST_PIECE = 2000;
const MIN_PIECE = 100;
const MAX_PIECE = 20_000;

class SqliteStore extends LocalStore<SqliteContents> implements Store {
  readonly timeoutMs: number;
  readonly #path: string;
  readonly #options: Opening;
  /** Whether the caller opened the database, and closes it. */
  readonly #isGiven: boolean;
  #opening: Promise<SqliteContents> | undefined;
  #creating: Promise<void> | undefined;
  #identity: string | undefined;
  #looked = 0;
  #pieceRows = FIRST_PIECE;
  /**
   * Keys of which a look-up found none, and the state of the database then, by the caller's object for the look-up. They
   * need not be looked up again.
   */
  readonly #unknown = new WeakMap<LookupToken, { readonly hashed: KeyHashes; readonly state: string }>();

  constructor(options: Opening, given?: SqliteContents) {
    super(options.guard);
    this.timeoutMs = options.timeoutMs;
    this.#path = options.name;
    this.#options = options;
    this.#isGiven = given !== undefined;
    if (given) this.#opening = Promise.resolve(given);
  }

  /** Opens the file if it exists. @throws StoreUnavailableError if it is missing and must exist */
  async open(): Promise<SqliteContents | undefined> {
    this.checkOpen();
    if (this.#opening !== undefined) {
      const now = performance.now();
      // It has no identity if it was given, or is being opened.
      if (this.#identity !== undefined && now - this.#looked >= LOOK_MS) {
        this.#looked = now;
        checkInPlace(this.#path, this.#identity);
      }
      return this.#opening;
    }
    if (!exists(this.#path)) {
      if (this.#options.mustExist) throw unavailable(`${this.#path}: no such file`);
      return undefined;
    }
    this.#opening = patiently(this.#options, async () => {
      const database = await openFile(this.#path, this.#options.readOnly);
      try {
        this.#identity = identityOf(this.#path);
        return new SqliteContents(database, this.#options);
      } catch (error) {
        database.close();
        throw error;
      }
    }).catch((error) => {
      this.#opening = undefined; // the next call tries again
      throw error;
    });
    return this.#opening;
  }

  async lookup(space: Space, keys: readonly string[], token?: LookupToken): Promise<BigUint64Array> {
    const ids = new BigUint64Array(keys.length);
    const open = await this.open();
    if (open === undefined) return ids;
    const alone = keys.length === 1 ? await open.findAlone(space, keys[0]) : undefined;
    if (alone !== undefined) {
      this.guard.check(alone.state === null ? undefined : textOf(alone.state), 'read');
      return BigUint64Array.of(BigInt.asUintN(64, alone.id));
    }
    for (const [from, to] of piecesOf(keys.length, ROWS_A_READ)) {
      const hashed = hashKeys(keys.slice(from, to), open.hashKey);
      const found = ids.subarray(from, to);
      const states = new Set<string>();
      for (let next = 0; next < found.length; ) {
        await this.checkedRead(({ connection, statements }) => {
          states.add(connection.state());
          next = findKeys(statements[space], hashed, found, next, READ_MS);
        });
        await letOthersRun();
      }
      const [state = '', ...others] = states;
      const isUnknown = others.length === 0 && found.every((id) => id === 0n);
      if (token && isUnknown) this.#unknown.set(token, { hashed, state });
    }
    return ids;
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const keys: (string | undefined)[] = new Array(ids.length).fill(undefined);
    if ((await this.open()) === undefined) return keys;
    for (let row = 0; row < ids.length; ) {
      await this.checkedRead((contents) => {
        for (const isOver = timer(READ_MS); row < ids.length && !isOver(); row++) {
          keys[row] = contents.keyOf(space, ids[row]);
        }
      });
      await letOthersRun();
    }
    return keys;
  }

  async assign(space: Space, block: Block, keys: readonly string[], token?: LookupToken): ReturnType<Store['assign']> {
    const { hashKey } = await this.#openForWriting();
    const all = new BigUint64Array(keys.length);
    // If there is more than one piece, the first one has to know whether there is room for all.
    let needed = 0;
    if (keys.length > this.#pieceRows) needed = missingRows(await this.lookup(space, keys)).length;
    for (let from = 0; from < keys.length; ) {
      const some = keys.slice(from, from + this.#pieceRows);
      const known = token && this.#unknown.get(token);
      const unknown = known && areSame(known.hashed.keys, some) ? known : undefined;
      const hashed = unknown?.hashed ?? hashKeys(some, hashKey);
      const ids = await this.#assignPiece(space, block, hashed, needed, unknown?.state);
      if (ids === undefined && from === 0) return undefined;
      if (ids === undefined) throw new StoreConflictError('another process took the last numbers of the prefix');
      all.set(ids, from);
      from += some.length;
      needed = 0;
    }
    return all;
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    for (let from = ALL_IDS; ; ) {
      const page = await this.checkedRead(({ statements }) => statements[space].page.all(from, ENTRIES_A_PAGE));
      const rows = page ?? [];
      const ids = BigUint64Array.from(rows, ({ id }) => BigInt.asUintN(64, id));
      if (rows.length > 0) yield { keys: rows.map(({ key }) => textOf(key)), ids };
      this.checkOpen();
      if (rows.length < ENTRIES_A_PAGE) return;
      from = rows[rows.length - 1].id + 1n;
      await letOthersRun();
    }
  }

  async restore(space: Space, { keys, ids }: Entries): Promise<void> {
    const { hashKey } = await this.#openForWriting();
    for (const [from, to] of piecesOf(keys.length, ROWS_A_READ)) {
      const hashed = hashKeys(keys.slice(from, to), hashKey);
      const some = ids.subarray(from, to);
      await this.checkedCommit((contents) => {
        const known = new BigUint64Array(some.length);
        findKeys(contents.statements[space], hashed, known);
        for (const [row, id] of some.entries()) {
          const isSame = known[row] === 0n ? contents.keyOf(space, id) === undefined : known[row] === id;
          if (!isSame) throw contradicts(id);
        }
        addKeys(contents.statements[space], hashed, some, missingRows(known));
      });
    }
  }

  /** @param state that of the database when none of the keys was found; undefined if they were not looked up */
  #assignPiece(space: Space, block: Block, hashed: KeyHashes, needed: number, state: string | undefined) {
    return this.checkedCommit((contents) => {
      const began = performance.now();
      const statements = contents.statements[space];
      const ids = new BigUint64Array(hashed.keys.length);
      if (state === undefined || state !== contents.connection.state()) findKeys(statements, hashed, ids);
      const missing = missingRows(ids);
      const last = contents.last(space, block.prefix);
      const skipped = skippedIn(contents, space);
      const most = Math.max(missing.length, needed);
      if (most > 0 && skipped + last + BigInt(most) > block.max) return undefined;
      if (missing.length > 0) {
        let next = block.base + skipped + last;
        for (const row of missing) ids[row] = ++next;
        addKeys(statements, hashed, ids, missing);
        contents.raise(space, block.prefix, last + BigInt(missing.length));
      }
      const fitting = Math.round((ids.length * PIECE_MS) / Math.max(performance.now() - began, 1));
      const isTelling = ids.length >= this.#pieceRows / 2; // fewer rows tell little
      if (isTelling) this.#pieceRows = Math.min(Math.max(fitting, MIN_PIECE), MAX_PIECE, 2 * this.#pieceRows);
      return ids;
    });
  }

  async check(): Promise<void> {
    const open = await this.open();
    await open?.connection.outside((database) => {
      hasStore(database, this.#path);
      checkHashes(database, this.#path);
      const [found] = prepare<{ integrity_check: string }>(database, 'pragma integrity_check(1)').all();
      if (found?.integrity_check !== 'ok') throw new StoreCorruptError(`${this.#path}: ${found?.integrity_check}`);
    });
  }

  async backup(path: string): Promise<void> {
    checkString('path', path);
    const open = await this.open();
    if (open === undefined) throw unavailable(`${this.#path}: no such file`);
    const check = () => this.guard.check(open.settings.get(STATE_SETTING), 'write');
    await open.connection.outside((database) => {
      check();
      return backUp(database, path, this.#isGiven ? undefined : this.#path, check);
    });
  }

  protected async read<T>(work: (contents: SqliteContents) => T): Promise<T | undefined> {
    const open = await this.open();
    return open?.connection.read(() => work(open));
  }

  protected async commit<T>(work: (contents: SqliteContents) => T): Promise<T> {
    const open = await this.#openForWriting();
    return open.connection.commit(() => work(open));
  }

  protected async end(): Promise<void> {
    const open = await this.#opening?.catch(() => undefined);
    await open?.connection.close((database) => {
      if (!this.#isGiven) database.close();
    });
  }

  async #openForWriting(): Promise<SqliteContents> {
    if (this.#options.readOnly) throw unavailable(`${this.#path}: the store is open for reading only`);
    const open = await this.open();
    if (open !== undefined) {
      // What is written to a file without a name is lost when the file is closed.
      if (!this.#isGiven) checkInPlace(this.#path, this.#identity);
      return open;
    }
    // Once, however many calls come first: each of them would make a file, and wait for the disk.
    this.#creating ??= patiently(this.#options, () => createFile(this.#path, this.#options.like)).finally(() => {
      this.#creating = undefined;
    });
    await this.#creating;
    return this.#openForWriting();
  }
}
