import type { PartitionerVectors } from './partitioner-vector.js';
import { COUCHBASE, DISCORD, EQUAL_SERVERS, KETAMA, NGINX, REDIS, SERVERS } from './partitioners/caches.js';
import {
  BIGQUERY,
  CASSANDRA,
  CITUS,
  CLICKHOUSE,
  ELASTICSEARCH,
  MONGODB,
  MYSQL,
  POSTGRES,
  RAGEDB,
  VITESS,
} from './partitioners/databases.js';
import {
  EVENT_HUBS,
  KAFKA,
  KAFKA_UNSIGNED,
  KINESIS,
  NATS,
  PROMETHEUS,
  PULSAR,
  RDKAFKA,
  SARAMA,
} from './partitioners/queues.js';
import { FLINK, HIVE, ICEBERG, SPARK } from './partitioners/tables.js';

export const PARTITIONER_VECTORS: readonly PartitionerVectors[] = [
  KAFKA,
  KAFKA_UNSIGNED,
  ...RDKAFKA,
  SARAMA,
  REDIS,
  RAGEDB,
  ...SPARK,
  ICEBERG,
  ...VITESS,
  POSTGRES,
  CITUS,
  ...ELASTICSEARCH,
  CASSANDRA,
  ...COUCHBASE,
  FLINK,
  ...CLICKHOUSE,
  NATS,
  ...PULSAR,
  ...HIVE,
  ...DISCORD,
  KINESIS,
  ...KETAMA,
  NGINX,
  ...BIGQUERY,
  MONGODB,
  MYSQL,
  ...EVENT_HUBS,
  ...PROMETHEUS,
];

/** apache/spark expressions/XXH64.java: SQL's xxhash64(), which places no rows. ClickHouse's xxHash64Spark agrees. */
export const SPARK_XXHASH64: readonly { readonly key: string | Uint8Array; readonly hash: bigint }[] = [
  { key: '', hash: -7444071767201028348n },
  { key: 'Spark', hash: -4294468057691064905n },
  { key: Uint8Array.of(42, 0, 0, 0), hash: -387659249110444264n },
  { key: Uint8Array.of(42, 0, 0, 0, 0, 0, 0, 0), hash: -6876166290308861218n },
];

/**
 * Tokens of keys of 0, 1, 2 and so on bytes, each (7 * place + length) modulo 256: XXH64 of the tokens as little-endian 64
 * bits. Those of BigQuery are from libfarmhash of Debian 12, the other ones from chdb 26.7.
 */
export const TOKENS_BY_LENGTH = [
  { system: 'bigquery', options: {}, lengths: 601, xxh64: 0x53af982706bccd58n },
  { system: 'clickhouse', options: { hash: 'farmHash64' }, lengths: 257, xxh64: 0x963e235890f7caffn },
  { system: 'clickhouse', options: { hash: 'murmurHash2_64' }, lengths: 601, xxh64: 0x3d99d7260827f16cn },
  { system: 'clickhouse', options: { hash: 'cityHash64' }, lengths: 601, xxh64: 0xb291ed2431902826n },
] as const;

export interface PartitionerChecksum {
  readonly system: string;
  readonly options: object;
  /** FNV-1a 64 of the shards as little-endian u32. */
  readonly checksum: bigint;
}

/**
 * Of `user:0` to `user:999999`, from the same implementations as the vectors; those of NATS and of Sarama's reference hash
 * from a loop over FNV-1a in Python, which agrees with librdkafka's; those of Pulsar and Hive from their hashes in Python,
 * which agree with those in Java; those of Kinesis, ketama and nginx from hashlib and zlib of Python;
 * those of MongoDB, Vitess and Prometheus from MD5 of Node.js.
 */
