import { randomBytes } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { syncDirectory, syncFile } from '../../durable.js';

// The ends of the names of files that engines put beside a file while they write it.
const ENDS = ['', '-journal', '-wal', '-shm', '-lock'];

/**
 * Makes a file under a temporary name. Its own name appears when it is on disk, and never replaces another file.
 * @param make makes the file under the name that it is given
 * @throws what `make` throws; Node's own errors: EEXIST if the file exists. Nothing is left behind then
 */
export async function publish(path: string, make: (temporary: string) => unknown): Promise<void> {
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

/** Like {@link publish}, but does nothing if another process has just made the file. */
export async function publishOnce(path: string, make: (temporary: string) => unknown): Promise<void> {
  await publish(path, make).catch((error) => {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    syncDirectory(dirname(path)); // that process may have ended before it did so
  });
}

/** Whether a name beside a file is one that {@link publish} gave it. */
export function isTemporaryName(name: string, path: string): boolean {
  const start = `${basename(path)}.`;
  return name.startsWith(start) && /^[0-9a-f]+\.tmp$/.test(name.slice(start.length));
}
