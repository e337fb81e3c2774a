import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesOfShards } from '../../src/node/index.js';
import { temporaryFolder } from '../support/cli.js';

function folder(...paths: readonly string[]): string {
  const directory = temporaryFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), '');
  }
  return directory;
}

/** The shards of files of these names, in the order of the names. */
function shardsOf(...paths: readonly string[]) {
  const directory = folder(...paths);
  return filesOfShards(directory)?.map(({ path, label }) => [path.slice(directory.length + 1), label]);
}

/** Java's `%0nd`. */
const padded = (number: number, digits: number) => `${number}`.padStart(digits, '0');

const BUCKET = fc.integer({ min: 0, max: 99_999 });
const TASK = fc.integer({ min: 0, max: 200_000 }).map((task) => padded(task, 5));
const COUNTER = fc.integer({ min: 0, max: 1_000_000 }).map((counter) => padded(counter, 3));
const QUERY = fc.stringMatching(/^20\d{6}_\d{6}_\d{5}_[a-z0-9]{5}$/);

/** A name and its bucket, as FileFormatDataWriter and HadoopMapReduceCommitProtocol of Spark write it. */
const OF_SPARK = fc
  .record({
    bucket: fc.integer({ min: 0, max: 2_000_000 }),
    task: TASK,
    job: fc.oneof(
      fc.uuid(),
      fc.uuid().map((uuid) => `tid-4728-${uuid}-12-1`),
    ),
    counter: COUNTER,
    ending: fc.constantFrom('snappy.parquet', 'parquet', 'zstd.parquet', 'csv', 'csv.gz', 'json', 'json.gz', 'txt'),
  })
  .map(({ bucket, task, job, counter, ending }) => {
    return [`part-${task}-${job}_${padded(bucket, 5)}.c${counter}.${ending}`, bucket] as const;
  });

/** Names of Hive itself, of Trino, and of Spark in tables with Hive's buckets. */
const OF_HIVE = fc
  .record({
    bucket: BUCKET,
    attempt: fc.integer({ min: 0, max: 999_999 }),
    copy: fc.option(fc.oneof(fc.integer({ min: 1, max: 999_999 }).map(String), fc.stringMatching(/^[0-9a-fA-F]{8}$/))),
    uuid: fc.uuid(),
    query: QUERY,
    task: TASK,
    counter: COUNTER,
    ending: fc.constantFrom('', '.gz', '.zst', '.parquet', '.csv', '.json.gz'),
  })
  .chain(({ bucket, attempt, copy, uuid, query, task, counter, ending }) => {
    const [five, six] = [padded(bucket, 5), padded(bucket, 6)];
    return fc.constantFrom(
      ...[
        `${six}_${attempt}${copy === null ? '' : `_copy_${copy}`}${ending}`,
        `${six}_0${ending}`,
        `0${six}_0${ending}`,
        `${five}_0${ending}`,
        `${six}_0_${query}${ending}`,
        `${six}_0_${uuid}_${query}${ending}`,
        `${five}_0_part-${task}-${uuid}_${five}.c${counter}.snappy.parquet`,
      ].map((name) => [name, bucket] as const),
    );
  });

describe('files of buckets', () => {
  it.each([
    ['Spark', OF_SPARK],
    ['Hive', OF_HIVE],
  ])('of %s have the number of the bucket in their names', (_, names) => {
    fc.assert(
      fc.property(names, ([name, bucket]) => {
        expect(shardsOf(name)).toEqual([[name, bucket]]);
        expect(shardsOf(`day=1/hour=2/${name}`)).toEqual([[`day=1/hour=2/${name}`, bucket]]);
      }),
      { numRuns: 200 },
    );
  });

  it('may be several for a bucket, and lie beside files without rows', () => {
    const spark = 'part-00000-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_00003.c000.csv';
    const again = 'part-00007-7dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_00003.c001.csv';
    expect(shardsOf(spark, again, '_SUCCESS', `.${spark}.crc`)).toEqual([
      [spark, 3],
      [again, 3],
    ]);
    expect(shardsOf('000003_0', '000003_0_copy_1', 'manifest.json')).toEqual([
      ['000003_0', 3],
      ['000003_0_copy_1', 3],
    ]);
  });

  it.each([
    'part-00003-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb-c000.snappy.parquet',
    'part-00003-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb.c000.csv',
    'part-00003-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_00003-c000.csv',
    'part-r-00003-2dd664f9-d2c4-4ffe-878f-431234567891.gz.parquet',
    'part-00003.csv',
    'part-00003',
  ])('are not those that have only the number of a task: %s', (name) => {
    for (const path of [name, `day=1/${name}`]) {
      expect(() => shardsOf(path)).toThrow(
        /: expected the name of a shard's file, such as .*; 00003 is the number of the task that wrote it/,
      );
    }
    expect(shardsOf(`shard=7/${name}`)).toEqual([[`shard=7/${name}`, 7]]);
  });

  it.each([
    // Trino's in tables without buckets, by the query or by a UUID as a number.
    '20180102_030405_00641_x1y2z_2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb',
    '20180102_030405_00641_x1y2z',
    '000000_1142380562710345678291234567890123456',
    // Of transactional tables: rows of ORC, and of deleted rows.
    'bucket_00003',
    '20240101_123000.csv',
    '202401_1.csv',
    '000003_00.csv',
    '003_0.csv',
    '000003.csv_0',
    '000003_0.orc',
    '000003_0.csv.bz2',
    '000003_0_copy_',
    '000003_0_more.csv',
    '00003_0_part-00000-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_00004.c000.csv',
    'part-00000-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_00003.c000.orc',
    'part-00000-2dd664f9_00004_00003x.c000.csv',
    'part-00000-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_99999999999.c000.csv',
    'user_00003.csv',
  ])('are not guessed: %s', (name) => {
    expect(() => shardsOf(name)).toThrow(
      `${name}: expected the name of a shard's file, such as 07.csv or shard=3/FILE`,
    );
  });

  it.each([
    ['00.csv', '000003_0', '000003_0: named as Hive names files, but DIR/00.csv as route does'],
    [
      '00.csv',
      'part-00000-2dd664f9-d2c4_00003.c000.csv',
      'part-00000-2dd664f9-d2c4_00003.c000.csv: named as Spark names files, but DIR/00.csv as route does',
    ],
    [
      'day=1/000003_0',
      'day=2/part-00000-2dd664f9-d2c4_00003.c000.csv',
      'day=2/part-00000-2dd664f9-d2c4_00003.c000.csv: named as Spark names files, but DIR/day=1/000003_0 as Hive does',
    ],
  ])('are not mixed with others: %s and %s', (one, other, message) => {
    const directory = folder(one, other);
    expect(() => filesOfShards(directory)).toThrow(
      `${directory}/${message.replace('DIR', directory)}. Audit them apart`,
    );
    expect(() => filesOfShards([folder(one), folder(other)])).toThrow('Audit them apart');
  });

  it('may have names of their own in the directories of shards', () => {
    const paths = ['shard=3/000009_0', 'shard=3/part-00000-2dd664f9-d2c4_00008.c000.csv', 'shard=4/07.csv'];
    expect(shardsOf(...paths)).toEqual(paths.map((path) => [path, Number(path[6])]));
  });

  it('are those of nodes of these names, if there are such', () => {
    const names = ['000003_0', 'b'];
    const directory = folder('000003_0.csv', 'b.csv');
    expect(filesOfShards(directory, { names })?.map(({ label }) => label)).toEqual(names);
  });
});
