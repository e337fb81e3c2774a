import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.js';
import { notTested } from './not-tested.js';

/**
 * Mounts a small file system. Returns undefined, with a note, if this user may not mount one.
 * @param size in bytes, or such as `64k` or `6m`
 */
export function smallDisk(size: string): string | undefined {
  const path = temporaryFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  if (status !== 0) {
    notTested('a full disk, which needs a file system of its own: only root may mount one');
    return undefined;
  }
  unmountedInTheEnd(path);
  return path;
}

/** File systems that ignore case. That of exFAT numbers the inode of a file anew for each spelling of its name. */
export const FOLDING = ['ntfs', 'exfat'] as const;

/**
 * Mounts a file system that ignores case. Returns undefined, with a note, where there is no FUSE or this user is not root.
 * @throws Error in CI, if only the programs are missing
 */
export function foldingDisk(type: (typeof FOLDING)[number] | 'fat'): string | undefined {
  const folder = temporaryFolder();
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  writeFileSync(image, '');
  truncateSync(image, 64 * 1024 * 1024);
  mkdirSync(path);
  const mount = {
    ntfs: ['mkntfs -q -F -Q image', 'lowntfs-3g -o ignore_case,windows_names image disk'],
    exfat: [
      'mkfs.exfat image',
      'device=$(losetup --find --show image); mount.exfat-fuse "$device" disk; losetup -d "$device"',
    ],
    fat: ['mkfs.vfat image', 'fusefat -o rw+ image disk'],
  }[type].join(' > /dev/null && ');
  const { status, stderr } = spawnSync('sh', ['-c', mount], { cwd: folder, encoding: 'utf8' });
  unmountedInTheEnd(path);
  if (status === 0 && isFolding(path)) return path;
  const message = `a file system that ignores case (${type}) cannot be mounted: ${stderr}`;
  if (process.env.CI && process.getuid?.() === 0 && existsSync('/dev/fuse')) throw new Error(message);
  notTested(message);
  return undefined;
}

function isFolding(path: string): boolean {
  writeFileSync(join(path, 'a'), '');
  const isOne = existsSync(join(path, 'A'));
  spawnSync('rm', [join(path, 'a')]);
  return isOne;
}

function unmountedInTheEnd(path: string): void {
  onTestFinished(() => {
    spawnSync('umount', ['-l', path]);
  });
}
