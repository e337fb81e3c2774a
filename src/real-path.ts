import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const MOST_LINKS = 40; // the limit of Linux

/**
 * The path of a file with all symbolic links followed, even if the last one leads to a file that does not exist: it is
 * the name that the file will have. `realpath` fails for such a link, and a file that is renamed over it replaces it.
 * @throws Node's own errors: ENOENT if a folder is missing, ELOOP if a link leads back to itself
 */
export function realPath(path: string): string {
  let name = resolve(path);
  for (let links = 0; links < MOST_LINKS; links++) {
    name = join(realpathSync(dirname(name)), basename(name));
    if (!lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink()) return name;
    name = resolve(dirname(name), readlinkSync(name));
  }
  const error = new Error(`ELOOP: the symbolic link leads back to itself, readlink '${path}'`);
  throw Object.assign(error, { code: 'ELOOP', syscall: 'readlink', path });
}
