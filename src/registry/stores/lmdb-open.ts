import { setTimeout } from 'node:timers/promises';
import type { RootDatabase } from 'lmdb';
import { StoreUnavailableError } from '../../errors.js';

export type LmdbDatabase = RootDatabase<Buffer, Buffer>;

// Despite its types, `openAsClass` opens the file and returns the class of the databases in it.
type DatabaseClass = new (name: null, options: object) => LmdbDatabase;

const EINVAL = 22;
const TRIES = 20;

// Without overlapping, a commit is on disk when it resolves, and others see it only then.
const OPTIONS = { noSubdir: true, encoding: 'binary', keyEncoding: 'binary', overlappingSync: false } as const;
const ROOT = { ...OPTIONS, isRoot: true }; // closing this one closes the file

/** @throws StoreUnavailableError if the package cannot be loaded */
export async function importLmdb(): Promise<typeof import('lmdb')> {
  try {
    return await import('lmdb');
  } catch (cause) {
    throw new StoreUnavailableError(
      `lmdbStore needs the package "lmdb": npm install lmdb (${(cause as Error).message})`,
      { isTransient: false, cause },
    );
  }
}

/**
 * Opens a file of LMDB. The last process that closes a file destroys its locks. A process that opens the file at that
 * moment gets the destroyed ones (EINVAL), and opens it again.
 */
export async function openLmdb(path: string): Promise<LmdbDatabase> {
  const { openAsClass } = await importLmdb();
  for (let tries = 1; ; tries++) {
    const Database = openAsClass({ path, ...OPTIONS }) as unknown as DatabaseClass;
    try {
      return new Database(null, ROOT);
    } catch (error) {
      // lmdb-js leaves the file open and returns no handle. This makes one to close it.
      await Object.assign(Object.create(Database.prototype), ROOT).close();
      if ((error as { code?: unknown }).code !== EINVAL || tries === TRIES) throw error;
      await setTimeout(Math.random() * 10 * tries);
    }
  }
}
