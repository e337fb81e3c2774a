import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { keysIn, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { file, tsv, words } from './keys.js';

describe('route writes', () => {
  it('--out: a file, and nothing beside it', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.tsv');
    writeFileSync(out, 'what was there before');
    const { code, stdout } = await runHere(['route', '--shards', '1024', '--out', out], { input: [words] });
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
});
