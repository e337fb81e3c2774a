import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { describeWith } from '../support/programs.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite, hasSqlite } from '../support/sqlite.js';
import { filled, opened } from './sqlite-stores.js';

// Who may read the files of a store, and whom they belong to.

const OTHER = 33; // www-data in Debian
const isRoot = process.getuid?.() === 0;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const ownerOf = (path: string) => `${statSync(path).uid}:${statSync(path).gid}`;

/** The most that a new file can be: nothing is taken away from its mode. */
function withoutUmask(): void {
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
}

/** What makes a store from another one: a name and a command. */
const STEPS: [what: string, args: (from: string, to: string) => string[]][] = [
  ['backup', (from, to) => ['store', 'backup', from, to]],
  ['copy', (from, to) => ['store', 'copy', from, to]],
  ['move', (from, to) => ['store', 'move', from, to]],
  ['restore', (from, to) => ['store', 'restore', from, '--store', to, '--lead', '0', '--yes']],
];

describeWithSqlite('the file of a store', () => {
  it('can only be read by its user, and so can those beside it', async () => {
    withoutUmask();
    const path = join(temporaryFolder(), 'ids.db');
    const interner = await opened(path);
    await interner.intern('a');
    expect(['', '-wal', '-shm'].map((end) => modeOf(path + end))).toEqual(['600', '600', '600']);
  });

  it.each(STEPS)('keeps its mode: %s', async (_, args) => {
    withoutUmask();
    const folder = temporaryFolder();
    for (const mode of [0o600, 0o640, 0o664]) {
      const [path, copy] = [join(folder, 'ids.db'), join(folder, 'copy.db')];
      await filled(path, 10);
      chmodSync(path, mode);
      expect(await runHere(args(path, copy))).toMatchObject({ code: 0 });
      expect(modeOf(copy)).toBe(mode.toString(8));
      for (const made of [path, copy]) rmSync(made);
    }
  });

  it('keeps its own mode when a backup is put in its place, and so does the file that was there', async () => {
    const folder = temporaryFolder();
    const [path, backup] = [join(folder, 'ids.db'), join(folder, 'backup.db')];
    await filled(path, 10);
    await runHere(['store', 'backup', path, backup]);
    chmodSync(path, 0o640);
    const restore = ['store', 'restore', backup, '--store', path, '--lead', '0', '--yes'];
    expect(await runHere(restore)).toMatchObject({ code: 0 });
    expect([path, `${path}.replaced`, backup].map(modeOf)).toEqual(['640', '640', '600']);
  });

  it.runIf(isRoot).each(STEPS)('keeps its owner if root makes it: %s', async (_, args) => {
    const folder = temporaryFolder();
    const [path, copy] = [join(folder, 'ids.db'), join(folder, 'copy.db')];
    await filled(path, 10);
    chownSync(path, OTHER, OTHER);
    const { code, stderr } = await runHere(args(path, copy));
    expect([code, stderr.includes('belongs to')]).toEqual([0, false]);
    expect([ownerOf(copy), modeOf(copy)]).toEqual([`${OTHER}:${OTHER}`, '600']);
  });
});

describe.skipIf(!isRoot || !hasSqlite())('the file of a store, if its owner cannot be kept', () => {
  let node = '';
  beforeAll(() => {
    // Where another user can run it: npx keeps it in the home of root.
    const folder = mkdtempSync(join(tmpdir(), 'shardbits-node-'));
    chmodSync(folder, 0o755);
    node = join(folder, 'node');
    copyFileSync(process.execPath, node);
  });
  afterAll(() => rmSync(dirname(node), { recursive: true, force: true }));

  it.each(STEPS)('is its maker’s alone, and this is said: %s', async (what, args) => {
    const folder = temporaryFolder();
    const [path, copy] = [join(folder, 'ids.db'), join(folder, 'copy.db')];
    await filled(path, 10);
    chmodSync(path, 0o664);
    chownSync(path, 0, OTHER);
    chownSync(folder, OTHER, OTHER);
    const user = { uid: OTHER, gid: OTHER, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(node, ['dist/cli.js', ...args(path, copy)], user);
    expect([what, status, stderr]).toEqual([what, 0, expect.stringContaining(`${copy} belongs to 33:33, and `)]);
    expect(stderr).toContain(`chown 0:${OTHER} ${copy}`);
    expect([ownerOf(copy), modeOf(copy)]).toEqual([`${OTHER}:${OTHER}`, '600']);
  });
});

describeWith(
  'strace',
  '-o',
  '/dev/null',
  'true',
)('no file of a store', () => {
  describe.skipIf(!hasSqlite())('is ever open to others while it is made', () => {
    it.each(STEPS)('%s', async (_, args) => {
      withoutUmask();
      const folder = temporaryFolder();
      const [path, copy, log] = [join(folder, 'ids.db'), join(folder, 'copy.db'), join(folder, 'strace')];
      await filled(path, 1000);
      const trace = ['-f', '-o', log, '-e', 'trace=open,openat,link,linkat'];
      const { status } = spawnSync('strace', [...trace, process.execPath, 'dist/cli.js', ...args(path, copy)]);
      expect(status).toBe(0);
      const made = new Map<string, string>();
      for (const line of readFileSync(log, 'utf8').split('\n')) {
        const [, linked] = /link(?:at)?\(.*"([^"]*copy\.db[^"]*)"[^"]*\) = 0/.exec(line) ?? [];
        if (linked !== undefined) made.set(linked, '600'); // one more name of a file that was there
        const [, name, mode] = /"([^"]*copy\.db[^"]*)", [A-Z_|]*O_CREAT[A-Z_|]*, 0?(\d+)\) = \d/.exec(line) ?? [];
        // SQLite opens what is there with the same flag.
        if (name !== undefined && mode !== undefined && !made.has(name)) made.set(name, mode);
      }
      expect(made.size).toBeGreaterThan(0);
      expect([...made].filter(([, mode]) => mode !== '600')).toEqual([]);
    });
  });
});
