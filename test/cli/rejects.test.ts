import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const NOT_U64 = 'expected a decimal integer from -2^63 to 2^64 - 1';
const NO_ID = NOT_U64;
const route = ['route', '--shards', '7', '--keys', 'u64', '--format', 'shard'];
const shardsOf = (keys: bigint[]) => [...new Router({ shards: 7 }).routeMany(BigUint64Array.from(keys))];

/** A folder with two files of ids, of which some are bad. */
function twoFiles(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'one'), '1\nx\ty\n3\n');
  writeFileSync(join(folder, 'two'), '4\r\n\r\n99999999999\n5');
  return folder;
}

describe('a malformed row ends a command after the rows before it', () => {
  it.each<[args: string[], input: string, stdout: string, problem: string]>([
    [route, '1\n2\nx\n3\n', `${shardsOf([1n, 2n]).join('\n')}\n`, `-:3: ${NOT_U64}, got "x"`],
    [['decode', '--layout', 'a:8'], '1\n2\nx\n3\n', 'id\ta\n1\t1\n2\t2\n', `-:3: ${NO_ID}, got "x"`],
    [['decode', '--layout', 'a:8'], '1\n256\n', 'id\ta\n1\t1\n', '-:2: expected an id of at most 8 bits, got 256'],
    [
      ['decode', '--layout', 'ragedb'],
      '1024\n12\n',
      'id\tlocal\ttype\tshard\n1024\t0\t1\t0\n',
      '-:2: expected an id whose type is at least 1, got 12',
    ],
    [['encode', '--layout', 'a:8'], 'a\n1\n2\n256\n', '1\n2\n', '-:4: a: expected an integer from 0 to 255, got 256'],
    [['encode', '--layout', 'a:8'], '\na\n1\n\r\n2\n\n', '1\n2\n', ''],
    [['encode', '--layout', 'a:8'], '\nb\n', '', '-:2: expected one of a, got "b" (Did you mean a?)'],
    [['encode', '--layout', 'a:8', '--format', 'json'], '{"a":1}\n{}\n', '1\n', '-:2: a: expected a value, got none'],
    [['hash'], 'a\n', `${'d24ec4f1a98c6e5b'}\n`, ''],
  ])('%j', async (args, input, rows, problem) => {
    for (const pieces of [[input], Array.from(input)]) {
      const { code, stdout, stderr } = await runHere(args, { input: pieces });
      expect([stdout.toString(), stderr, code]).toEqual([rows, problem && `error: ${problem}\n`, problem ? 1 : 0]);
    }
  });

  it('with --out nothing is left of them', async () => {
    const folder = twoFiles();
    for (const args of [route, ['decode', '--layout', 'a:8']]) {
      const run = await runHere([...args, './one', '--out', 'out', '--rejects', 'bad'], { cwd: folder });
      expect(run.code).toBe(0);
      const bad = await runHere([...args, './one', 'missing', '--out', 'other'], { cwd: folder });
      expect(bad.code).toBeGreaterThan(0);
    }
    expect(readdirSync(folder)).toEqual(['bad', 'one', 'out', 'two']);
  });
});

