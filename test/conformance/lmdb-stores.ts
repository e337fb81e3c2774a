import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { Interner } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { temporaryFolder } from '../support/cli.js';

/** A folder under its real name. */
export const newFolder = () => realpathSync(temporaryFolder());

export const keysOf = (batch: number, length = 1000) => Array.from({ length }, (_, i) => `key ${batch} ${i}`);

/** A store with 3,000 strings, two of them long. @returns its ids, by key */
export async function fill(path: string): Promise<Map<string, bigint>> {
  const interner = new Interner({ store: await lmdbStore(path) });
  const all = new Map<string, bigint>();
  const batches = [keysOf(0), keysOf(1), ['x'.repeat(100_000), 'é'.repeat(3000)], keysOf(2)];
  for (const keys of batches) {
    for (const [i, id] of (await interner.internMany(keys)).entries()) all.set(keys[i], id);
  }
  await interner.close();
  return all;
}

/** The header of the newest transaction in a file of LMDB, and the size of the file. */
export function newestMeta(path: string): { transaction: bigint; pages: number; size: number } {
  const bytes = readFileSync(path);
  const [even, odd] = [bytes.subarray(0), bytes.subarray(4096)];
  const meta = even.readBigUInt64LE(152) > odd.readBigUInt64LE(152) ? even : odd;
  return { transaction: meta.readBigUInt64LE(152), pages: Number(meta.readBigUInt64LE(144)) + 1, size: bytes.length };
}

/** Runs a module of JavaScript as a process of its own, in which a crash is seen as one. */
export function run(script: string, args: readonly string[], options: { uid?: number; cwd?: string } = {}) {
  const all = ['--input-type=module', '-e', script, ...args];
  return spawnSync(process.execPath, all, { encoding: 'utf8', ...options });
}

/** A module that opens each store it is given, reads all of it and adds a key, and prints how that went. */
export const READ_ALL = `
  import { lmdbStore } from 'shardbits/stores/lmdb';
  for (const path of process.argv.slice(1)) {
    try {
      const store = await lmdbStore(path);
      let count = 0;
      for await (const { keys, ids } of store.entries('strings')) {
        const found = await store.lookup('strings', keys);
        count += keys.filter((_, i) => found[i] === ids[i]).length;
      }
      await store.assign('strings', { prefix: 1, base: 2n ** 50n, max: 9n }, ['a new one']);
      await store.close();
      console.log('opened ' + count);
    } catch (error) {
      console.log(error.code + ' ' + error.message);
    }
  }`;
