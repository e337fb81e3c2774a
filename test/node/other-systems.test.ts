// What other systems refuse, on this one. test/everywhere runs the package on them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { plainPath, realPath, whenFree } from '../../src/file-system.js';
import { Router } from '../../src/index.js';
import { ShardDirectory } from '../../src/node/files/shard-directory.js';
import { highWaterFile, routeFile, routeToDirectory } from '../../src/node/index.js';
import { writeAtomically } from '../../src/registry/stores/shared/paths.js';
import { temporaryFolder } from '../support/cli.js';
import { failing, NOT_ON_WINDOWS, ON_WINDOWS, onWindows } from '../support/other-systems.js';
import { newFile, textOf } from './high-water-files.js';

const router = new Router({ shards: 2 });

/** Fails the first calls, as while another program has a file open. */
function inUse(calls: number, code = 'EBUSY') {
  return () => (calls-- > 0 ? code : undefined);
}

/** A file of three lines, in a folder of its own. */
function keys(): string {
  const path = join(temporaryFolder(), 'keys.txt');
  writeFileSync(path, 'a\nb\nc\n');
  return path;
}

describe('on Windows, what another program has open', () => {
  it.each(['EACCES', 'EBUSY', 'EPERM'])('is tried again until it is closed (%s)', (code) => {
    onWindows();
    const next = inUse(3, code);
    const tried = whenFree(() => {
      const failed = next();
      if (failed) throw Object.assign(new Error(failed), { code: failed });
      return 'done';
    });
    expect(tried).toBe('done');
  });

  it('is reported if it stays open for a second, as another error is at once', () => {
    onWindows();
    for (const [code, tries] of [
      ['EBUSY', 5],
      ['ENOENT', 1],
    ] as const) {
      const error = Object.assign(new Error(code), { code });
      let calls = 0;
      const now = vi.spyOn(performance, 'now').mockImplementation(() => calls * 240);
      const action = () => {
        calls++;
        throw error;
      };
      expect(() => whenFree(action)).toThrow(error);
      now.mockRestore();
      expect(calls).toBe(tries);
    }
  });

  it('is not tried again elsewhere, where these errors last', () => {
    failing('renameSync', inUse(1));
    const mark = highWaterFile(newFile());
    expect(() => mark.load()).toThrow('EBUSY');
  });

  it('does not keep a high-water mark from being saved, taken over and closed', () => {
    onWindows();
    const file = newFile();
    failing('renameSync', inUse(2, 'EPERM'));
    const first = highWaterFile(file);
    first.load();
    failing('renameSync', inUse(2, 'EPERM'));
    first.save(5);
    failing('rmdirSync', inUse(2));
    failing('rmSync', inUse(2));
    failing('readFileSync', inUse(2, 'EACCES'));
    const second = highWaterFile(file);
    second.load();
    failing('rmdirSync', inUse(2));
    second.close?.();
    expect([textOf(file), readdirSync(join(file, '..'))]).toEqual(['5\n', [basename(file)]]);
  });

  it('does not keep outputs and directories of shards from appearing', async () => {
    onWindows();
    const input = keys();
    const [out, directory] = [`${input}.out`, `${input}.shards`];
    writeFileSync(out, 'before');
    failing('renameSync', inUse(2, 'EPERM'));
    await routeFile(input, { router, out });
    failing('renameSync', inUse(2, 'EACCES'));
    await routeToDirectory(input, { router, directory });
    expect([readFileSync(out, 'utf8').length, readdirSync(directory)]).toEqual([12, ['0.txt', '1.txt']]);
  });
});

it('an output that another program keeps open on Windows stays as it is', async () => {
  onWindows();
  const out = `${keys()}.out`;
  writeFileSync(out, 'before');
  failing('renameSync', () => 'EPERM');
  await expect(routeFile(keys(), { router, out })).rejects.toThrow('EPERM');
  expect([readFileSync(out, 'utf8'), readdirSync(join(out, '..')).length]).toEqual(['before', 2]);
});

it.each(['new/', 'keys.txt/'])('an output is not the path of a folder: %s', async (name) => {
  const input = keys();
  const out = join(input, '..', name);
  await expect(routeFile(input, { router, out })).rejects.toMatchObject({
    message: expect.stringMatching(/^expected the name of a file, got that of a folder$|^ENOTDIR/),
    path: out,
  });
  expect(readdirSync(join(input, '..'))).toEqual(['keys.txt']);
});

