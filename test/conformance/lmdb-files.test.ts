import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Interner, StoreUnavailableError } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb.js';
import { soleName } from '../../src/registry/stores/sole-name.js';
import { temporaryFolder } from '../support/cli.js';

// What an LMDB store does with its file and those beside it.

const isRoot = process.getuid?.() === 0;

/** A folder under its real name. */
const newFolder = () => realpathSync(temporaryFolder());

const keysOf = (batch: number, length = 1000) => Array.from({ length }, (_, i) => `key ${batch} ${i}`);

/** A store with 3,000 strings, two of them long. @returns its ids, by key */
async function fill(path: string): Promise<Map<string, bigint>> {
  const interner = new Interner({ store: await lmdbStore(path) });
  const all = new Map<string, bigint>();
  const batches = [keysOf(0), keysOf(1), ['x'.repeat(100_000), 'é'.repeat(3000)], keysOf(2)];
  for (const keys of batches) {
    for (const [i, id] of (await interner.internMany(keys)).entries()) all.set(keys[i] as string, id);
  }
  await interner.close();
  return all;
}

/** Runs a module of JavaScript as a process of its own, in which a crash is seen as one. */
function run(script: string, args: readonly string[], options: { uid?: number; cwd?: string } = {}) {
  const all = ['--input-type=module', '-e', script, ...args];
  return spawnSync(process.execPath, all, { encoding: 'utf8', ...options });
}

