import { randomBytes } from 'node:crypto';
import { type BigIntStats, linkSync, lstatSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { detailsOf, StoreConflictError, StoreUnavailableError } from '../../../errors.js';
import { realPath, syncDirectory, syncFile } from '../../../file-system.js';

// The ends of the names of files that engines put beside a file while they write it.
const ENDS = ['', '-journal', '-wal', '-shm'];

/**
 * Makes a file under a temporary name. Its own name appears when it is on disk, and never replaces another file.
 * @param make makes the file under the name that it is given
 * @throws what `make` throws; Node's own errors: EEXIST if the file exists; StoreUnavailableError for the name of a store
 *   in LMDB. Nothing is left behind then
 */
export async function writeAtomically(path: string, make: (temporary: string) => unknown): Promise<void> {
  refuseLmdb(path);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await make(temporary);
    syncFile(temporary);
    linkSync(temporary, path);
  } finally {
    for (const end of ENDS) rmSync(`${temporary}${end}`, { force: true });
  }
  syncDirectory(dirname(path));
}

/** Like {@link writeAtomically}, but does nothing if another process has just made the file. */
export async function writeOnceAtomically(path: string, make: (temporary: string) => unknown): Promise<void> {
  await writeAtomically(path, make).catch((error) => {
    if (detailsOf(error).code !== 'EEXIST') throw error;
    syncDirectory(dirname(path)); // that process may have ended before it did so
  });
}

/** Whether a name beside a file is one that {@link writeAtomically} gave it. */
function isTemporaryName(name: string, path: string): boolean {
  const start = `${basename(path)}.`;
  return name.startsWith(start) && /^[0-9a-f]+\.tmp$/.test(name.slice(start.length));
}

const STAT = { throwIfNoEntry: false, bigint: true } as const;

/**
 * The one name under which all processes open a store's file. The locks of an engine lie beside the file, or are found
 * by its name: two names of one file have two sets of locks, and then one process overwrites what another has
 * committed.
 *
 * A file with a second hard link `NAME.HEX.tmp` in its folder was being created by a process that died. That link is
 * removed.
 * @param path the path of a file, which may be missing if its folder exists
 * @returns the path without symbolic links
 * @throws StoreUnavailableError if the folder does not exist or cannot be read, if the path is not that of a regular
 *   file, or that of a store in LMDB, if the file has other hard links, or if it is mounted by itself
 */
export function canonicalPath(path: string): string {
  refuseLmdb(path);
  const name = withoutLinks(path);
  const found = statOf(name, path);
  if (found === undefined) return name;
  if (!found.isFile()) throw refused(path, 'it is not a regular file. Give the path of a file');
  if (found.nlink > 1n) {
    removeTemporaryLinks(name, found);
    const links = statOf(name, path)?.nlink ?? 1n;
    if (links > 1n) {
      throw refused(path, `the file has ${links} hard links. Use one name, and remove the others or copy the file`);
    }
  }
  if (isMountPoint(name)) {
    throw refused(
      path,
      'the file is mounted by itself, so the files beside it are not shared with processes that use it elsewhere. ' +
        'Mount its folder instead',
    );
  }
  return name;
}

/** What identifies a file, so that a replaced one is noticed; undefined if there is none with this name. */
export function identityOf(name: string): string | undefined {
  const found = statOf(name, name);
  return found && `${found.dev} ${found.ino}`;
}

/** @throws StoreConflictError if a file that was opened is no longer the one under its name */
export function checkInPlace(name: string, identity: string | undefined): void {
  if (identityOf(name) === identity) return;
  const message = `${name}: the file was removed or replaced while it was open. Open the store again`;
  throw new StoreConflictError(message, { isTransient: false });
}

function withoutLinks(path: string): string {
  try {
    return realPath(path);
  } catch (cause) {
    const { code, message, path: folder } = detailsOf(cause);
    throw refused(path, code === 'ENOENT' ? `there is no folder ${folder}. Create it first` : message, cause);
  }
}

function statOf(name: string, path: string): BigIntStats | undefined {
  try {
    return lstatSync(name, STAT);
  } catch (cause) {
    throw refused(path, detailsOf(cause).message, cause);
  }
}

/** Stores are created under a temporary name, which is then linked to their own. */
function removeTemporaryLinks(name: string, { dev, ino }: BigIntStats): void {
  const folder = dirname(name);
  try {
    for (const entry of readdirSync(folder)) {
      if (!isTemporaryName(entry, name)) continue;
      const other = lstatSync(join(folder, entry), STAT);
      if (other?.dev === dev && other.ino === ino) unlinkSync(join(folder, entry));
    }
  } catch {
    // We may lack the permission, or its creator has just removed it. The caller counts the links again.
  }
}

/** A store in SQLite under such a name would be taken for what it is not. */
function refuseLmdb(path: string): void {
  if (extname(path) === '.lmdb')
    throw refused(path, 'LMDB stores are not supported. Give a file of SQLite another name');
}

/** Only Linux tells this: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
function isMountPoint(name: string): boolean {
  let mounts: string;
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return false;
  }
  return mounts.split('\n').some((line) => {
    const place = line.split(' ')[4];
    return place?.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))) === name;
  });
}

function refused(path: string, why: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`${path}: ${why}`, { isTransient: false, cause });
}
