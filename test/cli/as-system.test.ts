import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planReshard } from '../../src/index.js';
import { type Partitioner, partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';
import { randomBytes } from '../support/random.js';
import { runHere } from '../support/run-here.js';

const TEXTS = Array.from({ length: 300 }, (_, i) => `${['user:', 'é{a}', '{b}', ''][i % 4]}${i}`);
const INT32S = Int32Array.from([...TEXTS.keys(), -1, 2 ** 31 - 1, -(2 ** 31)], (i) => Math.imul(i, 2654435761));
const INT64S = BigInt64Array.from(INT32S, (value, i) => BigInt(value) << BigInt(i % 33)).fill(-(2n ** 63n), 3, 4);
const UUIDS = Array.from({ length: 50 }, (_, i) => {
  const hex = Buffer.from(randomBytes(16, i)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
});

const linesOf = (lines: Iterable<unknown>): string => Array.from(lines, (line) => `${line}\n`).join('');

const SYSTEMS: readonly (readonly [as: string, args: readonly string[], by: Partitioner])[] = [
  ['kafka', ['--shards', '12'], partitioner('kafka', { partitions: 12 })],
  ['kafka:unsigned', ['--shards', '12'], partitioner('kafka', { partitions: 12, variant: 'unsigned' })],
  ['rdkafka', ['--shards', '12'], partitioner('rdkafka', { partitions: 12 })],
  ['rdkafka:consistent', ['--shards', '12'], partitioner('rdkafka', { partitions: 12 })],
  ['rdkafka:murmur2', ['--shards', '12'], partitioner('rdkafka', { partitions: 12, variant: 'murmur2' })],
  ['rdkafka:fnv1a', ['--shards', '12'], partitioner('rdkafka', { partitions: 12, variant: 'fnv1a' })],
  ['rdkafka:fnv1a-positive', ['--shards', '12'], partitioner('rdkafka', { partitions: 12, variant: 'fnv1a-positive' })],
  ['redis', [], partitioner('redis')],
  ['ragedb', ['--shards', '12'], partitioner('ragedb', { shards: 12 })],
  ['spark', ['--shards', '200'], partitioner('spark', { partitions: 200 })],
  ['spark:hash', ['--shards', '200'], partitioner('spark', { partitions: 200 })],
  ['spark:rdd', ['--shards', '200'], partitioner('spark', { partitions: 200, variant: 'rdd' })],
  ['iceberg', ['--shards', '16'], partitioner('iceberg', { buckets: 16 })],
  ['postgres', ['--shards', '12'], partitioner('postgres', { modulus: 12 })],
  ['citus', ['--shards', '32'], partitioner('citus', { shards: 32 })],
  ['vitess', ['--shards', '12'], partitioner('vitess', { shards: 12 })],
  ['vitess:binary_md5', ['--shards', '12'], partitioner('vitess', { shards: 12, vindex: 'binary_md5' })],
  ['vitess:hash', ['--shards', '12'], partitioner('vitess', { shards: 12, vindex: 'hash', key: 'int64' })],
  ['elasticsearch', ['--shards', '5'], partitioner('elasticsearch', { shards: 5 })],
  ['elasticsearch:before-9.4', ['--shards', '5'], partitioner('elasticsearch', { shards: 5, before: '9.4' })],
  ['couchbase', [], partitioner('couchbase')],
  ['couchbase', ['--shards', '128'], partitioner('couchbase', { vbuckets: 128 })],
  ['flink', ['--shards', '128'], partitioner('flink', { maxParallelism: 128 })],
  ...(
    ['sipHash64', 'murmurHash3_64', 'xxHash64', 'cityHash64', 'farmHash64', 'murmurHash2_64', 'javaHash'] as const
  ).map((hash) => {
    return [`clickhouse:${hash}`, ['--shards', '12'], partitioner('clickhouse', { hash, shards: 12 })] as const;
  }),
  ...(['intHash32', 'intHash64', 'none'] as const).map((hash) => {
    const made = partitioner('clickhouse', { hash, shards: 12, key: 'int64' });
    return [`clickhouse:${hash}`, ['--shards', '12'], made] as const;
  }),
  ['nats', ['--shards', '12'], partitioner('nats', { partitions: 12 })],
  ['pulsar', ['--shards', '12'], partitioner('pulsar', { partitions: 12 })],
  ['pulsar:java', ['--shards', '12'], partitioner('pulsar', { partitions: 12 })],
  ['pulsar:murmur3', ['--shards', '12'], partitioner('pulsar', { partitions: 12, variant: 'murmur3' })],
  ['hive', ['--shards', '12'], partitioner('hive', { buckets: 12 })],
  ['hive:1', ['--shards', '12'], partitioner('hive', { buckets: 12, version: 1 })],
  ['hive:2', ['--shards', '12'], partitioner('hive', { buckets: 12 })],
  ['discord', ['--shards', '12'], partitioner('discord', { shards: 12 })],
  ['kinesis', ['--shards', '12'], partitioner('kinesis', { shards: 12 })],
  ['mongodb', ['--shards', '12'], partitioner('mongodb', { shards: 12 })],
  ['bigquery', ['--shards', '12'], partitioner('bigquery', { shards: 12 })],
  ['bigquery:floored', ['--shards', '12'], partitioner('bigquery', { shards: 12, variant: 'floored' })],
  ['mysql', ['--partitions', '12'], partitioner('mysql', { partitions: 12 })],
  ['eventhubs', ['--partitions', '12'], partitioner('eventhubs', { partitions: 12 })],
  ['prometheus', ['--modulus', '12'], partitioner('prometheus', { modulus: 12 })],
];

/** Those that take servers have tests of their own. */
const NAMES = [...new Set(SYSTEMS.map(([as]) => as.replace(/:.*/, ''))), 'ketama', 'nginx'];

/** What is written for some standard input. */
async function written(args: readonly string[], text: string): Promise<string> {
  const run = await runHere([...args], { input: [text] });
  expect([run.stderr, run.code]).toEqual(['', 0]);
  return run.stdout.toString();
}

const KAFKA = ['route', '--as', 'kafka', '--shards', '12'];
const kafka = partitioner('kafka', { partitions: 12 });
const ofInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });

