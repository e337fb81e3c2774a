import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from '../../src/index.js';
import { keysIn, temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

export const router = new Router({ shards: 1024 });

/** 20,000 keys, a line each: more than a batch. */
export const words = Buffer.from(Array.from(randomU64s(20_000), (value) => `key:${value.toString(36)}\n`).join(''));

/** What `route` writes for the keys in some bytes. */
export function tsv(bytes: Uint8Array, by: Router = router): Buffer {
  const rows = keysIn(bytes).map((key) => `${by.route(key)}\t${Buffer.from(key).toString('latin1')}\n`);
  return Buffer.from(rows.join(''), 'latin1');
}

/** A file that goes when the test does. */
export function file(bytes: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'keys.txt');
  writeFileSync(path, bytes);
  return path;
}
