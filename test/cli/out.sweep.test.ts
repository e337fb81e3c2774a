import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { IS_FULL } from '../support/scale.js';
import { hasSqlite } from '../support/sqlite.js';

const STORE = 'ids.db';
const INTERN = hasSqlite() ? [['intern', '--store', STORE]] : [];

const PLACED = Array.from({ length: 50 }, (_, i) => `${new Router({ shards: 9 }).route(`${i}`)}\t${i}\n`).join('');

/** Each with what it reads. */
const COMMANDS: [args: string[], input: string][] = [
  [['route', '--shards', '9'], 'a\nb\n'],
  [['plan', '--from', '3', '--to', '4', '--json'], 'a\nb\n'],
  [['plan', '--from', '3', '--to', '4'], 'a\nb\n'],
  [['detect', '--json'], PLACED],
  [['hash'], 'a\nb\n'],
  [['vectors'], ''],
  [['decode', '--layout', 'a:8', '--format', 'csv'], '1\n2\n'],
  [['encode', '--layout', 'a:8'], 'a\n1\n'],
  [['encode', '--layout', 'a:8', 'a=1'], ''],
  ...INTERN.flatMap((args): typeof COMMANDS => [
    [args, 'a\nb\n'],
    [[...args, '--resolve'], ''],
  ]),
];

