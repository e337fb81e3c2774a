import { spawn, spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { leaseShard, StoreConflictError, StoreUnavailableError } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { notTested } from '../support/not-tested.js';
import { scaled } from '../support/scale.js';
import { smallDisk } from '../support/small-disk.js';
import { hasSqlite } from '../support/sqlite.js';
import { batch, filled, opened } from './sqlite-stores.js';

// What a store in SQLite does with its file and those beside it.

describe.skipIf(!hasSqlite())('a store in SQLite', () => {
  describe('makes its file', () => {
    it('when something is to be written, and leaves nothing beside it when it is closed', async () => {
      const folder = temporaryFolder();
      const interner = await opened(join(folder, 'ids.db'));
      expect(await interner.lookupMany(['a'])).toEqual(BigUint64Array.of(0n));
      expect(await interner.resolve(5n)).toBeUndefined();
      expect([await interner.count(), await interner.store.shards()]).toEqual([0, []]);
      expect([await interner.store.freeShard(0), await interner.store.resetMark(0)]).toEqual([false, 'absent']);
      expect(readdirSync(folder)).toEqual([]);
      await interner.intern('a');
      expect(readdirSync(folder).sort()).toEqual(['ids.db', 'ids.db-shm', 'ids.db-wal']);
      await interner.close();
      expect(readdirSync(folder)).toEqual(['ids.db']);
    });

    it('once, however many come first', async () => {
      const folder = temporaryFolder();
      const path = join(folder, 'ids.db');
      const interners = await Promise.all(Array.from({ length: 20 }, () => opened(path)));
      const ids = await Promise.all(interners.map((interner) => interner.intern('a')));
      expect(new Set(ids).size).toBe(1);
      for (const interner of interners) await interner.close();
      expect(readdirSync(folder)).toEqual(['ids.db']);
    });

    it('once when 1,000 leases are asked for at once, which are alive when they come', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      const { store } = await opened(path);
      const alive = Array.from({ length: 1000 }, async () => {
        const lease = await leaseShard({ store, shards: 1024 });
        return lease.validUntil() > Date.now();
      });
      expect(new Set(await Promise.all(alive))).toEqual(new Set([true]));
      expect((await store.shards()).length).toBe(1000);
    });

    it('where there is a folder, and not when it only reads', async () => {
      const folder = temporaryFolder();
      await expect(sqliteStore(join(folder, 'none', 'ids.db'))).rejects.toThrow(StoreUnavailableError);
      await expect(sqliteStore(join(folder, 'ids.db'), { readOnly: true })).rejects.toThrow(/ids\.db: no such file$/);
      await expect(sqliteStore(folder)).rejects.toThrow(StoreUnavailableError);
      expect(readdirSync(folder)).toEqual([]);
    });

    it('and sees that of another that was made since', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      const [reader, writer] = [await opened(path), await opened(path)];
      expect(await reader.lookupMany(['a'])).toEqual(BigUint64Array.of(0n));
      const id = await writer.intern('a');
      expect(await reader.lookupMany(['a'])).toEqual(BigUint64Array.of(id));
    });
  });

  describe('of two names', () => {
    it('is one store, where one is a symbolic link', async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'data'));
      symlinkSync('data/ids.db', join(folder, 'link.db'));
      const [one, two] = [await opened(join(folder, 'link.db')), await opened(join(folder, 'data/ids.db'))];
      const ids = await one.internMany(batch(0, 100));
      expect(await two.internMany(batch(0, 100))).toEqual(ids);
      expect(await one.internMany(batch(0, 100))).toEqual(ids);
      expect(existsSync(join(folder, 'data/ids.db-wal'))).toBe(true);
    });

    it('is refused where one is a hard link', async () => {
      const folder = temporaryFolder();
      await filled(join(folder, 'ids.db'));
      linkSync(join(folder, 'ids.db'), join(folder, 'other.db'));
      for (const name of ['ids.db', 'other.db']) {
        await expect(sqliteStore(join(folder, name))).rejects.toThrow(/the file has 2 hard links/);
      }
    });

    it('is opened where a process died while it made the file', async () => {
      const folder = temporaryFolder();
      const { keys, ids } = await filled(join(folder, 'ids.db'));
      linkSync(join(folder, 'ids.db'), join(folder, 'ids.db.0123456789ab.tmp'));
      expect(await (await opened(join(folder, 'ids.db'))).lookupMany(keys)).toEqual(ids);
      expect(readdirSync(folder)).not.toContain('ids.db.0123456789ab.tmp');
    });

    it('is refused where the file alone is mounted', async ({ skip }) => {
      const folder = temporaryFolder();
      await filled(join(folder, 'ids.db'));
      mkdirSync(join(folder, 'mounted'));
      const mounted = join(folder, 'mounted', 'ids.db');
      writeFileSync(mounted, '');
      if (spawnSync('mount', ['--bind', join(folder, 'ids.db'), mounted]).status !== 0) {
        notTested('a store that is mounted: only root may mount a file');
        return skip();
      }
      onTestFinished(() => {
        spawnSync('umount', ['-l', mounted]);
      });
      await expect(sqliteStore(mounted)).rejects.toThrow(/the file is mounted by itself.* Mount its folder instead$/);
    });
  });

  it('keeps what is committed while two processes open and close it again and again', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    const interner = await opened(path);
    const openers = [1, 2].map(() =>
      spawn(process.execPath, ['test/support/opening-process.mjs', path, String(scaled(200))], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const codes: number[] = [];
    for (const opener of openers) opener.on('exit', (code) => codes.push(code ?? 1));
    const acknowledged: BigUint64Array[] = [];
    while (codes.length < openers.length) acknowledged.push(await interner.internMany(batch(acknowledged.length, 20)));
    expect(codes).toEqual([0, 0]);
    for (const [number, ids] of acknowledged.entries())
      expect(await interner.lookupMany(batch(number, 20))).toEqual(ids);
  });

  it('writes nothing to a file that was removed or replaced', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ids.db');
    const interner = await opened(path);
    await interner.intern('a');
    const lease = await leaseShard({ store: interner.store, shards: 1, ttlMs: 300 });
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`);
    await expect(interner.intern('b')).rejects.toThrow(/the file was removed or replaced while it was open/);
    const other = await opened(path);
    const id = await other.intern('b');
    await expect(interner.intern('c')).rejects.toThrow(StoreConflictError);
    expect((await lease.lost).message).toContain('the file was removed or replaced');
    expect(lease.validUntil()).toBe(Number.NEGATIVE_INFINITY);
    await interner.close();
    expect(await other.intern('b')).toBe(id);
  });

  it('on a disk that fills fails the batch, and keeps what it has acknowledged', async ({ skip }) => {
    const folder = smallDisk('6m');
    if (folder === undefined) return skip();
    const path = join(folder, 'ids.db');
    const interner = await opened(path);
    const acknowledged: BigUint64Array[] = [];
    const internUntilFull = async (): Promise<never> => {
      for (;;) acknowledged.push(await interner.internMany(batch(acknowledged.length, 1000)));
    };
    const error = await internUntilFull().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ isTransient: false, message: expect.stringContaining(path) });
    expect(acknowledged.length).toBeGreaterThan(3);
    await expect(internUntilFull()).rejects.toThrow(StoreUnavailableError); // a smaller batch may still have fitted
    await interner.close();
    const again = await opened(path, { readOnly: true });
    for (const [number, ids] of acknowledged.entries()) {
      expect(await again.lookupMany(batch(number, 1000))).toEqual(ids);
      expect(await again.resolveMany(ids)).toEqual(batch(number, 1000));
    }
    expect(await again.lookupMany(batch(acknowledged.length, 1000))).toEqual(new BigUint64Array(1000));
  });

  it('on a read-only file system says what SQLite needs', async ({ skip }) => {
    const folder = smallDisk('6m');
    if (folder === undefined) return skip();
    const path = join(folder, 'ids.db');
    await filled(path);
    spawnSync('mount', ['-o', 'remount,ro', folder]);
    for (const readOnly of [true, false]) {
      await expect(sqliteStore(path, { readOnly })).rejects.toMatchObject({
        code: 'ERR_STORE_UNAVAILABLE',
        isTransient: false,
        message:
          `${path}: SQLite must create files beside a database to read it, but ${folder} is not writable. ` +
          'Copy the file to a writable folder',
      });
    }
  });

  it('on a disk that is full makes no file and leaves nothing behind', async ({ skip }) => {
    const folder = smallDisk('1m');
    if (folder === undefined) return skip();
    expect(() => writeFileSync(join(folder, 'others'), new Uint8Array(2e6))).toThrow(/ENOSPC/);
    const interner = await opened(join(folder, 'ids.db'));
    await expect(interner.intern('a')).rejects.toThrow(StoreUnavailableError);
    expect(readdirSync(folder)).toEqual(['others']);
  });
});
