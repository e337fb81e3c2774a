import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

/** Ids of each kind with their times: the examples of their specifications, and a UUID of version 1 with microseconds. */
const KINDS: { [kind: string]: [id: string, timestamp: string, date: string][] } = {
  uuid: [
    ['017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '1645557742000', '2022-02-22T19:22:22.000Z'],
    ['C232AB0A941411ECB3C89F6BDECED846', '1645557742000.001', '2022-02-22T19:22:22.000Z'],
  ],
  ulid: [
    ['01ARYZ6S41TSV4RRFFQ69G5FAV', '1469918176385', '2016-07-30T22:36:16.385Z'],
    ['01bx5zzkbkactav9wevgemmvrz', '1508808576371', '2017-10-24T01:29:36.371Z'],
  ],
  objectid: [['507f1f77bcf86cd799439011', '1350508407000', '2012-10-17T21:13:27.000Z']],
  ksuid: [['0ujtsYcgvSTl8PAuAdqWYSMnLOv', '1507608047000', '2017-10-10T04:00:47.000Z']],
  xid: [['9m4e2mr0ui3e8a215n4g', '1300816219000', '2011-03-22T17:50:19.000Z']],
};

const NAMES = Object.keys(KINDS);

const table = (rows: readonly (readonly string[])[], separator = '\t') =>
  [['id', 'timestamp', 'date'], ...rows].map((row) => `${row.join(separator)}\n`).join('');

const V4 = '919108f7-52d1-4320-9bac-f847db4148a8';
const NO_TIME = `expected a UUID of version 1, 6 or 7 (a UUID of version 4 has no time), got "${V4}"`;

describe.each(NAMES)('decode of ids of kind %s', (kind) => {
  const rows = KINDS[kind] as [string, string, string][];
  const lines = rows.map(([id]) => `${id}\n`).join('');

  it('writes their times, guessed or with --text', async () => {
    for (const [args, stderr] of [
      [[], `guessed ids: ${kind}\n`],
      [['--text', kind], ''],
    ] as const) {
      const run = async (more: string[], input?: string[]) => {
        const { code, stdout, stderr } = await runHere(['decode', ...args, ...more], { ...(input && { input }) });
        return [code, stdout.toString(), stderr];
      };
      expect(await run([], [lines])).toEqual([0, table(rows), stderr]);
      expect(await run([], [lines.replaceAll('\n', '\r\n').trimEnd()])).toEqual([0, table(rows), stderr]);
      expect(await run(rows.map(([id]) => id))).toEqual([0, table(rows), stderr]);
      expect(await run(['--format', 'csv'], [lines])).toEqual([0, table(rows, ','), stderr]);
      const objects = rows.map(([id, timestamp, date]) => `{"id":"${id}","timestamp":${timestamp},"date":"${date}"}\n`);
      expect(await run(['--json'], [lines])).toEqual([0, objects.join(''), stderr]);
    }
  });

  it('adds them to records', async () => {
    for (const [args, stderr] of [
      [[], `guessed ids: ${kind}\n`],
      [['--text', kind], ''],
    ] as const) {
      const csv = await runHere(['decode', '--csv', '--key', 'key', ...args], {
        input: [`n,key\r\n${rows.map(([id], i) => `${i},"${id}"\r\n`).join('')}`],
      });
      expect([csv.code, csv.stderr]).toEqual([0, stderr]);
      const written = rows.map(([id, timestamp, date], i) => `${i},"${id}",${timestamp},${date}\r\n`);
      expect(csv.stdout.toString()).toBe(`n,key,timestamp,date\r\n${written.join('')}`);

      const json = await runHere(['decode', '--ndjson', '--key', 'a.b', ...args], {
        input: rows.map(([id], i) => `{"n":${i},"a":{"b":"${id}"}}\n`),
      });
      expect([json.code, json.stderr]).toEqual([0, stderr]);
      expect(json.stdout.toString()).toBe(
        rows
          .map(([id, time, date], i) => `{"n":${i},"a":{"b":"${id}"},"timestamp":${time},"date":"${date}"}\n`)
          .join(''),
      );
    }
  });
});

describe('decode of ids wider than 64 bits', () => {
  const row = KINDS.uuid?.[0] as [string, string, string];
  const [good] = row;

  it('names rows that are malformed or have no time, after those before them', async () => {
    for (const [bad, problem] of [
      [V4, NO_TIME],
      ['x', 'expected a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens, got "x"'],
      ['7', 'expected a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens, got "7"'],
    ] as const) {
      const { code, stdout, stderr } = await runHere(['decode'], { input: [`${good}\n${good}\n${bad}\n${good}\n`] });
      expect([code, stdout.toString()]).toEqual([1, table([row, row])]);
      expect(stderr).toBe(`guessed ids: uuid\nerror: -:3: ${problem}\n`);
    }
    const { code, stderr } = await runHere(['decode', good, V4, '--text', 'uuid']);
    expect([code, stderr]).toEqual([1, `error: argument 2: ${NO_TIME}\n`]);
  });

  it('sends such rows to --rejects', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), `${V4}\n${good}\n\n${good}\nx\n${good}\n`);
    const run = await runHere(['decode', 'ids', '--rejects', 'bad'], { cwd });
    expect([run.code, run.stderr]).toEqual([0, 'guessed ids: uuid\n3 rows rejected: see bad\n']);
    expect(run.stdout.toString()).toBe(table([row, row, row]));
    const rejects = readFileSync(join(cwd, 'bad'), 'utf8').split('\n');
    expect(rejects.map((line) => line.split('\t')[0])).toEqual(['1', '3', '5', '']);
    expect(rejects[0]).toBe(`1\t${NO_TIME}\t${V4}`);

    writeFileSync(join(cwd, 'ids.csv'), `id\n${V4}\n"${good}\n${good}\n`);
    const records = await runHere(['decode', 'ids.csv', '--csv', '--key', 'id', '--rejects', 'bad'], { cwd });
    expect(records.stdout.toString()).toBe(`id,timestamp,date\n${row.join(',')}\n`);
    expect(readFileSync(join(cwd, 'bad'), 'utf8')).toBe(
      `2\t${NO_TIME}\t${V4}\n3\texpected a closing quote, got "\\"${good}"\t"${good}\n`,
    );
  });

  it('are not guessed where --layout or --text says what ids are, or where most rows are others', async () => {
    const input = [`${good}\n`];
    const error = async (args: string[], lines = input) =>
      (await runHere(['decode', ...args], { input: lines })).stderr;
    expect(await error(['--layout', 'discord'])).toMatch(/^error: -:1: expected a decimal integer/);
    expect(await error(['--text', 'hex'])).toMatch(/^error: -:1: expected an integer .* in hex, got/);
    expect(await error([], [`${good}\n1\n2\n`])).toMatch(/^guessed layout: .*\nerror: -:1: expected a decimal/);
    expect(await error([good, '--layout', 'discord'])).toBe(`error: "${good}" is neither an id nor a file\n`);
    expect(await error([good, '--text', 'ulid'])).toBe(`error: "${good}" is neither an id nor a file\n`);
  });

  it.each([
    [['--text', 'uuid', '--layout', 'discord'], '--layout cannot be combined with --text uuid'],
    [['--text', 'ulid', '--epoch', '0'], '--epoch cannot be combined with --text ulid'],
    [['--text', 'xid', '--raw'], '--raw cannot be combined with --text xid'],
    [['--raw'], '--raw: expected ids of 64 bits, got ids of kind uuid'],
  ])('have no layout: %s', async (args, message) => {
    const run = await runHere(['decode', ...args], { input: [`${good}\n`] });
    expect(run).toMatchObject({ code: 2, stderr: `error: ${message}\n` });
  });

  it('of no rows are a header, if --text says what they are', async () => {
    const run = await runHere(['decode', '--text', 'uuid'], { input: [] });
    expect([run.code, run.stdout.toString(), run.stderr]).toEqual([0, table([]), '']);
  });

  it('and of records that have such columns already, are malformed', async () => {
    const run = await runHere(['decode', '--csv', '--key', 'id'], { input: [`id,date\n${good},1\n`] });
    expect(run.code).toBe(1);
    expect(run.stderr).toBe(
      'guessed ids: uuid\nerror: -:1: expected no column named date, got "id,date"; --prefix id_ adds id_date instead\n',
    );
  });
});
