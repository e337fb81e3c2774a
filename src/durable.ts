import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Has the disk keep what a file holds. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Has the disk keep the names of the files in a folder, after one was made, renamed or removed. */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // which opens no folders, and keeps names by itself
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
