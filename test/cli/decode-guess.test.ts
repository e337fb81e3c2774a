import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SERVICE_LAYOUTS } from '../../src/cli/commands/decode.js';
import { SERVICES } from '../../src/guess/index.js';
import { layouts } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { DISCORD, folderOfIds, GUESS, idsOf } from './guessed-ids.js';

/** Runs decode without and with a layout: both must write the same. */
async function expectGuess(
  layout: string,
  args: string[],
  options: { input?: string[] | Uint8Array[]; cwd?: string } = {},
): Promise<string> {
  const guessed = await runHere(['decode', ...args], options);
  const given = await runHere(['decode', ...args, '--layout', layout], options);
  expect([given.code, given.stderr]).toEqual([0, '']);
  expect([guessed.code, guessed.stdout.toString()]).toEqual([0, given.stdout.toString()]);
  return guessed.stderr;
}

describe('decode without --layout', () => {
  it('guesses the layout from a file, and says so', async () => {
    const cwd = folderOfIds();
    expect(await expectGuess('discord', ['ids.txt'], { cwd })).toBe(GUESS);
    expect(await expectGuess('discord', ['ids.txt', '--json'], { cwd })).toBe(GUESS);
    expect(await expectGuess('discord', ['ids.txt', '--raw', '--format', 'csv'], { cwd })).toBe(GUESS);
  });

  it('from what is compressed', async () => {
    const cwd = folderOfIds();
    expect(await expectGuess('discord', ['ids.gz'], { cwd })).toBe(GUESS);
    expect(await expectGuess('discord', [], { input: [readFileSync(join(cwd, 'ids.gz'))] })).toBe(GUESS);
  });

  it('from standard input, wherever it is cut', async () => {
    const text = `\ufeff${DISCORD.join('\r\n')}`;
    for (const size of [1, 1000]) {
      const input = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      expect(await expectGuess('discord', ['-'], { input })).toBe(GUESS);
    }
  });

  it('from arguments, and from the first of several inputs that has ids', async () => {
    const cwd = folderOfIds();
    const some = DISCORD.slice(0, 50);
    expect(await expectGuess('discord', some)).toMatch(/^guessed layout: discord; also: /);
    expect(await expectGuess('discord', ['empty', 'ids.txt', '7', '-'], { cwd, input: ['8\n'] })).toBe(GUESS);
    expect(await expectGuess('discord', ['-', 'ids.gz'], { cwd, input: [] })).toBe(GUESS);
  });

  it.each([
    ['--csv', `n,"the ""id"""\n${DISCORD.map((id, i) => `${i},${id}\n`).join('')}`, 'the "id"'],
    ['--csv', `"a\nb",id\n${DISCORD.map((id, i) => `"${i}\n${'x'.repeat(9000)}",${id}\n`).join('')}`, 'id'],
    ['--tsv', `n\tid\r\n${DISCORD.map((id, i) => `${i}\t"${id}"\r\n`).join('')}`, 'id'],
    ['--ndjson', DISCORD.map((id, i) => `{"n":${i},"a":{"id":"${id}"}}\n`).join(''), 'a.id'],
  ])('from a column of records: %s', async (format, text, key) => {
    expect(await expectGuess('discord', [format, '--key', key], { input: [text] })).toMatch(
      /^guessed layout: discord; also: /,
    );
  });

  it('and passes over malformed records while it guesses', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.csv'), `id,n\n1\n${DISCORD.map((id) => `${id},\n`).join('')}x,\n`);
    const run = await runHere(['decode', 'a.csv', '--csv', '--key', 'id', '--rejects', 'bad'], { cwd });
    expect([run.code, run.stderr]).toEqual([0, `${GUESS}2 rows rejected: see bad\n`]);
    expect(run.stdout.toString().split('\n')).toHaveLength(DISCORD.length + 2);
    expect(readFileSync(join(cwd, 'bad'), 'utf8')).toBe(
      `2\texpected 2 fields, got "1"\t1\n${DISCORD.length + 3}\texpected a decimal integer from -2^63 to 2^64 - 1, got "x"\tx,\n`,
    );
  });

  it('says what is wrong in a row after the rows before it, as with --layout', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), `${DISCORD.join('\n')}\nx\n`);
    const run = await runHere(['decode', 'ids'], { cwd });
    const message = 'expected a decimal integer from -2^63 to 2^64 - 1, got "x"';
    expect([run.code, run.stderr]).toEqual([1, `${GUESS}error: ids:${DISCORD.length + 1}: ${message}\n`]);
    expect(run.stdout.toString().split('\n')).toHaveLength(DISCORD.length + 2);
  });

  it('goes by names of columns and files', async () => {
    const [id] = DISCORD;
    const cwd = temporaryFolder();
    const input = [`tweet_id,guild\n${id},${id}\n`];
    const guess = async (args: string[]) => (await runHere(['decode', ...args], { cwd, input })).stderr;
    expect(await guess(['--csv', '--key', 'tweet_id'])).toMatch(/^guessed layout: twitter;/);
    expect(await guess(['--csv', '--key', 'guild'])).toMatch(/^guessed layout: discord;/);
    for (const service of ['twitter', 'discord']) {
      writeFileSync(join(cwd, `${service}-ids.txt`), String(id));
      expect(await guess([`${service}-ids.txt`])).toMatch(`guessed layout: ${service};`);
    }
  });

  it.each([
    ['--csv', (id: string, date: string) => `${id},"2001-01-01, or so","${date}"\r\n`, 'id,updated,created\r\n'],
    ['--tsv', (id: string, date: string) => `${id}\t2001-01-01\t${Date.parse(date)}\n`, 'id\tupdated\tcreated\n'],
    [
      '--ndjson',
      (id: string, date: string) => `{"updated":1,"id":${id},"a":{"at":[${Math.floor(Date.parse(date) / 1000)}]}}\n`,
      '',
    ],
  ])('goes by the dates in other columns: %s', async (format, rowOf, header) => {
    // As Discord makes them, but of the dates that Hazelcast makes such ids.
    const ids = DISCORD.filter((id) => layouts.discord.dateOf(id).getTime() < Date.UTC(2022, 0)).slice(0, 5);
    const rows = (dateOf: (id: string) => Date) => ids.map((id) => rowOf(id, dateOf(id).toISOString())).join('');
    const guess = async (text: string) =>
      (await runHere(['decode', format, '--key', 'id'], { input: [header + text] })).stderr;
    expect(await guess(rows((id) => layouts.hazelcast.dateOf(id)))).toMatch(/^guessed layout: hazelcast;/);
    expect(await guess(rows(() => new Date(0)))).toMatch(/^guessed layout: discord;/);
    // A row that is not an id has no part in it.
    const bad = rowOf('0.5', '2020-01-01T00:00:00.000Z');
    expect(await guess(bad + rows((id) => layouts.hazelcast.dateOf(id)))).toMatch(/^guessed layout: hazelcast;/);
  });

  it.each([
    ['8138669971', 'perhaps a number that counts up, or a tweet from before November 2010, when ids had no time'],
    ['1710000000', 'perhaps a time in Unix seconds, 2024-03-09T16:00:00.000Z'],
    ['1710000000000', 'perhaps a time in Unix milliseconds, 2024-03-09T16:00:00.000Z'],
    ['1710000000000000', 'perhaps a time in Unix microseconds, 2024-03-09T16:00:00.000Z'],
    ['1710000000000000000', 'perhaps a time in Unix nanoseconds, 2024-03-09T16:00:00.000Z'],
    ['20240309153000', 'perhaps a date in digits, 2024-03-09T15:30:00.000Z'],
    ['4967273022359838', 'perhaps a Weibo post, 2023-11-12T'],
    ['15692727345848811763', 'perhaps a hash or a random number'],
  ])('says that %s is not an id of a known service: %s', async (id, perhaps) => {
    const { code, stdout, stderr } = await runHere(['decode', id]);
    expect([code, stdout.toString()]).toEqual([0, `id\n${id}\n`]);
    expect(stderr).toContain(`guessed layout: none; ${perhaps}`);
  });

  it('writes records as they are if their ids are not of a known service', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.csv'), 'id,n\n20,x\n30,y');
    writeFileSync(join(cwd, 'a.ndjson'), '{"id":20}\n{"id":30}');
    const run = async (args: string[]) =>
      (await runHere(['decode', ...args, '--key', 'id'], { cwd })).stdout.toString();
    expect(await run(['a.csv', '--csv'])).toBe('id,n\n20,x\n30,y\n');
    expect(await run(['a.ndjson', '--ndjson'])).toBe('{"id":20}\n{"id":30}\n');
  });

  it('says how many ids look rounded', async () => {
    const one = await runHere(['decode', '1306705919916249000']);
    expect(one.stderr).toMatch(
      /^guessed layout: discord; .*\nwarning: 1 of the first 1 ids look rounded: JSON\.parse and/,
    );
    const exact = await runHere(['decode', '1541815603606036480']);
    expect(exact.stderr).not.toContain('rounded');
  });

  it.each([
    [[]],
    [['empty']],
    [['empty', 'empty', '-']],
    [['--csv', '--key', 'id', 'table']],
  ])('is bad usage if the input has no rows: %s', async (args) => {
    const cwd = folderOfIds();
    writeFileSync(join(cwd, 'table'), 'id\n');
    const run = await runHere(['decode', ...args, '--out', 'out'], { cwd, input: [] });
    expect(run).toMatchObject({
      code: 2,
      stderr: 'error: --layout is required: the input has no ids to guess it from\n',
    });
  });

  it.each([
    [['words'], 'words:1: ', 'apple'],
    [['empty', 'words', '-'], 'words:1: ', 'apple'],
    [['-', 'words'], '-:1: ', 'x'],
    [['--csv', '--key', 'id', 'ids.csv'], 'ids.csv:2: id: ', 'abc'],
    [['--csv', '--key', '2', '--no-header', 'ids.csv'], 'ids.csv:1: column 2: ', 'name'],
    [['--ndjson', '--key', 'a.id', 'ids.ndjson'], 'ids.ndjson:1: a.id: ', 'abc'],
  ])('says what is wrong in the first row if the input has no ids: %s', async (args, place, got) => {
    const cwd = folderOfIds();
    writeFileSync(join(cwd, 'words'), 'apple\npear\n');
    writeFileSync(join(cwd, 'ids.csv'), 'id,name\nabc,ann\ndef,bob\n');
    writeFileSync(join(cwd, 'ids.ndjson'), '{"a":{"id":"abc"}}\n');
    const run = await runHere(['decode', ...args, '--out', 'out'], { cwd, input: ['x\n'] });
    const expected = 'a decimal integer from -2^63 to 2^64 - 1';
    expect([run.code, run.stderr]).toEqual([1, `error: ${place}expected ${expected}, got "${got}"\n`]);
  });

  it('says what is wrong in the first record if none is one', async () => {
    const run = async (args: string[], text: string) =>
      (await runHere(['decode', '--key', 'id', ...args], { input: [text] })).stderr;
    expect(await run(['--csv'], 'id,n\n1\n')).toBe('error: -:2: expected 2 fields, got "1"\n');
    expect(await run(['--ndjson'], '{"id":null}\n')).toBe('error: -:1: id: expected a key other than NULL, got null\n');
  });

  it('says what cannot be read', async () => {
    const cwd = folderOfIds();
    writeFileSync(join(cwd, 'cut.gz'), readFileSync(join(cwd, 'ids.gz')).subarray(0, 60));
    const error = async (...args: string[]) => (await runHere(['decode', ...args], { cwd })).stderr;
    expect(await error('--csv', '--key', 'id', 'missing')).toBe('error: missing: no such file or directory\n');
    expect(await error('.')).toBe('error: .: illegal operation on a directory\n');
    const parquet = await runHere(['decode', '-'], { cwd, input: ['PAR1\x15\x04'] });
    expect(parquet.stderr).toMatch(/^error: -: expected lines of text, got Parquet; route, hash, plan, /);
    expect(await error('cut.gz')).toMatch(/error: cut\.gz: unexpected end of file\n$/);
    expect(await error('--csv', '--key', 'id', 'ids.txt')).toMatch(
      /^error: ids\.txt:1: expected a column named id, got "\d+"\n$/,
    );
  });

  it('wants an epoch to be of a layout that is given', async () => {
    const run = await runHere(['decode', '1', '--epoch', '2020-01-01T00:00:00Z']);
    expect(run).toMatchObject({ code: 2, stderr: 'error: --epoch requires --layout\n' });
  });
});

