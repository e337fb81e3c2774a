import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { matchingFiles } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { onWindows } from '../support/other-systems.js';
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
