/**
 * A store in LMDB, for the processes of one machine.
 * @module shardbits/stores/lmdb
 */

import { resolve } from 'node:path';
import { checkBoolean, checkOptions, checkString } from '../../../arguments.js';
import { letOthersRun } from '../../calls.js';
import { checkOpening, expectedStore, type StateGuard } from '../../identity.js';
import { type Block, closed, type Entries, type OpenOptions, type Space, type Store } from '../../store.js';
import { assignKeys, LocalStore, restoreKeys } from '../shared/local-store.js';
import { Contents, keyAfter, numberIn } from './contents.js';
import { LmdbFile } from './file.js';
import { importLmdb, lmdbError, unavailable } from './open.js';

const ROWS_A_READ = 1000; // about 5 ms

export interface LmdbStoreOptions extends OpenOptions {
  /**
   * Opens the file for reading only, and fails if it is missing; false by default. LMDB's readers register in
   * `path-lock`, so the user still needs permission to write to the files.
   */
  readOnly?: boolean | undefined;
}

/**
 * A store in an LMDB file, for several processes on one machine. It needs the package `lmdb`. It is for versions of
 * Node.js without `node:sqlite`; with others, `sqliteStore` is faster and has fewer limits.
 *
 * The file is made at the first write. The files `path-lock`, `path-turn` and `path-turn-lock` lie beside it and belong
 * to it. Processes take turns to write; reading never waits. Leases end by the machine's clock. If it is wrong when a
 * shard is leased, only the next holder can find out.
 *
 * - No other program may open the file while it is in use: it could undo a commit in progress.
 * - A worker thread that is terminated while it writes can damage the file, or leave everybody else waiting. Close the
 *   store before the thread ends.
 * - A copy of the file is not a backup while somebody writes to it. Use `backup`.
 * - A file with several hard links, or mounted by itself, is rejected. Symbolic links are followed.
 * - Network file systems are not supported.
 * - LMDB's lock is native: a call that waits for a process that has stopped in the middle of a commit waits for ever, and
 *   so does `close()`. Kill that process.
 * - LMDB keeps no checksums. Opening finds a file that is cut short. Other damage is found later or never, and can end
 *   the process.
 * @param path the path of the file, in a folder that exists
 * @param options `readOnly`, `mustExist`, `expect`
 * @throws TypeError if `path` or an option is of the wrong kind
 * @throws StoreUnavailableError if the file cannot be opened, or the package `lmdb` is not installed
 * @throws StoreCorruptError if it is not a file of LMDB, empty, or cut short
 * @example
 * const store = await lmdbStore('./ids.lmdb');
 */
export async function lmdbStore(path: string, options?: LmdbStoreOptions): Promise<Store> {
  checkString('path', path);
  const { readOnly = false, ...opening } = checkOptions(options, ['readOnly', 'mustExist', 'expect']);
  checkBoolean('readOnly', readOnly);
  const { mustExist, guard } = checkOpening(opening);
  await importLmdb();
  const name = resolve(path); // the working directory may change before the file is created
  const file = await LmdbFile.open(name, false);
  if (file === undefined && (readOnly || mustExist)) throw unavailable(name, 'the file does not exist');
  return expectedStore(new LmdbStore(name, file, readOnly, guard), guard);
}

class LmdbStore extends LocalStore<Contents> implements Store {
  readonly #path: string;
  readonly #isReadOnly: boolean;
  /** Undefined until the file exists. */
  #file: Promise<LmdbFile | undefined> | undefined;

  constructor(path: string, file: LmdbFile | undefined, isReadOnly: boolean, guard: StateGuard) {
    super(guard);
    this.#path = path;
    this.#file = file && Promise.resolve(file);
    this.#isReadOnly = isReadOnly;
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    const ids = new BigUint64Array(keys.length);
    await this.#readRows(keys.length, (file, row) => {
      ids[row] = file.idOf(space, keys[row]);
    });
    return ids;
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const keys = new Array<string | undefined>(ids.length).fill(undefined);
    await this.#readRows(keys.length, (file, row) => {
      keys[row] = file.keyOf(space, ids[row]);
    });
    return keys;
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    // Other calls may share the transaction, so the work must not throw.
    return this.checkedCommit(
      (file) => assignKeys(file, space, block, keys),
      (checked) => this.#commit(checked, false),
    );
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    // A snapshot kept between pieces would make the file grow while others write. No snapshot is needed, because
    // entries are never removed.
    for (let start: Buffer | undefined; ; ) {
      const rows = await this.checkedRead((file) => file.piece(space, start));
      const last = rows?.at(-1);
      if (rows === undefined || last === undefined) return;
      yield {
        keys: rows.map(({ value }) => value.toString()),
        ids: BigUint64Array.from(rows, ({ key }) => numberIn(key)),
      };
      start = keyAfter(last.key);
      await letOthersRun();
    }
  }

  restore(space: Space, entries: Entries): Promise<void> {
    return this.checkedCommit((file) => restoreKeys(file, space, entries));
  }

  async backup(path: string): Promise<void> {
    checkString('path', path);
    const file = await this.#opened();
    if (file === undefined) throw unavailable(this.#path, 'there is nothing to back up: the file does not exist');
    this.checkOpen();
    await file.backup(path);
  }

  protected async end(): Promise<void> {
    const file = await this.#file;
    await file?.close();
  }

  protected async read<T>(work: (contents: Contents) => T): Promise<T | undefined> {
    const file = await this.#opened();
    if (file === undefined) return undefined;
    this.checkOpen();
    try {
      file.db.resetReadTxn(); // to see what other processes have committed since
      return work(new Contents(file.db, this.#path));
    } catch (error) {
      throw lmdbError(this.#path, error);
    }
  }

  /** Reads row by row, in pieces that take some milliseconds. Nothing that was found is ever changed in between. */
  async #readRows(rows: number, work: (contents: Contents, row: number) => void): Promise<void> {
    for (let from = 0; from < rows; from += ROWS_A_READ) {
      await this.checkedRead((contents) => {
        for (let row = from; row < Math.min(rows, from + ROWS_A_READ); row++) work(contents, row);
      });
      await letOthersRun();
    }
  }

  protected commit<T>(work: (contents: Contents) => T): Promise<T> {
    return this.#commit(work, true);
  }

  async #commit<T>(work: (contents: Contents) => T, isAlone: boolean): Promise<T> {
    this.checkOpen();
    if (this.#isReadOnly) throw unavailable(this.#path, 'the store was opened with readOnly');
    const file = (await this.#opened()) ?? (await this.#open(true));
    if (this.isClosed || file === undefined) throw closed();
    return file.commit(() => work(new Contents(file.db, this.#path)), isAlone);
  }

  protected async exists(): Promise<boolean> {
    return (await this.#opened()) !== undefined;
  }

  async #opened(): Promise<LmdbFile | undefined> {
    this.checkOpen();
    return (await this.#file) ?? this.#open(false);
  }

  /** Opens the file if it is not open. Calls at the same time get the same file. */
  #open(isToBeCreated: boolean): Promise<LmdbFile | undefined> {
    const before = this.#file;
    const opening = (async () => {
      const file = await before;
      if (file !== undefined) return file;
      this.checkOpen();
      return LmdbFile.open(this.#path, isToBeCreated);
    })();
    this.#file = opening.catch(() => undefined);
    return opening;
  }
}