describe('a path as Windows itself calls it', () => {
  it.each([
    ['\\\\?\\C:\\keys.txt', 'C:\\keys.txt'],
    ['//?/c:\\keys.txt', 'c:\\keys.txt'],
    ['\\\\?\\UNC\\server\\share', '\\\\server\\share'],
    ...['\\\\?\\Volume{8f-0}\\x', '\\\\?\\GLOBALROOT\\x', '\\\\?\\UNCx\\y', '\\\\.\\C:\\x', 'x\\\\?\\C:\\y'].map(
      (path) => [path, path],
    ),
  ])('is that of a drive or a server: %s', (path, plain) => {
    expect(plainPath(path)).toBe(path);
    const here = realPath(plain);
    onWindows();
    expect([plainPath(path), realPath(path)]).toEqual([plain, here]);
  });
});

describe('names that Windows does not have for files', () => {
  const named = (name: string) => ({ routing: router, labels: [name, 'b'], labelOf: (i: number) => [name, 'b'][i] });

  it.each(NOT_ON_WINDOWS)('are refused there before the work, and taken elsewhere: %j', async (name) => {
    const input = keys();
    const directory = `${input}.shards`;
    await routeToDirectory(input, { placement: named(name), directory });
    expect(readdirSync(directory).sort()).toEqual([`${name}.txt`, 'b.txt'].sort());
    onWindows();
    const there = `${input}.there`;
    await expect(routeToDirectory(input, { placement: named(name), directory: there })).rejects.toThrow(
      '"placement.labels" row 0: expected names of files on Windows',
    );
    expect(existsSync(there)).toBe(false);
  });

  it.each([...ON_WINDOWS, 'a.', 'a '])('are not those: %j', async (name) => {
    onWindows();
    const input = keys();
    await routeToDirectory(input, { placement: named(name), directory: `${input}.there` });
    expect(readdirSync(`${input}.there`)).toContain(`${name}.txt`);
  });

  it('are refused for the directories of --hive, whose names have a column in front', () => {
    onWindows();
    const directory = (hive: string, names?: string[]) => {
      const path = join(temporaryFolder(), 'new');
      return new ShardDirectory(path, { shards: 2, names, hive, type: 'parquet' });
    };
    for (const hive of ['a:b', 'a?', 'a\tb', 'a|b'])
      expect(() => directory(hive)).toThrow('"asColumn": expected names');
    for (const name of ['a.', '*', '.']) {
      expect(() => directory('node', ['x', name])).toThrow('"placement.labels" row 1: expected names');
    }
    directory('con', ['CON', 'a:b', 'a ', '?']).discard(); // written as con=CON, con=a%3Ab, con=a%20 and con=%3F
  });
});

describe('files that are moved to an empty directory one by one', () => {
  it('stay there if the empty folder beside them cannot be removed', async () => {
    const directory = temporaryFolder();
    failing('rmdirSync', (path) => (String(path).startsWith(join(directory, 'shards')) ? 'EBUSY' : undefined));
    await routeToDirectory(keys(), { router, directory });
    expect(readdirSync(directory)).toEqual(['0.txt', '1.txt', expect.stringMatching(/^shards\..*\.tmp$/)]);
  });

  it.each([
    ['are taken back if one cannot be moved', 'ENOSPC', [], "ENOSPC: refused, renameSync '"],
    ['are named if they cannot be taken back', 'EIO', ['0.txt'], '; these are left without the others: 0.txt'],
  ])('%s', async (_, code, left, message) => {
    const input = keys();
    const directory = temporaryFolder();
    failing('renameSync', (from, to) => {
      const isLast = String(to).endsWith('1.txt');
      const isBack = String(from) === join(directory, '0.txt');
      return isLast || (isBack && left.length > 0) ? code : undefined;
    });
    await expect(routeToDirectory(input, { router, directory })).rejects.toThrow(message);
    expect(readdirSync(directory)).toEqual(left);
  });
});

describe('where files have no modes or links, as on FAT', () => {
  it.each(['ENOSYS', 'EPERM', 'ENOTSUP', 'EINVAL'])('a file is replaced by an output (%s)', async (code) => {
    const input = keys();
    const out = `${input}.out`;
    writeFileSync(out, 'before');
    failing('chmodSync', () => code);
    await routeFile(input, { router, out });
    expect(readFileSync(out, 'utf8').length).toBe(12);
  });

  it.each(['EPERM', 'ENOSYS', 'EISDIR'])('a file gets a name that no other has (%s)', async (code) => {
    const path = join(temporaryFolder(), 'ids.db');
    failing('linkSync', () => code);
    await writeAtomically(path, (temporary) => writeFileSync(temporary, 'all of it'));
    await expect(writeAtomically(path, (temporary) => writeFileSync(temporary, 'other'))).rejects.toThrow('EEXIST');
    expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['all of it', ['ids.db']]);
  });

  it('nothing is left if the file cannot get its name', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    failing('linkSync', () => 'EPERM');
    failing('renameSync', () => 'ENOSPC');
    await expect(writeAtomically(path, (temporary) => writeFileSync(temporary, 'x'))).rejects.toThrow('ENOSPC');
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});