const READ_ALL = `
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

describe('a file that is not a store of LMDB', () => {
  const files: { readonly [name: string]: Buffer | string } = {
    'a text file': 'at://alice\nat://bob\n'.repeat(1000),
    'a file of 100 bytes': Buffer.alloc(100, 1),
    'an empty file': '',
    'a Parquet file': Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(20_000, 0x15), Buffer.from('PAR1')]),
    'a SQLite file': Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8176)]),
    zeros: Buffer.alloc(65536),
  };

  it.each(Object.keys(files))('is refused, and stays as it is: %s', (name) => {
    const path = join(newFolder(), 'ids.lmdb');
    const bytes = Buffer.from(files[name] as string);
    writeFileSync(path, bytes);
    const { status, signal, stdout } = run(READ_ALL, [path, path]);
    expect([status, signal]).toEqual([0, null]);
    const lines = stdout.trim().split('\n');
    expect(lines.length).toBe(2);
    for (const line of lines) expect(line).toMatch(new RegExp(`^ERR_STORE_CORRUPT ${path}: .+\\. \\w.+`));
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual(['ids.lmdb']);
  });

  it('is refused where it lies at the place of the lock of turns', async () => {
    const path = join(newFolder(), 'ids.lmdb');
    await fill(path);
    writeFileSync(`${path}-turn`, 'text\n'.repeat(1000));
    const { status, stdout } = run(READ_ALL, [path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ERR_STORE_CORRUPT .*ids\.lmdb-turn: this is not a file of LMDB/);
  });

  it('is refused if its data format or its page size is another', async () => {
    const path = join(newFolder(), 'ids.lmdb');
    await fill(path);
    const bytes = readFileSync(path);
    const changes: [number, number][] = [
      [28, 1],
      [48, 0],
      [48, 4095],
      [88 + 7, 1],
    ];
    const paths = changes.map(([at, value], i) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(value & 255, at);
      if (at === 48) changed.writeUInt32LE(value, at);
      changed.writeUInt8(value & 255, 4096 + at);
      writeFileSync(`${path}${i}`, changed);
      return `${path}${i}`;
    });
    const { status, stdout } = run(READ_ALL, paths);
    expect(status).toBe(0);
    expect(stdout.match(/^ERR_STORE_CORRUPT/gm)?.length).toBe(paths.length);
    expect(stdout).toMatch(/expected data format 2 of LMDB, got 1/);
  });
});

it('a store that is cut short anywhere opens with all it has, or is refused', async () => {
  const folder = newFolder();
  const path = join(folder, 'ids.lmdb');
  const { size: count } = await fill(path);
  const { size } = statSync(path);
  const pages = Array.from({ length: 12 }, (_, i) => Math.floor((i * size) / 12 / 4096) * 4096);
  const lengths = [1, 100, 168, 4095, 4097, 4200, 8191, 8192, ...pages, size - 4096, size - 1, size, size + 5000];
  lengths.push(...pages.map((length) => length + 1000));
  const paths = lengths.map((length) => {
    const cut = join(folder, `cut-${length}`);
    cpSync(path, cut);
    truncateSync(cut, length);
    return cut;
  });
  const { status, signal, stdout } = run(READ_ALL, paths);
  expect([status, signal]).toEqual([0, null]);
  const lines = stdout.trim().split('\n');
  expect(lines.length).toBe(lengths.length);
  for (const [i, line] of lines.entries()) {
    const isWhole = (lengths[i] as number) >= size;
    expect(line).toMatch(
      isWhole ? new RegExp(`^opened ${count}$`) : /^ERR_STORE_CORRUPT .*(cut short|empty|not a file)/,
    );
  }
});

it('a file is as long as its header says: settings that are replaced at once are written one by one', async () => {
  const path = join(newFolder(), 'ids.lmdb');
  const store = await lmdbStore(path);
  await store.replaceSetting('map', undefined, '0');
  const newestMeta = () => {
    const bytes = readFileSync(path);
    const [even, odd] = [bytes.subarray(0), bytes.subarray(4096)];
    const meta = even.readBigUInt64LE(152) > odd.readBigUInt64LE(152) ? even : odd;
    return { transaction: meta.readBigUInt64LE(152), pages: Number(meta.readBigUInt64LE(144)) + 1, size: bytes.length };
  };
  for (let round = 0; round < 20; round++) {
    const before = newestMeta();
    // Written together, the second would free pages at the end that the first has taken and not written yet.
    const values = [`${round}`, 'x'.repeat(1000 * (round + 20)), `${round + 1}`];
    const replaced = [0, 1].map((i) => store.replaceSetting('map', values[i], values[i + 1] as string));
    expect(await Promise.all(replaced)).toEqual([true, true]);
    const { transaction, pages, size } = newestMeta();
    expect(transaction).toBe(before.transaction + 2n);
    expect(size).toBeGreaterThanOrEqual(pages * 4096);
  }
  await store.close();
});

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
    const processes = names.map((name, i): ChildProcess => {
      const args = ['test/support/interning-process.mjs', name, join(folder, `acknowledged-${i}`), String(i)];
      return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    });
    await setTimeout(2000);
    for (const child of processes) {
      expect(child.exitCode).toBeNull();
      child.kill('SIGKILL');
    }
    await Promise.all(processes.map((child) => once(child, 'exit')));
    const idOf = new Map<string, string>();
    for (const i of names.keys()) {
      for (const line of readFileSync(join(folder, `acknowledged-${i}`), 'utf8')
        .split('\n')
        .slice(0, -1)) {
        const [id, key] = line.split('\t') as [string, string];
        expect(idOf.get(key) ?? id).toBe(id);
        idOf.set(key, id);
      }
    }
    expect(idOf.size).toBeGreaterThan(200);
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
    expect(soleName(join(folder, 'b', 'x'))).toBe(join(folder, 'a', 'x'));
    expect(soleName(join(folder, 'b', 'link'))).toBe(join(folder, 'c'));
    writeFileSync(join(folder, 'c'), '');
    expect(soleName(join(folder, 'b', 'link'))).toBe(join(folder, 'c'));
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
      const call = () => soleName(path);
      expect(call).toThrow(StoreUnavailableError);
      expect(call).toThrow(message);
      expect(call).toThrow(expect.objectContaining({ isTransient: false }));
    }
  });
});

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
    for (let round = 0; round < 3; round++) {
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
      while (!existsSync(files[0] as string)) await setTimeout(10);
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
    const folder = newFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status !== 0) {
      console.error('SKIPPED: a full disk needs a file system of its own, which only root may mount');
      return skip();
    }
    onTestFinished(() => {
      spawnSync('umount', ['-l', folder]);
    });
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
    await expect(lmdbStore(join(folder, 'x'), { readonly: true } as never)).rejects.toThrow(/^"options": /);
    await expect(lmdbStore(5 as never)).rejects.toThrow(TypeError);
  });
});

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

describe('a backup', () => {
  it('is of one instant, while other processes write', async () => {
    const folder = newFolder();
    const path = join(folder, 'ids.lmdb');
    const all = await fill(path);
    const store = await lmdbStore(path);
    const writers = [1, 2].map((i) =>
      spawn(process.execPath, ['test/support/interning-process.mjs', path, join(folder, `acknowledged-${i}`), `${i}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const counts: number[] = [];
    for (let copy = 0; copy < 8; copy++) {
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

it('pieces of entries keep to what fits into memory, and each entry is in one of them', async () => {
  const store = await lmdbStore(join(newFolder(), 'ids.lmdb'));
  const keys = [
    ...Array.from({ length: 25_000 }, (_, i) => `${i}`),
    ...['a', 'b', 'c'].map((c) => c.repeat(3_000_000)),
  ];
  const block = { prefix: 0, base: 0n, max: 100_000n };
  const ids = await store.assign('strings', block, keys);
  const found = new Map<string, bigint>();
  let pieces = 0;
  for await (const piece of store.entries('strings')) {
    pieces++;
    expect(piece.keys.length).toBeLessThanOrEqual(10_000);
    for (const [i, key] of piece.keys.entries()) found.set(key, piece.ids[i] as bigint);
    if (pieces === 1) await store.assign('strings', block, ['one that came late']);
  }
  found.delete('one that came late');
  expect([...found.values()]).toEqual([...(ids as BigUint64Array)]);
  expect([...found.keys()]).toEqual(keys);
  expect(pieces).toBeGreaterThan(3);
  await store.close();
});

it('a call that fails leaves those alone that are committed with it', async () => {
  const store = await lmdbStore(join(newFolder(), 'ids.lmdb'));
  await store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['a']);
  const now = Date.now();
  const asked = { owner: 'a', ttlMs: 1000, mintFrom: now, shards: 1 };
  const calls = [
    store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['b']),
    store.acquireLease({ ...asked, mintUntil: now + 9e6 }),
    store.restore('strings', { keys: ['c', 'a'], ids: BigUint64Array.of(7n, 8n) }),
    store.acquireLease({ ...asked, mintUntil: now + 1000 }),
    store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['d']),
  ];
  const states = (await Promise.allSettled(calls)).map(({ status }) => status);
  expect(states).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await store.lookup('strings', ['a', 'b', 'c', 'd'])).toEqual(BigUint64Array.of(1n, 2n, 0n, 3n));
  await store.close();
});

