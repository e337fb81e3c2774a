import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStore, StoreCorruptError } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';
import { wrong } from '../support/wrong-argument.js';
import { filled, opened } from './sqlite-stores.js';

// What is not a store in SQLite, or no longer whole, is refused.

describe.skipIf(!hasSqlite())('a store in SQLite', () => {
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

    it('one of another format', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      await filled(path);
      const database = openSqlite(path);
      database.exec(`update shardbits_settings set value = '99' where name = 'format'`);
      database.close();
      const refused = await sqliteStore(path).catch((error) => error);
      expect(refused).toBeInstanceOf(StoreCorruptError);
      expect(refused.message).toMatch(/ids\.db: expected a store of format 3, got 99$/);
    });

    it('to find or give ids with a damaged hash key', async () => {
      const path = join(temporaryFolder(), 'ids.db');
      const { keys } = await filled(path);
      const database = openSqlite(path);
      database.exec(`update shardbits_settings set value = 'a secret' where name = 'hashKey'`);
      database.close();
      const interner = await opened(path);
      for (const call of [() => interner.lookupMany(keys), () => interner.internMany(['new'])]) {
        const refused = await call().catch((error) => error);
        expect(refused).toBeInstanceOf(StoreCorruptError);
        expect(refused.message).toBe("the key of the store's hashes is damaged: expected 32 hexadecimal digits");
      }
    });

    it('what is not a path or a database', async () => {
      for (const bad of [undefined, 5, {}, null]) {
        await expect(sqliteStore(bad as never)).rejects.toThrow(wrong('where'));
      }
      await expect(sqliteStore('')).rejects.toThrow(RangeError);
      await expect(sqliteStore('x', { readonly: true } as never)).rejects.toThrow(wrong('options'));
      await expect(sqliteStore('x', { readOnly: 1 as never })).rejects.toThrow(wrong('readOnly'));
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

  it('check finds damage', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    await filled(path, 20_000);
    const healthy = await opened(path);
    expect(await checkStore(healthy.store)).toMatchObject({ strings: 20_000, types: 0, shards: 0, prefixBits: 14 });
    await healthy.close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 40 * 4096 + 8, 44 * 4096);
    writeFileSync(path, bytes);
    const damaged = await opened(path);
    await expect(checkStore(damaged.store)).rejects.toThrow(StoreCorruptError);
  });
});
