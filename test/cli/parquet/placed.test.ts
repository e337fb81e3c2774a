import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { make } from '../../partitioners/samples.js';
import { temporaryFolder } from '../../support/cli.js';
import { duckdb, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { quick } from './parts.js';
import { KAFKA, placedCases } from './placed-cases.js';

const folder = placedCases(quick);
let cwd: string;
beforeAll(() => {
  cwd = folder();
});

describe('audit of Parquet', () => {
  it('writes the misplaced rows, with where they are and where they belong', async () => {
    const args = ['audit', 'users.parquet', '--key', 'email', ...KAFKA, '--out', 'misplaced.parquet'];
    const { code, stdout } = await runHere(args, { cwd });
    expect([code, stdout.toString()]).toEqual([1, expect.stringMatching(/^misplaced +30 \(1.00 %\)$/m)]);
    const rows = await duckdb(`from '${join(cwd, 'misplaced.parquet')}'`);
    expect(rows.map(({ id }) => Number(id))).toEqual(Array.from({ length: 30 }, (_, i) => 100 * i + 7));
    for (const { shard, is, belongs } of rows) expect([is, belongs]).toEqual([shard, (Number(shard) + 11) % 12]);
  });

  it('puts rows without a key where --missing-key says', async () => {
    const rows = 'select if(id % 10 = 0, null, email) as email, if(id % 10 = 0, 5, shard) as shard';
    await writeParquet(join(cwd, 'nulls.parquet'), `${rows} from '${join(cwd, 'users.parquet')}'`);
    const args = ['audit', 'nulls.parquet', '--key', 'email', ...KAFKA, '--json'];
    for (const [shard, misplaced] of [
      ['5', 30],
      ['6', 330],
    ] as const) {
      const { stdout } = await runHere([...args, '--missing-key', shard], { cwd });
      expect(JSON.parse(stdout.toString())).toMatchObject({ rows: 3000, misplaced });
    }
    expect(await runHere(args, { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('expected a key') });
  });

  it('finds a file that lies in the place of another one', async () => {
    const out = join(temporaryFolder(), 'out');
    await runHere(['route', 'users.parquet', '--key', 'id', '--keys', 'u64', '--shards', '12', '--out-dir', out], {
      cwd,
    });
    renameSync(join(out, '03.parquet'), join(out, 'x'));
    renameSync(join(out, '04.parquet'), join(out, '03.parquet'));
    renameSync(join(out, 'x'), join(out, '04.parquet'));
    const { code, stdout } = await runHere(['audit', out, '--key', 'id', '--keys', 'u64', '--shards', '12', '--json'], {
      cwd,
    });
    const { pairs } = JSON.parse(stdout.toString());
    expect(code).toBe(1);
    expect(pairs.map(({ from, to }: { from: number; to: number }) => [from, to])).toEqual([
      [3, 4],
      [4, 3],
    ]);
  });

  it('tells apart names that are not on the map, and says nothing of places when all fit', async () => {
    const args = ['audit', 'users.parquet', '--key', 'email', '--map', 'map.json', '--json'];
    const { pairs } = JSON.parse((await runHere(args, { cwd })).stdout.toString());
    expect(pairs).toEqual([
      { from: 'elsewhere', to: 'a', count: expect.any(Number) },
      { from: 'elsewhere', to: "b's", count: expect.any(Number) },
    ]);
    expect(pairs[0].count + pairs[1].count).toBe(6);
  });
});

describe('detect in Parquet', () => {
  it('names the rows that do not fit by their files', async () => {
    const { code, stdout } = await runHere(['detect', 'first.parquet', 'rest.parquet', '--key', 'email'], { cwd });
    expect(code).toBe(0);
    expect(stdout.toString()).toContain("Kafka's Java client, 12 partitions: 2,970 of 3,000 rows");
    const first = Array.from({ length: 10 }, (_, i) => `first.parquet:${100 * i + 8}`).join(', ');
    expect(stdout.toString()).toContain(`rows that do not fit: ${first}, …`);
  });

  it('finds rings of servers, and reads integers, UUIDs and bytes', async () => {
    writeFileSync(join(cwd, 'servers.txt'), 'a\nb\nc\n');
    const servers = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const keys = Array.from({ length: 500 }, (_, i) => `key:${i}`);
    const nodes = [...make('ketama', { servers }).routeMany(keys)].map((i) => servers[i].name);
    const ints = BigInt64Array.from({ length: 500 }, (_, i) => BigInt(i) * 77n);
    const shards = [...make('kafka', { partitions: 16, key: 'int64' }).routeMany(ints)];
    writeFileSync(
      join(cwd, 'rows.ndjson'),
      keys.map((key, i) => JSON.stringify({ key, node: nodes[i], id: Number(ints[i]), shard: shards[i] })).join('\n'),
    );
    await writeParquet(join(cwd, 'rows.parquet'), `select *, key::blob as bytes from '${join(cwd, 'rows.ndjson')}'`);
    const verdict = async (...args: string[]) =>
      JSON.parse((await runHere(['detect', 'rows.parquet', '--json', ...args], { cwd })).stdout.toString()).verdict
        .options;
    expect(await verdict('--key', 'key', '--servers', 'servers.txt')).toMatch(/^--as ketama/);
    expect(await verdict('--key', 'bytes', '--servers', 'servers.txt')).toMatch(/^--as ketama/);
    expect(await verdict('--key', 'id')).toBe('--as kafka --shards 16 --keys int64');
  });

  it('reads several columns, each as the kinds that it may be', async () => {
    const ids = BigInt64Array.from({ length: 500 }, (_, i) => BigInt(i * i) * 7919n);
    const names = Array.from(ids, (id) => `ключ:${id}:`.slice(0, 12));
    const shards = make('postgres', { modulus: 12, key: ['int64', 'text', 'int64'] }).routeMany([ids, names, ids]);
    const lines = names.map((name, i) => `${ids[i]},${name},${shards[i] + 1}`);
    writeFileSync(join(cwd, 'columns.csv'), `id,name,shard\n${lines.join('\n')}\n`);
    const csv = join(cwd, 'columns.csv');
    await writeParquet(join(cwd, 'columns.parquet'), `select *, id as again from '${csv}'`);
    const args = ['--key', 'id', '--key', 'name', '--key', 'again', '--json'];
    const { code, stdout } = await runHere(['detect', 'columns.parquet', ...args], { cwd });
    expect([code, JSON.parse(stdout.toString())]).toEqual([
      0,
      expect.objectContaining({
        first: 1,
        verdict: expect.objectContaining({ agree: 500, options: expect.stringMatching(/^--as postgres .*,text,int/) }),
      }),
    ]);
  });
});
