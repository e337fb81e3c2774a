import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router, xxh64Many } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { make } from '../../partitioners/samples.js';
import { temporaryFolder } from '../../support/cli.js';
import { differentRows, duckdb, parquetColumn, parquetTypes, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { expectEmptyFiles, KEYS, keysTable, numbers, shards, succeed } from './keys-table.js';
import { quick } from './parts.js';
import { routeCases } from './route-cases.js';

let folder: string;
let table: string;
beforeAll(async () => {
  folder = temporaryFolder(afterAll);
  table = await keysTable(folder);
});

routeCases(quick, () => table);

const { texts, int64s } = KEYS;
const count = texts.length;

async function routed(args: string[], column = 'shard'): Promise<unknown[]> {
  const cwd = await succeed(['route', table, ...args, '--out', 'out.parquet']);
  return parquetColumn(join(cwd, 'out.parquet'), column);
}

describe('route of Parquet gives the shards of a Router', () => {
  const router = new Router({ shards: 1000 });
  it('with the options of a Router', async () => {
    const options = ['--strategy', 'fastrange', '--seed', '7', '--down', '3,5'];
    const other = new Router({ shards: 12, strategy: 'fastrange', seed: 7n, down: [3, 5] });
    expect(await routed(['--key', 'text', '--shards', '12', ...options])).toEqual(shards(other, texts));
  });

  it('and a shard for rows without a key, if one is given', async () => {
    const expected = shards(router, int64s).map((shard, n) => (n % 10 === 0 ? 999 : shard));
    const args = ['--key', 'nullable', '--keys', 'u64', '--shards', '1000', '--missing-key', '999'];
    expect(await routed(args)).toEqual(expected);
  });
});

describe('route of Parquet gives the shards of another system', () => {
  it('servers by their names', async () => {
    writeFileSync(join(folder, 'servers.txt'), "a\nb's\nc,2\n");
    const servers = [{ name: 'a' }, { name: "b's" }, { name: 'c', weight: 2 }];
    const expected = shards(make('ketama', { servers }), texts).map((i) => servers[i].name);
    const args = ['--key', 'text', '--as', 'ketama', '--servers', join(folder, 'servers.txt')];
    expect(await routed(args, 'node')).toEqual(expected);
  });
});

describe('route of Parquet keeps', () => {
  it('all columns, their types and the order of rows', async () => {
    const cwd = await succeed(['route', table, '--key', 'text', '--shards', '8', '--out', 'out.parquet']);
    const out = join(cwd, 'out.parquet');
    expect(await parquetTypes(out)).toEqual({ ...(await parquetTypes(table)), shard: 'UINTEGER' });
    expect(await differentRows(`(select * exclude (shard) from '${out}')`, `'${table}'`)).toBe(0);
    expect(await parquetColumn(out, 'n')).toEqual(numbers.map(String));
    expect(readdirSync(cwd)).toEqual(['out.parquet']);
  });

  it('equal keys and keys that are NULL for many rows together', async () => {
    const cwd = temporaryFolder();
    const runs = "case when i < 5000 then 'a' when i < 10000 then null else 'b' || (i // 3000) end";
    await writeParquet(join(cwd, 'runs.parquet'), `select i as n, ${runs} as key from range(20000) r(i)`);
    const args = [
      'route',
      'runs.parquet',
      '--key',
      'key',
      '--shards',
      '1000',
      '--missing-key',
      '7',
      '--out',
      'o.parquet',
    ];
    expect(await runHere(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    const rows = await duckdb(`select distinct key, shard from '${join(cwd, 'o.parquet')}'`);
    expect(rows).toHaveLength(6);
    const router = new Router({ shards: 1000 });
    for (const { key, shard } of rows) expect(shard).toBe(key === null ? 7 : router.route(String(key)));
  });

  it('the rows of several files, of patterns and of the directories of Hive', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'day=1'));
    mkdirSync(join(cwd, 'day=2'));
    await writeParquet(join(cwd, 'day=1', 'x.parquet'), "select 'a' as key");
    await writeParquet(join(cwd, 'day=2', "y's.parquet"), "select 'b' as key");
    const read = async (...files: string[]) => {
      const run = await runHere(['route', ...files, '--key', 'key', '--shards', '9', '--out', 'out.parquet'], { cwd });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      return duckdb(`select key, day::integer as day from '${join(cwd, 'out.parquet')}'`);
    };
    const both = [
      { key: 'a', day: 1 },
      { key: 'b', day: 2 },
    ];
    expect(await read('day=*/*.parquet')).toEqual(both);
    expect(await read('**/y*.parquet', 'day=1/x.parquet')).toEqual(both.toReversed());
  });
});

