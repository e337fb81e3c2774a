import { describe, expect, it } from 'vitest';
import { type Detection, detectRouting } from '../../src/detect/index.js';
import { Router } from '../../src/index.js';
import { partitioner, partitionerNamed, systems } from '../../src/partitioners/index.js';
import { bytesColumn } from '../partitioners/samples.js';
import { randomU64s } from '../support/random.js';
import { PARTITIONER_VECTORS } from '../vectors/partitioners.js';

// Keys of all kinds.
export const users = (rows: number, from = 0) => Array.from({ length: rows }, (_, i) => `user:${from + i}`);
const uuids = (rows: number) => {
  const words = randomU64s(2 * rows);
  return Array.from({ length: rows }, (_, i) => {
    const hex = words[2 * i].toString(16).padStart(16, '0') + words[2 * i + 1].toString(16).padStart(16, '0');
    return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  });
};
const int32s = (rows: number) => Int32Array.from(randomU64s(rows), (value) => Number(value >> 32n) | 0);
const int64s = (rows: number) => BigInt64Array.from(randomU64s(rows), (value) => BigInt.asIntN(64, value));
const KEYS = { text: users, uuid: uuids, int32: int32s, int64: int64s } as const;

/** Puts every 100th row where another mapping has it. */
function withForeign(shards: Uint32Array, others: Uint32Array): Uint32Array {
  return shards.map((shard, row) => (row % 100 === 7 ? others[row] : shard));
}

const random = (rows: number, shards: number, seed: number) =>
  Uint32Array.from(randomU64s(rows, seed), (value) => Number((value >> 11n) % BigInt(shards)));

/** What the verdict says of the rows of each system. */
const NAMES: { readonly [word: string]: string } = {
  kafka: "Kafka's Java client, 12 partitions",
  'kafka:unsigned': '@platformatic/kafka with unsigned hashes, 12 partitions',
  rdkafka: "librdkafka's default, 12 partitions",
  'rdkafka:consistent': "librdkafka's default, 12 partitions",
  'rdkafka:murmur2': "librdkafka's murmur2, 12 partitions",
  'rdkafka:fnv1a': "librdkafka's fnv1a and Sarama's default, 12 partitions",
  'rdkafka:fnv1a-positive': "Sarama's reference hash, 12 partitions",
  redis: 'Redis Cluster, 16,384 slots',
  ragedb: 'RageDB, 12 shards',
  spark: 'Spark DataFrames, 12 partitions',
  'spark:hash': 'Spark DataFrames, 12 partitions',
  'spark:rdd': 'Spark RDDs, 12 partitions',
  iceberg: 'Iceberg, 12 buckets',
  postgres: 'PostgreSQL, 12 remainders',
  citus: 'Citus, 12 shards',
  vitess: 'Vitess by xxhash, 12 shards',
  'vitess:xxhash': 'Vitess by xxhash, 12 shards',
  'vitess:hash': 'Vitess by hash, 12 shards',
  'vitess:binary_md5': 'Vitess by binary_md5, 12 shards',
  'vitess:multicol': 'Vitess by hash, 12 shards',
  elasticsearch: 'Elasticsearch, 12 shards',
  'elasticsearch:before-9.4': 'Elasticsearch before 9.4 and OpenSearch, 12 shards',
  couchbase: 'Couchbase, 12 vBuckets',
  flink: 'Flink, 12 key groups',
  'clickhouse:sipHash64': 'ClickHouse by sipHash64, 12 shards',
  'clickhouse:murmurHash3_64': 'ClickHouse by murmurHash3_64, 12 shards',
  'clickhouse:xxHash64': 'ClickHouse by xxHash64, 12 shards',
  'clickhouse:cityHash64': 'ClickHouse by cityHash64, 12 shards',
  'clickhouse:farmHash64': 'ClickHouse by farmHash64, 12 shards',
  'clickhouse:murmurHash2_64': 'ClickHouse by murmurHash2_64, 12 shards',
  'clickhouse:javaHash': 'ClickHouse by javaHash, 12 shards',
  'clickhouse:intHash64': 'ClickHouse by intHash64, 12 shards',
  'clickhouse:intHash32': 'ClickHouse by intHash32, 12 shards',
  'clickhouse:none': 'ClickHouse by the column itself, 12 shards',
  nats: 'NATS, 12 partitions',
  pulsar: "Pulsar's Java client, 12 partitions",
  'pulsar:java': "Pulsar's Java client, 12 partitions",
  'pulsar:murmur3': "Pulsar's Murmur3_32Hash, 12 partitions",
  hive: 'Hive 3 and later, 12 buckets',
  'hive:1': 'Hive before 3, 12 buckets',
  'hive:2': 'Hive 3 and later, 12 buckets',
  discord: "Discord's gateway, 12 shards",
  kinesis: 'Kinesis, 12 shards',
  mongodb: 'MongoDB, 12 chunks',
  bigquery: 'BigQuery by MOD(ABS(FARM_FINGERPRINT)), 12 shards',
  'bigquery:floored': 'BigQuery by FARM_FINGERPRINT, never negative, 12 shards',
  mysql: 'MySQL by KEY, 12 partitions',
  eventhubs: 'Azure Event Hubs, 12 partitions',
  prometheus: "Prometheus' hashmod, 12 remainders",
};

