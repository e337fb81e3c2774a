import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from '../../src/index.js';
import { keysIn, temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

export const router = new Router({ shards: 1024 });

/** 50,000 keys, a line each. */
export const words = Buffer.from(Array.from(randomU64s(50_000), (value) => `key:${value.toString(36)}\n`).join(''));

/** What `route` writes for the keys in some bytes. */
export function tsv(bytes: Uint8Array, by: Router = router): Buffer {
  return Buffer.concat(keysIn(bytes).flatMap((key) => [Buffer.from(`${by.route(key)}\t`), key, Buffer.from('\n')]));
}

/** A file that goes when the test does. */
export function file(bytes: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'keys.txt');
  writeFileSync(path, bytes);
  return path;
}
