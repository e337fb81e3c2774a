import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layouts, Router, typedKey, xxh64 } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

const hex = (key: string | bigint): string => xxh64(key).toString(16).padStart(16, '0');

async function outputOf(args: string[], input: string): Promise<string> {
  const run = await runHere(args, { input: [input] });
  expect([run.code, run.stderr]).toEqual([0, '']);
  return run.stdout.toString();
}

const USERS = 'id,name\r\n1,"Ann, ""A"""\r\n2,Bob';

describe('hash adds a column', () => {
  it('of hexadecimal digits, to CSV', async () => {
    expect(await outputOf(['hash', '--csv', '--key', 'name'], USERS)).toBe(
      `id,name,hash\r\n1,"Ann, ""A""",${hex('Ann, "A"')}\r\n2,Bob,${hex('Bob')}\n`,
    );
  });

  it('with another name, in decimal, of numbers as they are', async () => {
    const args = ['hash', '--csv', '--key', 'id', '--keys', 'u64', '--format', 'dec', '--as-column', 'h,"x"'];
    expect(await outputOf(args, USERS)).toBe(
      `id,name,"h,""x"""\r\n1,"Ann, ""A""",${xxh64(1n)}\r\n2,Bob,${xxh64(2n)}\n`,
    );
  });

  it('as a string to NDJSON, of a compound key', async () => {
    const args = ['hash', '--ndjson', '--key', 'a.b', '--key', 'c'];
    expect(await outputOf(args, '{"a":{"b":"x:"},"c":1}\n')).toBe(
      `{"a":{"b":"x:"},"c":1,"hash":"${hex(typedKey('x:', '1'))}"}\n`,
    );
  });

  it('and writes malformed records to --rejects', async () => {
    const rejects = join(temporaryFolder(), 'rejects');
    const run = await runHere(['hash', '--csv', '--key', 'id', '--rejects', rejects], { input: ['id\n1\n"2\n'] });
    expect([run.code, run.stdout.toString()]).toEqual([0, `id,hash\n1,${hex('1')}\n`]);
    expect(run.stderr).toBe(`1 row rejected: see ${rejects}\n`);
  });

  it('but not in quotes, unless digits are between fields', async () => {
    const args = ['hash', '--csv', '--delimiter', '7', '--key', 'a', '--format', 'dec'];
    expect(await outputOf(args, 'a7b\nx7y\n')).toBe(`a7b7hash\nx7y7"${xxh64('x')}"\n`);
  });
});

describe('hash of u64s', () => {
  it('is that of their bytes', async () => {
    expect(await outputOf(['hash', '--keys', 'u64'], '1\n18446744073709551615\n')).toBe(
      `${hex(1n)}\n${hex(2n ** 64n - 1n)}\n`,
    );
  });
});

describe('decode adds the fields and the date', () => {
  const id = layouts.snowflake.pack({ timestamp: Date.UTC(2024, 2, 1, 10, 30, 15, 500), shard: 5, sequence: 123 });

  it('to CSV', async () => {
    expect(await outputOf(['decode', '--csv', '--key', 'id', '--layout', 'snowflake'], `id\n"${id}"\n`)).toBe(
      `id,timestamp,shard,sequence,date\n"${id}",1709289015500,5,123,2024-03-01T10:30:15.500Z\n`,
    );
  });

  it('to NDJSON, wide ones as strings, and no date beyond what a Date holds', async () => {
    const args = [
      'decode',
      '--ndjson',
      '--key',
      'id',
      '--layout',
      'timestamp:62,low:2',
      '--epoch',
      '2020-01-01T00:00:00Z',
    ];
    const far = ((2n ** 61n) << 2n) + 1n;
    expect(await outputOf([...args, '--raw'], `{"id":"5"}\n{"id":"${far}"}\n`)).toBe(
      `{"id":"5","timestamp":"1","low":1,"date":"2020-01-01T00:00:00.001Z"}\n` +
        `{"id":"${far}","timestamp":"${2n ** 61n}","low":1}\n`,
    );
  });

  it('unless the table has such a column, or an id is none', async () => {
    const args = ['decode', '--csv', '--key', 'id', '--layout', 'snowflake'];
    const taken = await runHere(args, { input: ['id,shard\n1,2\n'] });
    expect(taken).toMatchObject({
      code: 1,
      stderr: 'error: -:1: expected no column named shard, got "id,shard"; --prefix id_ adds id_shard instead\n',
    });
    const bad = await runHere(args, { input: ['id,who\n1,a\nx,b\n'] });
    expect([bad.code, bad.stdout.toString().split('\n').length]).toEqual([1, 3]);
    expect(bad.stderr).toBe('error: -:3: expected a decimal integer from -2^63 to 2^64 - 1, got "x"\n');
  });

  it.each([
    [['--format', 'json'], /^error: --format cannot be combined with --csv/],
    [['--json'], /^error: --format cannot be combined with --csv/],
    [['--key', 'other'], /^error: --key: expected one column of ids, got id and other\n$/],
    [['--as-column', 'x'], /unknown option '--as-column'/],
  ])('not with %j', async (args, stderr) => {
    const run = await runHere(['decode', '--csv', '--key', 'id', '--layout', 'snowflake', ...args], { input: [] });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
  });
});

describe('intern adds ids', () => {
  it('not with --resolve', async () => {
    const run = await runHere(['intern', '--csv', '--key', 'a', '--resolve', '--store', 'no.db'], { input: [] });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: --resolve cannot be combined with/) });
  });
});

describe('plan reads keys', () => {
  it('of records', async () => {
    const args = ['plan', '--tsv', '--key', '2', '--no-header', '--from', '3', '--to', '30', '--json'];
    const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
    const plan = JSON.parse(await outputOf(args, keys.map((key) => `x\t"${key}"\n`).join('')));
    const [from, to] = [new Router({ shards: 3 }), new Router({ shards: 30 })];
    expect([plan.total, plan.moved]).toEqual([100, keys.filter((key) => from.route(key) !== to.route(key)).length]);
  });
});