describe('route --as places keys like the library', () => {
  it.each(SYSTEMS)('%s %j', async (as, args, by) => {
    const keys = by.key === 'int64' ? INT64S : TEXTS;
    const shards = by.routeMany(keys);
    const tsv = linesOf(Array.from<unknown>(keys).map((key, i) => `${shards[i]}\t${key}`));
    expect(await written(['route', '--as', as, ...args], linesOf(keys))).toBe(tsv);
  });

  it('in partitions that are known', async () => {
    expect(await written(['route', '--as', 'redis'], 'foo\n{user1000}.following\n123456789')).toBe(
      '12182\tfoo\n3443\t{user1000}.following\n12739\t123456789\n',
    );
    expect(await written([...KAFKA, '--format', 'shard'], '\nabc\né\n')).toBe('9\n3\n3\n');
    expect(await written([...KAFKA, '--keys', 'int64', '--format', 'shard'], '-1\n')).toBe('5\n');
    const discord = ['route', '--as', 'discord', '--shards', '17'];
    expect(await written(discord, '81384788765712384\n')).toBe('7\t81384788765712384\n');
    expect(await written([...discord, '--csv', '--key', 'guild'], 'guild\n81384788765712384\n')).toBe(
      'guild,shard\n81384788765712384,7\n',
    );
  });

  it.each<[as: string, keys: string, by: Partitioner, values: Int32Array | BigInt64Array | string[]]>([
    ['kafka', 'text', kafka, TEXTS],
    ['kafka', 'int32', partitioner('kafka', { partitions: 12, key: 'int32' }), INT32S],
    ['kafka', 'int64', ofInt64, INT64S],
    ['kafka', 'uuid', partitioner('kafka', { partitions: 12, key: 'uuid' }), UUIDS],
    ['postgres', 'int32', partitioner('postgres', { modulus: 12, key: 'int32' }), INT32S],
    ['postgres', 'int64', partitioner('postgres', { modulus: 12, key: 'int64' }), INT64S],
    ['postgres', 'uuid', partitioner('postgres', { modulus: 12, key: 'uuid' }), UUIDS],
    ['spark:rdd', 'int64', partitioner('spark', { partitions: 12, variant: 'rdd', key: 'int64' }), INT64S],
    ['hive', 'int32', partitioner('hive', { buckets: 12, key: 'int32' }), INT32S],
    ['hive:1', 'int64', partitioner('hive', { buckets: 12, version: 1, key: 'int64' }), INT64S],
    ['discord', 'int64', partitioner('discord', { shards: 12 }), INT64S],
  ])('%s --keys %s', async (as, keys, by, values) => {
    const args = ['route', '--as', as, '--shards', '12', '--keys', keys, '--format', 'shard'];
    expect(await written(args, linesOf(values))).toBe(linesOf(by.routeMany(values)));
  });

  it('records of CSV and NDJSON', async () => {
    const args = [...KAFKA, '--key', 'user_id', '--keys', 'int64'];
    const [one, two] = ofInt64.routeMany(BigInt64Array.of(-5n, 9007199254740993n));
    expect(await written([...args, '--csv'], 'id,user_id\nx,-5\ny,"9007199254740993"\n')).toBe(
      `id,user_id,shard\nx,-5,${one}\ny,"9007199254740993",${two}\n`,
    );
    const partition = ['--as-column', 'partition'];
    expect(await written([...args, '--ndjson', ...partition], '{"user_id":-5}\n{"user_id":9007199254740993}\n')).toBe(
      `{"user_id":-5,"partition":${one}}\n{"user_id":9007199254740993,"partition":${two}}\n`,
    );
  });

  it('with a summary', async () => {
    const text = await written([...KAFKA, '--summary', '--json'], linesOf(TEXTS));
    const counts = Array.from(
      { length: 12 },
      (_, shard) => kafka.routeMany(TEXTS).filter((one) => one === shard).length,
    );
    expect(JSON.parse(text)).toMatchObject({
      keys: 300,
      shards: 12,
      down: 0,
      min: Math.min(...counts),
      max: Math.max(...counts),
      mean: 25,
    });
    expect(JSON.parse(await written(['route', '--as', 'redis', '--summary', '--json'], 'foo\n'))).toMatchObject({
      keys: 1,
      shards: 16384,
    });
  });

  it('with a file for each shard', async () => {
    const folder = join(temporaryFolder(), 'shards');
    const args = [...KAFKA, '--keys', 'int64', '--csv', '--key', 'id', '--out-dir', folder];
    expect(await written(args, `id\n${linesOf(INT64S)}`)).toBe('');
    const shards = ofInt64.routeMany(INT64S);
    for (let shard = 0; shard < 12; shard++) {
      const mine = `id\n${linesOf(INT64S.filter((_, i) => shards[i] === shard))}`;
      expect(readFileSync(join(folder, `${String(shard).padStart(2, '0')}.csv`), 'utf8')).toBe(mine);
    }
    const { options } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(options).toEqual({
      router: { system: 'kafka', partitions: 12, key: 'int64' },
      records: { format: 'csv', key: ['id'] },
    });
  });

  it.each([
    ['elasticsearch', {}],
    ['elasticsearch:before-9.4', { routingShards: 640 }],
  ])('with a manifest that says which rule %s is', async (as, rule) => {
    const folder = join(temporaryFolder(), 'shards');
    await written(['route', '--as', as, '--shards', '5', '--csv', '--key', 'id', '--out-dir', folder], 'id\na\n');
    const { options } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(options.router).toEqual({ system: 'elasticsearch', shards: 5, ...rule, key: 'text' });
  });

  it('and sets malformed keys aside', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ids'), '1\nx\n2\n9223372036854775808\n');
    const args = [...KAFKA, '--keys', 'int64', '--format', 'shard', 'ids', '--rejects', 'bad'];
    const run = await runHere(args, { cwd: folder });
    expect(run).toMatchObject({ code: 0, stderr: '2 rows rejected: see bad\n' });
    expect(run.stdout.toString()).toBe(linesOf(ofInt64.routeMany(BigInt64Array.of(1n, 2n))));
    const reason = 'expected a decimal integer from -2^63 to 2^63 - 1, got';
    expect(readFileSync(join(folder, 'bad'), 'utf8')).toBe(
      `2\t${reason} "x"\tx\n4\t${reason} "9223372036854775808"\t9223372036854775808\n`,
    );
  });

  it('or ends with the file and the line of a malformed key, after those before it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ids'), '1\nx\n');
    const run = await runHere([...KAFKA, '--keys', 'int64', '--format', 'shard', 'ids'], { cwd: folder });
    expect(run.stdout.toString()).toBe(linesOf(ofInt64.routeMany(BigInt64Array.of(1n))));
    expect(run).toMatchObject({
      code: 1,
      stderr: 'error: ids:2: expected a decimal integer from -2^63 to 2^63 - 1, got "x"\n',
    });
    const none = await runHere([...KAFKA, '--keys', 'uuid', 'ids', '--out', 'out'], { cwd: folder });
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: ids:1: expected a UUID .*, got "1"\n$/),
    });
    expect(readdirSync(folder)).toEqual(['ids']);
  });
});

