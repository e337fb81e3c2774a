import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const DISCORD = '1116551844710330458';
/** Its date is of a year when fewer people had ids of Discord. */
const DOUBTFUL = '175928847299117063';
const UUID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';

/** What decode shows on a terminal, without trailing newline. */
async function shown(args: string[], columns = 80, options: { input?: string[]; cwd?: string; colors?: boolean } = {}) {
  const { colors = false, ...rest } = options;
  const { code, stdout, stderr } = await runHere(['decode', ...args], { ...rest, terminal: { columns, colors } });
  return { code, stderr, text: stdout.toString().replace(/, \d+ \w+ ago$/gm, ', … ago') };
}

describe('decode of one id on a terminal is a card', () => {
  it('of what it is, its date and its fields', async () => {
    const card = [
      DISCORD,
      '',
      '  discord, if it is a Discord id',
      '  2023-06-09T02:18:24.309Z, … ago',
      '',
      '  [000011110111111011001001111111001010110101][00010][00011][000001011010]',
      '',
      '  timestamp  42 bits  1686277104309',
      '  worker      5 bits  2',
      '  process     5 bits  3',
      '  increment  12 bits  90',
      '',
    ].join('\n');
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), DISCORD);
    expect(await shown([DISCORD])).toEqual({ code: 0, stderr: '', text: card });
    expect(await shown(['ids'], 80, { cwd })).toEqual({ code: 0, stderr: '', text: card });
    expect(await shown([], 80, { input: [DISCORD.slice(0, 5), DISCORD.slice(5)] })).toMatchObject({ text: card });
    const known = await shown([DISCORD, '--layout', 'discord']);
    expect(known.text).toBe(card.replace(/discord, if .*/, 'discord'));
    const raw = await shown([DISCORD, '--layout', 'discord', '--raw']);
    expect(raw.text).toBe(known.text.replace('1686277104309', '266206704309'));
  });

  it('as wide as the terminal', async () => {
    const { text } = await shown([DISCORD], 50);
    expect((await shown([DOUBTFUL], 44)).text).toContain(
      '\n  perhaps discord, or twitter, hazelcast,\n  cockroachdb, sonyflake\n',
    );
    expect(text).toContain('\n  [00001111011111101100100111111100\n   1010110101][00010][00011][000001011010]\n');
    for (const columns of [80, 60, 50, 40]) {
      for (const id of [DISCORD, DOUBTFUL, '1306705919916249000', '1710000000', ...(columns > 40 ? [UUID] : [])]) {
        for (const line of (await shown([id], columns)).text.split('\n'))
          expect(line.length).toBeLessThanOrEqual(columns);
      }
    }
    expect((await shown([DISCORD], 0)).text).toBe((await shown([DISCORD], 80)).text);
  });

  it('with a colour for each field', async () => {
    const { text } = await shown([DISCORD], 50, { colors: true });
    const plain = stripVTControlCharacters(text);
    expect(text).toContain(
      '\n  \x1b[30;46m00001111011111101100100111111100\x1b[0m\n  \x1b[30;46m1010110101\x1b[0m\x1b[30;43m00010',
    );
    expect(text).toContain('\n  \x1b[30;43mworker\x1b[0m      5 bits  2\n');
    expect(plain).toBe((await shown([DISCORD], 50)).text.replace(/^ {3}/gm, '  ').replace(/[[\]]/g, ''));
  });

  it.each([
    ['--layout a:1,b:3', '5', '\n\n  [0][101]\n\n  a   1 bit   0\n  b   3 bits  5\n'],
    ['--layout interned', '-9145684943282634728', '\n  interned\n\n  [10000001000101][0'],
    ['', '1710000000', '  not an id of a known service\n  perhaps a time in Unix seconds, 2024-03-09T16:00:00.000Z\n'],
    ['', '1306705919916249000', '\n  looks rounded: JSON.parse and other programs'],
    [
      '',
      UUID,
      '\n\n  UUID version 7\n  2022-02-22T19:22:22.000Z, … ago\n\n' +
        '  [000000010111111100100010111000100111100110110000][0111][110011000011]\n' +
        '  [10][01100011000100110111000000110000001100000001110011100110001111]\n\n' +
        '  unix_ts_ms  48 bits  1645557742000\n' +
        '  version      4 bits  7\n' +
        '  rand_a      12 bits  3267\n' +
        '  variant      2 bits  2\n' +
        '  rand_b      62 bits  0x18c4dc0c0c07398f\n',
    ],
    ['', '6BA7B810-9DAD-11D1-80B4-00C04FD430C8', '\n  node       48 bits  825973027016  MAC 00:c0:4f:d4:30:c8\n'],
    [
      '--text ulid',
      '01ARYZ6S41TSV4RRFFQ69G5FAV',
      '\n\n  ULID\n  2016-07-30T22:36:16.385Z, … ago\n\n  [0000000101010110',
    ],
    [
      '',
      '0ujtsYcgvSTl8PAuAdqWYSMnLOv',
      '\n  time      32 bits  107608047\n  payload  128 bits  0xb5a1cd34b5f99d1154fb6853345c9735\n',
    ],
    ['', '507f1f77bcf86cd799439011', '\n  MongoDB ObjectId\n  2012-10-17T21:13:27.000Z, … ago\n'],
    ['', '9007199254740992', '\n\n  2^53, one more than the largest safe integer of JavaScript\n'],
    ['', '-1', '\n\n  2^64 - 1, the largest unsigned integer of 64 bits, and -1 as a signed one\n'],
    ['', DOUBTFUL, '\n\n  perhaps discord, or twitter, hazelcast, cockroachdb, sonyflake\n'],
  ])('also decode %s %s', async (options, id, part) => {
    const { code, stderr, text } = await shown([id, ...options.split(' ').filter((one) => one !== '')]);
    expect([code, stderr]).toEqual([0, '']);
    expect(text).toMatch(new RegExp(`^${id}\n\n`));
    expect(text).toContain(part);
  });

  it('that says how long ago it was', async () => {
    const ago = async (ms: number) => {
      const { stdout } = await runHere(
        ['decode', '--layout', 'discord', String(layouts.discord.minIdAt(Date.now() - ms))],
        {
          terminal: { columns: 80 },
        },
      );
      return /Z, (.*)\n/.exec(stdout.toString())?.[1];
    };
    expect(await ago(3.5 * 3_600_000)).toBe('3 hours ago');
    expect(await ago(86_400_000 * 400)).toBe('1 year ago');
    expect(await ago(86_400_000 * 65)).toBe('2 months ago');
    expect(await ago(-86_400_000 * 2.5)).toBe('in 2 days');
  });

  it('also before an error', async () => {
    const { code, stderr, text } = await shown(['--layout', 'a:8'], 80, { input: ['5\nx\n'] });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: -:2: expected a decimal/)]);
    expect(text).toMatch(/^5\n\n {2}\[00000101\]\n/);
    const none = await shown([], 80, { input: ['x\n'] });
    expect([none.code, none.text]).toEqual([1, '']);
  });
});

