import { describe, expectTypeOf, it } from 'vitest';
import { type Bytes, planReshard, type Routing } from '../../src/index.js';
import {
  type KeyKind,
  type Partitioner,
  type PartitionValue,
  partitioner,
  partitionerFrom,
} from '../../src/partitioners/index.js';
import type { KEY_KINDS } from '../../src/partitioners/keys.js';

// What the compiler knows: checked by `npm run lint`. None of it runs.

declare const perhaps: undefined;
declare const name: string;
declare const kind: KeyKind;
const tokens = new BigInt64Array(1);
const hash = 'sipHash64';

const unchecked = (_: () => unknown): void => {};

describe('types of options', () => {
  it('are those of the system', () => {
    unchecked(() => {
      partitioner('kafka', { partitions: 12 });
      partitioner('rdkafka', { partitions: 12, variant: 'consistent' });
      partitioner('rdkafka', { partitions: 12, variant: 'murmur2' });
      partitioner('rdkafka', { partitions: 12, variant: 'fnv1a' });
      partitioner('redis');
      partitioner('redis', {});
      partitioner('ragedb', { shards: 12 });
      partitioner('spark', { partitions: 12, variant: 'hash' });
      partitioner('spark', { partitions: 12, variant: 'rdd' });
      partitioner('iceberg', { buckets: 16 });
      partitioner('postgres', { modulus: 12 });
      partitioner('citus', { shards: 12 });
      partitioner('cassandra');
      partitioner('cassandra', { tokens });
      partitioner('vitess', { shards: 12 });
      partitioner('vitess', { ranges: ['-80', '80-'] });
      partitioner('elasticsearch', { shards: 5 });
      partitioner('elasticsearch', { shards: 5, routingShards: 640 });
      partitioner('elasticsearch', { shards: 5, before: '9.4' });
      partitioner('couchbase');
      partitioner('couchbase', { vbuckets: 64 });
      partitioner('flink', { maxParallelism: 128 });
      partitioner('flink', { parallelism: 4 });
      partitioner('flink', { maxParallelism: 128, parallelism: 4 });
      for (const hash of ['sipHash64', 'murmurHash3_64', 'xxHash64', 'cityHash64'] as const) {
        partitioner('clickhouse', { hash, shards: 12 });
        partitioner('clickhouse', { hash, weights: [1, 2] });
      }
      partitioner('nats', { partitions: 12 });
      partitioner('pulsar', { partitions: 12 });
      partitioner('pulsar', { partitions: 12, variant: 'java' });
      partitioner('pulsar', { partitions: 12, variant: 'murmur3' });
      partitioner('hive', { buckets: 16 });
      partitioner('hive', { buckets: 16, version: 1 });
      partitioner('hive', { buckets: 16, version: 2 });
      partitioner('discord', { shards: 16 });
      partitioner('kinesis', { shards: 16 });
      partitioner('kinesis', { startingHashKeys: ['0', '5'] });
      partitioner('ketama', { servers: [{ name: 'a:11211' }, { name: 'b', weight: 3 }] });
      partitioner('ketama', { servers: [{ name: 'a' }], variant: 'hashring' });
      partitioner('ketama', { servers: [{ name: 'a' }], variant: 'plain' });
      partitioner('nginx', { servers: [{ name: 'a:80', weight: 5 }] });
    });
  });

  it('take every kind of keys, and undefined for what is optional', () => {
    unchecked(() => {
      expectTypeOf<KeyKind>().toEqualTypeOf<(typeof KEY_KINDS)[number]>();
      partitioner('kafka', { partitions: 12, key: kind });
      partitioner('kafka', { partitions: 12, key: perhaps });
      partitioner('redis', { key: 'bytes' });
      partitioner('redis', perhaps);
      partitioner('elasticsearch', { shards: 5, routingShards: perhaps, before: perhaps, key: 'text' });
      partitioner('couchbase', { vbuckets: perhaps });
      partitioner('cassandra', { tokens: perhaps, key: 'uuid' });
      partitioner('spark', { partitions: 5, variant: perhaps });
      partitioner('pulsar', { partitions: 5, variant: perhaps });
      partitioner('hive', { buckets: 5, version: perhaps });
      partitioner('discord', { shards: 5, key: perhaps }).route(5n);
      const ranges = ['-80', '80-'] as const;
      partitioner('vitess', { ranges });
      const weights: readonly number[] = [1, 2];
      partitioner('clickhouse', { hash, weights });
    });
  });

  it('say what a key is', () => {
    unchecked(() => {
      const of = <K extends KeyKind>(key: K) => partitioner('kafka', { partitions: 3, key });
      expectTypeOf(partitioner('kafka', { partitions: 3 }).route)
        .parameter(0)
        .toEqualTypeOf<string>();
      expectTypeOf(partitioner('redis').route).parameter(0).toEqualTypeOf<string>();
      expectTypeOf(partitioner('redis', { key: 'bytes' }).route)
        .parameter(0)
        .toEqualTypeOf<Bytes>();
      expectTypeOf(of('int32').route).parameter(0).toEqualTypeOf<number>();
      expectTypeOf(of('uuid').route).parameter(0).toEqualTypeOf<string | Bytes>();
      expectTypeOf(of(kind).route).parameter(0).toEqualTypeOf<Exclude<PartitionValue, null>>();
      partitioner('kafka', { partitions: 3, key: 'int64' }).route(5n);
      // @ts-expect-error text is not an int64
      partitioner('kafka', { partitions: 3, key: 'int64' }).route('abc');
      // @ts-expect-error a number is not text
      partitioner('redis').route(5);
      expectTypeOf(partitioner('discord', { shards: 16 }).route)
        .parameter(0)
        .toEqualTypeOf<bigint>();
      partitioner('discord', { shards: 16, key: 'int64' }).route(41771983423143937n);
      // @ts-expect-error an id is not text
      partitioner('discord', { shards: 16 }).route('41771983423143937');
      planReshard(new Int32Array(1), of('int32'), of('int32'));
      const own: Routing<number> = {
        shards: 2,
        route: (key) => key % 2,
        routeMany: () => new Uint32Array(),
        toJSON: () => ({}),
      };
      planReshard(['a'], own, partitioner('redis'));
    });
  });

  it('are not those of others', () => {
    unchecked(() => {
      // @ts-expect-error there is no such system
      partitioner('kafak', { partitions: 12 });
      // @ts-expect-error only the run time knows
      partitioner(name, {});
      // @ts-expect-error the number of partitions is missing
      partitioner('kafka', {});
      // @ts-expect-error the number of partitions is missing
      partitioner('kafka');
      // @ts-expect-error numbers are not text
      partitioner('kafka', { partitions: '12' });
      // @ts-expect-error misspelt
      partitioner('kafka', { partitions: 12, keys: 'text' });
      // @ts-expect-error there is no such kind
      partitioner('kafka', { partitions: 12, key: 'uint64' });
      // @ts-expect-error of librdkafka only
      partitioner('kafka', { partitions: 12, variant: 'murmur2' });
      // @ts-expect-error of Spark only
      partitioner('rdkafka', { partitions: 12, variant: 'rdd' });
      // @ts-expect-error of librdkafka only
      partitioner('spark', { partitions: 12, variant: 'fnv1a' });
      // @ts-expect-error it always has 16384 slots
      partitioner('redis', { shards: 12 });
      // @ts-expect-error servers have names
      partitioner('nginx', { servers: ['a:80'] });
      // @ts-expect-error there is no such variant
      partitioner('ketama', { servers: [{ name: 'a' }], variant: 'weighted' });
      // @ts-expect-error hash keys are texts
      partitioner('kinesis', { startingHashKeys: [0n] });
      // @ts-expect-error they are called shards
      partitioner('ragedb', { partitions: 12 });
      // @ts-expect-error they are called buckets
      partitioner('iceberg', { shards: 12 });
      // @ts-expect-error it is called modulus
      partitioner('postgres', { shards: 12 });
      // @ts-expect-error tokens are signed
      partitioner('cassandra', { tokens: new BigUint64Array(1) });
      // @ts-expect-error tokens are in a column
      partitioner('cassandra', { tokens: [1n] });
      // @ts-expect-error ranges are in a list
      partitioner('vitess', { ranges: '-80' });
      // @ts-expect-error the number of shards is missing
      partitioner('elasticsearch', { routingShards: 640 });
      // @ts-expect-error no other version changed the rule
      partitioner('elasticsearch', { shards: 5, before: '9.5' });
      // @ts-expect-error they are called vbuckets
      partitioner('couchbase', { buckets: 64 });
      // @ts-expect-error it is called maxParallelism
      partitioner('flink', { shards: 64 });
      // @ts-expect-error by which hash?
      partitioner('clickhouse', { shards: 12 });
      // @ts-expect-error there is no such hash
      partitioner('clickhouse', { hash: 'sipHash128', shards: 12 });
      // @ts-expect-error weights are numbers
      partitioner('clickhouse', { hash, weights: ['1'] });
      // @ts-expect-error there is no such variant
      partitioner('pulsar', { partitions: 12, variant: 'boost' });
      // @ts-expect-error there are two versions
      partitioner('hive', { buckets: 16, version: 3 });
      // @ts-expect-error a version is a number
      partitioner('hive', { buckets: 16, version: '1' });
      // @ts-expect-error they are called shards
      partitioner('discord', { guilds: 16 });
    });
  });
});