describe('route of Parquet writes', () => {
  it('the names of nodes with --map, in a column of any name', async () => {
    const map = ShardMap.create({ shards: 64, nodes: [{ name: 'db1' }, { name: "db'2" }] });
    writeFileSync(join(folder, 'map.json'), JSON.stringify(map));
    const expected = shards(new Router({ shards: 64 }), texts).map((shard) => map.nodesOf(shard)[0]);
    const args = ['--key', 'text', '--map', join(folder, 'map.json'), '--as-column', 'Where?'];
    expect(await routed(args, '"Where?"')).toEqual(expected);
  });

  it('compressed pages with --compress', async () => {
    for (const [option, codec] of [
      [[], 'SNAPPY'],
      [['--compress', 'zstd'], 'ZSTD'],
      [['--compress', 'gzip'], 'GZIP'],
    ] as const) {
      const cwd = await succeed(['route', table, '--key', 'text', '--shards', '8', '--out', 'o.parquet', ...option]);
      const found = await duckdb(`select distinct compression from parquet_metadata('${join(cwd, 'o.parquet')}')`);
      expect(found).toEqual([{ compression: codec }]);
    }
  });

  it('the balance of shards with --summary', async () => {
    const run = await runHere(['route', table, '--key', 'text', '--shards', '8', '--summary', '--json']);
    const text = join(temporaryFolder(), 'keys.ndjson');
    writeFileSync(text, texts.map((key) => `${JSON.stringify({ key })}\n`).join(''));
    const same = await runHere(['route', text, '--ndjson', '--key', 'key', '--shards', '8', '--summary', '--json']);
    const withoutTime = ({ stdout }: { stdout: Buffer }) => {
      const { seconds, keysPerSecond, ...rest } = JSON.parse(stdout.toString());
      return rest;
    };
    expect(withoutTime(run)).toEqual(withoutTime(same));
  });

  it('the hash of every key with the command hash', async () => {
    const hashes = [...xxh64Many(texts, { seed: 7n })];
    for (const [format, expected] of [
      [[], hashes.map(String)],
      [['--format', 'hex'], hashes.map((hash) => hash.toString(16).padStart(16, '0'))],
    ] as const) {
      const args = ['hash', table, '--key', 'text', '--seed', '7', ...format, '--out', 'out.parquet'];
      const cwd = await succeed(args);
      expect(await parquetColumn(join(cwd, 'out.parquet'), 'hash')).toEqual(expected);
    }
  });
});

describe('route of Parquet with --out-dir', () => {
  const split = (...args: string[]) => succeed(['route', table, '--key', 'text', '--out-dir', 'out', ...args]);

  it('gives each shard a file of its rows, in their order', async () => {
    const out = join(await split('--shards', '12'), 'out');
    const names = numbers.slice(0, 12).map((shard) => `${String(shard).padStart(2, '0')}.parquet`);
    expect(readdirSync(out)).toEqual([...names, 'manifest.json']);
    expect(await differentRows(`'${out}/*.parquet'`, `'${table}'`)).toBe(0);
    const of = shards(new Router({ shards: 12 }), texts);
    for (const [shard, name] of names.entries()) {
      const expected = numbers.filter((n) => of[n] === shard).map(String);
      expect(await parquetColumn(join(out, name), 'n')).toEqual(expected);
    }
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.rows).toBe(count);
    expect(manifest.options.records).toEqual({ format: 'parquet', key: ['text'] });
    expect(manifest.files.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it('writes into a new directory in a new one, and into an empty one, which stays the same', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'empty'));
    const inode = statSync(join(cwd, 'empty')).ino;
    for (const out of ['new/shards', 'empty']) {
      const args = ['route', table, '--key', 'text', '--shards', '2', '--out-dir', out];
      expect(await runHere(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(join(cwd, out))).toEqual(['0.parquet', '1.parquet', 'manifest.json']);
    }
    expect(statSync(join(cwd, 'empty')).ino).toBe(inode);
    expect([readdirSync(cwd), readdirSync(join(cwd, 'new'))]).toEqual([['empty', 'new'], ['shards']]);
  });

  it('gives shards without rows an empty file, with all columns', async () => {
    const cwd = await succeed(['route', table, '--key', 'colour', '--shards', '20', '--out-dir', 'out']);
    await expectEmptyFiles(join(cwd, 'out'), 20, table);
  });

  it('bounds the rows of a file with --max-rows-per-file', async () => {
    const out = join(await split('--shards', '2', '--max-rows-per-file', '50'), 'out');
    const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(files.map(({ name }: { name: string }) => name)).toEqual(readdirSync(out).slice(0, -1));
    expect(files.slice(0, 3)).toMatchObject([
      { name: '0-00000.parquet', rows: 50 },
      { name: '0-00001.parquet', rows: 50 },
      { name: '0-00002.parquet' },
    ]);
    const of = shards(new Router({ shards: 2 }), texts);
    const read = await parquetColumn(join(out, '0-*.parquet'), 'n');
    expect(read).toEqual(numbers.filter((n) => of[n] === 0).map(String));
  });

  it('writes the directories of Hive with --hive', async () => {
    const out = join(await split('--shards', '3', '--hive', '--as-column', 'bucket'), 'out');
    expect(readdirSync(out).sort()).toEqual(['bucket=0', 'bucket=1', 'bucket=2']);
    expect(readdirSync(join(out, 'bucket=1'))).toEqual(['data_0.parquet']);
    const rows = await duckdb(`select n::integer as n, bucket::integer as bucket from '${out}/*/*.parquet' order by n`);
    expect(rows.map(({ bucket }) => bucket)).toEqual(shards(new Router({ shards: 3 }), texts));
  });

  it('calls files and directories by the names of nodes', async () => {
    const map = ShardMap.create({ shards: 64, nodes: [{ name: 'db 1' }, { name: 'db2' }] });
    writeFileSync(join(folder, 'nodes.json'), JSON.stringify(map));
    const out = join(await split('--map', join(folder, 'nodes.json')), 'out');
    expect(readdirSync(out)).toEqual(['db 1.parquet', 'db2.parquet', 'manifest.json']);
    const hive = join(await split('--map', join(folder, 'nodes.json'), '--hive'), 'out');
    expect(readdirSync(hive).sort()).toEqual(['node=db%201', 'node=db2']);
    const read = (files: string) => duckdb(`select n from '${files}' order by n`);
    expect(await read(join(hive, 'node=db%201/*.parquet'))).toEqual(await read(join(out, 'db 1.parquet')));
  });
});
