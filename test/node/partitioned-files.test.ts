import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import {
  planLines,
  type RecordFormat,
  routeFile,
  routeLines,
  routeStream,
  routeToDirectory,
} from '../../src/node/index.js';
import { partitioner, partitionerFrom } from '../../src/partitioners/index.js';
import { bytesColumn } from '../partitioners/samples.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { randomBytes } from '../support/random.js';
import {
  byInt64,
  expectSame,
  file,
  int64s,
  kafka,
  linesOf,
  ROWS,
  routed,
  SAMPLES,
  streamed,
  TABLES,
} from './partition-samples.js';
import { placesLines } from './partitioned-lines.js';

onBothBackends('keys in files go where a partitioner places them', () => {
  placesLines(ROWS);

  it.each(SAMPLES)('records of CSV and NDJSON: %s', async (_, { by, keys, texts }) => {
    const shards = by.routeMany(keys);
    for (const { rows, header, record, withShard } of TABLES) {
      const records = texts.map(record);
      const table = `${header && `${header}\n`}${linesOf(records)}`;
      const added = `${header && `${header},shard\n`}${linesOf(records.map((one, i) => withShard(one, shards[i])))}`;
      expectSame(await routed(table, { router: by, records: rows }), added);
      expectSame(await routed(table, { router: by, records: rows, format: 'shard' }), linesOf(shards));
      expectSame(await streamed(table, by, { records: rows }), shards.join());
    }
  });

  it('bytes that are not UTF-8', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => randomBytes(i % 40, i).map((byte) => byte | 0x80));
    const bytes = Buffer.concat(rows.flatMap((row) => [row, Buffer.of(0x0a)]));
    for (const by of [kafka, partitioner('kafka', { partitions: 12, key: 'bytes' })]) {
      expectSame(await routed(bytes, { router: by, format: 'shard' }), linesOf(by.routeMany(bytesColumn(rows))));
    }
  });

  it('with a file for each shard', async () => {
    for (const [, { by, keys, texts }] of SAMPLES.slice(1)) {
      const directory = join(temporaryFolder(), 'shards');
      const progress = await routeToDirectory(file(linesOf(texts)), { router: by, directory });
      expect(progress.keys).toBe(ROWS);
      const names = Array.from({ length: by.shards }, (_, i) => `${i}`.padStart(`${by.shards - 1}`.length, '0'));
      expect(readdirSync(directory)).toEqual(names.map((name) => `${name}.txt`));
      const shards = by.routeMany(keys);
      for (const [shard, name] of names.entries()) {
        const mine = linesOf(texts.filter((_, i) => shards[i] === shard));
        expectSame(readFileSync(join(directory, `${name}.txt`)), mine);
      }
    }
  });

  it('with a manifest from which the partitioner can be made again', async () => {
    const ring = BigInt64Array.of(-(2n ** 62n), 5n, 2n ** 62n);
    for (const by of [byInt64, partitioner('cassandra', { tokens: ring, key: 'int64' })]) {
      for (const { rows, header, record } of TABLES) {
        const directory = join(temporaryFolder(), 'shards');
        const records = Array.from(int64s.subarray(0, 500), (key, i) => record(String(key), i));
        const content = `${header && `${header}\n`}${linesOf(records)}`;
        await routeToDirectory(file(content), { router: by, directory, records: rows });
        const { options, files, ...sums } = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
        expect(options).toEqual({ router: JSON.parse(JSON.stringify(by)), records: rows });
        expect(sums.rows).toBe(500);
        const shards = partitionerFrom(options.router).routeMany(int64s.subarray(0, 500));
        expect(shards).toEqual(by.routeMany(int64s.subarray(0, 500)));
        const counts = Array.from({ length: by.shards }, (_, shard) => shards.filter((one) => one === shard).length);
        expect(files.map((one: { rows: number }) => one.rows)).toEqual(counts);
      }
    }
  });
});

describe('partitioners with arguments that do not fit', () => {
  it.each(['text', 'u64', 'int64'])('keys: %s', async (keys) => {
    const folder = temporaryFolder();
    const options = { keys: keys as 'text' };
    const [out, directory] = [join(folder, 'out'), join(folder, 'dir')];
    const refused = { name: 'RangeError', argument: 'keys', got: keys };
    for (const router of [kafka, byInt64]) {
      await expect(routeFile('none', { router, out, ...options })).rejects.toMatchObject(refused);
      await expect(routeToDirectory('none', { router, directory, ...options })).rejects.toMatchObject(refused);
      await expect(planLines('none', router, router, options)).rejects.toMatchObject(refused);
      await expect(planLines('none', new Router({ shards: 3 }), router, { keys: 'u64' })).rejects.toMatchObject({
        ...refused,
        got: 'u64',
      });
      expect(() => routeLines('none', router, options)).toThrow(expect.objectContaining(refused));
      expect(() => routeStream(router, options)).toThrow(expect.objectContaining(refused));
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a key of several columns, but a list of one', async () => {
    const folder = temporaryFolder();
    const [out, directory] = [join(folder, 'out'), join(folder, 'dir')];
    for (const format of ['csv', 'ndjson'] as const) {
      const rows: RecordFormat = { format, key: ['a', 'b'] };
      const refused = { name: 'RangeError', argument: 'records.key' };
      await expect(routeFile('none', { router: kafka, out, records: rows })).rejects.toMatchObject(refused);
      await expect(routeToDirectory('none', { router: kafka, directory, records: rows })).rejects.toMatchObject(
        refused,
      );
      await expect(planLines('none', new Router({ shards: 3 }), kafka, { records: rows })).rejects.toMatchObject(
        refused,
      );
      expect(() => routeLines('none', kafka, { records: rows })).toThrow(expect.objectContaining(refused));
      expect(() => routeStream(kafka, { records: rows })).toThrow(expect.objectContaining(refused));
    }
    const rows: RecordFormat = { format: 'csv', key: ['b'] };
    expect(await streamed('a,b\n1,2\n', kafka, { records: rows })).toEqual([kafka.route('2')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a partitioner of Cassandra without a ring', async () => {
    const folder = temporaryFolder();
    const router = partitioner('cassandra');
    const refused = { name: 'TypeError', argument: 'tokens' };
    const path = file('a\n');
    await expect(routeFile(path, { router, out: join(folder, 'out') })).rejects.toMatchObject(refused);
    const running = routeToDirectory(path, { router, directory: join(folder, 'dir') });
    await expect(running).rejects.toMatchObject(refused);
    await expect(planLines(path, router, kafka)).rejects.toMatchObject(refused);
    expect(readdirSync(folder)).toEqual([]);
  });
});