describe('types of partitioners', () => {
  it('are Routings', () => {
    unchecked(() => {
      const all: Partitioner[] = [partitioner('redis'), partitioner('kafka', { partitions: 12 }), partitionerFrom({})];
      const routing: Routing = partitioner('cassandra', { tokens });
      expectTypeOf(all[0]?.system).toExtend<string | undefined>();
      expectTypeOf(partitioner('redis').key).toEqualTypeOf<KeyKind | readonly KeyKind[]>();
      expectTypeOf(routing.shards).toEqualTypeOf<number>();
      expectTypeOf(partitionerFrom(JSON.parse('{}'))).toExtend<Partitioner>();
      planReshard(['a'], partitioner('redis'), partitioner('couchbase'));
      // @ts-expect-error it does not change
      partitioner('redis').shards = 5;
      // @ts-expect-error text is not JSON that has been parsed
      partitionerFrom('{}');
    });
  });

  it('take keys of every kind, and give shards', () => {
    unchecked(() => {
      const made = partitioner('kafka', { partitions: 12, key: kind });
      const texts: readonly string[] = ['a'];
      const column = { data: new Uint8Array(1), offsets: Uint32Array.of(0, 1) };
      for (const key of ['a', 5, 5n, new Uint8Array(1), new ArrayBuffer(1), new DataView(new ArrayBuffer(1))]) {
        expectTypeOf(made.route(key)).toEqualTypeOf<number>();
      }
      for (const keys of [texts, column, new Int32Array(1), tokens]) {
        expectTypeOf(made.routeMany(keys)).toEqualTypeOf<Uint32Array>();
        expectTypeOf(made.routeMany(keys, { out: perhaps })).toEqualTypeOf<Uint32Array>();
        made.routeMany(keys, { out: new Uint32Array(1) });
        made.tokens(keys);
      }
      // @ts-expect-error null is a value of one of several columns
      made.route(null);
      partitioner('postgres', { modulus: 8, key: ['int64', 'text'] }).route([null, 'a']);
      // @ts-expect-error text is not an int64
      partitioner('postgres', { modulus: 8, key: ['int64', 'text'] }).route(['a', 'a']);
      // @ts-expect-error nor is undefined
      made.route(undefined);
      made.routeMany([1, null]);
      made.routeMany([
        [5n, null],
        ['a', 'b'],
      ]);
      // @ts-expect-error shards are u32
      made.routeMany(texts, { out: new Uint8Array(1) });
      // @ts-expect-error integers have 32 bits
      made.routeMany(new Float64Array(1));
    });
  });

  it('give tokens in the arrays of their hashes', () => {
    unchecked(() => {
      expectTypeOf(partitioner('kafka', { partitions: 1 }).tokens(['a'])).toEqualTypeOf<Int32Array>();
      expectTypeOf(partitioner('redis').tokens(['a'])).toEqualTypeOf<Uint32Array>();
      expectTypeOf(partitioner('postgres', { modulus: 1 }).tokens(['a'])).toEqualTypeOf<BigUint64Array>();
      expectTypeOf(partitioner('cassandra').tokens(['a'])).toEqualTypeOf<BigInt64Array>();
      expectTypeOf(partitioner('rdkafka', { partitions: 1 }).tokens(['a'])).toEqualTypeOf<Int32Array | Uint32Array>();
      expectTypeOf(partitioner('hive', { buckets: 1 }).tokens(['a'])).toEqualTypeOf<Int32Array>();
      expectTypeOf(partitioner('discord', { shards: 1 }).tokens(tokens)).toEqualTypeOf<BigUint64Array>();
      expectTypeOf(partitionerFrom({}).tokens(['a'])).toEqualTypeOf<
        BigUint64Array | BigInt64Array | Int32Array | Uint32Array
      >();
    });
  });
});
