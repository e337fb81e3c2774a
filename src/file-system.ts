import { accessSync, closeSync, constants, fsyncSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { detailsOf } from './errors.js';

// File systems that cannot sync a directory, such as some network and FUSE ones, fail with these.
const NOT_SUPPORTED = ['EINVAL', 'ENOTSUP', 'ENOSYS'];

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

function ignoreUnsupported(error: unknown): void {
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

/** Whether this user may write a file, or make files in a folder. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const MAX_LINKS = 40; // the limit of Linux

/**
 * The path of a file with all symbolic links followed, even if the last one leads to a file that does not exist: it is
 * the name that the file will have. `realpath` fails for such a link, and a file that is renamed over it replaces it.
 * @throws Node's own errors: ENOENT if a folder is missing, ELOOP if a link leads back to itself
 */
export function realPath(path: string): string {
  let name = resolve(path);
  for (let links = 0; links < MAX_LINKS; links++) {
    name = join(realpathSync(dirname(name)), basename(name));
    if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return name;
    name = resolve(dirname(name), readlinkSync(name));
  }
  const error = new Error(`ELOOP: the symbolic link leads back to itself, readlink '${path}'`);
  throw Object.assign(error, { code: 'ELOOP', syscall: 'readlink', path });
}
