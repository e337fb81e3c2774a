// The functions on files, over Parquet. The columns and their types are tested through the command line: test/cli/parquet/.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router, xxh64Many } from '../../src/index.js';
import { placementOf, ShardMap } from '../../src/map/index.js';
import {
  auditFiles,
  countShards,
  detectFiles,
  hashFile,
  type PlacingOptions,
  parquetFiles,
  planFiles,
  planLines,
  routeFile,
  routeToDirectory,
} from '../../src/node/index.js';
import { type KeyKind, partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';
import { duckdb, parquetColumn, writeParquet } from '../support/parquet.js';

const ROWS = 3000;
const emails = Array.from({ length: ROWS }, (_, i) => `user${i}@example.com`);
const ids = BigInt64Array.from(emails, (_, i) => BigInt(i) * 77n);
const asColumn = 'place'; // there is a column shard
const records = { format: 'parquet', key: 'email' } as const;
const byId = { format: 'parquet', key: 'id' } as const;
const kafka = partitioner('kafka', { partitions: 12 });
const router = new Router({ shards: 12 });
const map = ShardMap.create({ shards: 12, nodes: [{ name: 'a' }, { name: "b's" }] });
const named = placementOf(router, map);

let folder: string;
let users: string;
let csv: string;
beforeAll(async () => {
  folder = temporaryFolder(afterAll);
  [users, csv] = [join(folder, 'users.parquet'), join(folder, 'users.csv')];
  const partitions = kafka.routeMany(emails);
  const lines = emails.map(
    (email, i) => `${ids[i]},${email},${i % 100 === 7 ? (partitions[i] + 1) % 12 : partitions[i]}`,
  );
  writeFileSync(csv, `id,email,shard\n${lines.join('\n')}\n`);
  const rows = `select *, case when id % 5 = 0 then null else id end as nullable from '${csv}'`;
  await writeParquet(users, rows);
  await writeParquet(join(folder, 'part-1.parquet'), `from (${rows}) limit 1000`);
  await writeParquet(join(folder, 'part-2.parquet'), `from (${rows}) offset 1000`);
});

/** What a job writes to a new file. */
async function written(job: (out: string) => Promise<unknown>, column: string): Promise<unknown[]> {
  const out = join(temporaryFolder(), 'out.parquet');
  await job(out);
  return parquetColumn(out, column);
}

describe('routeFile of Parquet', () => {
  it('adds the shard of every row, and says how many rows there were', async () => {
    const seen: number[] = [];
    const onProgress = ({ keys }: { keys: number }) => seen.push(keys);
    const job = async (out: string) => {
      const { keys, bytes } = await routeFile(users, { router, out, records, asColumn, onProgress });
      expect([keys, bytes]).toEqual([ROWS, readFileSync(users).length]);
    };
    expect(await written(job, 'place')).toEqual([...router.routeMany(emails)]);
    expect(seen.at(-1)).toBe(ROWS);
  });

  it('reads several files and patterns, and compresses pages', async () => {
    const out = join(temporaryFolder(), 'out.parquet');
    await routeFile([join(folder, 'part-*.parquet')], {
      placement: named,
      out,
      records,
      asColumn,
      compress: 'zstd',
      threads: 2,
    });
    expect(await parquetColumn(out, 'place')).toEqual(emails.map((email) => named.labelOf(router.route(email))));
    const found = await duckdb(`select distinct compression from parquet_metadata('${out}')`);
    expect(found).toEqual([{ compression: 'ZSTD' }]);
  });

  it('reads keys as the type of the column or `keys` says, and missing ones as `missingKey`', async () => {
    const shards = (options: object) =>
      written((out) => routeFile(users, { router, out, asColumn, ...options } as never), asColumn);
    expect(await shards({ records: byId, keys: 'u64' })).toEqual([...router.routeMany(ids)]);
    expect(await shards({ records: byId, keys: 'text' })).toEqual([...router.routeMany(Array.from(ids, String))]);
    const expected = Array.from(router.routeMany(ids), (shard, i) => (i % 5 === 0 ? 3 : shard));
    expect(await shards({ records: { ...byId, key: ['nullable'] }, keys: 'u64', missingKey: 3 })).toEqual(expected);
  });

  it('reads keys as a partitioner does, or with `column` as its system reads such a column', async () => {
    const shards = (options: object) =>
      written((out) => routeFile(users, { out, records: byId, asColumn, ...options }), asColumn);
    const ofInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });
    expect(await shards({ router: kafka })).toEqual([...kafka.routeMany(Array.from(ids, String))]);
    expect(await shards({ router: ofInt64 })).toEqual([...ofInt64.routeMany(ids)]);
    expect(await shards({ router: kafka, keys: 'column' })).toEqual([...ofInt64.routeMany(ids)]);
  });

  it('reads integers of 32 bits with `column` as those of 64 bits for a system that has no others', async () => {
    const narrow = join(temporaryFolder(), 'narrow.parquet');
    await writeParquet(narrow, `select id::integer as id from '${csv}'`);
    const discord = partitioner('discord', { shards: 12 });
    const options = { router: discord, records: byId, keys: 'column', asColumn } as const;
    const shards = await written((out) => routeFile(narrow, { ...options, out }), asColumn);
    expect(shards).toEqual([...discord.routeMany(ids)]);
  });

  it('reads a column of each type with `column` as the system has it, and keys of several columns', async () => {
    const typed = join(temporaryFolder(), 'typed.parquet');
    const columns = [
      '(i - 100)::tinyint as int8',
      '(i * 100)::usmallint as uint16',
      '(i * 1000003)::uinteger as uint32',
      '(i / 100)::decimal(10, 2) as decimal',
      "date '2024-03-01' + i as date",
      "time '00:00:00.25' + to_seconds(i) as time",
      "timestamp '2024-03-01 10:30:15.5' + to_hours(i) as timestamp",
      'case when i % 3 = 0 then null else i * 5 end::bigint as "int64"',
      "case when i % 4 = 0 then null else 'key ' || i end as text",
    ];
    await writeParquet(typed, `select ${columns.join(', ')} from range(200) r(t), (select t::integer as i)`);
    const iceberg = (key: KeyKind) => partitioner('iceberg', { buckets: 1000, key: key as 'text' });
    const read = async (column: string, type = 'varchar') => parquetColumn(typed, `"${column}"::${type}`);
    for (const kind of ['int8', 'uint16', 'uint32', 'decimal', 'date', 'time', 'timestamp'] as const) {
      const options = { records: { format: 'parquet', key: kind }, keys: 'column', asColumn } as const;
      const shards = await written((out) => routeFile(typed, { router: iceberg('text'), out, ...options }), asColumn);
      const values = (await read(kind)).map((value) => (kind.includes('int') ? Number(value) : String(value)));
      expect([kind, shards]).toEqual([kind, values.map((value) => iceberg(kind).route(value as never))]);
    }
    const postgres = partitioner('postgres', { modulus: 1000, key: ['int64', 'text'] });
    const key = ['int64', 'text'];
    const options = { records: { format: 'parquet', key }, keys: 'column', asColumn } as const;
    const usual = partitioner('postgres', { modulus: 1000 });
    const shards = await written((out) => routeFile(typed, { router: usual, out, ...options }), asColumn);
    const [ints, texts] = [await read('int64'), (await read('text')) as (string | null)[]];
    const keys = texts.map((text, i) => [ints[i] === null ? null : BigInt(String(ints[i])), text] as const);
    expect(shards).toEqual(keys.map((one) => postgres.route(one)));
  });

  it('ends with the error of a Routing of your own', async () => {
    const failing = {
      ...router,
      shards: 2,
      route: () => 0,
      routeMany: () => {
        throw new TypeError('own words');
      },
      toJSON: () => ({}),
    };
    const job = written((out) => routeFile(users, { router: failing as never, out, records, asColumn }), asColumn);
    await expect(job).rejects.toThrow(new TypeError('own words'));
  });

  it('ends with the error of `onProgress`', async () => {
    const error = new Error('own words');
    const onProgress = () => {
      throw error;
    };
    await expect(countShards(users, { router, records, onProgress })).rejects.toBe(error);
  });

  it('takes a Routing of your own', async () => {
    const own = {
      shards: 2,
      route: () => 1,
      routeMany: (keys: { length?: number; offsets?: Uint32Array }) =>
        new Uint32Array(keys.length ?? (keys.offsets as Uint32Array).length - 1).fill(1),
      toJSON: () => ({}),
    };
    const job = (out: string) => routeFile(users, { router: own as never, out, records, asColumn });
    expect(new Set(await written(job, asColumn))).toEqual(new Set([1]));
  });
});

