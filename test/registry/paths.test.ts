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
import { failing, onWindows } from '../support/other-systems.js';

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

const unchanged = async () => {};

it('a file that is replaced is kept under a name of which nobody has a log', async () => {
  const folder = realpathSync(temporaryFolder());
  const path = join(folder, 'ids.db');
  for (const end of ['', '-wal']) writeFileSync(`${path}${end}`, `ours${end}`);
  writeFileSync(`${path}.replaced-wal`, 'theirs');
  symlinkSync('nowhere', `${path}.replaced.2-shm`);
  expect(await keepReplaced(path, unchanged)).toBe(`${path}.replaced.3`);
  expect(readFileSync(`${path}.replaced-wal`, 'utf8')).toBe('theirs');
  expect(readFileSync(`${path}.replaced.3-wal`, 'utf8')).toBe('ours-wal');
});

it('a copy of it is kept where files have no links', async () => {
  const path = join(realpathSync(temporaryFolder()), 'ids.db');
  writeFileSync(path, 'ours');
  failing('linkSync', () => 'EPERM');
  failing('copyFileSync', () => 'ENOSYS'); // it gives the copy a mode
  expect(await keepReplaced(path, unchanged)).toBe(`${path}.replaced`);
  expect([readFileSync(path, 'utf8'), readFileSync(`${path}.replaced`, 'utf8')]).toEqual(['ours', 'ours']);
  expect(statSync(`${path}.replaced`).mode & 0o777).toBe(0o600);
});

describe('where files have no links', () => {
  function withFile() {
    const folder = realpathSync(temporaryFolder());
    const path = join(folder, 'ids.db');
    for (const end of ['', '-wal']) writeFileSync(`${path}${end}`, `ours${end}`);
    failing('linkSync', () => 'EPERM');
    return { folder, path };
  }

  it('nothing is kept of a file that has changed while it was copied', async () => {
    const { folder, path } = withFile();
    const check = async (copy: string) => {
      expect([readFileSync(copy, 'utf8'), existsSync(`${path}.replaced`)]).toEqual(['ours', false]);
      throw new Error('changed');
    };
    await expect(keepReplaced(path, check)).rejects.toThrow('changed');
    expect(readdirSync(folder)).toEqual(['ids.db', 'ids.db-wal']);
  });

  it('a name that another process takes meanwhile stays its own', async () => {
    const { folder, path } = withFile();
    const check = async () => {
      if (!existsSync(`${path}.replaced`)) writeFileSync(`${path}.replaced`, 'theirs');
    };
    expect(await keepReplaced(path, check)).toBe(`${path}.replaced.2`);
    expect(['', '.2', '.2-wal'].map((end) => readFileSync(`${path}.replaced${end}`, 'utf8'))).toEqual([
      'theirs',
      'ours',
      'ours-wal',
    ]);
    expect(readdirSync(folder).length).toBe(4);
  });

  it('no part of a file that cannot be copied is left', async () => {
    const { folder } = withFile();
    mkdirSync(join(folder, 'other'));
    await expect(keepReplaced(join(folder, 'other'), unchanged)).rejects.toThrow('EISDIR');
    expect(readdirSync(folder)).toEqual(['ids.db', 'ids.db-wal', 'other']);
  });

  it('a file that replaced the empty one meanwhile is neither replaced nor removed', async () => {
    const path = join(realpathSync(temporaryFolder()), 'ids.db');
    onWindows(); // where another program may delay it
    failing('linkSync', () => 'EPERM');
    failing('renameSync', (_, to) => {
      writeFileSync(to, 'theirs');
      return 'EPERM';
    });
    await expect(writeAtomically(path, (temporary) => writeFileSync(temporary, 'ours'))).rejects.toThrow('EEXIST');
    expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['theirs', ['ids.db']]);
  });
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
