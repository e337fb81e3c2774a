import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkStore, Interner, skipAhead } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { hasNodeSqlite, openSqlite, rowsOf } from '../support/sqlite.js';
import { batch, opened } from './sqlite-stores.js';

// Node 22.13 and 22.14 cannot look at a file without its log.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const canTell = hasNodeSqlite() && (major > 22 || minor >= 15);

/** Copies a file and its log as they are, as if the processes that use it were killed now. */
function killed(path: string, to: string): void {
  // In another process: closing a file in this one would release SQLite's locks.
  execFileSync('cp', [path, to]);
  execFileSync('cp', [`${path}-wal`, `${to}-wal`]);
}

/** Writes the log back, so that the next commit begins it anew. */
function writeBack(path: string): void {
  const database = openSqlite(path);
  rowsOf(database, 'pragma wal_checkpoint(restart)');
  database.close();
}

describe.skipIf(!canTell)('the log beside a store in SQLite', () => {
  it('is refused by name if a backup was put in the place of its file', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ids.db');
    const interner = await opened(path);
    const ids = await interner.internMany(batch(0, 500));
    await interner.store.backup?.(join(folder, 'backup.db'));
    await interner.internMany(batch(1, 3000));
    const restored = join(folder, 'restored.db');
    killed(path, restored);
    execFileSync('cp', [join(folder, 'backup.db'), restored]);
    await expect(sqliteStore(restored)).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message:
        `${restored}-wal does not belong to ${restored}: a backup seems to have replaced the file. ` +
        `Move the log away, then run: shardbits store restore --store ${restored}`,
    });
    await expect(sqliteStore(restored, { readOnly: true })).rejects.toThrow(/-wal does not belong to /);
    rmSync(`${restored}-wal`);
    const store = await sqliteStore(restored);
    await skipAhead(store);
    expect(await new Interner({ store }).lookupMany(batch(0, 500))).toEqual(ids);
    await store.close();
  });

  it('is refused beside an older copy of its own file', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ids.db');
    const first = await opened(path);
    await first.internMany(batch(0, 500));
    await first.close();
    const older = readFileSync(path); // nobody has it open
    const interner = await opened(path);
    await interner.internMany(batch(1, 500));
    writeBack(path);
    await interner.internMany(batch(2, 500));
    const restored = join(folder, 'restored.db');
    killed(path, restored);
    expect((await checkStore(await sqliteStore(restored))).strings).toBe(1500);
    killed(path, restored);
    rmSync(`${restored}-shm`, { force: true });
    writeFileSync(restored, older);
    await expect(sqliteStore(restored)).rejects.toThrow(/-wal does not belong to /);
  });

  it('is read if processes were killed, whenever that was', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ids.db');
    const interner = await opened(path);
    for (let round = 0; round < 12; round++) {
      await interner.internMany(batch(round, 1 + ((round * 37) % 400)));
      if (round % 5 === 3) writeBack(path);
      const copy = join(folder, `copy-${round}.db`);
      killed(path, copy);
      expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
      const found = await opened(copy);
      expect(await found.lookupMany(batch(round, 1))).not.toContain(0n);
      await found.close();
      expect(existsSync(`${copy}-wal`)).toBe(false);
    }
  });

  it('is read up to where a killed process was writing', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ids.db');
    const interner = await opened(path);
    const ids = await interner.internMany(batch(0, 300));
    writeBack(path);
    await interner.internMany(batch(1, 300));
    const copy = join(folder, 'copy.db');
    // A frame of the first page that ends a commit, of which nothing but the header is there.
    for (const page of [Buffer.alloc(0), Buffer.alloc(4096), randomBytes(4096)]) {
      killed(path, copy);
      const log = readFileSync(`${copy}-wal`);
      const header = Buffer.alloc(24);
      header.writeUInt32BE(1, 0);
      header.writeUInt32BE(9, 4);
      log.copy(header, 8, 16, 24);
      writeFileSync(`${copy}-wal`, Buffer.concat([log, header, page]));
      const found = await opened(copy);
      expect(await found.lookupMany(batch(0, 300))).toEqual(ids);
      expect(await found.lookupMany(batch(1, 300))).not.toContain(0n);
      await found.close();
    }
  });

  it('counts the commits that change something, in stores that were made here', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    const interner = await opened(path);
    const count = () => {
      const database = openSqlite(path);
      const [row] = rowsOf(database, 'pragma user_version');
      database.close();
      return row?.user_version;
    };
    await interner.intern('a');
    const before = count() as number;
    await interner.intern('a');
    expect(count()).toBe(before);
    await interner.intern('b');
    expect(count()).toBe(before + 1);
    const theirs = openSqlite(join(temporaryFolder(), 'theirs.db'));
    theirs.exec('pragma user_version = 7');
    const store = await sqliteStore(theirs);
    await new Interner({ store }).intern('a');
    expect(rowsOf(theirs, 'pragma user_version')).toMatchObject([{ user_version: 7 }]);
    theirs.close();
  });
});
