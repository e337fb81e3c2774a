import { writeFileSync } from 'node:fs';
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
export async function usersFolder(): Promise<string> {
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

/** The tables of placed.test.ts. */
export function placedCases(part: Part): void {
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
}
