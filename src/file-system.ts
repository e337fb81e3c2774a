import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { detailsOf } from './errors.js';

// Network and FUSE file systems that cannot sync a directory fail with these, and so do FAT and exFAT for a mode.
const NOT_SUPPORTED = ['EINVAL', 'ENOTSUP', 'ENOSYS', 'EPERM'];

/**
 * Makes the names in a directory durable. Otherwise a power cut could undo the creation, renaming or removal of a file,
 * although the file's own bytes are on disk. Does nothing on Windows, which cannot open a directory and keeps names in
 * its journal.
 * @param path the directory
 * @throws Node's own errors; an error that says what to do under Node's permission model
 */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform !== 'win32') await syncFile(path, 'r').catch(ignoreUnsupported);
}

/** {@link syncDirectory} for those who cannot wait. Node's permission model forbids it. */
export function syncDirectoryNow(path: string): void {
  if (process.platform === 'win32') return;
  try {
    syncFileNow(path, 'r');
  } catch (error) {
    ignoreUnsupported(error);
  }
}

/** Makes the contents of a file durable. @throws as {@link syncDirectory} */
export async function syncFile(path: string, flags = 'r+'): Promise<void> {
  // Under the permission model, Node 24 forbids every fsync of a descriptor, but not that of a file handle.
  const file = await open(path, flags);
  try {
    await file.sync();
  } catch (error) {
    throw asForbidden(path, error);
  } finally {
    await file.close();
  }
}

/** {@link syncFile} for those who cannot wait. Node's permission model forbids it. */
export function syncFileNow(path: string, flags = 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } catch (error) {
    throw asForbidden(path, error);
  } finally {
    closeSync(file);
  }
}

/** For the error of syncing a directory, or of giving a mode to a file of this user: neither is worth failing for. */
export function ignoreUnsupported(error: unknown): void {
  if (!NOT_SUPPORTED.includes(String(detailsOf(error).code))) throw error;
}

/** The error of a system call that Node's permission model forbids, like other errors of system calls. */
function asForbidden(path: string, error: unknown): unknown {
  if (detailsOf(error).code !== 'ERR_ACCESS_DENIED') return error;
  const message =
    "Node's permission model (--permission) forbids fsync, without which a power cut could undo what was written. " +
    'Run this without --permission';
  return Object.assign(new Error(message, { cause: error }), { code: 'ERR_ACCESS_DENIED', syscall: 'fsync', path });
}

// Windows refuses with these what cannot be done while another program has a file or its folder open.
const IN_USE = ['EACCES', 'EBUSY', 'EPERM'];
const PATIENCE_MS = 1000;

/**
 * Does something to a file or a folder that another program may have open. Virus scanners, indexers and backups open what
 * has just changed, for some milliseconds, and Windows refuses to replace or remove it meanwhile. So this tries for about a
 * second there, and blocks the thread. Other systems refuse for lasting reasons, and their errors are thrown at once.
 * @throws what `action` throws
 */
export function whenFree<T>(action: () => T): T {
  const until = performance.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, 100)) {
    try {
      return action();
    } catch (error) {
      const isInUse = process.platform === 'win32' && IN_USE.includes(String(detailsOf(error).code));
      if (!isInUse || performance.now() + pauseMs > until) throw error;
    }
    pause(pauseMs);
  }
}

/** Blocks the thread. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Renames a file or a folder, {@link whenFree}. What has the new name is replaced. @throws Node's own errors */
export function rename(from: string, to: string): void {
  whenFree(() => renameSync(from, to));
}

/** Whether this user may write a file, or make files in a folder. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** An unused name beside a file, under which another one is made that then replaces it. */
export function temporaryName(path: string): string {
  const random = Math.floor(Math.random() * 2 ** 48);
  return `${path}.${random.toString(16).padStart(12, '0')}.tmp`;
}

/** The first bytes of a file, at most so many. @throws Node's own errors */
export function firstBytes(path: string, most: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = new Uint8Array(most);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

const MAX_LINKS = 40; // the limit of Linux

/**
 * A path without what Windows itself puts before those with a drive or a server, such as `\\?\C:\keys.txt`: `realpath` of
 * Node.js takes it for a server called `?`, and patterns for a wildcard.
 */
export function plainPath(path: string): string {
  if (process.platform !== 'win32') return path;
  return path.replace(/^[\\/]{2}\?[\\/](?:(UNC)(?=[\\/])|(?=[a-z]:[\\/]))/i, (_, unc) => (unc ? '\\' : ''));
}

/**
 * The path of a file with all symbolic links followed, even if the last one leads to a file that does not exist: it is
 * the name that the file will have. `realpath` fails for such a link, and a file that is renamed over it replaces it.
 * @throws Node's own errors: ENOENT if a folder is missing, ELOOP if a link leads back to itself
 */
export function realPath(path: string): string {
  let name = resolve(plainPath(path));
  for (let links = 0; links < MAX_LINKS; links++) {
    name = join(realpathSync(dirname(name)), basename(name));
    if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return name;
    name = resolve(dirname(name), readlinkSync(name));
  }
  const error = new Error(`ELOOP: the symbolic link leads back to itself, readlink '${path}'`);
  throw Object.assign(error, { code: 'ELOOP', syscall: 'readlink', path });
}