/** Cassandra, ketama and nginx need a ring. */
const WORDS = Object.keys(systems).filter((word) => !/^(cassandra|nginx|ketama.*)$/.test(word));
const CASES = WORDS.flatMap((word) =>
  Object.entries(KEYS).flatMap(([kind, keys]) => {
    try {
      return [{ word, kind, keys, partitioner: partitionerNamed(word, { shards: 12, key: kind as never }) }];
    } catch {
      return []; // it has no such keys
    }
  }),
);

const namesIn = ({ verdict }: Detection) => (verdict === undefined ? [] : [verdict.name, ...verdict.also]);
const agreeing = (a: Uint32Array, b: Uint32Array) => a.filter((shard, row) => shard === b[row]).length;

/**
 * The tests of `detectRouting`, on the backend that is set.
 * @param many the rows of the longest columns
 */
export function testDetection(many: number): void {
  it.each(CASES)('names $word by 300 rows of $kind, of which 3 are foreign', ({ word, kind, keys, partitioner }) => {
    const column = keys(300);
    const shards = partitioner.routeMany(column);
    const theirs = withForeign(shards, random(300, partitioner.shards, 1));
    const detection = detectRouting(column, theirs);
    const [usual] = systems[word].keys;
    expect(namesIn(detection)).toContain(NAMES[word] + (kind === usual ? '' : `, keys as ${kind}`));
    expect(detection).toMatchObject({
      rows: 300,
      shards: partitioner.shards,
      verdict: { agree: agreeing(shards, theirs) },
    });
    expect(detection.needed).toBeLessThan(30);
  });

  it.each(
    (['jump', 'fastrange', 'modulo'] as const).flatMap((strategy) => [0n, 42n].map((seed) => ({ strategy, seed }))),
  )('names a Router with the strategy $strategy and the seed $seed', ({ strategy, seed }) => {
    const router = new Router({ shards: 12, strategy, seed });
    const { verdict } = detectRouting(users(300), router.routeMany(users(300)));
    const routed = verdict?.routing.routeMany(users(500));
    expect(routed).toEqual(router.routeMany(users(500)));
  });

  it('names integers modulo the number of shards, which is an option of route', () => {
    const ids = int64s(300);
    const shards = Uint32Array.from(ids, (id) => Number(BigInt.asUintN(64, id) % 7n));
    const { verdict } = detectRouting(ids, shards);
    expect(verdict).toMatchObject({ agree: 300, options: '--shards 7 --strategy modulo --keys u64 --hash none' });
  });

  it('reads texts as integers and as UUIDs', () => {
    const ids = Array.from(int64s(300), String);
    const shards = partitioner('postgres', { modulus: 12, key: 'int64' }).routeMany(BigInt64Array.from(ids, BigInt));
    expect(detectRouting(ids, shards).verdict?.options).toBe('--as postgres --shards 12 --keys int64');
    const texts = uuids(300);
    const ofUuids = partitioner('postgres', { modulus: 12, key: 'uuid' }).routeMany(texts);
    expect(detectRouting(texts, ofUuids).verdict?.options).toBe('--as postgres --shards 12 --keys uuid');
  });

  it('reads integers as texts in decimal', () => {
    const ids = int64s(300);
    const shards = partitioner('kafka', { partitions: 12 }).routeMany(Array.from(ids, String));
    expect(detectRouting(ids, shards).verdict?.options).toBe('--as kafka --shards 12');
    expect(detectRouting(new BigUint64Array(ids.buffer), shards).verdict).toBeUndefined(); // other texts, if negative
  });

  it('takes a BytesColumn, also of bytes that are not text', () => {
    const rows = Array.from({ length: 300 }, (_, i) => Uint8Array.of(255, i, i >> 8, 128));
    const data = Uint8Array.from(rows.flatMap((row) => [...row]));
    const keys = { data, offsets: Uint32Array.from({ length: 301 }, (_, i) => 4 * i) };
    const shards = partitioner('kafka', { partitions: 12, key: 'bytes' }).routeMany(keys);
    expect(detectRouting(keys, shards).verdict?.options).toBe('--as kafka --shards 12');
  });

  describe('says nothing that it cannot know', () => {
    it('of random shards', () => {
      for (let seed = 1; seed <= many / 400; seed++) {
        const shards = 2 + (seed % 40);
        expect(detectRouting(users(300, seed * 1000), random(300, shards, seed)).verdict).toBeUndefined();
      }
    });

    it('of too few rows, but how many it needs', () => {
      const { needed } = detectRouting(users(100), partitioner('kafka', { partitions: 12 }).routeMany(users(100)));
      for (const rows of [1, 2, 5, needed - 5]) {
        const few = detectRouting(users(rows), partitioner('kafka', { partitions: 12 }).routeMany(users(rows)));
        expect(few.verdict).toBeUndefined();
        expect(few.needed).toBeGreaterThan(rows);
      }
    });

    it('of many rows with few different keys', () => {
      const keys = Array.from({ length: many / 2 }, (_, i) => `user:${i % 5}`);
      const { verdict, needed } = detectRouting(keys, partitioner('kafka', { partitions: 12 }).routeMany(keys));
      expect(verdict).toBeUndefined();
      expect(needed).toBeGreaterThan(5);
    });

    it('of rows that are all in one shard', () => {
      const detection = detectRouting(users(1000), new Uint32Array(1000));
      expect(detection).toMatchObject({ verdict: undefined, needed: Number.POSITIVE_INFINITY });
    });

    it('of no rows', () => {
      expect(detectRouting([], [])).toMatchObject({
        rows: 0,
        shards: 0,
        candidates: [],
        verdict: undefined,
        needed: Infinity,
      });
    });

    it('of one hash that is made a number in another way', () => {
      // Murmur2 as Kafka has it, plus one: no mapping does that.
      const tokens = partitioner('kafka', { partitions: 12 }).tokens(users(1000));
      const shards = Uint32Array.from(tokens, (token) => Math.abs(token ^ 0x5555) % 12);
      expect(detectRouting(users(1000), shards).verdict).toBeUndefined();
    });
  });

  describe('finds the number of shards', () => {
    const few = users(60);

    it.each([
      ['partitions of Kafka', partitioner('kafka', { partitions: 64 })],
      ['shards of a Router by multiply-high', new Router({ shards: 64, strategy: 'fastrange' })],
      ['shards of PostgreSQL', partitioner('postgres', { modulus: 64 })],
    ] as const)('when the last %s have no rows', (_, routing) => {
      const shards = routing.routeMany(few);
      const keys = few.filter((_, row) => shards[row] < 50);
      const kept = shards.filter((shard) => shard < 50);
      const detection = detectRouting(keys, kept);
      expect(detection.shards).toBe(64);
      expect(detection.verdict?.agree).toBe(kept.length);
    });

    it.each([100, 1000])('of jump consistent hash, although its neighbours nearly agree: %i', (shards) => {
      const keys = users(many);
      const router = new Router({ shards });
      const routed = router.routeMany(keys);
      expect(detectRouting(keys, routed).verdict?.options).toBe(`--shards ${shards}`);
      // Two rows have gone astray, in shards that do not exist.
      routed.set([shards, shards + 1], 77);
      expect(detectRouting(keys, routed).verdict?.options).toBe(`--shards ${shards}`);
    });

    it.each([
      ['Kafka', partitioner('kafka', { partitions: 12 }), 300],
      ['a Router', new Router({ shards: 1024 }), 3000],
    ] as const)('of %s, although a row is in a shard far above', (_, routing, rows) => {
      for (const stray of [5000, 2_000_000, 2 ** 31 - 2]) {
        const shards = Uint32Array.of(...routing.routeMany(users(rows)), stray);
        const detection = detectRouting([...users(rows), 'stray'], shards);
        expect(detection).toMatchObject({ shards: routing.shards, verdict: { agree: rows } });
      }
    });

    it.each([
      [12, 15],
      [64, 100],
      [1000, 300],
    ])('of jump consistent hash, and never a wrong one: %i shards, %i rows', (shards, rows) => {
      const router = new Router({ shards });
      for (let from = 0; from < 20_000; from += 20_000_000 / many) {
        const keys = users(rows, from);
        const { verdict } = detectRouting(keys, router.routeMany(keys));
        expect([undefined, shards]).toContain(verdict?.routing.shards);
        expect(detectRouting(keys, router.routeMany(keys), { shards }).verdict?.agree).toBe(rows);
      }
    });

    it.each([
      [99, 'too few'],
      [101, 'too many'],
      [50, 'half'],
      [200, 'twice as many'],
    ])('and gives no verdict for a wrong one: %i instead of 100, %s', (shards) => {
      const keys = users(many);
      for (const right of [new Router({ shards: 100 }), partitioner('kafka', { partitions: 100 })]) {
        const routed = right.routeMany(keys);
        expect(detectRouting(keys, routed, { shards }).verdict).toBeUndefined();
        expect(detectRouting(keys, routed, { shards: 100 }).verdict?.agree).toBe(many);
      }
    });
  });

  it('finds the table of vectors of Kafka in Java, which is too short for a verdict', () => {
    const vectors = PARTITIONER_VECTORS.find(({ system }) => system === 'kafka')?.vectors ?? [];
    const rows = vectors.filter(({ kind }) => kind === 'text' || kind === 'bytes');
    const keys = bytesColumn(rows.map(({ key }) => Buffer.from(key as string)));
    const shards = rows.map(({ shard }) => shard ?? -1);
    const { candidates, verdict, needed } = detectRouting(keys, shards, { shards: 12 });
    expect(candidates[0]).toMatchObject({ agree: rows.length, options: '--as kafka --shards 12' });
    expect([verdict, needed > rows.length]).toEqual([undefined, true]);
  });

  it('lists candidates, the best first, and those that always agree as one', () => {
    const routed = partitioner('kafka', { partitions: 12 }).routeMany(users(1000));
    const { candidates, verdict } = detectRouting(users(1000), routed, { most: 3 });
    expect(candidates).toHaveLength(3);
    expect(candidates[0]).toBe(verdict);
    expect(verdict?.also).toEqual(["librdkafka's murmur2, 12 partitions", '(murmur2 & 0x7fffffff) % 12']);
    expect(verdict?.byChance).toBeCloseTo(1000 / 12, -1);
    expect(candidates[1].agree).toBeGreaterThanOrEqual(candidates[2].agree);
  });

  it('takes the shards as any array of numbers', () => {
    const routed = partitioner('kafka', { partitions: 12 }).routeMany(users(100));
    for (const shards of [[...routed], Float64Array.from(routed), Uint8Array.from(routed)]) {
      expect(detectRouting(users(100), shards).verdict?.options).toBe('--as kafka --shards 12');
    }
  });
}