describe('the layouts that can be guessed', () => {
  it('can be given to decode by their names, also those that are not presets', async () => {
    const presets = Object.keys(layouts);
    const others = SERVICES.map(({ name }) => name).filter((name) => !presets.includes(name));
    expect([...SERVICE_LAYOUTS.keys()]).toEqual(others);
    expect(others).toEqual(['tiktok', 'slack']);

    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), idsOf('tiktok').join('\n'));
    expect(await expectGuess('tiktok', ['ids'], { cwd })).toMatch(/^guessed layout: tiktok; also: /);
    const since = ['--layout', 'tiktok', '--epoch', '2000-01-01T00:00:00Z'];
    const run = await runHere(['decode', '5', ...since, '--json']);
    expect(JSON.parse(run.stdout.toString())).toMatchObject({ timestamp: 946684800000, tail: 5 });
  });

  it('of which encode and mint take only the presets', async () => {
    for (const args of [
      ['encode', 'timestamp=1', 'millisecond=1', 'tail=1'],
      ['mint', '--shard', '1'],
    ]) {
      const run = await runHere([...args, '--layout', 'tiktok']);
      expect(run.code).toBe(2);
      expect(run.stderr).toMatch(/^error: --layout: expected one of (?!.*tiktok,).*, got "tiktok"/);
    }
  });

  it('are suggested for typos', async () => {
    const run = await runHere(['decode', '1', '--layout', 'tiktk']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/got "tiktk" \(Did you mean tiktok\?\)\n$/) });
  });
});
