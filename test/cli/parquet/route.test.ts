import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Keys, Router, type Routing, xxh64Many } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { make } from '../../partitioners/samples.js';
import { temporaryFolder } from '../../support/cli.js';
import { differentRows, duckdb, parquetColumn, parquetTypes, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';
import { expectEmptyFiles, KEYS, keysTable } from './keys-table.js';

let folder: string;
let table: string;
beforeAll(async () => {
  folder = temporaryFolder(() => {});
  table = await keysTable(folder);
});

const { texts, bytes, int32s, int64s, uuids } = KEYS;
const bigints = (values: Iterable<number | bigint>) => BigInt64Array.from(values as Iterable<bigint>, BigInt);
const count = texts.length;
const numbers = Array.from({ length: count }, (_, n) => n);

/** Runs a command that must succeed, into a folder of its own. */
async function succeed(args: string[]): Promise<string> {
  const cwd = temporaryFolder();
  const run = await runHere(args, { cwd });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return cwd;
}

async function routed(args: string[], column = 'shard'): Promise<unknown[]> {
  const cwd = await succeed(['route', table, ...args, '--out', 'out.parquet']);
  return parquetColumn(join(cwd, 'out.parquet'), column);
}

const shards = (routing: Routing<any>, keys: unknown) => [...routing.routeMany(keys as Keys)];

describe('route of Parquet gives the shards of a Router', () => {
  const router = new Router({ shards: 1000 });
  it.each([
    ['text', texts],
    ['user.key', texts],
    ['a.b', texts],
    ['bytes', bytes],
    ['u64', int64s],
    ['int64', int64s],
    ['int32', bigints(int32s)],
    ['tiny', bigints(numbers.map((n) => n % 100))],
    ['utiny', bigints(numbers.map((n) => n % 200))],
    ['small', bigints(numbers.map((n) => n % 30000))],
    ['usmall', bigints(numbers)],
    ['uint', bigints([...int64s].map((value) => value & 0xffff_ffffn))],
    ['uuid', uuids],
    ['uuid_text', uuids.map((uuid) => uuid.toUpperCase())],
    ['colour', numbers.map((n) => ['red', 'green', 'blue'][n % 3])],
  ])('for a column of its own type: %s', async (key, keys) => {
    expect(await routed(['--key', key, '--shards', '1000'])).toEqual(shards(router, keys));
  });

  it.each([
    ['u64', 'int64_text', int64s],
    ['u64', 'int64', int64s],
    ['u64', 'whole', int64s],
    ['text', 'int64', Array.from(int64s, String)],
    ['text', 'bytes', bytes],
  ])('for --keys %s: %s', async (kind, key, keys) => {
    expect(await routed(['--key', key, '--keys', kind, '--shards', '1000'])).toEqual(shards(router, keys));
  });

  it('with the options of a Router', async () => {
    const options = ['--strategy', 'fastrange', '--seed', '7', '--down', '3,5'];
    const other = new Router({ shards: 12, strategy: 'fastrange', seed: 7n, down: [3, 5] });
    expect(await routed(['--key', 'text', '--shards', '12', ...options])).toEqual(shards(other, texts));
  });

  it('and a shard for rows without a key, if one is given', async () => {
    const expected = shards(router, int64s).map((shard, n) => (n % 10 === 0 ? 999 : shard));
    const args = ['--key', 'nullable', '--shards', '1000', '--missing-key', '999'];
    expect(await routed(args)).toEqual(expected);
  });
});

describe('route of Parquet gives the shards of another system', () => {
  it.each([
    ['kafka', { partitions: 12 }, 'text', 'text', texts],
    ['kafka', { partitions: 12 }, 'bytes', 'bytes', bytes],
    ['kafka', { partitions: 12 }, 'int32', 'int32', int32s],
    ['kafka', { partitions: 12 }, 'int64', 'int64', int64s],
    ['kafka', { partitions: 12 }, 'uuid', 'uuid', uuids],
    ['postgres', { modulus: 12 }, 'uuid', 'uuid', uuids],
    ['postgres', { modulus: 12 }, 'int32', 'int32', int32s],
    ['discord', { shards: 12 }, 'int64', 'usmall', bigints(numbers)],
    ['spark', { partitions: 12 }, 'text', 'text', texts],
  ])('%s %j: %s from the column %s', async (system, options, kind, key, keys) => {
    const expected = shards(make(system, { ...options, key: kind }), keys);
    expect(await routed(['--key', key, '--as', system, '--shards', '12'])).toEqual(expected);
  });

  it.each([
    ['int64', 'int64_text', int64s],
    ['int32', 'small', Int32Array.from(numbers.map((n) => n % 30000))],
    ['uuid', 'uuid_text', uuids],
    ['text', 'uuid', uuids],
  ])('as --keys says: %s from the column %s', async (kind, key, keys) => {
    const expected = shards(make('kafka', { partitions: 12, key: kind }), keys);
    expect(await routed(['--key', key, '--keys', kind, '--as', 'kafka', '--shards', '12'])).toEqual(expected);
  });

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
    const out = join(await split('--shards', '2', '--max-rows-per-file', '500'), 'out');
    const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(files.map(({ name }: { name: string }) => name)).toEqual(readdirSync(out).slice(0, -1));
    expect(files.slice(0, 3)).toMatchObject([
      { name: '0-00000.parquet', rows: 500 },
      { name: '0-00001.parquet', rows: 500 },
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

describe('route of Parquet refuses', () => {
  const ROUTE = ['route', 'keys.parquet', '--shards', '12'];
  let cwd: string;
  let bytes: Buffer;
  beforeAll(async () => {
    cwd = temporaryFolder(afterAll);
    bytes = readFileSync(table);
    writeFileSync(join(cwd, 'keys.parquet'), bytes);
    writeFileSync(join(cwd, 'cut.parquet'), bytes.subarray(0, 1000));
    writeFileSync(join(cwd, 'text.txt'), 'PAR1 is a key\n');
    writeFileSync(join(cwd, 'not.parquet'), '');
    await writeParquet(join(cwd, 'taken.parquet'), "select 'x' as filename, 1 as n");
    mkdirSync(join(cwd, 'full'));
    writeFileSync(join(cwd, 'full', 'file'), '');
  });

  it.each([
    [[...ROUTE, '--out', 'o'], 2, 'Parquet requires --key'],
    [
      [...ROUTE, '--key', 'text', '--key', 'n', '--out', 'o'],
      2,
      '--key: expected one column of Parquet, got text and n',
    ],
    [[...ROUTE, '--key', 'Text', '--out', 'o'], 2, /^--key: expected one of n, text, bytes, .*, got "Text"$/],
    [[...ROUTE, '--key', 'user.nothing', '--out', 'o'], 2, /^--key: expected one of .*, got "user.nothing"$/],
    [
      [...ROUTE, '--key', 'fraction', '--out', 'o'],
      2,
      /^--key: expected a column of text, .* got "fraction of type DOUBLE"$/,
    ],
    [[...ROUTE, '--key', 'user', '--out', 'o'], 2, /^--key: expected a column of text, .* got "user of type STRUCT/],
    [[...ROUTE, '--key', 'fraction', '--keys', 'u64', '--out', 'o'], 2, /^--keys: .* type DOUBLE can have, got "u64"$/],
    [[...ROUTE, '--key', 'bytes', '--keys', 'u64', '--out', 'o'], 2, /^--keys: .* type BLOB can have, got "u64"$/],
    [[...ROUTE, '--key', 'nullable', '--out', 'o'], 1, 'keys.parquet: row 1: expected a key, got NULL'],
    [[...ROUTE, '--key', 'nullable', '--out-dir', 'o'], 1, 'keys.parquet: row 1: expected a key, got NULL'],
    [
      [...ROUTE, '--key', 'colour', '--keys', 'u64', '--out', 'o'],
      1,
      'keys.parquet: row 1: expected an integer from -2^63 to 2^64 - 1, got "red"',
    ],
    [
      [...ROUTE, '--key', 'int64', '--as', 'kafka', '--keys', 'int32', '--out', 'o'],
      1,
      /^keys.parquet: row \d+: expected an integer of 32 bits, got "-?\d+"$/,
    ],
    [[...ROUTE, '--key', 'nullable', '--missing-key', '12', '--out', 'o'], 2, /^--missing-key: .* 0 to 11, got 12$/],
    [[...ROUTE, '--key', 'text'], 2, /^Parquet requires --out, --out-dir or --summary, and is not written to/],
    [[...ROUTE, '--key', 'text', '--out', '-'], 2, /^Parquet requires --out, --out-dir or --summary/],
    [[...ROUTE, '--key', 'text', '--csv', '--out', 'o'], 2, '--csv cannot be combined with Parquet'],
    [[...ROUTE, '--key', 'text', '--no-header', '--out', 'o'], 2, '--no-header cannot be combined with Parquet'],
    [[...ROUTE, '--key', 'text', '--rejects', 'r', '--out', 'o'], 2, '--rejects cannot be combined with Parquet'],
    [
      [...ROUTE, '--key', 'text', '--format', 'tsv', '--out', 'o'],
      2,
      '--format: expected "parquet" for Parquet, got "tsv"',
    ],
    [[...ROUTE, '--key', 'text', '--as-column', 'N', '--out', 'o'], 2, /^--as-column: .*, but there is a column "n"$/],
    [[...ROUTE, '--key', 'text', '--out', 'keys.parquet'], 2, /^--out: expected another file than the input/],
    [[...ROUTE, '--key', 'text', '--hive', '--out', 'o'], 2, '--hive requires --out-dir'],
    [
      ['route', 'keys.parquet', 'text.txt', '--shards', '2', '--key', 'n', '--out', 'o'],
      2,
      /^expected files of Parquet only, got "text.txt"$/,
    ],
    [
      ['route', 'nothing*.parquet', '--shards', '2', '--key', 'n', '--out', 'o'],
      1,
      'nothing*.parquet: no file has such a name',
    ],
    [['route', '*.txt', '--shards', '2', '--key', 'n', '--out', 'o'], 1, 'text.txt: expected a file of Parquet'],
    [['route', 'cut.parquet', '--shards', '2', '--key', 'n', '--out', 'o'], 1, /cut\.parquet/],
    [
      ['route', 'taken.parquet', '--shards', '2', '--key', 'filename', '--out', 'o'],
      1,
      /^taken.parquet: expected no column filename/,
    ],
    [
      ['route', 'typo.parquet', '--shards', '2', '--key', 'n', '--out', 'o'],
      1,
      'typo.parquet: no such file or directory',
    ],
    [
      ['route', 'not.parquet', '--shards', '2', '--key', 'n', '--out', 'o'],
      1,
      'not.parquet: expected a file of Parquet',
    ],
    [[...ROUTE, '--key', 'text', '--out-dir', 'full'], 1, 'full: expected a new or an empty directory'],
    [[...ROUTE, '--key', 'text', '--out', 'missing/o'], 1, 'missing: no such file or directory'],
    [[...ROUTE, '--key', 'text', '--out-dir', 'text.txt'], 1, 'text.txt: expected a new or an empty directory'],
    [[...ROUTE, '--key', 'text', '--out', 'full'], 1, 'full: expected the path of a regular file'],
    [[...ROUTE, '--key', 'text', '--max-rows-per-file', '0', '--out-dir', 'o'], 2, /^--max-rows-per-file: expected /],
    [['hash', 'keys.parquet', '--key', 'text'], 2, 'Parquet requires --out, and is not written to standard output'],
  ] as const)('%j', async (args, code, problem) => {
    const run = await runHere([...args], { cwd });
    const message = /^error: (.*)\n$/s.exec(run.stderr)?.[1];
    if (typeof problem === 'string') expect(message).toBe(problem);
    else expect(message).toMatch(problem);
    expect([run.code, run.stdout.toString(), existsSync(join(cwd, 'o'))]).toEqual([code, '', false]);
    expect(readdirSync(cwd).sort()).toEqual([
      'cut.parquet',
      'full',
      'keys.parquet',
      'not.parquet',
      'taken.parquet',
      'text.txt',
    ]);
    expect(readFileSync(join(cwd, 'keys.parquet')).equals(bytes)).toBe(true);
  });

  it.each([
    '1.5',
    '1e3',
    ' 12',
    '0x10',
    '+1',
    '',
    '18446744073709551616',
    '-9223372036854775809',
  ])('a text that is not an integer for --keys u64: %j', async (text) => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'a.parquet'), "select '7' as id");
    await writeParquet(join(cwd, 'b.parquet'), `select unnest(['8', '${text}']) as id`);
    const args = ['route', 'a.parquet', 'b.parquet', '--key', 'id', '--keys', 'u64', '--shards', '2', '--out', 'o'];
    const { code, stderr } = await runHere(args, { cwd });
    const expected = 'expected an integer from -2^63 to 2^64 - 1';
    expect([code, stderr]).toEqual([1, `error: b.parquet: row 2: ${expected}, got ${JSON.stringify(text)}\n`]);
  });
});
