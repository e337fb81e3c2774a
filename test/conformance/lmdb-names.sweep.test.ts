import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Interner, StoreUnavailableError } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { canonicalPath } from '../../src/registry/stores/shared/paths.js';
import { IS_FULL, scaled } from '../support/scale.js';
import { fill, keysOf, newFolder } from './lmdb-stores.js';

// A file of LMDB under several names: symbolic links, hard links and mounts.

describe('one file under two names', () => {
  it('is one store through a symbolic link, in one process', async () => {
    const [folder, other] = [newFolder(), newFolder()];
    const [path, link] = [join(folder, 'ids.lmdb'), join(other, 'link.lmdb')];
    symlinkSync(path, link); // which leads nowhere yet
    const stores = [await lmdbStore(link), await lmdbStore(path)];
    const [one, two] = stores.map((store) => new Interner({ store })) as [Interner, Interner];
    const ids = await Promise.all([one.internMany(keysOf(0)), two.internMany(keysOf(0)), one.internMany(keysOf(1))]);
    expect(ids[0]).toEqual(ids[1]);
    expect(await two.lookupMany(keysOf(1))).toEqual(ids[2]);
    await one.close();
    await two.close();
    expect(readdirSync(other)).toEqual(['link.lmdb']);
    expect(existsSync(path)).toBe(true);
  });

  it('is one store through a symbolic link, in many processes', async () => {
    const [folder, other] = [newFolder(), newFolder()];
    const path = join(folder, 'ids.lmdb');
    symlinkSync(path, join(other, 'link.lmdb'));
    symlinkSync(folder, join(other, 'folder'));
    const names = [path, join(other, 'link.lmdb'), join(other, 'folder', 'ids.lmdb'), path];
    const files = names.map((_, i) => join(folder, `acknowledged-${i}`));
    const processes = names.map((name, i): ChildProcess => {
      const args = ['test/support/interning-process.mjs', name, files[i], String(i)];
      return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    });
    while (!files.every((file) => existsSync(file))) await setTimeout(20);
    await setTimeout(scaled(1500));
    for (const child of processes) {
      expect(child.exitCode).toBeNull();
      child.kill('SIGKILL');
    }
    await Promise.all(processes.map((child) => once(child, 'exit')));
    const idOf = new Map<string, string>();
    for (const file of files) {
      for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
        const [id, key] = line.split('\t') as [string, string];
        expect(idOf.get(key) ?? id).toBe(id);
        idOf.set(key, id);
      }
    }
    expect(idOf.size).toBeGreaterThan(IS_FULL ? 200 : 100);
    const interner = new Interner({ store: await lmdbStore(path) });
    expect(Array.from(await interner.lookupMany([...idOf.keys()]), String)).toEqual([...idOf.values()]);
    await interner.close();
  });

  it('is refused with two hard links, but for one of an unfinished creation', async () => {
    const path = join(newFolder(), 'ids.lmdb');
    const all = await fill(path);
    linkSync(path, `${path}.0123456789ab.tmp`);
    const store = await lmdbStore(path);
    expect(await store.count('strings')).toBe(all.size);
    await store.close();
    expect(existsSync(`${path}.0123456789ab.tmp`)).toBe(false);
    linkSync(path, `${path}-other`);
    writeFileSync(`${path}.ba9876543210.tmp`, 'of another file');
    const refused = lmdbStore(path);
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(refused).rejects.toMatchObject({
      isTransient: false,
      message: `${path}: the file has 2 hard links. Use one name, and remove the others or copy the file`,
    });
    expect(existsSync(`${path}.ba9876543210.tmp`)).toBe(true);
    unlinkSync(`${path}-other`);
    await (await lmdbStore(path)).close();
  });

  it('is refused where the file is mounted by itself', async ({ skip }) => {
    const folder = newFolder();
    const [path, place] = [join(folder, 'ids.lmdb'), join(folder, 'pl ce')];
    await fill(path);
    writeFileSync(place, '');
    if (spawnSync('mount', ['--bind', path, place]).status !== 0) {
      console.error('SKIPPED: a file that is mounted by itself, which only root may do');
      return skip();
    }
    onTestFinished(() => {
      spawnSync('umount', [place]);
    });
    const refused = lmdbStore(place);
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(refused).rejects.toMatchObject({ isTransient: false });
    await expect(refused).rejects.toThrow(/mounted by itself.*Mount its folder instead/);
    expect(readdirSync(folder).filter((name) => name.startsWith('pl'))).toEqual(['pl ce']);
  });
});

describe('the sole name', () => {
  it('is the real path, also of a file that does not exist', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    symlinkSync('../c', join(folder, 'a', 'link'));
    expect(canonicalPath(join(folder, 'b', 'x'))).toBe(join(folder, 'a', 'x'));
    expect(canonicalPath(join(folder, 'b', 'link'))).toBe(join(folder, 'c'));
    writeFileSync(join(folder, 'c'), '');
    expect(canonicalPath(join(folder, 'b', 'link'))).toBe(join(folder, 'c'));
  });

  it('is refused for what is not a regular file, and in a folder that does not exist', () => {
    const folder = newFolder();
    symlinkSync('loop', join(folder, 'loop'));
    writeFileSync(join(folder, 'file'), '');
    const refused: [string, RegExp][] = [
      [folder, /not a regular file/],
      ['/dev/null', /not a regular file/],
      [join(folder, 'loop'), /leads back to itself/],
      [join(folder, 'none', 'x'), /there is no folder .*none\. Create it first/],
      [join(folder, 'file', 'x'), /./],
    ];
    for (const [path, message] of refused) {
      const call = () => canonicalPath(path);
      expect(call).toThrow(StoreUnavailableError);
      expect(call).toThrow(message);
      expect(call).toThrow(expect.objectContaining({ isTransient: false }));
    }
  });
});
