import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { checkString } from '../arguments.js';
import type { HighWater } from '../minting/high-water.js';
import { named, naming } from './naming.js';
import { temporaryName } from './output.js';

/**
 * A high-water mark for `SnowflakeGenerator` in a file, which is replaced as a whole and on disk before ids are
 * given. For one process at a time.
 * @param path of the file; none there is none yet
 * @throws TypeError if `path` is not a string. When used: Error if the file holds anything else; Node's own errors
 * @example
 * new SnowflakeGenerator({ shard: 5, highWater: highWaterFile('./minted-until') });
 */
export function highWaterFile(path: string): HighWater {
  checkString('path', path);
  return {
    load() {
      const text = readText(path);
      if (text === undefined) return undefined;
      if (!/^[0-9]{1,15}\n$/.test(text)) throw new Error(`${path}: expected Unix milliseconds on a line of their own`);
      return Number(text);
    },

    save(unixMs) {
      const temporary = temporaryName(path);
      naming(path, () => {
        const file = openSync(temporary, 'wx');
        try {
          writeSync(file, `${Math.ceil(unixMs)}\n`);
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(temporary, path);
      });
    },
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw named(path, error);
  }
}
