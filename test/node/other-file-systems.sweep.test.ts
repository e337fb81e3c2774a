import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { NOT_ON_WINDOWS, ON_WINDOWS } from '../support/other-systems.js';
import { foldingDisk } from '../support/small-disk.js';
import { describeWithSqlite } from '../support/sqlite.js';

/** A list of keys, in a folder that has all a file system may have. */
function keys(): string {
  const path = join(temporaryFolder(), 'keys.txt');
  writeFileSync(path, Array.from({ length: 5000 }, (_, i) => `user:${i}\n`).join(''));
  return path;
}

describe('names of files', () => {
  it('that are refused on Windows are those that a file system with its rules refuses', ({ skip }) => {
    const disk = foldingDisk('ntfs');
    if (disk === undefined) return skip();
    const makes = (name: string) => {
      try {
        writeFileSync(join(disk, name), '');
        return true;
      } catch {
        return false;
      }
    };
    // It does not know the names of the console and those with raised digits.
    const known = NOT_ON_WINDOWS.filter((name) => !/^con(in|out)\$|[¹²³]$/i.test(name));
    expect(known.filter(makes)).toEqual([]);
    expect(ON_WINDOWS.filter(makes)).toEqual(ON_WINDOWS);
  });
});

it('an output replaces a file where files have no modes (FAT)', async ({ skip }) => {
  const disk = foldingDisk('fat');
  if (disk === undefined) return skip();
  const out = join(disk, 'out.txt');
  writeFileSync(out, 'before');
  const { code, stderr } = await shardbits(['route', keys(), '--shards', '4', '--out', out]);
  expect([code, stderr, readFileSync(out, 'utf8').split('\n').length]).toEqual([0, '', 5001]);
  expect(readdirSync(disk)).toEqual(['out.txt']);
});

describeWithSqlite('a store where files have no links (exFAT)', () => {
  it('is made once by processes that start together', async ({ skip }) => {
    const disk = foldingDisk('exfat');
    if (disk === undefined) return skip();
    const input = keys();
    for (let round = 0; round < 5; round++) {
      const store = join(disk, `${round}.db`);
      const runs = await Promise.all(Array.from({ length: 4 }, () => shardbits(['intern', '--store', store, input])));
      for (const { code, stderr, stdout } of runs) {
        expect([code, stderr, String(stdout)]).toEqual([0, '', String(runs[0].stdout)]);
      }
    }
    expect(readdirSync(disk).filter((name) => !/^\d\.db(-wal|-shm)?$/.test(name))).toEqual([]);
  });

  it('is backed up and restored, and keeps what was there', async ({ skip }) => {
    const disk = foldingDisk('exfat');
    if (disk === undefined) return skip();
    const input = keys();
    const [store, backup] = ['ids.db', 'backup.db'].map((name) => join(disk, name));
    const intern = async () => String((await shardbits(['intern', '--store', store, input])).stdout);
    const ids = await intern();
    for (const [args, left] of [
      [
        ['store', 'backup', store, backup],
        ['backup.db', 'ids.db'],
      ],
      [
        ['store', 'restore', '--store', store, '--yes', '--lead', '0', backup],
        ['backup.db', 'ids.db', 'ids.db.replaced'],
      ],
    ] as const) {
      const { code, stderr } = await shardbits([...args]);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
      expect(readdirSync(disk).sort()).toEqual(left);
    }
    expect(await intern()).toBe(ids);
    rmSync(store);
    expect(existsSync(`${store}.replaced`)).toBe(true);
    const { stdout } = await shardbits(['intern', '--store', `${store}.replaced`, input]);
    expect(String(stdout)).toBe(ids);
  });
});
