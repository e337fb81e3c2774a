import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import { canonicalPath, keepReplaced, writeAtomically } from '../../src/registry/stores/shared/paths.js';
import { temporaryFolder } from '../support/cli.js';
import { failing } from '../support/other-systems.js';

it('a name of LMDB is refused, and no file is made', async () => {
  const folder = realpathSync(temporaryFolder());
  const path = join(folder, 'ids.lmdb');
  const message = `${path}: LMDB stores are not supported. Give a file of SQLite another name`;
  expect(() => canonicalPath(path)).toThrow(message);
  await expect(writeAtomically(path, (temporary) => writeFileSync(temporary, ''))).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});

describe('the one name of a file', () => {
  it('is the real path, also of a file that does not exist', () => {
    const folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, 'a'));
    symlinkSync('a', join(folder, 'b'));
    symlinkSync('../c', join(folder, 'a', 'link'));
    expect(canonicalPath(join(folder, 'b', 'x'))).toBe(join(folder, 'a', 'x'));
    expect(canonicalPath(join(folder, 'b', 'link'))).toBe(join(folder, 'c'));
    writeFileSync(join(folder, 'c'), '');
    expect(canonicalPath(join(folder, 'b', 'link'))).toBe(join(folder, 'c'));
  });

  it('is refused for what is not a regular file, and in a folder that does not exist', () => {
    const folder = realpathSync(temporaryFolder());
    symlinkSync('loop', join(folder, 'loop'));
    writeFileSync(join(folder, 'file'), '');
    const refused: [string, RegExp][] = [
      [folder, /not a regular file/],
      ['/dev/null', /not a regular file/],
      [join(folder, 'loop'), /leads back to itself/],
      [join(folder, 'none', 'x'), /there is no folder .*none\. Create it first/],
      [join(folder, 'file', 'x'), /./],
    ];
    for (const [path, message] of refused) {
      const call = () => canonicalPath(path);
      expect(call).toThrow(StoreUnavailableError);
      expect(call).toThrow(message);
      expect(call).toThrow(expect.objectContaining({ isTransient: false }));
    }
  });
});

it.each([
  'postgres:/u:sEcReT@host/db',
  'u:sEcReT@host/db',
  `u:sEcReT@${'h'.repeat(300)}`,
])('a name that looks like a URL is refused without its password, in what caused it, too: %s', (path) => {
  try {
    canonicalPath(path);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(inspect(error)).not.toContain('sEcReT');
  }
});

it('a file that is replaced is kept under a name of which nobody has a log', async () => {
  const folder = realpathSync(temporaryFolder());
  const path = join(folder, 'ids.db');
  for (const end of ['', '-wal']) writeFileSync(`${path}${end}`, `ours${end}`);
  writeFileSync(`${path}.replaced-wal`, 'theirs');
  symlinkSync('nowhere', `${path}.replaced.2-shm`);
  expect(await keepReplaced(path)).toBe(`${path}.replaced.3`);
  expect(readFileSync(`${path}.replaced-wal`, 'utf8')).toBe('theirs');
  expect(readFileSync(`${path}.replaced.3-wal`, 'utf8')).toBe('ours-wal');
});

it('a copy of it is kept where files have no links', async () => {
  const path = join(realpathSync(temporaryFolder()), 'ids.db');
  writeFileSync(path, 'ours');
  failing('linkSync', () => 'EPERM');
  failing('copyFileSync', () => 'ENOSYS'); // it gives the copy a mode
  expect(await keepReplaced(path)).toBe(`${path}.replaced`);
  expect([readFileSync(path, 'utf8'), readFileSync(`${path}.replaced`, 'utf8')]).toEqual(['ours', 'ours']);
  expect(statSync(`${path}.replaced`).mode & 0o777).toBe(0o600);
});

describe('a file with hard links', () => {
  it.each([
    'ids.db.old',
    'ids.db.0a1b2c',
    'ids.db-0a1b2c.tmp',
    'other.db.0a1b2c.tmp',
    'ids.db.backup.tmp',
  ])('is refused, and the link stays: %s', (name) => {
    const folder = realpathSync(temporaryFolder());
    const [path, link] = [join(folder, 'ids.db'), join(folder, name)];
    writeFileSync(path, 'contents');
    linkSync(path, link);
    expect(() => canonicalPath(path)).toThrow('the file has 2 hard links');
    expect(existsSync(link)).toBe(true);
  });

  it('that are left from making it loses them', () => {
    const folder = realpathSync(temporaryFolder());
    const [path, link] = [join(folder, 'ids.db'), join(folder, 'ids.db.0a1b2c.tmp')];
    writeFileSync(path, 'contents');
    linkSync(path, link);
    expect(canonicalPath(path)).toBe(path);
    expect(existsSync(link)).toBe(false);
  });
});
