import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkStore, Interner, StoreUnavailableError, TypeRegistry } from '../../src/registry/index.js';
import type { SqliteDatabase } from '../../src/registry/stores/sqlite/driver.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { checkHashes } from '../../src/registry/stores/sqlite/tables.js';
import { temporaryFolder } from '../support/cli.js';
import { IS_FULL } from '../support/scale.js';
import { hasSqlite, openSqlite, rowsOf } from '../support/sqlite.js';
import { wrong } from '../support/wrong-argument.js';
import { batch, filled, opened } from './sqlite-stores.js';

// Calls at once, and readers and backups while others write.

describe.skipIf(!hasSqlite())('a store in SQLite', () => {
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
      expect(ticks).toBeGreaterThan(IS_FULL ? 20 : 5);
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

  it('is whole although another program writes while its rows are counted', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    const interner = await opened(path);
    await interner.intern('a');
    const database = openSqlite(path);
    onTestFinished(() => database.close() as undefined);
    let written = 0;
    const prepare = (sql: string) => {
      const other = openSqlite(path);
      const [hash, id] = ['random() >> 16', '(select max(id) from shardbits_strings) + 1'];
      other.exec('begin immediate');
      other.exec(`insert into shardbits_strings_by_hash select ${hash}, ${id}`);
      other.exec(`insert into shardbits_strings select ${id}, 'written ${written++}'`);
      other.exec('commit');
      other.close();
      return database.prepare(sql);
    };
    checkHashes({ prepare } as unknown as SqliteDatabase, path);
    expect(written).toBeGreaterThan(0);
  });

  it('commits what many ask for at once together, and fails only the one that is at fault', async () => {
    const interner = await opened(join(temporaryFolder(), 'ids.db'));
    await interner.intern('the first');
    const far = Date.now() + 1e9;
    const ahead = interner.store.acquireLease({ shards: 1, owner: 'a', ttlMs: 100, mintFrom: far, mintUntil: far });
    const many = Array.from({ length: 2000 }, (_, i) => `key ${i % 1500}`);
    const asked = many.map((key) => interner.intern(key));
    await expect(ahead).rejects.toThrow(wrong('clock'));
    const ids = await Promise.all(asked);
    expect(new Set(ids).size).toBe(1500);
    expect(await interner.resolveMany(ids)).toEqual(many);
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
});