it('hashFile of Parquet adds numbers, or texts with `hex`', async () => {
  const hashes = [...xxh64Many(emails, { seed: 7n })];
  const job = (options: object) => (out: string) => hashFile(users, { out, records, seed: 7n, ...options });
  expect(await written(job({}), 'hash')).toEqual(hashes.map(String));
  const hex = hashes.map((hash) => hash.toString(16).padStart(16, '0'));
  expect(await written(job({ format: 'hex', asColumn: 'h' }), 'h')).toEqual(hex);
});

describe('routeToDirectory of Parquet', () => {
  it('writes a file for each shard, and a manifest', async () => {
    const directory = join(temporaryFolder(), 'out');
    const { keys } = await routeToDirectory(users, { router, directory, records, maxRowsPerFile: 200 });
    const { rows, options, files } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    expect([keys, rows, options.records]).toEqual([ROWS, ROWS, records]);
    expect(files[0].name).toBe('00-00000.parquet');
    expect(await auditFiles(directory, { router, records })).toMatchObject({ rows: ROWS, misplaced: 0 });
  });

  it('writes files that auditFiles reads, also if the column of the keys is called shard', async () => {
    const directory = join(temporaryFolder(), 'out');
    const byShard = { format: 'parquet', key: 'shard' } as const;
    const options = { router, records: byShard, keys: 'text' } as const;
    await routeToDirectory(users, { ...options, directory });
    expect(await auditFiles(directory, options)).toMatchObject({ rows: ROWS, misplaced: 0 });
  });

  it('writes directories of Hive, of shards or labels', async () => {
    const directory = join(temporaryFolder(), 'out');
    await routeToDirectory(users, { placement: named, directory, records, hive: true });
    expect(readdirSync(directory).sort()).toEqual(['node=a', "node=b's"]);
    expect(await auditFiles([directory], { placement: named, records })).toMatchObject({ rows: ROWS, misplaced: 0 });
    const other = join(temporaryFolder(), 'out');
    await routeToDirectory(users, {
      router: new Router({ shards: 2 }),
      directory: other,
      records,
      hive: true,
      asColumn: 'n',
    });
    expect(readdirSync(other).sort()).toEqual(['n=0', 'n=1']);
  });
});

