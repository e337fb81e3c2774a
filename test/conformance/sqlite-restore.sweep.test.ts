import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryStore, moveBack, moveStore, storeState } from '../../src/registry/index.js';
import { replaceFile } from '../../src/registry/stores/sqlite/file.js';
import { restoreSqlite } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { failing } from '../support/other-systems.js';
import { overriding } from '../support/overriding.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite, openSqlite } from '../support/sqlite.js';
import { batch, filled, opened } from './sqlite-stores.js';

// What `store restore` and the other commands that write a path may replace, and what they leave alone.

/** A folder with a store and a backup of it. */
async function withBackup() {
  const folder = temporaryFolder();
  const [path, backup] = [join(folder, 'ids.db'), join(folder, 'backup.db')];
  const made = await filled(path);
  await runHere(['store', 'backup', path, backup]);
  return { ...made, folder, path, backup };
}

const restore = (backup: string, path: string) =>
  runHere(['store', 'restore', backup, '--store', path, '--lead', '0', '--yes']);

/** Files that are not stores, by what they are. */
const FOREIGN: { readonly [what: string]: (path: string) => void } = {
  'a text': (path) => writeFileSync(path, 'dear diary\n'.repeat(1000)),
  'a short text': (path) => writeFileSync(path, 'x'),
  'a database of another program': (path) => {
    const database = openSqlite(path);
    database.exec('create table users (name text); insert into users values (1)');
    database.close();
  },
  'a database with nothing in it': (path) => {
    const database = openSqlite(path);
    database.exec('create table a (b); drop table a');
    database.close();
  },
};

