import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { smallDisk } from '../support/small-disk.js';
import { file, words } from './keys.js';

describe('route writes', () => {
  it('--out-dir: into an empty directory, and to more shards than there may be open files', async () => {
    const folder = temporaryFolder();
    const path = file(words);
    const limited = `ulimit -n 64; exec "${process.execPath}" dist/cli.js route "${path}" --shards 500 --out-dir "${folder}"`;
    const run = spawnSync('sh', ['-c', limited], { encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([0, '']);
    const by = new Router({ shards: 500 });
    const keys = readdirSync(folder).flatMap((name, shard) => {
      const some = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
      expect(some.every((key) => by.route(key) === shard)).toBe(true);
      return some;
    });
    expect(keys.sort()).toEqual(words.toString().trimEnd().split('\n').sort());
  });
});

describe('route works inside a directory that exists', () => {
  const args = ['route', '--shards', '3', '--out-dir'];

  it('and is a new file system', async ({ skip }) => {
    const folder = smallDisk('1m');
    if (folder === undefined) return skip();
    mkdirSync(join(folder, 'lost+found'));
    const run = await runHere([...args, folder], { input: ['a\n'] });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(readdirSync(folder).sort()).toEqual(['0.txt', '1.txt', '2.txt', 'lost+found']);
  });
});
