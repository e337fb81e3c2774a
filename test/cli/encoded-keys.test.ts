import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router, xxh64 } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';
import { randomBytes } from '../support/random.js';
import { runHere } from '../support/run-here.js';

const KEYS = Array.from({ length: 400 }, (_, i) => Buffer.from(randomBytes(5 + (i % 20), i)));
const kafka = partitioner('kafka', { partitions: 12, key: 'bytes' });
const router = new Router({ shards: 12 });

const linesOf = (lines: Iterable<unknown>): string => Array.from(lines, (line) => `${line}\n`).join('');

async function written(args: readonly string[], text: string): Promise<string> {
  const { code, stdout, stderr } = await runHere([...args], { input: [text] });
  expect([stderr, code]).toEqual(['', 0]);
  return stdout.toString();
}

describe.each(['hex', 'base64'] as const)('--keys %s', (keys) => {
  const texts = KEYS.map((key) => key.toString(keys));
  const args = (command: string, ...more: string[]) => [command, '--keys', keys, ...more];

  it('routes lines, CSV and NDJSON by the bytes, and leaves the keys as they are', async () => {
    for (const [options, by] of [
      [['--shards', '12'], router],
      [['--as', 'kafka', '--shards', '12'], kafka],
    ] as const) {
      const shards = KEYS.map((key) => by.route(key));
      expect(await written(args('route', ...options), linesOf(texts))).toBe(
        linesOf(texts.map((text, i) => `${shards[i]}\t${text}`)),
      );
      const csv = await written(
        args('route', ...options, '--csv', '--key', 'k'),
        linesOf(['n,k', ...texts.map((text) => `1,"${text}"`)]),
      );
      expect(csv).toBe(linesOf(['n,k,shard', ...texts.map((text, i) => `1,"${text}",${shards[i]}`)]));
      const ndjson = await written(
        args('route', ...options, '--ndjson', '--key', 'k'),
        linesOf(texts.map((k) => JSON.stringify({ k }))),
      );
      expect(ndjson).toBe(linesOf(texts.map((k, i) => JSON.stringify({ k, shard: shards[i] }))));
    }
  });

  it('is for hash, plan, audit and detect, too', async () => {
    expect(await written(args('hash', '--format', 'dec', '--seed', '7'), linesOf(texts))).toBe(
      linesOf(KEYS.map((key) => xxh64(key, 7n))),
    );
    const [six, eighteen] = [6, 18].map((partitions) => partitioner('kafka', { partitions, key: 'bytes' }));
    for (const [options, from, to] of [
      [['--as', 'kafka', '--from', '12', '--to', '18'], kafka, eighteen],
      [['--as', 'kafka', '--from', '6', '--to-router', '12'], six, router],
    ] as const) {
      const plan = JSON.parse(await written(args('plan', ...options, '--json'), linesOf(texts)));
      expect([plan.total, plan.moved]).toEqual([400, KEYS.filter((key) => from.route(key) !== to.route(key)).length]);
    }
    const rows = linesOf(texts.map((text, i) => `${kafka.route(KEYS[i])}\t${text}`));
    const audit = await written(args('audit', '--as', 'kafka', '--shards', '12', '--json'), rows);
    expect(JSON.parse(audit)).toEqual({ rows: 400, fit: 400, misplaced: 0, pairs: [] });
    const { verdict } = JSON.parse(await written(args('detect', '--json'), rows));
    expect(verdict.options).toBe(`--as kafka --shards 12 --keys ${keys}`);
    expect(await written(['audit', ...verdict.options.split(' '), '--json'], rows)).toBe(audit);
  });

  it('names a row that is not such bytes', async () => {
    const input = [`${texts[0]}\n{"id":1}\n`];
    const stderr = `error: -:2: expected bytes in ${keys}, got "{\\"id\\":1}"\n`;
    for (const options of [
      ['--shards', '12'],
      ['--as', 'kafka', '--shards', '12'],
    ]) {
      expect(await runHere(args('route', ...options), { input })).toMatchObject({ code: 1, stderr });
    }
    const placed = [`1\t${texts[0]}\n2\t{"id":1}\n`];
    expect(await runHere(args('audit', '--shards', '12'), { input: placed })).toMatchObject({ code: 1, stderr });
    expect(await runHere(args('detect'), { input: placed })).toMatchObject({ code: 1, stderr });
  });

  it.each<[what: string, options: readonly string[], stderr: string]>([
    [
      'a system without bytes',
      ['route', '--as', 'discord', '--shards', '12'],
      `--keys: expected one of int64, int8, int16, int32, uint8, uint16, uint32, u64, which are the keys of discord, got "${keys}"`,
    ],
    [
      'another system without bytes',
      ['plan', '--as', 'flink', '--from', '12', '--to', '24'],
      `--keys: expected one of text, int8, int16, int32, int64, uint8, uint16, uint32, u64, uuid, which are the keys of flink, got "${keys}"`,
    ],
    [
      'several columns',
      ['route', '--shards', '12', '--csv', '--key', 'a', '--key', 'b'],
      `--keys: expected "text" with several --key, got "${keys}"`,
    ],
    [
      'several columns in detect',
      ['detect', '--csv', '--key', 'a', '--key', 'b'],
      `--keys: expected "text" with several --key, got "${keys}"`,
    ],
    ['a key that is its own hash', ['route', '--shards', '12', '--hash', 'none'], '--hash none requires --keys u64'],
  ])('is refused with %s', async (_, [command, ...options], stderr) => {
    expect(await runHere(args(command, ...options))).toMatchObject({ code: 2, stderr: `error: ${stderr}\n` });
  });

  it.each([
    ['route', ['--as', 'kafka', '--shards', '12', '--summary']],
    ['route', ['--shards', '12', '--summary']],
    ['detect', []],
    ['hash', ['--out', 'out']],
  ])('is refused with Parquet: %s %j', async (command, options) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'x.parquet'), 'PAR1\x15');
    const run = await runHere(args(command, ...options, '--key', 'k', 'x.parquet'), { cwd });
    const problem = 'expected another kind with Parquet, where a column of BLOBs has bytes';
    expect(run).toMatchObject({ code: 2, stderr: `error: --keys: ${problem}, got "${keys}"\n` });
  });
});
