import { closeSync, fsyncSync, openSync } from 'node:fs';

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
    if (!NOT_SUPPORTED.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
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