describe('decode of several ids on a terminal is a table', () => {
  it('with aligned columns, the date after the id', async () => {
    const ids = [DISCORD, '937847820382261308'];
    const { stderr, text } = await shown([...ids]);
    expect(stderr).toMatch(/^guessed layout: discord; also: /);
    expect(text.split('\n')).toEqual([
      '                 id                      date  worker  process  increment',
      '1116551844710330458  2023-06-09T02:18:24.309Z       2        3         90',
      ' 937847820382261308  2022-01-31T23:12:24.749Z       1        5         60',
      '',
    ]);
    const wide = await shown([...ids, '--layout', 'discord'], 120);
    expect(wide.stderr).toBe('');
    expect(wide.text.split('\n')[1]).toBe(
      '1116551844710330458  2023-06-09T02:18:24.309Z  1686277104309       2        3         90',
    );
  });

  it('with the time in units of the layout, which the date does not tell, and with ids in bold', async () => {
    const raw = await shown([DISCORD, DISCORD, '--layout', 'discord', '--raw']);
    expect(raw.text).toMatch(/^ +id +date +timestamp +worker/);
    const { text } = await shown([DISCORD, DISCORD, '--layout', 'discord'], 120, { colors: true });
    const [heading = '', row = ''] = text.split('\n');
    expect(heading.startsWith('\x1b[1m ') && heading.endsWith('increment\x1b[0m')).toBe(true);
    expect(row.startsWith(`\x1b[1m${DISCORD}\x1b[0m  2023`)).toBe(true);
  });

  it('of any length, wherever it is cut', async () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => i);
    const { text } = await shown(['--layout', 'a:60,b:4'], 80, { input: [ids.join('\n')] });
    const rows = ids.map((id) => [id, Math.floor(id / 16), id % 16].join(' '));
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.trim().replace(/ +/g, ' ')),
    ).toEqual(['id a b', ...rows]);
  });
});

describe('decode stays as it is', () => {
  it.each([
    ['--format', 'tsv'],
    ['--format', 'csv'],
    ['--json'],
    ['--out', '-'],
    ['--csv', '--key', 'id'],
  ])('on a terminal with %s %s', async (...args) => {
    const input = [`id\n${DISCORD}\n`.slice(args.includes('--key') ? 0 : 3)];
    const all = ['decode', '--layout', 'discord', ...args];
    const piped = await runHere(all, { input });
    expect(await runHere(all, { input, terminal: { columns: 80 } })).toEqual(piped);
  });

  it('in a file', async () => {
    const cwd = temporaryFolder();
    await runHere(['decode', DISCORD, '--layout', 'discord', '--out', 'a'], { cwd, terminal: { columns: 80 } });
    await runHere(['decode', DISCORD, '--layout', 'discord', '--out', 'b'], { cwd });
    expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe(readFileSync(join(cwd, 'b'), 'utf8'));
  });
});
