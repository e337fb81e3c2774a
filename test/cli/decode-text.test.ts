import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatIds, type TextFormat } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { runHere } from '../support/run-here.js';

const ROWS = ['--layout', 'a:64'];

describe('decode --text', () => {
  it.each<[TextFormat]>([
    ['dec'],
    ['hex'],
    ['base62'],
    ['crockford32'],
    ['sortable32'],
  ])('%s reads lines, arguments and records', async (format) => {
    const ids = randomU64s(3000).map((id, i) => id >> BigInt(i % 64));
    const table = (some: BigUint64Array) => `id\ta\n${Array.from(some, (id) => `${id}\t${id}\n`).join('')}`;
    for (const padded of [true, false]) {
      const texts = formatIds(ids, format, { padded });
      const args = ['decode', ...ROWS, '--text', format];
      const lines = await runHere(args, { input: [texts.join('\n')] });
      expect([lines.code, lines.stderr, lines.stdout.toString()]).toEqual([0, '', table(ids)]);

      const few = await runHere([...args, ...texts.slice(0, 100)]);
      expect([few.code, few.stderr, few.stdout.toString()]).toEqual([0, '', table(ids.subarray(0, 100))]);

      const records = `n,key\n${texts.map((text, i) => `${i},${text}\n`).join('')}`;
      const csv = await runHere([...args, '--csv', '--key', 'key'], { input: [records] });
      const rows = texts.map((text, i) => `${i},${text},${ids[i]}\n`).join('');
      expect([csv.code, csv.stderr, csv.stdout.toString()]).toEqual([0, '', `n,key,a\n${rows}`]);
    }
  });

  it('says what is wrong with a row', async () => {
    const run = await runHere(['decode', ...ROWS, '--text', 'hex'], { input: ['ff\nFG\n'] });
    expect([run.code, run.stdout.toString()]).toEqual([1, 'id\ta\n255\t255\n']);
    expect(run.stderr).toBe('error: -:2: expected an integer from 0 to 2^64 - 1 in hex, got "FG"\n');
  });

  it('sends malformed rows to --rejects', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), 'zz\n0\nf\n');
    const run = await runHere(['decode', 'ids', ...ROWS, '--text', 'hex', '--rejects', '-', '--out', 'out'], { cwd });
    expect([run.code, run.stderr]).toEqual([0, '1 row rejected\n']);
    expect(run.stdout.toString()).toBe('1\texpected an integer from 0 to 2^64 - 1 in hex, got "zz"\tzz\n');
  });

  it('takes an argument for an id only if it is one in that format', async () => {
    const run = (args: string[]) => runHere(['decode', ...ROWS, ...args]);
    expect(await run(['ff'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: "ff" is neither an id nor a file/),
    });
    expect((await run(['ff', '--text', 'hex'])).stdout.toString()).toBe('id\ta\n255\t255\n');
    expect(await run(['0xfg', '--text', 'hex'])).toMatchObject({
      code: 2,
      stderr: 'error: "0xfg" is neither an id nor a file\n',
    });
  });

  // CockroachDB's unique_rowid() as its users print it: without zeros in front, or after 0x.
  it.each([
    ['7e39c56700c0001', '7e39d34d0808001', '7e3a035f75f8001'],
    ['0x7e39c56700c0001', '0X7E39D34D0808001', '0x7e3a035f75f8001'],
  ])('hex takes short ids, and 0x in front of them: %s', async (...texts) => {
    const ids = texts.map((text) => BigInt(`0x${text.replace(/^0x/i, '')}`));
    const table = `id\ta\n${ids.map((id) => `${id}\t${id}\n`).join('')}`;
    const hex = [...ROWS, '--text', 'hex'];
    expect((await runHere(['decode', ...hex, ...texts])).stdout.toString()).toBe(table);
    const input = [`${texts.join('\n')}\n`];
    expect((await runHere(['decode', ...hex], { input })).stdout.toString()).toBe(table);
    const csv = await runHere(['decode', ...hex, '--csv', '--key', 'id'], { input: ['id\n', ...input] });
    expect(csv.stdout.toString()).toBe(`id,a\n${texts.map((text, i) => `${text},${ids[i]}\n`).join('')}`);
    const hint = `got "${texts[0]}"; --text hex reads such ids\n`;
    for (const layout of [[], ROWS]) {
      const run = await runHere(['decode', ...layout], { input });
      expect([run.code, run.stderr]).toEqual([1, expect.stringContaining(hint)]);
    }
    const argument = await runHere(['decode', texts[0]]);
    expect([argument.code, argument.stderr]).toEqual([
      2,
      expect.stringMatching(/a file; --text hex reads such ids\n$/),
    ]);
  });

  it.each([['0x'], ['0x0x1'], ['0x10000000000000000'], ['x1']])('hex does not take %s', async (text) => {
    const run = await runHere(['decode', ...ROWS, '--text', 'hex'], { input: [`${text}\n`] });
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining(`in hex, got "${text}"`)]);
  });

  it.each<[TextFormat]>([
    ['hex'],
    ['base62'],
    ['crockford32'],
    ['sortable32'],
  ])('is what to do about ids in %s, in the full width, where decimals are expected', async (format) => {
    const ids = randomU64s(20);
    const texts = formatIds(ids, format);
    const problem = `expected a decimal integer from -2^63 to 2^64 - 1, got "${texts[0]}"`;
    const hint = `; --text ${format} reads such ids\n`;
    for (const layout of [[], ROWS]) {
      expect(await runHere(['decode', ...layout], { input: [texts.join('\n')] })).toMatchObject({
        code: 1,
        stderr: `error: -:1: ${problem}${hint}`,
      });
      const records = `id\n"${texts.join('"\n"')}"\n`;
      expect(await runHere(['decode', ...layout, '--csv', '--key', 'id'], { input: [records] })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(hint),
      });
    }
    // One of them can be read in more than one of the formats.
    const argument = await runHere(['decode', texts[0], ...ROWS]);
    expect(argument.code).toBe(2);
    expect(argument.stderr).toMatch(/ is neither an id nor a file; --text \w+ reads such ids\n$/);
    const mixed = await runHere(['decode'], { input: [`${texts.join('\n')}\nx\n`] });
    expect([mixed.code, mixed.stderr]).toEqual([1, expect.stringMatching(/^error: -:1: .* reads such ids\n$/)]);
  });

  it('is not what to do about a row in another format among decimals', async () => {
    const refused = 'expected a decimal integer from -2^63 to 2^64 - 1, got "00000000000000ff"\n';
    const lines = await runHere(['decode', ...ROWS], { input: ['1\n00000000000000ff\n'] });
    expect([lines.code, lines.stderr]).toEqual([1, `error: -:2: ${refused}`]);
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ids'), '1\n');
    const files = await runHere(['decode', 'ids', '-', ...ROWS], { cwd, input: ['00000000000000ff\n'] });
    expect([files.code, files.stderr]).toEqual([1, `error: -:1: ${refused}`]);
    const asked = await runHere(['decode', '--text', 'dec', ...ROWS], { input: ['00000000000000ff\n'] });
    expect([asked.code, asked.stderr]).toEqual([1, `error: -:1: ${refused}`]);
  });

  it('guesses the layout of AT Protocol for sortable32', async () => {
    const { code, stdout, stderr } = await runHere(['decode', '3jtg4ikxerr25', '--text', 'sortable32']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^guessed layout: atproto;/)]);
    expect(stdout.toString()).toBe(
      'id\ttimestamp\tclock\tdate\n1721925868251241475\t1681568230714.103\t3\t2023-04-15T14:17:10.714Z\n',
    );
  });

  it('suggests the nearest format', async () => {
    const run = await runHere(['decode', '1', ...ROWS, '--text', 'sortable']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/\(Did you mean sortable32\?\)/) });
  });
});