describe('a count of rows of Parquet is that of the same rows in CSV', () => {
  const ofCsv = { format: 'csv', key: 'email' } as const;
  it('countShards', async () => {
    const counts = await countShards(users, { placement: named, records });
    expect(counts).toEqual(await countShards(csv, { placement: named, records: ofCsv }));
  });

  it('planFiles and planLines', async () => {
    const next = placementOf(router, map.with({ nodes: [...map.nodes, { name: 'c' }] }));
    for (const [from, to] of [
      [named, next],
      [placementOf(kafka), placementOf(router)],
    ]) {
      const plan = await planFiles(users, { from, to, records });
      expect(plan).toEqual(await planFiles(csv, { from, to, records: ofCsv }));
    }
    const more = new Router({ shards: 13 });
    expect(await planLines(users, router, more, { records })).toEqual(
      await planLines(csv, router, more, { records: ofCsv }),
    );
    const ofInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });
    const [from, to] = [placementOf(ofInt64), placementOf(router)];
    const { total, moved } = await planFiles(csv, { from, to, records: { ...ofCsv, key: 'id' } });
    expect(await planLines(users, kafka, router, { records: byId, keys: 'column' })).toMatchObject({ total, moved });
    expect(await planLines(users, ofInt64, router, { records: byId })).toMatchObject({ total, moved });
  });

  it('auditFiles, which also writes the misplaced rows', async () => {
    const out = join(temporaryFolder(), 'misplaced.parquet');
    const audit = await auditFiles(users, { router: kafka, records, out });
    expect(audit).toEqual(await auditFiles(csv, { router: kafka, records: ofCsv }));
    expect(await parquetColumn(out, 'id')).toHaveLength(audit.misplaced);
    expect(audit.misplaced).toBe(30);
  });

  it('detectFiles, but rows are counted in files without headers', async () => {
    const [first, second] = ['part-1.parquet', 'part-2.parquet'].map((name) => join(folder, name));
    const { foreign, ...found } = await detectFiles([first, second], { records });
    const inCsv = await detectFiles(csv, { records: ofCsv });
    expect(JSON.stringify({ ...inCsv, ...found })).toBe(JSON.stringify(inCsv));
    expect(foreign.map(({ row }) => row)).toEqual(inCsv.foreign.map(({ row }) => row));
    expect([foreign[0], foreign[10]]).toEqual([
      { row: 8, file: first, line: 8 },
      { row: 1008, file: second, line: 8 },
    ]);
  });
});

describe('parquetFiles', () => {
  it('names the files of paths and patterns, or nothing for text', async () => {
    const [first, second] = ['part-1.parquet', 'part-2.parquet'].map((name) => join(folder, name));
    expect(await parquetFiles([users, join(folder, 'part-?.parquet')])).toEqual([users, first, second]);
    expect(await parquetFiles([csv, '-', 'nothing.txt'])).toBe(undefined);
    await expect(parquetFiles([users, csv])).rejects.toThrow(`"input": expected files of Parquet only, got "${csv}"`);
    await expect(parquetFiles(['nothing-*.parquet'])).rejects.toThrow('nothing-*.parquet: no file has such a name');
    await expect(parquetFiles(['nothing.parquet'])).rejects.toThrow('nothing.parquet: no such file or directory');
    await expect(parquetFiles(['s3://a/*.parquet'])).rejects.toThrow('"input": expected files: read others in DuckDB');
  });
});

