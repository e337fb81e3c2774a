import { accessSync, closeSync, constants, fsyncSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { detailsOf } from './errors.js';

// File systems that cannot sync a directory, such as some network and FUSE ones, fail with these.
const NOT_SUPPORTED = ['EINVAL', 'ENOTSUP', 'ENOSYS'];

/**
 * Makes the names in a directory durable. Otherwise a power cut could undo the creation, renaming or removal of a file,
 * although the file's own bytes are on disk. Does nothing on Windows, which cannot open a directory and keeps names in
 * its journal.
 * @param path the directory
 * @throws Node's own errors
 */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } catch (error) {
    if (!NOT_SUPPORTED.includes(String(detailsOf(error).code))) throw error;
  } finally {
    closeSync(directory);
  }
}

/**
 * Makes the contents of a file durable.
 * @param path the file
 * @throws Node's own errors
 */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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
