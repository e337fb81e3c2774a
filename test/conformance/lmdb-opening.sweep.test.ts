import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Interner, StoreUnavailableError } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { IS_FULL } from '../support/scale.js';
import { smallDisk } from '../support/small-disk.js';
import { wrong } from '../support/wrong-argument.js';
import { fill, newFolder, READ_ALL, run } from './lmdb-stores.js';

// What opening a store of LMDB makes, what it may do, and where it is refused.

describe('a store whose file does not exist', () => {
  it('reads as empty, and makes no file before the first write', async () => {
    const folder = newFolder();
    const path = join(folder, 'ids.lmdb');
    const store = await lmdbStore(path);
    const other = await lmdbStore(path);
    expect(await store.lookup('strings', ['a'])).toEqual(BigUint64Array.of(0n));
    expect(await store.resolve('strings', BigUint64Array.of(1n, 2n))).toEqual([undefined, undefined]);
    expect(await store.counter('strings', 1)).toBe(0n);
    expect(await store.setting('a')).toBeUndefined();
    expect(await store.shards()).toEqual([]);
    expect(await store.count('types')).toBe(0);
    expect(await store.counters('types')).toEqual(new Map());
    expect([await store.freeShard(0), await store.resetMark(0)]).toEqual([false, 'absent']);
    for await (const piece of store.entries('strings')) expect(piece).toBeUndefined();
    await expect(store.backup?.(join(folder, 'copy'))).rejects.toThrow(/nothing to back up/);
    expect(readdirSync(folder)).toEqual([]);
    expect(await store.replaceSetting('a', undefined, 'b')).toBe(true);
    expect(await other.setting('a')).toBe('b');
    await store.close();
    await other.close();
    expect(readdirSync(folder).sort()).toEqual(['', '-lock', '-turn', '-turn-lock'].map((end) => `ids.lmdb${end}`));
  });

  it('is refused, and makes nothing, where its folder does not exist', async () => {
    const folder = newFolder();
    const refused = lmdbStore(join(folder, 'none', 'ids.lmdb'));
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(refused).rejects.toMatchObject({ isTransient: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is created by one of many processes that write first, also when some are killed', async () => {
    for (let round = 0; round < (IS_FULL ? 3 : 1); round++) {
      const folder = newFolder();
      const path = join(folder, 'ids.lmdb');
      const files = Array.from({ length: 6 }, (_, i) => join(folder, `acknowledged-${i}`));
      const processes = files.map((file, i) =>
        spawn(process.execPath, ['test/support/interning-process.mjs', path, file, String(i)], {
          stdio: ['ignore', 'ignore', 'inherit'],
        }),
      );
      while (!readdirSync(folder).some((name) => name.startsWith('ids'))) await setTimeout(1);
      for (const child of processes.slice(1)) {
        await setTimeout(Math.random() * 20);
        expect(child.exitCode).toBeNull();
        child.kill('SIGKILL');
      }
      while (!existsSync(files[0])) await setTimeout(10);
      processes[0]?.kill('SIGKILL');
      await Promise.all(processes.filter((child) => child.signalCode === null).map((child) => once(child, 'exit')));
      const interner = new Interner({ store: await lmdbStore(path) });
      const lines = files
        .filter((file) => existsSync(file))
        .flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(0, -1));
      const rows = lines.map((line) => line.split('\t') as [string, string]);
      const found = await interner.lookupMany(rows.map(([, key]) => key));
      expect(Array.from(found, String)).toEqual(rows.map(([id]) => id));
      await interner.close();
    }
  });

  it('is refused by a disk that is full, and the process goes on', ({ skip }) => {
    const folder = smallDisk('1m');
    if (folder === undefined) return skip();
    for (const free of [0, 8, 16, 32, 200]) {
      writeFileSync(join(folder, 'filling'), Buffer.alloc((1024 - free) * 1024));
      const { status, stdout } = run(READ_ALL, [join(folder, 'ids.lmdb')]);
      expect([status, stdout.slice(0, 21)]).toEqual([0, 'ERR_STORE_UNAVAILABLE']);
      expect(stdout).toMatch(/the disk is full/);
      expect(readdirSync(folder)).toEqual(['filling']);
    }
  });
});

describe('a store that is opened with readOnly', () => {
  it('refuses to write, and reads what others write', async () => {
    const path = join(newFolder(), 'ids.lmdb');
    const all = await fill(path);
    const store = await lmdbStore(path, { readOnly: true });
    expect(await store.lookup('strings', [...all.keys()])).toEqual(BigUint64Array.from(all.values()));
    const block = { prefix: 1, base: 0n, max: 9n };
    const now = Date.now();
    const lease = { owner: 'a', ttlMs: 1000, mintUntil: now + 1000, shard: 0, token: 1n };
    const writes: (() => Promise<unknown>)[] = [
      () => store.assign('types', block, ['a']),
      () => store.replaceSetting('a', undefined, 'b'),
      () => store.acquireLease({ ...lease, shards: 1, mintFrom: now }),
      () => store.renewLease(lease),
      () => store.releaseLease({ ...lease, mintedUntil: now }),
      () => store.freeShard(0),
      () => store.resetMark(0),
      () => store.restore('types', { keys: ['a'], ids: BigUint64Array.of(1n) }),
      () => store.restoreCounters('types', new Map([[0, 1n]])),
      () => store.restoreShards([]),
    ];
    for (const write of writes) {
      const error = await write().catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({ isTransient: false, message: `${path}: the store was opened with readOnly` });
    }
    const writer = await lmdbStore(path);
    await writer.assign('types', block, ['a']);
    expect(await store.count('types')).toBe(1);
    await writer.close();
    await store.close();
  });

  it('is refused where the file does not exist, and for what is not a boolean', async () => {
    const folder = newFolder();
    await expect(lmdbStore(join(folder, 'ids.lmdb'), { readOnly: true })).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
      isTransient: false,
    });
    expect(readdirSync(folder)).toEqual([]);
    await expect(lmdbStore(join(folder, 'x'), { readOnly: 1 as never })).rejects.toThrow(
      /^"readOnly": expected a boolean/,
    );
    await expect(lmdbStore(join(folder, 'x'), { readonly: true } as never)).rejects.toThrow(wrong('options'));
    await expect(lmdbStore(5 as never)).rejects.toThrow(TypeError);
  });
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const canBeNobody = isRoot && spawnSync(process.execPath, ['--version'], { uid: NOBODY }).status === 0;

describe.skipIf(!canBeNobody)('a store of another user', () => {
  it('is refused, and nothing is made', async () => {
    const folder = newFolder();
    const path = join(folder, 'ids.lmdb');
    await fill(path);
    for (const end of ['-lock', '-turn', '-turn-lock']) unlinkSync(`${path}${end}`);
    cpSync('dist', join(folder, 'node_modules/shardbits/dist'), { recursive: true });
    cpSync('package.json', join(folder, 'node_modules/shardbits/package.json'));
    for (const name of [
      'lmdb',
      '@lmdb',
      'msgpackr',
      'node-gyp-build-optional-packages',
      'detect-libc',
      'weak-lru-cache',
      'ordered-binary',
      '@harperfast',
    ]) {
      cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true, dereference: true });
    }
    chmodSync(folder, 0o755);
    const { status, stdout, stderr } = run(READ_ALL, [path, join(folder, 'new.lmdb')], { uid: NOBODY, cwd: folder });
    expect([status, stderr]).toEqual([0, '']);
    const [existing, missing] = stdout.split('\n');
    expect(existing).toMatch(/^ERR_STORE_UNAVAILABLE .*ids\.lmdb: EACCES: permission denied/);
    expect(missing).toMatch(/^ERR_STORE_UNAVAILABLE .*new\.lmdb: cannot create files in its folder/);
    expect(readdirSync(folder).sort()).toEqual(['ids.lmdb', 'node_modules']);
  });
});
