import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { make } from '../../partitioners/samples.js';
import { temporaryFolder } from '../../support/cli.js';
import { writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import type { Part } from './parts.js';

const ROWS = 3000;
const MAP = ShardMap.create({ shards: 64, nodes: [{ name: 'a' }, { name: "b's" }] });
const NEXT = MAP.with({ nodes: [...MAP.nodes, { name: 'c' }] });

/** A folder with rows as Parquet and as CSV: users whose shards are those of Kafka, except for every 100th. */
async function usersFolder(): Promise<string> {
  const cwd = temporaryFolder(afterAll);
  const emails = Array.from({ length: ROWS }, (_, i) => `user${i}@example.com`);
  const partitions = [...make('kafka', { partitions: 12 }).routeMany(emails)];
  const nodes = emails.map((email) => MAP.nodesOf(new Router({ shards: 64 }).route(email))[0]);
  const lines = emails.map((email, i) => {
    const shard = i % 100 === 7 ? (partitions[i] + 1) % 12 : partitions[i];
    return `${i},${email},${shard},${i % 500 === 3 ? 'elsewhere' : nodes[i]}`;
  });
  const csv = join(cwd, 'users.csv');
  writeFileSync(csv, `id,email,shard,node\n${lines.join('\n')}\n`);
  const rows = `select * replace (shard::smallint as shard) from '${csv}'`;
  await writeParquet(join(cwd, 'users.parquet'), rows);
  await writeParquet(join(cwd, 'first.parquet'), `from (${rows}) limit 1000`);
  await writeParquet(join(cwd, 'rest.parquet'), `from (${rows}) offset 1000`);
  writeFileSync(join(cwd, 'map.json'), JSON.stringify(MAP));
  writeFileSync(join(cwd, 'next.json'), JSON.stringify(NEXT));
  return cwd;
}

/** The command on Parquet, and the same on CSV. */
async function both(cwd: string, args: string[]) {
  const [command, ...rest] = args;
  const ofParquet = await runHere([command, 'users.parquet', ...rest], { cwd });
  const ofCsv = await runHere([command, 'users.csv', '--csv', ...rest], { cwd });
  return { ofParquet, ofCsv };
}

export const KAFKA = ['--as', 'kafka', '--shards', '12'];

/** The tables of placed.test.ts. @returns where their rows are when tests run */
export function placedCases(part: Part): () => string {
  let cwd: string;
  beforeAll(async () => {
    cwd = await usersFolder();
  });

  describe('a report about Parquet is the one about the same rows in CSV', () => {
    it.each(
      part([
        ['audit', '--key', 'email', ...KAFKA],
        ['audit', '--key', 'email', ...KAFKA, '--json'],
        ['audit', '--key', 'email', '--shards', '5', '--json'],
        ['audit', '--key', 'email', '--shard-column', 'id', '--shards', '3000', '--json'],
        ['audit', '--key', 'email', '--map', 'map.json', '--json'],
        ['audit', '--key', 'email', '--map', 'next.json'],
        ['audit', '--key', 'email', '--shard-column', 'email', ...KAFKA],
        ['detect', '--key', 'email', '--json'],
        ['detect', '--key', 'id', '--key', 'email', '--json'],
        ['detect', '--key', 'id', '--shard-column', 'shard', '--shards', '12', '--json'],
        ['plan', '--key', 'email', '--from', '12', '--to', '16'],
        ['plan', '--key', 'email', '--as', 'kafka', '--from', '12', '--to-router', '16', '--json'],
        ['plan', '--key', 'id', '--keys', 'int64', '--as', 'kafka', '--from', '12', '--to-router', '16', '--json'],
        ['plan', '--key', 'id', '--keys', 'int32', '--as', 'kafka', '--from', '12', '--to-router', '16', '--json'],
        ['plan', '--key', 'email', '--as', 'kafka', '--from', '12', '--to-map', 'map.json'],
        ['plan', '--key', 'email', '--from-map', 'map.json', '--to-map', 'next.json', '--json'],
      ]),
    )('%s %s', async (...args) => {
      const { ofParquet, ofCsv } = await both(cwd, args);
      expect([ofParquet.code, ofParquet.stdout.toString()]).toEqual([ofCsv.code, ofCsv.stdout.toString()]);
      expect(ofParquet.stderr).toBe(ofCsv.stderr.replaceAll('users.csv', 'users.parquet'));
    });
  });

  describe('audit of Parquet', () => {
    it.each(
      part([
        [['--shards', '12'], []],
        [['--shards', '12', '--max-rows-per-file', '100'], []],
        [
          ['--shards', '12', '--hive', '--as-column', 'part'],
          ['--shards', '12', '--shard-column', 'part'],
        ],
        [
          ['--map', 'map.json'],
          ['--map', 'map.json'],
        ],
        [
          ['--map', 'map.json', '--hive', '--as-column', 'machine'],
          ['--map', 'map.json', '--shard-column', 'machine'],
        ],
      ]),
    )('reads the directories of route: %j', async (options, more) => {
      const out = join(temporaryFolder(), 'out');
      const keys = ['--key', 'id', '--keys', 'u64'];
      await runHere(['route', 'first.parquet', 'rest.parquet', ...keys, ...options, '--out-dir', out], { cwd });
      const mapping = more.length > 0 ? more : ['--shards', '12'];
      const { code, stdout, stderr } = await runHere(['audit', out, ...keys, ...mapping], { cwd });
      expect([code, stderr, stdout.toString()]).toEqual([0, '', expect.stringMatching(/^fit +3,000 \(100.00 %\)$/m)]);
    });
  });

  describe('misuse of rows that are somewhere', () => {
    beforeAll(async () => {
      await writeParquet(join(cwd, 'null.parquet'), "select unnest(['a', 'b']) as k, unnest([1, null]) as shard");
      await writeParquet(join(cwd, 'fraction.parquet'), "select 'a' as k, 1.0::double as shard");
      mkdirSync(join(cwd, 'mixed'), { recursive: true });
      await writeParquet(join(cwd, 'mixed', '0.parquet'), "select 'a' as email");
      writeFileSync(join(cwd, 'mixed', '1.csv'), 'email\na\n');
    });

    it.each(
      part([
        [
          ['audit', 'users.parquet', '--key', 'email', '--shards', '2', '--shard-column', 'node'],
          1,
          /^users.parquet: row 1: expected a shard, an integer from 0 to 2147483646, got "/,
        ],
        [
          ['audit', 'users.parquet', '--key', 'email', '--shards', '2', '--shard-column', 'x'],
          2,
          /^--shard-column: expected one of id, email/,
        ],
        [
          ['audit', 'users.parquet', '--key', 'email', '--shards', '2', '--out', '-'],
          2,
          /^Parquet requires --out, and is not/,
        ],
        [
          ['audit', 'null.parquet', '--key', 'k', '--shards', '2'],
          1,
          'null.parquet: row 2: expected a shard, an integer from 0 to 2147483646, got ""',
        ],
        [
          ['audit', 'mixed', '--key', 'email', '--shards', '2'],
          2,
          /^expected files of Parquet only, got "mixed\/1.csv"$/,
        ],
        [
          ['audit', 'fraction.parquet', '--key', 'k', '--shards', '2'],
          2,
          /^--shard-column: expected a column of integers, got "one of type DOUBLE"$/,
        ],
        [
          ['detect', 'null.parquet', '--key', 'k'],
          1,
          'null.parquet: row 2: expected a shard, an integer from 0 to 2147483646, got ""',
        ],
        [
          ['detect', 'users.parquet', '--key', 'email', '--shard-column', 'email'],
          2,
          /^--shard-column: expected another column than --key/,
        ],
        [['plan', 'users.parquet', '--key', 'email', '--from', '2'], 2, '--to is required'],
        [
          ['plan', 'users.parquet', '--key', 'email', '--from', '2', '--to', '3', '--missing-key', '2'],
          2,
          /^--missing-key: .* from 0 to 1, got 2$/,
        ],
      ]),
    )('%j', async (args, code, problem) => {
      const before = readdirSync(cwd);
      const run = await runHere([...args], { cwd });
      const message = /^error: (.*)\n$/s.exec(run.stderr)?.[1];
      if (typeof problem === 'string') expect(message).toBe(problem);
      else expect(message).toMatch(problem);
      expect([run.code, run.stdout.toString()]).toEqual([code, '']);
      expect(readdirSync(cwd)).toEqual(before);
    });
  });

  return () => cwd;
}
