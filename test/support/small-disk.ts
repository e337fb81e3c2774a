import { spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.js';

/**
 * Mounts a small file system. Returns undefined, with a note, if this user may not mount one.
 * @param size in bytes, or such as `64k` or `6m`
 */
export function smallDisk(size: string): string | undefined {
  const path = temporaryFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  if (status !== 0) {
    process.stderr.write('\nNOT TESTED: a full disk needs a file system of its own, which only root may mount\n\n');
    return undefined;
  }
  onTestFinished(() => {
    spawnSync('umount', ['-l', path]);
  });
  return path;
}
