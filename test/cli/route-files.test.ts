import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { keysIn, shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { scaled } from '../support/scale.js';
import { smallDisk } from '../support/small-disk.js';
import { file, tsv, words } from './keys.js';

describe('route writes', () => {
  it('--out: a file, and nothing beside it', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.tsv');
    writeFileSync(out, 'what was there before');
    const { code, stdout } = await shardbits(['route', '--shards', '1024', '--out', out], { input: [words] });
    expect([code, stdout.length]).toEqual([0, 0]);
    expect(readFileSync(out).equals(tsv(words))).toBe(true);
    expect(readdirSync(folder)).toEqual(['out.tsv']);
  });

  it('--out: a device is written to, not replaced', async () => {
    const { code } = await runHere(['route', '--shards', '1024', '--out', '/dev/null'], { input: [words] });
    expect([code, statSync('/dev/null').isCharacterDevice()]).toEqual([0, true]);
  });

  it('--out-dir: one file a shard, with its keys in their order', async () => {
    const folder = join(temporaryFolder(), 'new', 'shards');
    const { code } = await runHere(['route', '--shards', '12', '--out-dir', folder], { input: [words] });
    expect(code).toBe(0);
    const by = new Router({ shards: 12 });
    const expected = Array.from({ length: 12 }, () => '');
    for (const key of keysIn(words)) expected[by.route(key)] += `${Buffer.from(key)}\n`;
    const names = readdirSync(folder);
    expect(names).toEqual(Array.from({ length: 12 }, (_, shard) => `${String(shard).padStart(2, '0')}.txt`));
    expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(expected);
  });

  it('--out-dir: a file also for a shard without keys, and not into a folder that exists', async () => {
    const folder = join(temporaryFolder(), 'shards');
    await runHere(['route', '--shards', '3', '--out-dir', folder], { input: [] });
    expect(readdirSync(folder)).toEqual(['0.txt', '1.txt', '2.txt']);
    const again = await runHere(['route', '--shards', '3', '--out-dir', folder], { input: ['a\n'] });
    expect(again).toMatchObject({
      code: 1,
      stderr: `error: ${folder}: expected a new or an empty directory\n`,
    });
    expect(readFileSync(join(folder, '0.txt'), 'utf8')).toBe('');
  });

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

  it('and is empty, which stays the same one, with its mode', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o2750);
    const { ino, mode } = statSync(folder);
    const run = await runHere([...args, '.'], { cwd: folder, input: ['a\n'] });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(readdirSync(folder)).toEqual(['0.txt', '1.txt', '2.txt']);
    expect(statSync(folder)).toMatchObject({ ino, mode });
  });

  it('and leaves it empty when the data is bad', async () => {
    const folder = temporaryFolder();
    const run = await runHere([...args, folder, '--keys', 'u64'], { input: ['1\nx\n'] });
    expect([run.code, readdirSync(folder)]).toEqual([1, []]);
  });

  it('and is a new file system', async ({ skip }) => {
    const folder = smallDisk('1m');
    if (folder === undefined) return skip();
    mkdirSync(join(folder, 'lost+found'));
    const run = await runHere([...args, folder], { input: ['a\n'] });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(readdirSync(folder).sort()).toEqual(['0.txt', '1.txt', '2.txt', 'lost+found']);
  });
});

describe('route leaves nothing half-written', () => {
  const args = ['route', '--shards', '10', '--keys', 'u64'];

  it('when the data is bad', async () => {
    const folder = temporaryFolder();
    const bad = file(`${'1\n'.repeat(300_000)}x\n`);
    const run = await runHere([...args, bad, '--out', join(folder, 'out')]);
    expect(run).toMatchObject({
      code: 1,
      stderr: `error: ${bad}:300001: expected a decimal integer from -2^63 to 2^64 - 1, got "x"\n`,
    });
    await runHere([...args, bad, '--out-dir', join(folder, 'dir')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('when it is interrupted', async () => {
    const folder = temporaryFolder();
    function* endless() {
      for (;;) yield '1\n'.repeat(10_000);
    }
    for (const option of ['--out', '--out-dir']) {
      const out = join(folder, 'out');
      const begun = () => readdirSync(folder).length > 0;
      const run = await shardbits([...args, option, out], { input: endless(), interruptWhen: begun });
      expect(run).toMatchObject({ code: 'SIGINT', stderr: '' });
      expect(existsSync(out)).toBe(false);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['--out', '--out-dir'])('when it is killed: what is there under its name is whole: %s', async (option) => {
    const folder = temporaryFolder();
    const path = file(Buffer.concat(Array.from({ length: scaled(100) }, () => words)));
    const start = (name: string) =>
      spawn(process.execPath, ['dist/cli.js', 'route', path, '--shards', '500', option, join(folder, name)]);
    const bytesIn = (name: string): number => {
      const at = join(folder, name);
      if (!statSync(at).isDirectory()) return statSync(at).size;
      return readdirSync(at).reduce((sum, shard) => sum + statSync(join(at, shard)).size, 0);
    };
    await once(start('whole'), 'exit');
    let unfinished = 0;
    for (const ms of [0, 10, 40, 160]) {
      const child = start('killed');
      const ended = once(child, 'exit');
      while (readdirSync(folder).length === 1 + unfinished) await setTimeout(1); // it has not begun to write
      await setTimeout(ms);
      child.kill('SIGKILL');
      await ended;
      if (existsSync(join(folder, 'killed'))) expect(bytesIn('killed')).toBe(bytesIn('whole'));
      rmSync(join(folder, 'killed'), { recursive: true, force: true });
      unfinished = readdirSync(folder).length - 1;
    }
    expect(unfinished).toBeGreaterThan(0); // it was killed while it wrote
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toHaveLength(unfinished);
  });

  it('when it is interrupted while it waits for a pipe that nobody opens', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    let polls = 0;
    const waiting = () => ++polls > 30; // 20 ms each
    const reading = await shardbits([...args, pipe], { interruptWhen: waiting });
    expect(reading).toMatchObject({ code: 'SIGINT' });
    polls = 0;
    const writing = await shardbits([...args, '--out', pipe], { input: ['1\n'], interruptWhen: waiting });
    expect(writing).toMatchObject({ code: 'SIGINT' });
    polls = 0;
    const out = join(folder, 'out');
    const both = await shardbits([...args, pipe, '--out', out], { interruptWhen: waiting });
    expect(both).toMatchObject({ code: 'SIGINT' });
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  it('when the reader has had enough, it ends quietly', () => {
    const path = file(Buffer.concat(Array.from({ length: 50 }, () => words)));
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" dist/cli.js route --shards 10 "${path}" | head -n 1`],
      { encoding: 'utf8' },
    );
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  });
});