export const TEXT_CHECKSUMS: readonly PartitionerChecksum[] = [
  { system: 'kafka', options: { partitions: 12 }, checksum: 0xac9ad2e1319050afn },
  { system: 'kafka', options: { partitions: 12, variant: 'unsigned' }, checksum: 0xd2264cb0ab383ee7n },
  { system: 'rdkafka', options: { partitions: 12 }, checksum: 0x53db0be952b7870dn },
  { system: 'rdkafka', options: { partitions: 12, variant: 'murmur2' }, checksum: 0xac9ad2e1319050afn },
  { system: 'rdkafka', options: { partitions: 12, variant: 'fnv1a' }, checksum: 0xe11d3b88a5f514cfn },
  { system: 'rdkafka', options: { partitions: 12, variant: 'fnv1a-positive' }, checksum: 0x54c6499b22b05465n },
  { system: 'nats', options: { partitions: 12 }, checksum: 0xfd918bdd70683cadn },
  { system: 'pulsar', options: { partitions: 12 }, checksum: 0xabf7595da5db9041n },
  { system: 'pulsar', options: { partitions: 12, variant: 'murmur3' }, checksum: 0x2a4a7b3eec4245ean },
  { system: 'hive', options: { buckets: 12 }, checksum: 0x5b716280db107f79n },
  { system: 'hive', options: { buckets: 12, version: 1 }, checksum: 0xabf7595da5db9041n },
  { system: 'kinesis', options: { shards: 12 }, checksum: 0xecbcad11ea537a59n },
  { system: 'ketama', options: { servers: SERVERS }, checksum: 0x739675a4c54c6a25n },
  { system: 'ketama', options: { servers: SERVERS, variant: 'hashring' }, checksum: 0xac556fab40530004n },
  { system: 'ketama', options: { servers: SERVERS, variant: 'plain' }, checksum: 0xb48f75ec520f7b67n },
  { system: 'ketama', options: { servers: EQUAL_SERVERS, variant: 'plain' }, checksum: 0x386dae40ce5bc9b4n },
  { system: 'nginx', options: { servers: SERVERS }, checksum: 0x83c7f3ed4a007ac5n },
  { system: 'redis', options: {}, checksum: 0x8459f519ad93f495n },
  { system: 'ragedb', options: { shards: 12 }, checksum: 0x58b161dec90c6319n },
  { system: 'spark', options: { partitions: 200 }, checksum: 0x6d5d0f994225c739n },
  { system: 'spark', options: { partitions: 12, variant: 'rdd' }, checksum: 0x5177b7e638d4e6c5n },
  { system: 'iceberg', options: { buckets: 16 }, checksum: 0xd8bb14b5f67a6e26n },
  { system: 'vitess', options: { shards: 12 }, checksum: 0xf4f5641a9f07fd48n },
  { system: 'postgres', options: { modulus: 12 }, checksum: 0xb655ddda9638c6f7n },
  { system: 'citus', options: { shards: 12 }, checksum: 0x34fd184141378547n },
  { system: 'elasticsearch', options: { shards: 5 }, checksum: 0x28f028b2b9917621n },
  { system: 'elasticsearch', options: { shards: 5, before: '9.4' }, checksum: 0x9b9f04b8cb8e7717n },
  { system: 'couchbase', options: { vbuckets: 1024 }, checksum: 0x440244babac80da5n },
  { system: 'flink', options: { maxParallelism: 128 }, checksum: 0x099d5bbebc7528aan },
  { system: 'clickhouse', options: { hash: 'sipHash64', shards: 12 }, checksum: 0x2cbb57b34a801fabn },
  { system: 'clickhouse', options: { hash: 'cityHash64', shards: 12 }, checksum: 0x47864eb844d093d9n },
  { system: 'clickhouse', options: { hash: 'murmurHash3_64', shards: 12 }, checksum: 0xe4e2178d9f95ac5an },
  { system: 'clickhouse', options: { hash: 'xxHash64', shards: 12 }, checksum: 0x09ade187b4af85a4n },
  { system: 'clickhouse', options: { hash: 'murmurHash2_64', shards: 12 }, checksum: 0xcdb778ba2d9904e6n },
  { system: 'clickhouse', options: { hash: 'farmHash64', shards: 12 }, checksum: 0xd75025fbfa7709d3n },
  { system: 'clickhouse', options: { hash: 'javaHash', shards: 12 }, checksum: 0x7a8c5a147e711ec9n },
  { system: 'vitess', options: { shards: 12, vindex: 'binary_md5' }, checksum: 0x088aa01ed8a67177n },
  { system: 'bigquery', options: { shards: 12 }, checksum: 0x96cd36d47cf7b43dn },
  { system: 'bigquery', options: { shards: 12, variant: 'floored' }, checksum: 0xdfd0d69943e20dd3n },
  { system: 'mongodb', options: { shards: 12 }, checksum: 0x73bb049e3d230f25n },
  { system: 'eventhubs', options: { partitions: 12 }, checksum: 0x13b119e168d764cen },
  { system: 'prometheus', options: { modulus: 12 }, checksum: 0xd2247dd7e9a7559dn },
];

/** Of the integers 0 to 999999, which are the same as int32 and as int64: rows of a table in PostgreSQL 18.4. */
export const INTEGER_CHECKSUM: PartitionerChecksum = {
  system: 'postgres',
  options: { modulus: 12 },
  checksum: 0xd604482c74f719adn,
};

/** Of the ids i * 0x9e3779b97f4a7c15 modulo 2^63 for i from 0 to 999999: the formula in Python. */
export const DISCORD_CHECKSUM: PartitionerChecksum = {
  system: 'discord',
  options: { shards: 12 },
  checksum: 0x900cd1445c49a4d5n,
};

/** Of the tokens of `user:0` to `user:999999` in Cassandra: their high and their low words as little-endian u32. */
export const CASSANDRA_CHECKSUMS = { high: 0x38ad86f0d82b0afbn, low: 0x2db8e87caadddf4en } as const;