describe('--out', () => {
  it.each(COMMANDS)('has what standard output would have, and - is standard output: %j', async (args, text) => {
    const folder = temporaryFolder();
    const run = (...more: string[]) => runHere([...args, ...more], { cwd: folder, input: [text] });
    if (args.includes('--resolve')) await runHere(['intern', '--store', STORE], { cwd: folder, input: ['x'] });
    const { stdout } = await run();
    expect(await run('--out', '-')).toEqual({ code: 0, stdout, stderr: '' });
    writeFileSync(join(folder, 'out'), 'what was there before');
    const { code, stdout: none, stderr } = await run('--out', 'out');
    expect([code, none.length, stderr]).toEqual([0, 0, '']);
    expect(readFileSync(join(folder, 'out')).equals(stdout)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  it('adds to what a descriptor is open for, and does not replace its file', async () => {
    const folder = temporaryFolder();
    const cli = join(process.cwd(), 'dist/cli.js');
    const run = `echo before; printf 'a\\n' | node ${cli} hash --out /dev/stdout; printf 'x\\n1\\n' | node ${cli} route --shards 3 \
      --keys u64 --rejects /dev/stderr --out rows; echo after`;
    execFileSync('sh', ['-c', `(${run}) >> log 2>&1`], { cwd: folder });
    expect(readFileSync(join(folder, 'log'), 'utf8').split('\n')).toEqual([
      'before',
      'd24ec4f1a98c6e5b',
      expect.stringMatching(/^1\t.*\tx$/),
      '1 row rejected: see /dev/stderr',
      'after',
      '',
    ]);
  });

  it('is not the high-water file of mint, also before there is one', async () => {
    const folder = temporaryFolder();
    const args = ['mint', '--shard', '1', '--high-water', 'mark', '--out', './mark'];
    expect(await runHere(args, { cwd: folder })).toMatchObject({
      code: 2,
      stderr: 'error: --out: expected another file than the input, got ./mark\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes new ids of mint', async () => {
    const folder = temporaryFolder();
    const { stdout } = await runHere(['mint', '--shard', '1', '--out', 'ids', '--count', '5'], { cwd: folder });
    expect([stdout.length, readFileSync(join(folder, 'ids'), 'utf8').split('\n').length]).toEqual([0, 6]);
  });

  it.each(['bad', 'missing'])('is not there when the command fails: %s', async (input) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'bad'), `${'1\n'.repeat(50_000)}x\n`);
    for (const args of [
      ['decode', '--layout', 'a:8', './bad', `./${input}`],
      ['encode', '--layout', 'a:8', './bad', `./${input}`],
      ['hash', input, '/'],
      ['plan', '--from', '3', '--to', '4', '--keys', 'u64', input],
      ...INTERN.map((args) => [...args, input, '--resolve']),
    ]) {
      const run = await runHere([...args, '--out', 'out'], { cwd: folder });
      expect(run.code).toBeGreaterThan(0);
      expect(readdirSync(folder)).toEqual(['bad']);
    }
  });

  it.each([
    ['decode', '--layout', 'a:8', '--rejects', 'bad'],
    ['hash'],
    ['encode', '--layout', 'a:8'],
    ...INTERN,
  ])('is not there when a signal ends the command: %s', async (...args) => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    function* endless() {
      yield 'a\n';
      for (;;) yield '1\n'.repeat(10_000);
    }
    const begun = () => readdirSync(folder).some((name) => name.startsWith('out'));
    const run = await shardbits([...args, '--out', out], { cwd: folder, input: endless(), interruptWhen: begun });
    expect(run).toMatchObject({ code: 'SIGINT', stderr: '' });
    expect(readdirSync(folder).filter((name) => !name.startsWith(STORE))).toEqual([]);
  });

  it.skipIf(!hasSqlite())('is not there when a signal ends mint, which gives its lease back', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    const begun = () => existsSync(join(folder, STORE)) && readdirSync(folder).some((name) => name.startsWith('out'));
    const args = ['mint', '--lease', STORE, '--count', '1000000000', '--out', out];
    const run = await shardbits(args, { cwd: folder, interruptWhen: begun });
    expect(run).toMatchObject({ code: 'SIGINT', stderr: '' });
    expect(readdirSync(folder).filter((name) => !name.startsWith(STORE))).toEqual([]);
  });
});

describe('--out is refused before anything is written', () => {
  it('if it is an input, by whatever name', async () => {
    const folder = temporaryFolder();
    const keys = join(folder, 'keys');
    writeFileSync(keys, '1\n');
    symlinkSync('keys', join(folder, 'link'));
    linkSync(keys, join(folder, 'hard'));
    for (const out of [keys, './keys', 'link', 'hard']) {
      for (const args of [
        ['route', '--shards', '3', 'keys'],
        ['decode', '--layout', 'a:8', '5', 'keys'],
      ]) {
        const { code, stderr } = await runHere([...args, '--out', out], { cwd: folder });
        expect([code, stderr]).toEqual([2, `error: --out: expected another file than the input, got ${out}\n`]);
      }
      const shell = `"${process.execPath}" "${process.cwd()}/dist/cli.js" hash --out ${out} < keys`;
      const { status, stderr } = spawnSync('sh', ['-c', shell], { cwd: folder, encoding: 'utf8' });
      expect([status, stderr]).toEqual([2, `error: --out: expected another file than the input, got ${out}\n`]);
      expect(readFileSync(keys, 'utf8')).toBe('1\n');
    }
  });

  it('but a device may be both', () => {
    const args = ['dist/cli.js', 'hash', '/dev/null', '--out', '/dev/null'];
    expect(execFileSync(process.execPath, args).length).toBe(0);
  });
});

describe('route --summary --json', () => {
  it('is one object of numbers', async () => {
    const args = ['route', '--shards', '4', '--down', '1', '--summary', '--json'];
    const { code, stdout, stderr } = await runHere(args, { input: ['a\nb\nc\nd\ne\n'] });
    expect([code, stderr]).toEqual([0, '']);
    const summary = JSON.parse(stdout.toString());
    expect(summary).toMatchObject({ keys: 5, shards: 4, down: 1, mean: 5 / 3 });
    expect(Object.keys(summary).join()).toBe('keys,seconds,keysPerSecond,shards,down,min,mean,max,deviation');
    expect(Object.values(summary).every(Number.isFinite)).toBe(true);
    expect(summary.keysPerSecond).toBeCloseTo(5 / summary.seconds, 3);
  });
});

describe('--max-rows-per-file', () => {
  // 100,000 files take half a minute.
  it.runIf(IS_FULL)('leaves nothing if there are too many files', async () => {
    const cwd = temporaryFolder();
    const args = ['route', '--shards', '2', '--out-dir', 'parts', '--max-rows-per-file', '1'];
    expect(await runHere(args, { input: ['key\n'.repeat(100_001)], cwd })).toMatchObject({
      code: 2,
      stderr:
        'error: --max-rows-per-file: expected a larger number, as a shard may have 100000 files, and all shards 262144, got 1\n',
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
