import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { collidingStrings } from '../support/colliding.js';
import { hasSqlite, openSqlite, rowsOf } from '../support/sqlite.js';
import { opened } from './sqlite-stores.js';

// What SQLite has of its own, besides what every store is held to.

describe.skipIf(!hasSqlite())('a store in SQLite', () => {
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

  it('has a hash for each of 4,096 strings that were chosen to have one XXH64 with any seed', async () => {
    const database = openSqlite(':memory:');
    const interner = await opened(database);
    const keys = collidingStrings(12);
    const ids = await interner.internMany(keys);
    expect(new Set(ids).size).toBe(4096);
    expect(await interner.lookupMany(keys)).toEqual(ids);
    const [row] = rowsOf(database, 'select count(distinct hash) as hashes from shardbits_strings_by_hash');
    expect(row?.hashes).toBe(4096);
    database.close();
  });

  it('hashes with a key of its own, which nobody can foresee', async () => {
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

    it('gives one id to a string that two stores over it intern at the same time', async () => {
      const database = openSqlite(':memory:');
      const [a, b] = [await opened(database), await opened(database)];
      for (let round = 0; round < 20; round++) {
        const [one, other] = await Promise.all([a.intern(`key ${round}`), b.intern(`key ${round}`)]);
        expect(one).toBe(other);
      }
      expect(rowsOf(database, 'select count(*) as n from shardbits_strings')[0]?.n).toBe(20);
      database.close();
    });

    it.each([
      'UTF-16le',
      'UTF-16be',
      'UTF-8',
    ])('keeps every string as it is, if their text is in %s', async (encoding) => {
      const database = openSqlite(':memory:');
      database.exec(`pragma encoding = '${encoding}'`);
      const interner = await opened(database);
      const keys = ['', '\0', '\ufeff', '\ufeffa', '\ufffd', '\ufffe', '\uffff', '\u{1ffff}', '\u{10ffff}'].flatMap(
        (character) => [character, `a${character}`, `${character}é`],
      );
      const ids = await interner.internMany(keys);
      expect(new Set(ids).size).toBe(keys.length);
      expect(await interner.resolveMany(ids)).toEqual(keys);
      expect(await interner.lookupMany(keys)).toEqual(ids);
      for (const key of keys) {
        await interner.store.replaceSetting(key, undefined, key);
        expect(await interner.store.setting(key)).toBe(key);
      }
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
        'sqliteStore needs Node.js 22.13, 23.4 or later, or the package "better-sqlite3": npm install better-sqlite3\n',
      );
    }
    expect(readdirSync(folder)).toEqual(['node_modules']);
  });
});
