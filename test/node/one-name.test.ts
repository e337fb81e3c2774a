import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { placementOf } from '../../src/map/index.js';
import { areOneFile, firstClash } from '../../src/node/files/output.js';
import { routeToDirectory } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const router = new Router({ shards: 4 });

describe('paths that are one file', () => {
  /** A folder with a file `there`, and links. */
  function folder(): string {
    const path = temporaryFolder();
    writeFileSync(join(path, 'there'), '');
    mkdirSync(join(path, 'sub'));
    symlinkSync('sub', join(path, 'same'));
    symlinkSync('there', join(path, 'link'));
    symlinkSync('sub/none', join(path, 'dangling'));
    linkSync(join(path, 'there'), join(path, 'hard'));
    return path;
  }

  it.each([
    ['there', './there', true],
    ['there', 'link', true],
    ['there', 'hard', true],
    ['there', 'sub/../there', true],
    ['none', './none', true],
    ['sub/none', 'same/none', true],
    ['sub/none', 'dangling', true],
    ['lost/none', './lost/none', true],
    ['none', 'sub/none', false],
    ['none', 'None', false], // on a file system that tells case apart
    ['none', 'none.', false],
    ['\u00e9', 'e\u0301', false],
    ['there', 'There', false],
    ['there', 'none', false],
    ['there', 'sub', false],
    ['sub', './sub', false],
  ])('%s and %s: %s', (a, b, expected) => {
    const path = folder();
    const before = readdirSync(path, { recursive: true });
    for (const [one, other] of [
      [a, b],
      [b, a],
    ]) {
      expect(areOneFile(join(path, one), `${path}/${other}`)).toBe(expected);
    }
    expect(readdirSync(path, { recursive: true })).toEqual(before);
  });

  it('are never devices, which may be read and written', () => {
    expect(areOneFile('/dev/null', '/dev/null')).toBe(false);
    expect(areOneFile('/dev/stdout', 1)).toBe(true);
    expect(areOneFile(1, 2)).toBe(false);
  });

  it('are found by making them', () => {
    const path = folder();
    const clash = (...names: string[]) => firstClash(names.map((name) => join(path, name)));
    expect(clash('sub/a', 'sub/b', 'same/c', 'same/d')).toBe(undefined);
    expect(clash('sub/e', 'sub/f', 'sub/g', 'same/f', 'same/e')).toEqual([1, 3]);
  });
});

describe('files of shards', () => {
  it('may differ by case alone where the file system tells it apart', async () => {
    const directory = join(temporaryFolder(), 'out');
    const labels = ['a', 'A', '\u00e9', 'e\u0301'];
    const input = new PassThrough().end('a\nb\nc\nd\ne\nf\n');
    await routeToDirectory(input, { placement: placementOf(router, labels), directory });
    const found = readdirSync(directory);
    expect(found.sort()).toEqual(labels.map((name) => `${name}.txt`).sort());
    expect(found.map((name) => readFileSync(join(directory, name), 'utf8')).join('')).toHaveLength(12);
  });

  it.each([
    ['2.txt', {}],
    ['2.txt.gz', { compress: 'gzip' }],
    ['2-00001.txt', { maxRowsPerFile: 1 }],
    ['manifest.json', { records: { format: 'csv', key: 'key' } }],
  ] as const)('never share %s with another writer', async (name, options) => {
    const cwd = temporaryFolder();
    const input = new PassThrough();
    const done = routeToDirectory(input, { router, directory: join(cwd, 'out'), ...options });
    const [temporary] = await expect
      .poll(() => readdirSync(cwd))
      .toHaveLength(1)
      .then(() => readdirSync(cwd));
    writeFileSync(join(cwd, temporary, name), 'of another writer');
    input.end('key\nb\nc\nd\ne\nf\ng\nh\ni\n');
    await expect(done).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('do not replace files that have come into their directory meanwhile', async () => {
    const directory = temporaryFolder();
    const input = new PassThrough();
    const done = routeToDirectory(input, { router, directory });
    await expect.poll(() => readdirSync(directory)).toHaveLength(1);
    writeFileSync(join(directory, '2.txt'), 'of another writer');
    input.end('a\n');
    await expect(done).rejects.toThrow(`${directory}: expected an empty directory, got files meanwhile`);
    expect(readdirSync(directory)).toEqual(['2.txt']);
    expect(readFileSync(join(directory, '2.txt'), 'utf8')).toBe('of another writer');
  });

  it('are refused before the work if a name is too long with all its endings', async () => {
    const cwd = temporaryFolder();
    const labels = ['a', 'b'.repeat(251), 'a', 'a'];
    const options = { placement: placementOf(router, labels), directory: join(cwd, 'out') };
    await routeToDirectory(new PassThrough().end('a\n'), options);
    const done = routeToDirectory(new PassThrough(), { ...options, directory: join(cwd, 'more'), compress: 'gzip' });
    await expect(done).rejects.toMatchObject({ argument: 'placement.labels', row: 1 });
    expect(readdirSync(cwd)).toEqual(['out']);
  });
});

describe('outputs of a command that are one file are refused', () => {
  const refused = [2, expect.stringMatching(/^error: --(out|rejects): expected another (file|name) than /)];

  it.each([
    ['--out', 'a', '--rejects', './a'],
    ['--out', 'link', '--rejects', 'none'],
    ['--out', '/dev/stdout', '--rejects', '-'],
    ['--out', '/dev/fd/1', '--rejects', '/dev/stdout'],
    ['--rejects', '/dev/stdout'],
    ['--out-dir', 'd', '--rejects', './d'],
    ['--out-dir', 'none', '--rejects', 'link'],
  ])('%s %s %s %s', async (...args) => {
    const cwd = temporaryFolder();
    symlinkSync('none', join(cwd, 'link'));
    const { code, stderr } = await runHere(['route', '--shards', '4', ...args], { cwd, input: 'a\n' });
    expect([code, stderr]).toEqual(refused);
    expect(readdirSync(cwd)).toEqual(['link']);
  });

  it.each(['-wal', '-shm', '-journal', ''])('also if it is a file of a store: ids.db%s', async (end) => {
    const cwd = temporaryFolder();
    for (const args of [
      ['intern', '--store', 'ids.db'],
      ['mint', '--lease', './ids.db'],
      ['map', 'get', '--store', 'ids.db'],
    ]) {
      const { code, stderr } = await runHere([...args, '--out', `ids.db${end}`], { cwd, input: '' });
      expect([code, stderr]).toEqual(refused);
    }
    expect(existsSync(join(cwd, `ids.db${end}`))).toBe(false);
  });
});