describe('options are refused', () => {
  const route = (options: object, input: unknown = users) => {
    return routeFile(input as string, { router, records, out: join(folder, 'refused'), ...options } as never);
  };
  it.each<[string, object, string]>([
    ['encoding', { encoding: 'utf-8' }, '"encoding": expected undefined with Parquet, got "utf-8"'],
    ['onReject', { onReject() {} }, '"onReject": expected undefined with Parquet, got a function'],
    ['a format of rows', { format: 'u32' }, '"format": expected undefined with Parquet'],
    ['a stream', { out: process.stdout }, '"out": expected a path for Parquet'],
    [
      'an option of CSV',
      { records: { ...records, header: false } },
      '"records": expected only format, key, got "header"',
    ],
    [
      'several keys',
      { records: { ...records, key: ['id', 'email'] } },
      '"records.key": expected one column of Parquet',
    ],
    ['a number as a key', { records: { ...records, key: 1 } }, '"records.key": expected a string, got 1'],
    [
      'another column',
      { records: { ...records, key: 'x' } },
      '"records.key": expected one of id, email, shard, nullable',
    ],
    ['another kind', { keys: 'int64' }, "\"keys\": expected one of 'text', 'u64', 'column', got \"int64\""],
    ['a kind for a partitioner', { router: kafka, keys: 'text' }, '"keys": expected undefined or \'column\' with'],
    [
      'texts as hashes',
      { router: new Router({ shards: 2, hash: 'none' }) },
      "\"keys\": expected 'u64' with hash 'none'",
    ],
    ['a shard too many', { missingKey: 12 }, '"missingKey": expected an integer from 0 to 11, got 12'],
    ['a column twice', { asColumn: 'ID' }, '"asColumn": expected a new name, got the column id'],
    ['another compression', { compress: 'brotli' }, '"compress": expected one of'],
    [
      'integers for a Router that are not said to be text or u64s',
      { records: byId },
      `"records.key": expected keys 'text' (as in CSV) or keys 'u64' (as 42n, and as functions in DuckDB) for integers, got "id of type BIGINT"`,
    ],
    ['no threads', { threads: 0 }, '"threads": expected an integer from 1 to 256, got 0'],
  ])('%s', async (_, options, message) => {
    await expect(route(options)).rejects.toThrow(message);
  });

  it('and so are inputs of text, streams, and options of other jobs', async () => {
    await expect(route({}, csv)).rejects.toThrow(`"input": expected files of Parquet, got "${csv}"`);
    await expect(route({}, Readable.from([]))).rejects.toThrow('"input": expected the paths of files of Parquet');
    const column = auditFiles(users, { router, records, shardColumn: 'email' });
    await expect(column).rejects.toThrow('"records.shard": expected another column than the key');
    const hive = routeToDirectory(csv, { router, directory: 'x', records: { format: 'csv', key: 'id' }, hive: true });
    await expect(hive).rejects.toThrow('"hive": expected undefined except with Parquet');
    const sides = { from: placementOf(router), to: placementOf(router) };
    const plan = planFiles(users, { ...sides, records, outRows: join(folder, 'refused') });
    await expect(plan).rejects.toThrow('"outRows": expected undefined with Parquet');
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it('and Parquet without `records` of its format is not text', async () => {
    const job = routeFile(users, { router, out: join(folder, 'refused') });
    await expect(job).rejects.toMatchObject({ code: 'ERR_UNSUPPORTED_FORMAT' });
  });
});

it('a signal ends a job, and nothing is left', async () => {
  const cwd = temporaryFolder();
  for (const job of [
    (options: PlacingOptions) => routeFile(users, { ...options, asColumn, out: join(cwd, 'out.parquet') }),
    (options: PlacingOptions) => routeToDirectory(users, { ...options, directory: join(cwd, 'out') }),
    (options: PlacingOptions) => countShards(users, options),
  ]) {
    const aborting = new AbortController();
    const options = { router, records, signal: aborting.signal };
    const aborted = { name: 'AbortError' };
    await expect(job({ ...options, onProgress: () => aborting.abort() })).rejects.toMatchObject(aborted);
    await expect(job(options)).rejects.toMatchObject(aborted);
    expect(readdirSync(cwd)).toEqual([]);
  }
});
