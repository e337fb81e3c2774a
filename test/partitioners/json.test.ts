import { describe, expect, it } from 'vitest';
import { type Table, testWrongArguments } from '../support/argument-table.js';
import { onBothBackends } from '../support/backends.js';
import { NO_CHOICE, NO_NUMBER, NO_OBJECT } from '../support/wrong-values.js';
import { columnsOf, kindsOf, make, makeFrom, SAMPLES, SYSTEMS, titleOf } from './samples.js';

const through = (made: object): object => JSON.parse(JSON.stringify(made));

onBothBackends('a partitioner from JSON', () => {
  it.each(SYSTEMS.map((one) => [titleOf(one), one] as const))('places keys like the one before: %s', (_, one) => {
    for (const key of kindsOf(one.system, one.options)) {
      const made = make(one.system, { ...one.options, key });
      const again = makeFrom(through(made));
      const [column] = columnsOf(key, SAMPLES[key].slice(0, 100));
      expect(again).toMatchObject({ system: made.system, key, shards: made.shards });
      expect(again.routeMany(column)).toEqual(made.routeMany(column));
      expect(again.tokens(column)).toEqual(made.tokens(column));
      expect(through(again)).toEqual(through(made));
      expect(makeFrom(made.toJSON()).routeMany(column)).toEqual(made.routeMany(column));
    }
  });

  it('has the text key by default', () => {
    expect(makeFrom({ system: 'kafka', partitions: 12 })).toMatchObject({ key: 'text', shards: 12 });
    expect(makeFrom({ system: 'redis' }).route('foo')).toBe(12182);
  });

  it('of Discord has ids by default', () => {
    expect(makeFrom({ system: 'discord', shards: 16 })).toMatchObject({ key: 'int64', shards: 16 });
    expect(makeFrom({ system: 'discord', shards: 16 }).route(41771983423143937n)).toBe(6);
  });
});

describe('the JSON of a partitioner has its options, and tokens as decimal text:', () => {
  it.each([
    ['kafka', { partitions: 12 }],
    ['kafka', { partitions: 12, key: 'uuid' }],
    ['rdkafka', { partitions: 12, variant: 'fnv1a', key: 'bytes' }],
    ['redis', {}],
    ['ragedb', { shards: 12 }],
    ['spark', { partitions: 12, variant: 'rdd', key: 'int64' }],
    ['iceberg', { buckets: 16 }],
    ['postgres', { modulus: 12, key: 'int32' }],
    ['citus', { shards: 12 }],
    ['cassandra', {}],
    ['vitess', { shards: 12 }],
    ['vitess', { ranges: ['-40', '40-A0', 'a0-'] }],
    ['elasticsearch', { shards: 5 }],
    ['elasticsearch', { shards: 5, routingShards: 640 }],
    ['couchbase', { vbuckets: 64 }],
    ['flink', { maxParallelism: 128 }],
    ['flink', { maxParallelism: 128, parallelism: 4 }],
    ['clickhouse', { hash: 'cityHash64', shards: 12 }],
    ['clickhouse', { hash: 'cityHash64', weights: [1, 0, 3] }],
    ['pulsar', { partitions: 12, variant: 'murmur3' }],
    ['hive', { buckets: 16, version: 1, key: 'int32' }],
    ['discord', { shards: 16, key: 'int64' }],
    ['kinesis', { shards: 12 }],
    ['kinesis', { startingHashKeys: ['0', '5', '340282366920938463463374607431768211455'] }],
    [
      'ketama',
      {
        servers: [
          { name: 'a:11211', weight: 1 },
          { name: 'b', weight: 3 },
        ],
      },
    ],
    ['ketama', { servers: [{ name: 'a', weight: 1 }], variant: 'hashring' }],
    ['ketama', { servers: [{ name: 'a', weight: 1 }], variant: 'plain' }],
    [
      'nginx',
      {
        servers: [
          { name: 'a:80', weight: 1 },
          { name: 'b:80', weight: 3 },
        ],
      },
    ],
  ] as const)('%s with %j', (system, options) => {
    expect(through(make(system, options))).toEqual({ system, key: 'text', ...options });
  });

  it('elasticsearch before 9.4, which is known by its routing shards', () => {
    const made = make('elasticsearch', { shards: 5, before: '9.4' });
    expect(through(made)).toEqual({ system: 'elasticsearch', shards: 5, routingShards: 640, key: 'text' });
  });

  it('cassandra with a ring', () => {
    const tokens = BigInt64Array.of(-(2n ** 63n), -1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n);
    expect(make('cassandra', { tokens }).toJSON()).toEqual({
      system: 'cassandra',
      tokens: ['-9223372036854775808', '-1', '0', '9007199254740993', '9223372036854775807'],
      key: 'text',
    });
  });
});

const NO_INT64 = ['', ' 1', '1 ', '1n', '0x1', '1e3', '1.5', '+1', '--1', '-', '9223372036854775808'];
const WRONG: Table = {
  partitionerFrom: [
    ['json', (v) => makeFrom(v), [...NO_OBJECT, 'kafka']],
    ['system', (system) => makeFrom({ system, partitions: 12 }), [...NO_CHOICE, undefined], ['', 'Kafka', 'toString']],
    ['partitions', (partitions) => makeFrom({ system: 'kafka', partitions }), NO_NUMBER, [0, 1.5, -1]],
    ['key', (key) => makeFrom({ system: 'redis', key }), NO_CHOICE, ['', 'int32', 'Text']],
    ['tokens', (tokens) => makeFrom({ system: 'cassandra', tokens }), [null, 5, '1', {}, BigInt64Array.of(1n)]],
    ['tokens', (tokens) => makeFrom({ system: 'cassandra', tokens }), [], [[]]],
    ['tokens row 1', (v) => makeFrom({ system: 'cassandra', tokens: ['0', v] }), [null, 5, 5n, undefined], NO_INT64],
    ['tokens row 1', (v) => makeFrom({ system: 'cassandra', tokens: ['5', v] }), [], ['-9223372036854775809']],
    ['ranges row 1', (v) => makeFrom({ system: 'vitess', ranges: ['-80', v] }), [null, 5], ['', '40-', '80-90']],
    ['weights row 0', (v) => makeFrom({ system: 'clickhouse', hash: 'xxHash64', weights: [v] }), [null, '1'], [-1]],
  ],
};

describe('wrong JSON', () => {
  testWrongArguments(WRONG);

  it('has options that the system does not have', () => {
    for (const json of [
      { system: 'kafka', partitions: 12, variant: 'murmur2' },
      { system: 'redis', tokens: ['1'] },
      { system: 'citus', shards: 12, Key: 'text' },
    ]) {
      expect(() => makeFrom(json)).toThrow(RangeError);
    }
  });

  it('has tokens that do not ascend', () => {
    for (const tokens of [
      ['5', '5'],
      ['0', '-1'],
    ]) {
      const problem = { name: 'RangeError', argument: 'tokens', row: 1, code: 'ERR_OUT_OF_RANGE' };
      expect(() => makeFrom({ system: 'cassandra', tokens })).toThrow(expect.objectContaining(problem));
    }
  });
});