describeWithSqlite('store restore', () => {
  it.each(Object.keys(FOREIGN))('does not replace %s', async (what) => {
    const { folder, backup } = await withBackup();
    const path = join(folder, 'other');
    FOREIGN[what]?.(path);
    const [bytes, listed] = [readFileSync(path), readdirSync(folder)];
    const { code, stderr } = await restore(backup, path);
    expect([code, stderr]).toEqual([
      1,
      `error: ${path}: this is not a store of shardbits. Give another name, or move it away first\n`,
    ]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(listed);
  });

  it.each(Object.keys(FOREIGN))('does not take %s for a backup', async (what) => {
    const { folder, path } = await withBackup();
    FOREIGN[what]?.(join(folder, 'other'));
    const [bytes, listed] = [readFileSync(path), readdirSync(folder)];
    expect((await restore(join(folder, 'other'), path)).code).toBe(1);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(listed);
  });

  it.each<[what: string, damage: (path: string) => void]>([
    ['is cut short', (path) => truncateSync(path, 5000)],
    ['has damaged pages', (path) => writeFileSync(path, Buffer.alloc(20_000, 0xff), { flag: 'r+' })],
    [
      'lacks a table',
      (path) => {
        const database = openSqlite(path);
        database.exec('drop table shardbits_counters');
        database.close();
      },
    ],
  ])('replaces a store that %s, and keeps it', async (what, damage) => {
    const { folder, path, backup, keys, ids } = await withBackup();
    if (what.includes('pages')) {
      // The header says that it is a file of SQLite; what follows does not.
      const bytes = readFileSync(path);
      writeFileSync(path, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xff)]));
    } else damage(path);
    const bytes = readFileSync(path);
    const { code, stderr } = await restore(backup, path);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`the file that was there is now ${path}.replaced;`)]);
    expect(readdirSync(folder).sort()).toEqual(['backup.db', 'ids.db', 'ids.db.replaced']);
    expect(readFileSync(`${path}.replaced`).length).toBe(bytes.length);
    expect(await (await opened(path)).lookupMany(keys)).toEqual(ids);
  });

  it('numbers the files that were there, and never replaces one of them', async () => {
    const { folder, path, backup } = await withBackup();
    writeFileSync(`${path}.replaced`, 'mine');
    for (const name of ['replaced.2', 'replaced.3']) {
      expect((await restore(backup, path)).stderr).toContain(`the file that was there is now ${path}.${name};`);
    }
    expect(readFileSync(`${path}.replaced`, 'utf8')).toBe('mine');
    expect((await runHere(['store', 'check', `${path}.replaced.2`])).code).toBe(0);
    expect(readdirSync(folder).length).toBe(5);
  });

  it('takes a file that is empty, and one that is missing, for a store that is to be made', async () => {
    const { folder, backup, keys, ids } = await withBackup();
    writeFileSync(join(folder, 'empty.db'), '');
    for (const name of ['empty.db', 'new.db']) {
      expect((await restore(backup, join(folder, name))).code).toBe(0);
      expect(await (await opened(join(folder, name))).lookupMany(keys)).toEqual(ids);
    }
  });

  it('does not replace the second store of a move that is not complete, or was taken back', async () => {
    const { folder, path, backup } = await withBackup();
    const [from, to] = [(await opened(path)).store, (await opened(join(folder, 'to.db'))).store];
    const failing = overriding(to, { restoreCounters: () => Promise.reject(new Error('killed')) });
    await expect(moveStore(from, failing)).rejects.toThrow('killed');
    await to.close();
    await expect(restoreSqlite(backup, join(folder, 'to.db'))).rejects.toMatchObject({ reason: 'incomplete' });
    const again = (await opened(join(folder, 'to.db'))).store;
    await moveBack(from, again);
    await again.close();
    await expect(restoreSqlite(backup, join(folder, 'to.db'))).rejects.toMatchObject({ reason: 'taken back' });
  });

  it('does not replace what was moved away or made while the backup was prepared', async () => {
    const { folder, path, backup } = await withBackup();
    const moved = replaceFile(path, backup, async () => {
      const { store } = await opened(path);
      await moveStore(store, memoryStore(), { to: 'there' });
      await store.close();
    });
    await expect(moved).rejects.toMatchObject({ code: 'ERR_STORE_CONFLICT', reason: 'in use' });
    expect(await storeState((await opened(path)).store)).toMatchObject({ movedTo: 'there' });
    await expect(
      replaceFile(join(folder, 'new.db'), backup, async () => void (await filled(join(folder, 'new.db')))),
    ).rejects.toThrow('another process has changed the store in the meantime');
    expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['backup.db', 'ids.db', 'new.db']);
  });

  it('does not replace what was changed while it was copied, where files have no links', async () => {
    const { folder, path, backup } = await withBackup();
    let known: string[] | undefined;
    let isChanged = false;
    const changeOnceCopied = () => {
      const copy = readdirSync(folder).find((name) => !known?.includes(name));
      const isCopied = copy !== undefined && statSync(join(folder, copy)).size === statSync(path).size;
      if (!isCopied) return void setImmediate(changeOnceCopied);
      const database = openSqlite(path);
      database.exec('pragma journal_mode = wal; update shardbits_counters set last = last');
      database.close();
      isChanged = true;
    };
    failing('linkSync', () => {
      if (known === undefined) setImmediate(changeOnceCopied);
      known ??= readdirSync(folder);
      return 'EPERM';
    });
    await expect(replaceFile(path, backup, async () => {})).rejects.toMatchObject({ reason: 'in use' });
    expect([isChanged, readdirSync(folder)]).toEqual([true, ['backup.db', 'ids.db']]);
  });

  it('waits for a store that another process is making, where files have no links', async () => {
    const { folder, backup } = await withBackup();
    const path = join(folder, 'new.db');
    writeFileSync(path, '');
    setTimeout(() => copyFileSync(backup, path), 100);
    const before = await replaceFile(path, backup, async (_, replaced) => replaced);
    expect(before).toEqual({ outcome: expect.anything(), replaced: `${path}.replaced` });
  });

  it('goes on when it was killed just before the backup got its name', async () => {
    const { path, backup } = await withBackup();
    linkSync(path, `${path}.replaced`); // the last step but one
    expect((await runHere(['store', 'check', path])).code).toBe(0);
    expect((await restore(backup, path)).stderr).toContain(`is now ${path}.replaced;`);
  });
});

describeWithSqlite('a command that makes a store', () => {
  it.each(Object.keys(FOREIGN))('does not touch %s', async (what) => {
    const { folder, path } = await withBackup();
    const other = join(folder, 'other');
    FOREIGN[what]?.(other);
    const bytes = readFileSync(other);
    for (const args of [
      ['store', 'copy', path, other],
      ['store', 'move', path, other],
      ['store', 'backup', path, other],
      ['intern', '--store', other],
      ['mint', '--lease', other],
    ]) {
      const { code } = await runHere(args, { input: ['a\n'] });
      expect([args, code]).toEqual([args, 1]);
      expect(readFileSync(other).equals(bytes)).toBe(true);
    }
  });

  it('makes no backup over a link that leads nowhere', async () => {
    const { folder, path } = await withBackup();
    symlinkSync('nowhere', join(folder, 'link.db'));
    expect((await runHere(['store', 'backup', path, join(folder, 'link.db')])).code).toBe(1);
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});

describeWithSqlite('a store that was restored', () => {
  it('gives new strings other ids than those that were given after the backup', async () => {
    const { path, backup } = await withBackup();
    const since = await opened(path);
    const given = new Set(await since.internMany(batch(1, 100)));
    await since.close();
    await restore(backup, path);
    const ids = await (await opened(path)).internMany(batch(2, 100));
    expect(ids.filter((id) => given.has(id))).toEqual(new BigUint64Array());
  });
});
