import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkStore,
  Interner,
  leaseShard,
  type Store,
  StoreCorruptError,
  StoreUnavailableError,
  TypeRegistry,
} from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite.js';
import { temporaryFolder } from '../support/cli.js';
import { smallDisk } from '../support/small-disk.js';
import { hasSqlite, openSqlite, rowsOf } from '../support/sqlite.js';

// What SQLite has of its own, besides what every store is held to.

const batch = (number: number, length: number) => Array.from({ length }, (_, i) => `key ${number} ${i}`);

async function opened(...given: Parameters<typeof sqliteStore>): Promise<Interner & { store: Store }> {
  const store = await sqliteStore(...given);
  onTestFinished(() => store.close());
  return Object.assign(new Interner({ store }), { store });
}

/** A store of some strings that nobody has open, and their ids. */
async function filled(path: string, strings = 3000): Promise<{ keys: string[]; ids: BigUint64Array }> {
  const interner = await opened(path);
  const keys = batch(0, strings);
  const ids = await interner.internMany(keys);
  await interner.close();
  return { keys, ids };
}

describe.skipIf(!hasSqlite())('a store in SQLite', () => {
  describe('makes its file', () => {
    it('when something is to be written, and leaves nothing beside it when it is closed', async () => {
      const folder = temporaryFolder();
      const interner = await opened(join(folder, 'ids.db'));
      expect(await interner.lookupMany(['a'])).toEqual(BigUint64Array.of(0n));
      expect(await interner.resolve(5n)).toBeUndefined();
      expect([await interner.count(), await interner.store.shards()]).toEqual([0, []]);
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

  describe('refuses', () => {
    const HEAD = 'SQLite format 3\0';
    it.each<[name: string, bytes: string | Uint8Array]>([
      ['an empty file', ''],
      ['a short text', 'ids'],
      ['a long text', 'key\n'.repeat(5000)],
      ['a file of Parquet', `PAR1${'\x15\x04\x15'.repeat(4000)}PAR1`],
      ['random bytes', new Uint8Array(8192).map((_, i) => (i * 7919) >> 3)],
      ['a header and nothing else', HEAD],
      ['a header and text', HEAD.padEnd(9000, 'x')],
    ])('%s, and leaves it as it was', async (_, bytes) => {
      const folder = temporaryFolder();
      const path = join(folder, 'ids.db');
      writeFileSync(path, bytes);
      for (const options of [{}, { readOnly: true }]) {
        const refused = await sqliteStore(path, options).catch((error) => error);
        expect(refused).toBeInstanceOf(StoreCorruptError);
        expect(refused.message).toContain(path);
        expect(refused.code).toBe('ERR_STORE_CORRUPT');
      }
      expect(readFileSync(path)).toEqual(Buffer.from(bytes as string));
      expect(readdirSync(folder)).toEqual(['ids.db']);
    });

    it('a database of other programs', async () => {
      const path = join(temporaryFolder(), 'app.db');
      const database = openSqlite(path);
      database.exec('create table users (name text)');
      database.close();
      await expect(sqliteStore(path)).rejects.toThrow(/app\.db: a SQLite database, but not a store of shardbits$/);
    });

    it('one of a format that it does not know', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      await filled(path);
      const database = openSqlite(path);
      database.exec(`update shardbits_settings set value = '99' where name = 'format'`);
      database.close();
      await expect(sqliteStore(path)).rejects.toThrow(/expected a store of format 1, got 99$/);
    });

    it('what is not a path or a database', async () => {
      for (const bad of [undefined, 5, {}, null]) {
        await expect(sqliteStore(bad as never)).rejects.toThrow(/^"where": expected a path, or a database/);
      }
      await expect(sqliteStore('')).rejects.toThrow(RangeError);
      await expect(sqliteStore('x', { readonly: true } as never)).rejects.toThrow(/^"options": /);
      await expect(sqliteStore('x', { readOnly: 1 as never })).rejects.toThrow(/^"readOnly": /);
    });

    it('to give other ids when its file has been cut short, wherever', async () => {
      const folder = temporaryFolder();
      const whole = join(folder, 'whole.db');
      const { keys, ids } = await filled(whole);
      const { size } = statSync(whole);
      let refused = 0;
      const lengths = [1, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, size - 4096, size - 1];
      for (let length = 3000; length < size; length += 7919) lengths.push(length);
      for (const length of lengths) {
        const path = join(folder, `${length}.db`);
        copyFileSync(whole, path);
        truncateSync(path, length);
        try {
          const interner = await opened(path);
          expect(await interner.internMany(keys)).toEqual(ids);
        } catch (error) {
          expect(error).toBeInstanceOf(StoreCorruptError);
          refused++;
        }
      }
      expect(refused).toBe(lengths.length);
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
        process.stderr.write('\nNOT TESTED: only root may mount a file\n\n');
        return skip();
      }
      onTestFinished(() => {
        spawnSync('umount', ['-l', mounted]);
      });
      await expect(sqliteStore(mounted)).rejects.toThrow(/the file is mounted by itself.* Mount its folder instead$/);
    });
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
    await expect(interner.intern('c')).rejects.toThrow(StoreUnavailableError);
    expect((await lease.lost).message).toContain('it could not be prolonged in time');
    expect(lease.validUntil()).toBe(Number.NEGATIVE_INFINITY);
    await interner.close();
    expect(await other.intern('b')).toBe(id);
  });

  it('tells keys of one hash apart', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    const interner = await opened(path);
    const [a, b] = (await interner.internMany(['a', 'b'])) as unknown as [bigint, bigint];
    await interner.close();
    const database = openSqlite(path);
    // As if both had the hash of the other, too.
    database.exec(
      'insert into shardbits_strings_by_hash select x.hash, y.id from shardbits_strings_by_hash x, shardbits_strings_by_hash y where x.id <> y.id',
    );
    expect(rowsOf(database, 'select count(*) as n from shardbits_strings_by_hash')[0]?.n).toBe(4);
    database.close();
    const again = await opened(path);
    expect(await again.internMany(['b', 'a'])).toEqual(BigUint64Array.of(b, a));
    expect(await again.resolveMany([a, b])).toEqual(['a', 'b']);
  });

  it('hashes with a seed of its own, so that nobody can choose keys of one hash', async () => {
    const folder = temporaryFolder();
    const hashes = await Promise.all(
      ['one.db', 'two.db'].map(async (name) => {
        const interner = await opened(join(folder, name));
        await interner.intern('a');
        await interner.close();
        const database = openSqlite(join(folder, name));
        const [row] = rowsOf(database, 'select cast(hash as text) as hash from shardbits_strings_by_hash');
        database.close();
        return row?.hash;
      }),
    );
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  describe('that another program writes to', () => {
    it('waits for it without holding up the thread', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      const interner = await opened(path);
      await interner.intern('a');
      const other = openSqlite(path);
      onTestFinished(() => other.close() as undefined);
      other.exec('begin immediate');
      let ticks = 0;
      const ticking = setInterval(() => ticks++, 5);
      const interning = interner.internMany(['b', 'c']);
      expect(await interner.lookupMany(['a'])).not.toEqual(BigUint64Array.of(0n)); // reading goes on
      await setTimeout(300);
      expect(await Promise.race([interning, Promise.resolve('waiting')])).toBe('waiting');
      other.exec('rollback');
      expect(await interning).toHaveLength(2);
      clearInterval(ticking);
      expect(ticks).toBeGreaterThan(20);
    });

    it('lets it write between the pieces of a large batch', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      const interner = await opened(path);
      await interner.intern('a');
      const other = openSqlite(path);
      onTestFinished(() => other.close() as undefined);
      const keys = batch(1, 60_000);
      let isDone = false;
      const interning = interner.internMany(keys).then((ids) => {
        isDone = true;
        return ids;
      });
      const versions = new Set<unknown>();
      while (!isDone) {
        versions.add(rowsOf(other, 'pragma data_version')[0]?.data_version);
        await setImmediate();
      }
      const ids = await interning;
      expect(versions.size).toBeGreaterThan(3); // commits
      expect(new Set(ids).size).toBe(keys.length);
      expect(new Set(Array.from(ids, (id) => id >> 50n)).size).toBe(1);
      expect(await interner.resolveMany(ids.subarray(59_000))).toEqual(keys.slice(59_000));
    });
  });

  it('commits what many ask for at once together, and fails only the one that is at fault', async () => {
    const interner = await opened(join(temporaryFolder(), 'ids.db'));
    await interner.intern('the first');
    const far = Date.now() + 1e9;
    const wrong = interner.store.acquireLease({ shards: 1, owner: 'a', ttlMs: 100, mintFrom: far, mintUntil: far });
    const many = Array.from({ length: 2000 }, (_, i) => `key ${i % 1500}`);
    const asked = many.map((key) => interner.intern(key));
    await expect(wrong).rejects.toThrow(/^"clock": /);
    const ids = await Promise.all(asked);
    expect(new Set(ids).size).toBe(1500);
    expect(await interner.resolveMany(ids)).toEqual(many);
  });

  it('on a disk that fills fails the batch, and keeps what it has acknowledged', async ({ skip }) => {
    const folder = smallDisk(6);
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
    await expect(interner.internMany(batch(1_000_000, 1000))).rejects.toThrow(StoreUnavailableError);
    await interner.close();
    const again = await opened(path, { readOnly: true });
    for (const [number, ids] of acknowledged.entries()) {
      expect(await again.lookupMany(batch(number, 1000))).toEqual(ids);
      expect(await again.resolveMany(ids)).toEqual(batch(number, 1000));
    }
    expect(await again.lookupMany(batch(1_000_000, 3))).toEqual(new BigUint64Array(3));
  });

  it('on a disk that is full makes no file and leaves nothing behind', async ({ skip }) => {
    const folder = smallDisk(1);
    if (folder === undefined) return skip();
    expect(() => writeFileSync(join(folder, 'others'), new Uint8Array(2e6))).toThrow(/ENOSPC/);
    const interner = await opened(join(folder, 'ids.db'));
    await expect(interner.intern('a')).rejects.toThrow(StoreUnavailableError);
    expect(readdirSync(folder)).toEqual(['others']);
  });

  describe('that is open for reading only', () => {
    it('reads what others write, and writes nothing', async () => {
      const folder = temporaryFolder();
      const path = join(folder, 'ids.db');
      const { keys, ids } = await filled(path);
      const first = new Interner({ store: await sqliteStore(path, { readOnly: true }), readOnly: true });
      expect(await first.internMany(keys)).toEqual(ids);
      await first.close();
      expect(readdirSync(folder)).toEqual(['ids.db']);
      const reader = new Interner({ store: await sqliteStore(path, { readOnly: true }), readOnly: true });
      expect(await reader.internMany(keys)).toEqual(ids);
      const writer = await opened(path);
      const id = await writer.intern('new');
      expect(await reader.intern('new')).toBe(id);
      await expect(reader.internMany(['new', 'unknown'])).rejects.toMatchObject({ row: 1, name: 'RangeError' });
      const raw = await sqliteStore(path, { readOnly: true });
      await expect(raw.replaceSetting('a', undefined, 'b')).rejects.toThrow(/open for reading only/);
      await Promise.all([raw.close(), reader.close()]);
      await writer.close();
      expect(readdirSync(folder)).toEqual(['ids.db']);
    });
  });

  describe('backup', () => {
    it('writes a store as of one instant while others write, and never over a file', async () => {
      const folder = temporaryFolder();
      const interner = await opened(join(folder, 'ids.db'));
      const before = await interner.internMany(batch(0, 5000));
      await new TypeRegistry({ store: interner.store }).idOf('User');
      const writing = interner.internMany(batch(1, 5000));
      const copy = join(folder, 'copy.db');
      await interner.store.backup?.(copy);
      await writing;
      await expect(interner.store.backup?.(copy)).rejects.toThrow(/copy\.db: the file exists already$/);
      await expect(interner.store.backup?.(join(folder, 'none/copy.db'))).rejects.toThrow(StoreUnavailableError);
      const restored = await opened(copy);
      expect(await restored.lookupMany(batch(0, 5000))).toEqual(before);
      expect(await new TypeRegistry({ store: restored.store }).idOf('User')).toBe(1);
      expect(await checkStore(restored.store)).toMatchObject({ types: 1, prefixBits: 14 });
      await Promise.all([restored.close(), interner.close()]);
      expect(readdirSync(folder).sort()).toEqual(['copy.db', 'ids.db']);
    });
  });

  it('check finds damage', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    await filled(path, 20_000);
    const healthy = await opened(path);
    expect(await checkStore(healthy.store)).toEqual({ strings: 20_000, types: 0, shards: 0, prefixBits: 14 });
    await healthy.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 40 * 4096 + 8, 44 * 4096);
    writeFileSync(path, bytes);
    const damaged = await opened(path);
    await expect(checkStore(damaged.store)).rejects.toThrow(StoreCorruptError);
  });

  describe('in a database of somebody else', () => {
    it('has its tables beside theirs, and leaves it open', async () => {
      const path = join(temporaryFolder(), 'app.db');
      const database = openSqlite(path);
      database.exec('create table users (name text)');
      const interner = await opened(database);
      const id = await interner.intern('a');
      await interner.close();
      await expect(interner.intern('a')).rejects.toThrow('the store is closed');
      expect(rowsOf(database, 'select count(*) as n from users')).toHaveLength(1);
      expect(await (await opened(database)).intern('a')).toBe(id);
      expect(rowsOf(database, 'pragma synchronous')[0]?.synchronous).toBe(2); // full
      database.close();
    });

    it('is refused inside of a transaction of theirs, which could undo what was acknowledged', async () => {
      const database = openSqlite(':memory:');
      const interner = await opened(database);
      await interner.intern('a');
      database.exec('begin');
      await expect(interner.intern('b')).rejects.toThrow(StoreUnavailableError);
      await expect(sqliteStore(database)).rejects.toThrow(StoreUnavailableError);
      database.exec('rollback');
      expect(await interner.intern('b')).toBeGreaterThan(0n);
    });
  });

  it('in memory is gone when it is closed', async () => {
    const interner = await opened(':memory:');
    expect(await interner.resolve(await interner.intern('a'))).toBe('a');
    expect(existsSync(':memory:')).toBe(false);
  });
});

describe.skipIf(Number(process.versions.node.split('.')[0]) >= 22)('where there is no SQLite', () => {
  it('says what to do', () => {
    const folder = temporaryFolder();
    cpSync('dist', join(folder, 'node_modules/shardbits/dist'), { recursive: true });
    cpSync('package.json', join(folder, 'node_modules/shardbits/package.json'));
    const use = `sqliteStore('./ids.db').then((store) => store.setting('a')).then(console.log);
      sqliteStore('./ids.db').then((store) => store.replaceSetting('a', undefined, 'b')).catch(({ message }) => console.log(message));`;
    for (const [type, load] of [
      ['module', `const { sqliteStore } = await import('shardbits/stores/sqlite');`],
      ['commonjs', `const { sqliteStore } = require('shardbits/stores/sqlite');`],
    ]) {
      const args = [`--input-type=${type}`, '-e', load + use];
      expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).toContain(
        'sqliteStore needs Node.js 22.13 or later, or the package "better-sqlite3": npm install better-sqlite3\n',
      );
    }
    expect(readdirSync(folder)).toEqual(['node_modules']);
  });
});