it('a closed store refuses what is asked for while it closes', async () => {
  const store = await lmdbStore(join(newFolder(), 'ids.lmdb'));
  await store.replaceSetting('a', undefined, '1');
  const closing = store.close();
  await expect(store.replaceSetting('a', '1', '2')).rejects.toMatchObject({ message: 'the store is closed' });
  await expect(store.setting('a')).rejects.toMatchObject({ message: 'the store is closed', isTransient: false });
  await closing;
});

it('a package that is not installed is named, with what to do', () => {
  const folder = newFolder();
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const script = `
    const { lmdbStore } = await import('./dist/stores/lmdb.js');
    const error = await lmdbStore('ids.lmdb').catch((thrown) => thrown);
    console.log(error.code, error.isTransient, error.cause?.code, error.message);`;
  const { stdout } = run(script, [], { cwd: folder });
  expect(stdout).toMatch(
    /^ERR_STORE_UNAVAILABLE false ERR_MODULE_NOT_FOUND lmdbStore needs the package "lmdb": npm install lmdb/,
  );
  expect(readdirSync(folder).sort()).toEqual(['dist', 'package.json']);
});

it('damage that LMDB finds is reported as such, with its error and the path', async () => {
  const path = join(newFolder(), 'ids.lmdb');
  await fill(path);
  const bytes = readFileSync(path);
  const newest = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(4096 + 152) ? 0 : 4096;
  const root = Number(bytes.readBigUInt64LE(newest + 136));
  bytes.fill(0, root * 4096, (root + 1) * 4096);
  writeFileSync(path, bytes);
  const script = (call: string) => `
    import { lmdbStore } from 'shardbits/stores/lmdb';
    const store = await lmdbStore(process.argv[1]);
    const error = await store.${call}.catch((thrown) => thrown);
    console.log(error.code, error.cause?.code, error.message);`;
  for (const call of ["lookup('strings', ['a'])", "count('strings')", "setting('a')", 'shards()']) {
    const { status, stdout } = run(script(call), [path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^ERR_STORE_CORRUPT -307\\d\\d ${path}: MDB_`));
  }
});
