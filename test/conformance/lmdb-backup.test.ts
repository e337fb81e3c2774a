import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { scaled } from '../support/scale.js';
import { fill, newFolder, run } from './lmdb-stores.js';

describe('a backup', () => {
  it('is of one instant, while other processes write', async () => {
    const folder = newFolder();
    const path = join(folder, 'ids.lmdb');
    const all = await fill(path);
    const store = await lmdbStore(path);
    const files = [1, 2].map((i) => join(folder, `acknowledged-${i}`));
    const writers = files.map((file, i) =>
      spawn(process.execPath, ['test/support/interning-process.mjs', path, file, `${i + 1}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    while (!files.every((file) => existsSync(file))) await setTimeout(20);
    const counts: number[] = [];
    for (let copy = 0; copy < scaled(8); copy++) {
      await setTimeout(200);
      const before = await store.count('strings');
      await store.backup?.(join(folder, `copy-${copy}`));
      const backup = await lmdbStore(join(folder, `copy-${copy}`), { readOnly: true });
      const count = await backup.count('strings');
      expect(count).toBeGreaterThanOrEqual(before);
      counts.push(count);
      let listed = 0;
      for await (const { keys, ids } of backup.entries('strings')) {
        expect(await backup.lookup('strings', keys)).toEqual(ids);
        listed += keys.length;
      }
      expect(listed).toBe(count);
      const numbers = [...(await backup.counters('strings')).values()].reduce((sum, last) => sum + last, 0n);
      expect(numbers).toBe(BigInt(count)); // every id has its number
      await backup.close();
    }
    for (const writer of writers) {
      expect(writer.exitCode).toBeNull();
      writer.kill('SIGKILL');
    }
    expect(counts.at(-1)).toBeGreaterThan(all.size);
    expect(await store.lookup('strings', [...all.keys()])).toEqual(BigUint64Array.from(all.values()));
    await store.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('replaces no file', async () => {
    const folder = newFolder();
    const path = join(folder, 'ids.lmdb');
    await fill(path);
    const store = await lmdbStore(path);
    writeFileSync(join(folder, 'copy'), 'mine');
    const refused = store.backup?.(join(folder, 'copy'));
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(refused).rejects.toMatchObject({ isTransient: false });
    expect(readFileSync(join(folder, 'copy'), 'utf8')).toBe('mine');
    await expect(store.backup?.(join(folder, 'none', 'copy'))).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(existsSync(join(folder, 'none'))).toBe(false);
    await store.close();
    await expect(store.backup?.(join(folder, 'late'))).rejects.toThrow(/^the store is closed$/);
  });

  it('is complete when the store is closed meanwhile', async () => {
    const folder = newFolder();
    const path = join(folder, 'ids.lmdb');
    const script = `
      import { lmdbStore } from 'shardbits/stores/lmdb';
      const path = process.argv[1];
      const store = await lmdbStore(path);
      const keys = Array.from({ length: 400 }, (_, i) => i + 'x'.repeat(100_000));
      await store.assign('strings', { prefix: 0, base: 0n, max: 999n }, keys);
      const copying = store.backup(path + '-copy');
      await new Promise((done) => setTimeout(done, 5));
      await store.close();
      await copying;
      const copy = await lmdbStore(path + '-copy');
      console.log((await copy.lookup('strings', keys)).every((id, i) => id === BigInt(i + 1)));`;
    const { status, signal, stdout } = run(script, [path]);
    expect([status, signal, stdout]).toEqual([0, null, 'true\n']);
  });
});