describe('plan --as', () => {
  it('tells what moves between partitioners of two sizes', async () => {
    const larger = partitioner('kafka', { partitions: 24 });
    const { rows: _, ...plan } = planReshard(TEXTS, kafka, larger);
    const args = ['plan', '--as', 'kafka', '--from', '12', '--to', '24'];
    expect(JSON.parse(await written([...args, '--json'], linesOf(TEXTS)))).toEqual(plan);
    expect(await written(args, linesOf(TEXTS))).toMatch(/^keys +300\nmoved +\d+ /);
  });

  it('takes kinds of keys, records and variants', async () => {
    const { rows: _, ...plan } = planReshard(INT64S, ofInt64, partitioner('kafka', { partitions: 18, key: 'int64' }));
    const args = ['plan', '--as', 'kafka', '--from', '12', '--to', '18', '--keys', 'int64', '--json'];
    expect(JSON.parse(await written(args, linesOf(INT64S)))).toEqual(plan);
    const csv = [...args, '--csv', '--key', 'id'];
    expect(JSON.parse(await written(csv, `n,id\n${linesOf(INT64S).replace(/^/gm, '1,').replace(/1,$/, '')}`))).toEqual(
      plan,
    );
    const fnv = partitioner('rdkafka', { partitions: 12, variant: 'fnv1a' });
    const { rows: __, ...other } = planReshard(
      TEXTS,
      fnv,
      partitioner('rdkafka', { partitions: 13, variant: 'fnv1a' }),
    );
    const variant = ['plan', '--as', 'rdkafka:fnv1a', '--from', '12', '--to', '13', '--json'];
    expect(JSON.parse(await written(variant, linesOf(TEXTS)))).toEqual(other);
  });
});