describe('--rejects takes malformed rows, with line and reason, and the rest goes on', () => {
  it('of one input', async () => {
    const folder = twoFiles();
    const { code, stdout, stderr } = await runHere(['decode', '--layout', 'a:8', 'one', '--rejects', 'bad'], {
      cwd: folder,
    });
    expect([code, stdout.toString(), stderr]).toEqual([0, 'id\ta\n1\t1\n3\t3\n', '1 row rejected: see bad\n']);
    expect(readFileSync(join(folder, 'bad'), 'utf8')).toBe(`2\t${NO_ID}, got "x\\ty"\tx\ty\n`);
  });

  it('of several, with their files, and of arguments', async () => {
    const folder = twoFiles();
    const args = ['decode', '--layout', 'a:8', '7', '256', 'one', '8', 'two', '-', '--rejects', 'bad', '--out', 'out'];
    const { code, stdout, stderr } = await runHere(args, { cwd: folder, input: ['-x\n9\n'] });
    expect([code, stdout.toString(), stderr]).toEqual([0, '', '5 rows rejected: see bad\n']);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('id\ta\n7\t7\n1\t1\n3\t3\n8\t8\n4\t4\n5\t5\n9\t9\n');
    expect(readFileSync(join(folder, 'bad'), 'utf8').split('\n')).toEqual([
      'argument 2\texpected an id of at most 8 bits, got 256\t256',
      `one:2\t${NO_ID}, got "x\\ty"\tx\ty`,
      `two:2\t${NO_ID}, got ""\t`,
      'two:3\texpected an id of at most 8 bits, got 99999999999\t99999999999',
      `-:1\t${NO_ID}, got "-x"\t-x`,
      '',
    ]);
  });

  it('of route, also in a summary and in a directory', async () => {
    const folder = twoFiles();
    for (const more of [['--summary', '--json'], ['--out-dir', 'dir'], []]) {
      const args = ['route', 'one', 'two', '--shards', '2', '--keys', 'u64', ...more, '--rejects', 'bad'];
      const { code, stderr } = await runHere(args, { cwd: folder });
      expect([code, stderr]).toEqual([0, '2 rows rejected: see bad\n']);
      expect(readFileSync(join(folder, 'bad'), 'utf8')).toBe(
        `one:2\t${NOT_U64}, got "x\\ty"\tx\ty\ntwo:2\t${NOT_U64}, got ""\t\n`,
      );
    }
  });

  it.each([
    ['csv', ['a,b', '1,2', '1,2"', '3,4', '', '', '1', '256,1', '"5",6', '', ''], [2, 6, 7]],
    ['json', ['{"a":1,"b":2}', '', '{"a":3', '{"a":3,"b":"4"}', '{"a":1,"b":256}', '{"a":5,"b":6}', ' ', ''], [2, 4]],
  ])('of encode, %s', async (format, lines, bad) => {
    const folder = temporaryFolder();
    const args = ['encode', '--layout', 'a:8,b:8', '--format', format, '--rejects', 'bad'];
    const text = lines.join('\n');
    for (const input of [[text], Array.from(text)]) {
      const { code, stdout, stderr } = await runHere(args, { cwd: folder, input });
      expect([stdout.toString(), code]).toEqual(['258\n772\n1286\n', 0]);
      expect(stderr).toBe(`${bad.length} rows rejected: see bad\n`);
      const rejected = readFileSync(join(folder, 'bad'), 'utf8').split('\n').slice(0, -1);
      expect(rejected.map((row) => row.replace(/\t.*\t/, '\t'))).toEqual(bad.map((i) => `${i + 1}\t${lines[i]}`));
    }
  });

  it('but not a header, which ends encode', async () => {
    const folder = temporaryFolder();
    const args = ['encode', '--layout', 'a:8', '--rejects', 'bad'];
    const run = await runHere(args, { cwd: folder, input: ['b\n1\n'] });
    expect(run).toMatchObject({ code: 1, stderr: 'error: -:1: expected one of a, got "b" (Did you mean a?)\n' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('and says so of none', async () => {
    const run = await runHere(['decode', '1', '--layout', 'a:8', '--rejects', 'bad'], { cwd: temporaryFolder() });
    expect([run.code, run.stderr]).toEqual([0, '0 rows rejected\n']);
  });

  it('on one line each, with line breaks and backslashes escaped', async () => {
    const folder = temporaryFolder();
    const args = ['hash', '--csv', '--key', 'a', '--rejects', 'bad'];
    const input = [Buffer.from('a,b\n1,2\n"x\r\ny\\z\n\xff",2,3\n', 'latin1')];
    const run = await runHere(args, { cwd: folder, input });
    expect([run.code, run.stderr]).toEqual([0, '1 row rejected: see bad\n']);
    const bytes = readFileSync(join(folder, 'bad'), 'latin1');
    expect(bytes.slice(bytes.lastIndexOf('\t') + 1)).toBe('"x\\r\\ny\\\\z\\n\xff",2,3\n');
    expect(bytes.split('\n')).toHaveLength(2);
  });

  it.each([
    [[...route], 'x\n'],
    [[...route.slice(0, -2), '--summary'], 'x\n\n'],
    [['hash', '--keys', 'u64'], 'x\n'],
    [['decode', '--layout', 'a:8'], 'x\n'],
    [['encode', '--layout', 'a:8'], 'a\nx\n'],
  ])('but exits with 1 if there are no others: %j', async (args, text) => {
    const folder = temporaryFolder();
    const run = await runHere([...args, '--rejects', 'bad'], { cwd: folder, input: [text] });
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(/rejected: see bad\nerror: no row was accepted\n$/),
    ]);
    expect(readFileSync(join(folder, 'bad'), 'utf8')).not.toBe('');
    const partly = await runHere([...args, '--rejects', 'bad'], { cwd: folder, input: [text, '1\n'] });
    expect(partly.code).toBe(0);
  });

  it('not into a file with the name of --out-dir', async () => {
    const folder = temporaryFolder();
    const args = ['route', '--shards', '3', '--rejects', './x', '--out-dir', 'x'];
    expect(await runHere(args, { cwd: folder, input: ['1\n'] })).toMatchObject({
      code: 2,
      stderr: 'error: --rejects: expected another name than that of --out-dir, got ./x\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('keys that are u64s', () => {
  it('may be negative, with the same bits', async () => {
    const run = await runHere(route, { input: ['5\n-1\n-9223372036854775808\n-0\n7\n-3'] });
    const keys = [5n, 2n ** 64n - 1n, 2n ** 63n, 0n, 7n, 2n ** 64n - 3n];
    expect([run.code, run.stdout.toString()]).toEqual([0, `${shardsOf(keys).join('\n')}\n`]);
    for (const bad of ['-9223372036854775809', '--1', '-', '- 1', '-1 ']) {
      const { code, stderr } = await runHere(route, { input: [`-1\n${bad}\n`] });
      expect([code, stderr]).toEqual([1, `error: -:2: ${NOT_U64}, got "${bad}"\n`]);
    }
  });

  it('are not of several columns', async () => {
    for (const command of [['route', '--shards', '3'], ['hash'], ['plan', '--from', '3', '--to', '4']]) {
      const args = [...command, '--csv', '--key', 'a', '--key', 'b', '--keys', 'u64'];
      expect(await runHere(args, { input: ['a,b\n1,2\n'] })).toMatchObject({
        code: 2,
        stderr: 'error: --keys: expected "text" with several --key, got "u64"\n',
      });
    }
  });
});
