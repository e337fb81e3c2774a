import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { matchingFiles } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { failing, onWindows } from '../support/other-systems.js';
import { runHere } from '../support/run-here.js';

/** A folder with files of these names. */
function folderOf(...names: string[]): string {
  const folder = temporaryFolder();
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), 'id,s\n1,0\n');
  }
  return folder;
}

const NAMES = [
  'a.csv',
  'b.csv',
  'b.txt',
  '.c.csv',
  'x[1].csv',
  'x+.csv',
  'sub/a.csv',
  'sub/deep/a.csv',
  '.hidden/a.csv',
];

describe('matchingFiles', () => {
  it.each([
    ['*.csv', 'a.csv b.csv x+.csv x[1].csv'],
    ['?.csv', 'a.csv b.csv'],
    ['[ab].csv', 'a.csv b.csv'],
    ['[b-z].*', 'b.csv b.txt'],
    ['[!a].csv', 'b.csv'],
    ['[^a].csv', 'b.csv'],
    ['x[[]*', 'x[1].csv'],
    ['x[+]*', 'x+.csv'],
    ['.*', '.c.csv'],
    ['.h*/*', '.hidden/a.csv'],
    ['*/a.csv', 'link/a.csv sub/a.csv'],
    ['s*/d*/?.csv', 'sub/deep/a.csv'],
    ['**/a.csv', 'a.csv sub/a.csv sub/deep/a.csv'],
    ['**/*a*', 'a.csv sub/a.csv sub/deep/a.csv'],
    ['sub/**', 'sub/a.csv sub/deep/a.csv'],
    ['**/deep/**', 'sub/deep/a.csv'],
    ['./sub/../?.txt', 'b.txt'],
    ['link/*.csv', 'link/a.csv'],
    ['l*/*.csv', 'link/a.csv'],
    ['x[1].csv', 'x[1].csv'],
    ['x\\[*', 'x[1].csv'],
    ['\\.h*/\\a.*', '.hidden/a.csv'],
    ['**/**/**/d*/**/**', 'sub/deep/a.csv'],
  ])('finds what a shell finds: %s', (pattern, found) => {
    const folder = folderOf(...NAMES);
    symlinkSync('sub', join(folder, 'link'));
    expect(matchingFiles([join(folder, pattern)]).map((path) => relative(folder, path))).toEqual(found.split(' '));
  });

  it.each([
    '*.parquet',
    'SUB/*',
    'su?',
    '*/',
    'b.tx[t',
    '[z-a]*',
    'x\\*.csv',
    'none/*',
  ])('names a pattern that no file has: %s', (pattern) => {
    const path = `${folderOf(...NAMES)}/${pattern}`;
    expect(() => matchingFiles([path])).toThrow(new Error(`${path}: no file has such a name`));
  });

  it.each([
    ['[]a]*', ['a]', ']b']],
    ['[!]a]*', ['[!]', '[]c', 'b', '😀b']],
    ['[^]]*', ['[!]', '[]c', 'a]', 'b', '😀b']],
    ['[[-]]*', ['[]c']],
    ['[a[]*', ['[!]', '[]c', 'a]']],
    ['[!]*', ['[!]']],
    ['[a\\]]?', [']b', 'a]']],
    ['[😀]?', ['😀b']],
    ['?b', [']b', '😀b']],
    ['[a-', []],
  ])('finds what a shell finds by brackets: %s', (pattern, found) => {
    const folder = folderOf('a]', 'b', ']b', '[]c', '[!]', '😀b');
    if (found.length === 0) expect(() => matchingFiles([`${folder}/${pattern}`])).toThrow('no file has such a name');
    else expect(matchingFiles([`${folder}/${pattern}`])).toEqual(found.map((name) => join(folder, name)).sort());
  });

  it.each([
    '[[:digit:]]*',
    'a[[.x.]]',
    'a[b[=x=]]/*',
    '[^][:alpha:]]',
  ])('refuses what JavaScript has no name for: %s', (pattern) => {
    expect(() => matchingFiles([pattern])).toThrow('"input": expected brackets such as [0-9] or [a-z], without [:');
  });

  it('takes no longer for a pattern with many stars', () => {
    const [name, deep] = ['a'.repeat(50), 'a/'.repeat(24)];
    const folder = folderOf(name, `${deep}a`);
    const start = performance.now();
    expect(() => matchingFiles([`${folder}/${'*a'.repeat(8)}*b`])).toThrow('no file has such a name');
    expect(matchingFiles([`${folder}/${'*a'.repeat(8)}*`])).toEqual([join(folder, name)]);
    expect(() => matchingFiles([`${folder}/${'**/a/'.repeat(5)}b`])).toThrow('no file has such a name');
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('sorts all that a pattern finds, in whatever folders', () => {
    const folder = folderOf('a.csv', '0/a.csv', 'b/a.csv');
    const found = ['0/a.csv', 'a.csv', 'b/a.csv'];
    expect(matchingFiles([`${folder}/**/a.csv`])).toEqual(found.map((name) => join(folder, name)));
  });

  it('leaves out no file that a shell finds: opening it says what is wrong', () => {
    const folder = folderOf('a.csv');
    symlinkSync('nowhere', join(folder, 'b[1].csv'));
    symlinkSync('c.csv', join(folder, 'c.csv'));
    const found = ['a.csv', 'b[1].csv', 'c.csv'].map((name) => join(folder, name));
    for (const pattern of ['*', '?*.csv', '[a-c]*']) expect(matchingFiles([join(folder, pattern)])).toEqual(found);
    expect(matchingFiles(found)).toEqual(found);
    expect(matchingFiles([`${folder.slice(0, -1)}?/c.csv`])).toEqual([join(folder, 'c.csv')]);
  });

  it('refuses a name that is not UTF-8, of which no path leads to the file', () => {
    const folder = folderOf('a.csv', 'good \uFFFD.csv');
    expect(matchingFiles([join(folder, '*')]).length).toBe(2);
    const name = Buffer.from([0xff]);
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name, Buffer.from('.csv')]), '');
    const message = `${folder}/\uFFFD.csv: the name is not UTF-8. Rename it`;
    for (const pattern of ['*', '**']) {
      expect(() => matchingFiles([join(folder, pattern)])).toThrow(new Error(message));
    }
    expect(matchingFiles([`${folder}/a*`])).toEqual([join(folder, 'a.csv')]);
  });

  it('leaves out folders that cannot be listed, and no file of one that cannot be searched', () => {
    const folder = folderOf('a.csv', 'lost+found/a.csv', 'shut/a.csv');
    const modes = { '.': 0o755, 'lost+found': 0, shut: 0o444 };
    for (const [name, mode] of Object.entries(modes)) chmodSync(join(folder, name), mode);
    if (process.getuid?.() === 0) process.seteuid?.('nobody');
    onTestFinished(() => {
      if (process.getuid?.() === 0) process.seteuid?.(0);
      for (const name of Object.keys(modes)) chmodSync(join(folder, name), 0o755);
    });
    expect(matchingFiles([`${folder}/**`])).toEqual([`${folder}/a.csv`, `${folder}/shut/a.csv`]);
    expect(matchingFiles([`${folder}/*/*`])).toEqual([`${folder}/shut/a.csv`]);
    expect(() => matchingFiles([`${folder}/*/a.csv`])).toThrow('no file has such a name');
    const closed = `${folder}/lost+found/*.csv`;
    expect(matchingFiles([closed])).toEqual([closed]);
  });

  it('throws other errors of listing a folder', () => {
    failing('readdirSync', () => 'EMFILE');
    expect(() => matchingFiles(['*'])).toThrow('EMFILE');
  });

  it('leaves paths as they are, and in their order', () => {
    const folder = folderOf('a.csv', 'b.csv');
    const pattern = join(folder, '*');
    expect(matchingFiles(['-', pattern, './z.csv'])).toEqual([
      '-',
      join(folder, 'a.csv'),
      join(folder, 'b.csv'),
      './z.csv',
    ]);
    expect(matchingFiles([])).toEqual([]);
  });

  it('takes both slashes, and any case, on Windows', () => {
    const folder = folderOf('sub/A.csv', 'sub/b.CSV');
    onWindows();
    const found = [join(folder, 'sub/A.csv'), join(folder, 'sub/b.CSV')];
    expect(matchingFiles([`${folder}\\s*\\*.csv`])).toEqual(found);
  });

  it('takes paths as Windows itself calls them, in which ? is not a pattern', () => {
    const home = process.cwd();
    process.chdir(folderOf('C:/a.csv', 'C:/b.csv'));
    onTestFinished(() => process.chdir(home));
    onWindows();
    expect(matchingFiles(['\\\\?\\C:\\*.csv'])).toEqual(['C:/a.csv', 'C:/b.csv']);
    expect(matchingFiles(['\\\\?\\C:\\none.csv'])).toEqual(['\\\\?\\C:\\none.csv']);
  });

  it.each([
    ['a.csv', TypeError, '"input": expected a list of paths, got "a.csv"'],
    [[1], TypeError, '"input": expected a string'],
    [['s3://bucket/*.csv'], RangeError, '"input": expected files: read others in DuckDB by shardbits/duckdb'],
  ])('refuses %o', (input, kind, message) => {
    expect(() => matchingFiles(input as string[])).toThrow(kind);
    expect(() => matchingFiles(input as string[])).toThrow(message);
  });
});