const ROUTE = ['route', '--shards', '12'];
const PLAN = ['plan', '--from', '12', '--to', '24'];

describe('misuse of --as exits with 2 and names', () => {
  it.each<[what: string, args: readonly string[], stderr: RegExp]>([
    [
      'systems',
      [...ROUTE, '--as', 'kafak'],
      /^error: --as: expected one of kafka, .*clickhouse.*, got "kafak" \(Did you mean kafka\?\)\n$/,
    ],
    ['systems', [...ROUTE, '--as', 'Redis'], /--as.*\(Did you mean redis\?\)/],
    ['systems', [...ROUTE, '--as', 'postgresql'], /--as.*\(Did you mean postgres\?\)/],
    ['systems', [...ROUTE, '--as', ''], /--as/],
    ['systems', [...PLAN, '--as', 'kafak'], /--as.*\(Did you mean kafka\?\)/],
    ['hashes', [...ROUTE, '--as', 'murmur2'], /got "murmur2"; kafka: .*Java client.*; rdkafka: .*rdkafka:murmur2/],
    ['clients', [...ROUTE, '--as', 'sarama'], /got "sarama"; rdkafka: .*rdkafka:fnv1a as in Sarama/],
    ['variants', [...ROUTE, '--as', 'rdkafka:fnv1'], /--as.*\(Did you mean rdkafka:fnv1a\?\)/],
    ['variants', [...ROUTE, '--as', 'kafka:murmur2'], /--as: expected one of .*, got "kafka:murmur2"/],
    [
      'variants',
      [...ROUTE, '--as', 'pulsar:boost'],
      /--as: expected one of .*, pulsar:java, pulsar:murmur3, .*got "pulsar:boost"/,
    ],
    ['variants', [...ROUTE, '--as', 'hive:3'], /--as: expected one of .*, hive:1, hive:2, .*got "hive:3"/],
    ['variants', [...ROUTE, '--as', 'spark:'], /--as: expected one of .*, got "spark:"/],
    ['variants', [...ROUTE, '--as', 'clickhouse:sipHash64:x'], /--as/],
    ['variants', [...ROUTE, '--as', 'elasticsearch:9.4'], /--as: expected one of .*, got "elasticsearch:9\.4"/],
    ['variants', [...ROUTE, '--as', 'elasticsearch:before'], /--as: expected one of .*, elasticsearch:before-9\.4, /],
    [
      '--shards',
      ['route', '--as', 'elasticsearch:before-9.4', '--shards', '1073741824'],
      /^error: --shards: expected an integer from 1 to 1073741823, got 1073741824\n$/,
    ],
    ['--shards', ['route', '--as', 'elasticsearch:before-9.4'], /^error: --shards is required\n$/],
    [
      'variants',
      [...ROUTE, '--as', 'clickhouse'],
      /--as: expected one of clickhouse:sipHash64, .*clickhouse:cityHash64, .*clickhouse:none, got "clickhouse"/,
    ],
    [
      'the library',
      [...ROUTE, '--as', 'cassandra'],
      /--as cassandra needs the tokens of the ring, which only the library takes/,
    ],
    ['--shards', ['route', '--as', 'redis', '--shards', '12'], /--shards cannot be combined with --as redis/],
    ['--shards', ['route', '--as', 'redis', '--shards', '16384'], /--shards cannot be combined with --as redis/],
    ['--shards', ['route', '--as', 'kafka'], /^error: --partitions or --shards is required\n$/],
    ['--shards', ['route', '--as', 'clickhouse:cityHash64'], /^error: --shards is required\n$/],
    ['--shards', ['route', '--as', 'mongodb'], /^error: --shards is required\n$/],
    ['--shards', ['route', '--as', 'vitess'], /^error: --shards is required\n$/],
    ['--shards', ['route', '--as', 'flink'], /^error: --max-parallelism or --shards is required\n$/],
    [
      '--shards',
      ['route', '--as', 'kafka', '--shards', '0'],
      /^error: --shards: expected an integer from 1 to 2147483647, got 0\n$/,
    ],
    [
      '--shards',
      ['route', '--as', 'citus', '--shards', '64001'],
      /^error: --shards: expected an integer from 1 to 64000, got 64001\n$/,
    ],
    ['--shards', ['route', '--as', 'couchbase', '--shards', '65537'], /^error: --shards: .* 65536, got 65537\n$/],
    ['--shards', ['route', '--as', 'kafka', '--shards', 'ten'], /--shards: expected a whole number, got "ten"/],
    [
      '--strategy',
      [...ROUTE, '--as', 'kafka', '--strategy', 'jump'],
      /^error: --strategy cannot be combined with --as\n$/,
    ],
    ['--hash', [...ROUTE, '--as', 'kafka', '--hash', 'xxh64'], /^error: --hash cannot be combined with --as\n$/],
    ['--seed', [...ROUTE, '--as', 'kafka', '--seed', '0'], /^error: --seed cannot be combined with --as\n$/],
    ['--down', [...ROUTE, '--as', 'kafka', '--down', '1'], /^error: --down cannot be combined with --as\n$/],
    ['--seed', [...PLAN, '--as', 'kafka', '--seed', '0'], /^error: --seed cannot be combined with --as\n$/],
    [
      '--hash',
      [...PLAN, '--as', 'kafka', '--hash', 'none', '--keys', 'u64'],
      /^error: --hash cannot be combined with --as\n$/,
    ],
    [
      '--key',
      [...ROUTE, '--as', 'spark:rdd', '--csv', '--key', 'a', '--key', 'b'],
      /^error: --key: expected one column, because spark:rdd hashes one, got a and b\n$/,
    ],
    [
      '--key',
      [...PLAN, '--as', 'postgres', '--ndjson', '--key', 'a', '--key', 'b'],
      /^error: --key: .* --keys int64,text\n$/,
    ],
    [
      '--key',
      [...ROUTE, '--as', 'kafka', '--keys', 'int64,text', '--csv', '--key', 'a', '--key', 'b'],
      /^error: --key: expected one column, because kafka hashes one, got a and b\n$/,
    ],
    [
      '--keys',
      [...ROUTE, '--as', 'postgres', '--keys', 'int64,text', '--csv', '--key', 'a'],
      /^error: --keys: expected a kind for each --key, got 2 for a\n$/,
    ],
    ['--keys', [...ROUTE, '--as', 'postgres', '--keys', 'int64,text'], /^error: --keys: .* got 2 for no --key\n$/],
    ['--keys', [...ROUTE, '--as', 'postgres', '--keys', 'int64,txt'], /\(Did you mean text\?\)/],
    [
      '--keys',
      [...ROUTE, '--keys', 'int64,text', '--csv', '--key', 'a', '--key', 'b'],
      /^error: --keys int64,text requires --as\n$/,
    ],
    [
      '--keys',
      [...ROUTE, '--as', 'kafka', '--keys', 'bytes'],
      /--keys: expected one of text, u64, int8, .*, hex, base64, got "bytes"/,
    ],
    ['--keys', [...ROUTE, '--as', 'kafka', '--keys', 'int6'], /\(Did you mean int8\?\)/],
    ['--keys', [...ROUTE, '--keys', 'int64'], /^error: --keys int64 requires --as\n$/],
    ['--keys', [...ROUTE, '--keys', 'int32'], /^error: --keys int32 requires --as\n$/],
    ['--keys', [...PLAN, '--keys', 'uuid'], /^error: --keys uuid requires --as\n$/],
    ['--keys', ['route', '--as', 'redis', '--keys', 'int64'], /^error: --keys: .*redis.*"int64"\n$/],
    ['--keys', [...ROUTE, '--as', 'elasticsearch', '--keys', 'uuid'], /^error: --keys: .*elasticsearch.*"uuid"\n$/],
    ['--keys', [...ROUTE, '--as', 'discord', '--keys', 'text'], /^error: --keys: .*discord.*"text"\n$/],
    ['--keys', [...ROUTE, '--as', 'spark', '--keys', 'uuid'], /^error: --keys: .*spark.*"uuid"\n$/],
    ['--from', ['plan', '--as', 'kafka', '--to', '3'], /^error: --from is required\n$/],
    [
      '--to',
      ['plan', '--as', 'couchbase', '--from', '3'],
      /^error: --as couchbase requires --to, --to-router or --to-map\n$/,
    ],
    [
      '--from',
      ['plan', '--as', 'kafka', '--from', '0', '--to', '3'],
      /^error: --from: expected an integer from 1 .*, got 0\n$/,
    ],
    [
      '--to',
      ['plan', '--as', 'citus', '--from', '3', '--to', '64001'],
      /^error: --to: expected .* 64000, got 64001\n$/,
    ],
    ['redis', ['plan', '--as', 'redis', '--from', '3', '--to', '4'], /--from cannot be combined with --as redis/],
  ])('%s: %j', async (_, args, stderr) => {
    const run = await runHere([...args]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
    expect(run.stdout.length).toBe(0);
  });

  it('--out-dir with more files than there can be', async () => {
    const folder = temporaryFolder();
    const args = ['route', '--as', 'kafka', '--shards', '1000000', '--out-dir', join(folder, 'dir')];
    expect(await runHere(args, { input: ['a\n'] })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--shards/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('help of', () => {
  it.each(['route', 'plan'])('%s has a line for each system but Cassandra', async (command) => {
    const text = (await runHere([command, '--help'])).stdout.toString();
    const [, list = ''] = /\nSystems for --as[^\n]*:\n([\s\S]*?)\n\n/.exec(text) ?? [];
    const lines = list.split('\n');
    expect(lines.flatMap((line) => /^ {2}(\w+) {2,}\S/.exec(line)?.[1] ?? [])).toEqual(NAMES);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(list).not.toMatch(/cassandra/i);
    for (const variant of [
      'rdkafka:murmur2',
      'rdkafka:fnv1a',
      'spark:rdd',
      'clickhouse:sipHash64',
      'pulsar:murmur3',
      'hive:1',
    ]) {
      expect(list).toContain(variant);
    }
    expect(list).toContain('elasticsearch:before-9.4');
    expect(list).toMatch(/couchbase +vBuckets; 1024 by default; Magma buckets made by 8\.0 or later\s+have 128/);
    expect(text).toMatch(/--as <system>/);
    expect(text).toMatch(/--as kafka/);
  });
});
