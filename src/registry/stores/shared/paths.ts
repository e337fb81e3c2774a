import {
  type BigIntStats,
  closeSync,
  constants,
  createReadStream,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { withoutPassword } from '../../../arguments.js';
import { detailsOf, StoreConflictError, StoreUnavailableError } from '../../../errors.js';
import {
  ignoreUnsupported,
  realPath,
  rename,
  syncDirectory,
  syncFile,
  temporaryName,
  whenFree,
} from '../../../file-system.js';

// The ends of the names of files that engines put beside a file while they write it.
const ENDS = ['-journal', '-wal', '-shm'];

export function removeEnds(path: string): void {
  for (const end of ENDS) whenFree(() => rmSync(`${path}${end}`, { force: true }));
}

// A store has the key of its hashes, with which others could choose strings that collide.
const PRIVATE = 0o600;

/** The ends of names beside a file that is made or replaced. */
const TEMPORARY = /^([0-9a-f]+\.tmp|replaced(\.[0-9]+)?)$/;

/** Makes an empty file that only this user can read, which an engine then fills. @throws Node's own errors: EEXIST */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'wx', PRIVATE));
}

/**
 * Gives a file the mode and the owner of another one. If this user may not give it to that owner, only this user can read
 * it: the same mode would show it to another group.
 */
export async function keepRights(path: string, like: string): Promise<void> {
  const { mode, uid, gid } = statSync(like);
  // Of the file itself: who may write to its folder could put a link to another file in its place.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const made = await file.stat();
    const isOthers = made.uid !== uid || made.gid !== gid;
    const isLost = isOthers && (await file.chown(uid, gid).catch(() => true)); // the command line tells the operator
    const wanted = mode & (isLost ? PRIVATE : 0o666);
    if ((made.mode & 0o777) !== wanted) await file.chmod(wanted).catch(ignoreUnsupported);
  } finally {
    await file.close();
  }
}

/**
 * Makes a file under a temporary name. Its own name appears when it is on disk, and never replaces another file.
 * @param make fills the file under the name that it is given, where it is empty
 * @param like a file whose mode and owner the file gets, if it exists; otherwise only this user can read it
 * @throws what `make` throws; Node's own errors: EEXIST if the file exists; StoreUnavailableError for the name of a store
 *   in LMDB. Nothing is left behind then
 */
export async function writeAtomically(
  path: string,
  make: (temporary: string) => unknown,
  like?: string,
): Promise<void> {
  refuseLmdb(path);
  const temporary = temporaryName(path);
  try {
    makePrivate(temporary);
    await make(temporary);
    if (like !== undefined && statSync(like, { throwIfNoEntry: false }) !== undefined)
      await keepRights(temporary, like);
    await syncFile(temporary);
    giveName(temporary, path);
  } finally {
    whenFree(() => rmSync(temporary, { force: true }));
    removeEnds(temporary);
  }
  await syncDirectory(dirname(path));
}

/**
 * Gives a file its own name, which no other file may have. Its temporary name may stay.
 * @throws Node's own errors: EEXIST
 */
function giveName(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (detailsOf(error).code === 'EEXIST') throw error;
    // FAT and exFAT have no links. There an empty file takes the name, and is replaced: a crash leaves no part of a file.
    makePrivate(path);
    const made = lstatSync(path, STAT);
    const isOurs = () => {
      const found = lstatSync(path, STAT);
      return found?.size === 0n && found.ino === made?.ino;
    };
    try {
      whenFree(() => {
        if (!isOurs()) makePrivate(path); // fails for the file of another process
        renameSync(temporary, path);
      });
    } catch (failed) {
      if (isOurs()) rmSync(path, { force: true });
      throw failed;
    }
  }
}

/**
 * Gives a file that is about to be replaced one more name: `NAME.replaced`, or `NAME.replaced.2` and so on if there are
 * such files, or logs of them. The logs beside it are moved along: they would be mixed with the file that replaces it.
 * Where files have one name each, as on FAT, a copy gets the other name.
 * @param check throws if the file is not to be replaced, as it may have changed while it was copied
 * @returns the name
 * @throws what `check` throws; Node's own errors. Nothing is left behind then
 */
export async function keepReplaced(path: string, check: (copy: string) => Promise<void>): Promise<string> {
  for (let n = 1; ; n++) {
    const kept = `${path}.replaced${n === 1 ? '' : `.${n}`}`;
    if (['', ...ENDS].some((end) => lstatSync(`${kept}${end}`, STAT) !== undefined)) continue;
    try {
      linkSync(path, kept);
    } catch (error) {
      if (detailsOf(error).code === 'EEXIST') continue;
      const copy = temporaryName(path);
      try {
        // Node's own copying fails where files have no modes.
        await writeFile(copy, createReadStream(path), { flag: 'wx', mode: PRIVATE });
        await syncFile(copy);
        await check(copy);
        giveName(copy, kept);
      } catch (failed) {
        if (detailsOf(failed).code === 'EEXIST') continue;
        throw failed;
      } finally {
        whenFree(() => rmSync(copy, { force: true }));
      }
    }
    for (const end of ENDS) {
      const log = statSync(`${path}${end}`, { throwIfNoEntry: false });
      if (log !== undefined) rename(`${path}${end}`, `${kept}${end}`);
    }
    return kept;
  }
}

const STAT = { throwIfNoEntry: false, bigint: true } as const;

/**
 * The one name under which all processes open a store's file. The locks of an engine lie beside the file, or are found
 * by its name: two names of one file have two sets of locks, and then one process overwrites what another has
 * committed.
 *
 * A file with a second hard link `NAME.HEX.tmp` or `NAME.replaced` in its folder was being created, or was about to be
 * replaced, by a process that died. That link is removed.
 * @param path the path of a file, which may be missing if its folder exists
 * @returns the path without symbolic links
 * @throws StoreUnavailableError if the folder does not exist or cannot be read, if the path is not that of a regular
 *   file, or that of a store in LMDB, if the file has other hard links, or if it is mounted by itself
 */
export function canonicalPath(path: string): string {
  refuseLmdb(path);
  const name = asking(path, () => realPath(path));
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

/** Asks the file system about a path. A missing file is not an error. */
function asking<T>(path: string, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    const { code, message, path: folder } = detailsOf(cause);
    throw refused(path, code === 'ENOENT' ? `there is no folder ${folder}. Create it first` : message, cause);
  }
}

const statOf = (name: string, path: string) => asking(path, () => lstatSync(name, STAT));

/** Removes other links to a file under names that {@link writeAtomically} or {@link keepReplaced} gave it. */
function removeTemporaryLinks(name: string, { dev, ino }: BigIntStats): void {
  const folder = dirname(name);
  const start = `${basename(name)}.`;
  try {
    for (const entry of readdirSync(folder)) {
      if (!entry.startsWith(start) || !TEMPORARY.test(entry.slice(start.length))) continue;
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
  // Node's error has the path, which may be a mistyped URL. Messages of this package show no passwords, but a cause would.
  const options = withoutPassword(path) === path ? { cause } : {};
  return new StoreUnavailableError(`${path}: ${why}`, { isTransient: false, ...options });
}