it.each([
  ['route', '*.csv', '--csv', '--key', 'id', '--shards', '8'],
  ['hash', '?.csv', '--csv', '--key', 'id'],
  ['plan', '[ab].csv', '--csv', '--key', 'id', '--from', '8', '--to', '9'],
  ['decode', '*.csv', '--csv', '--key', 'id', '--layout', 'snowflake'],
  ['decode', '[ab].csv', '--layout', 'snowflake', '--rejects', 'bad'],
  ['encode', '*.csv', '--format', 'csv', '--layout', 'id:32,s:8'],
  ['detect', '*.csv', '--csv', '--key', 'id', '--shard-column', 's'],
])('shardbits %s takes patterns of text as a shell does', async (command, pattern, ...options) => {
  const cwd = folderOf('a.csv', 'b.csv', 'c.txt');
  const withPattern = await runHere([command, pattern, ...options], { cwd });
  expect(withPattern).toEqual(await runHere([command, 'a.csv', 'b.csv', ...options], { cwd }));
  expect(withPattern.code).toBeLessThan(2); // 1: a row is rejected, or no mapping is found
});

it('shardbits takes what a pattern finds for files, whatever their names look like', async () => {
  const cwd = folderOf('-', '20240101', '20240102');
  for (const name of ['-', '20240101', '20240102']) writeFileSync(join(cwd, name), '1116551844710330458\n');
  const decode = (...args: string[]) => runHere(['decode', '--layout', 'discord', ...args], { cwd });
  const line = (await decode('1116551844710330458')).stdout.toString().split('\n')[1];
  for (const [args, count] of [
    [['./2024*'], 2],
    [['2024*'], 2],
    [['*', '1116551844710330458'], 4],
    [['[-]'], 1],
  ] as const) {
    const { code, stdout } = await decode(...args);
    expect([
      code,
      stdout
        .toString()
        .split('\n')
        .filter((one) => one === line).length,
    ]).toEqual([0, count]);
  }
  for (const pattern of ['*', './*', '?'])
    expect((await runHere(['route', '--shards', '8', pattern], { cwd })).stdout.toString()).toContain('458');
});

it.each([
  'route --shards 8',
  'decode',
  'encode --format csv --layout id:32,s:8',
])('shardbits %s reports a link that leads nowhere', async (command) => {
  const cwd = folderOf('a.csv');
  symlinkSync('nowhere', join(cwd, 'b.csv'));
  const { code, stderr } = await runHere([...command.split(' '), '*.csv'], { cwd });
  expect([code, stderr]).toEqual([1, 'error: b.csv: no such file or directory\n']);
});
