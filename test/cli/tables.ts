import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router, typedKey } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';

export const router = new Router({ shards: 10 });
export const route = ['route', '--shards', '10'];
export const BY_ID = [...route, '--csv', '--key', 'id'];
export const BY_A = [...route, '--ndjson', '--key', 'a'];

/** The shard of a key of one value, or of several. */
export function shardOf(...values: string[]): number {
  return router.route(values.reduceRight((key, value) => typedKey(value, key)));
}

/** A folder with some files. */
export function folderOf(files: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
}
