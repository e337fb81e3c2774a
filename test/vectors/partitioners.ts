import { bytes, int32, int64, type PartitionerVectors, text, uuid } from './partitioner-vector.js';

/**
 * apache/kafka common/utils/Utils.java (murmur2, toPositive), BuiltInPartitioner.partitionForKey and the serializers in
 * common/serialization: these classes, compiled with JDK 17. librdkafka, ClickHouse and kafkajs agree.
 */
const KAFKA: PartitionerVectors = {
  system: 'kafka',
  options: { partitions: 12 },
  vectors: [
    text('', 275646681, 9),
    text('abc', 479470107, 3),
    text('é', 186971271, 3),
    bytes('a7d6506c', -2147483648, 0),
    bytes('a5d4305c', -1, 7),
    int32(42, 1606757304, 0),
    int64(-1n, 185950397, 5),
    uuid(426222961, 1),
  ],
};

/**
 * confluentinc/librdkafka rdkafka_msg.c, rdmurmur2.c, rdfnv1a.c: rd_kafka_msg_partitioner_* of librdkafka 2.0.2. Its
 * murmur2 is Kafka's.
 */
const RDKAFKA: readonly PartitionerVectors[] = [
  {
    system: 'rdkafka',
    options: { partitions: 12 },
    vectors: [
      text('', undefined, 0),
      text('abc', undefined, 6),
      text('é', undefined, 2),
      bytes('ff', undefined, 0),
      text('user:1000', undefined, 3),
    ],
  },
  {
    system: 'rdkafka',
    options: { partitions: 12, variant: 'fnv1a' },
    vectors: [
      text('', undefined, 3),
      text('abc', undefined, 11),
      text('user:1000', undefined, 1),
      bytes('0e9c450115', -2147483648, 8),
    ],
  },
  {
    system: 'rdkafka',
    options: { partitions: 12, variant: 'murmur2' },
    vectors: KAFKA.vectors.filter(({ kind }) => kind !== 'uuid'),
  },
];

/** platformatic/kafka clients/producer/partitioners.ts, defaultPartitioner: @platformatic/kafka 1.35.0. */
const KAFKA_UNSIGNED: PartitionerVectors = {
  system: 'kafka',
  options: { partitions: 12, variant: 'unsigned' },
  vectors: [
    text('', 275646681, 9),
    text('a', -1563381124, 0),
    text('abc', 479470107, 3),
    text('user:42', -1493546323, 9),
    text('日本', -700811021, 11),
    bytes('ff', -311467685, 11),
  ],
};

/** IBM/sarama partitioner.go, NewReferenceHashPartitioner: the hashes of librdkafka's FNV-1a without their sign bits. */
const SARAMA: PartitionerVectors = {
  system: 'rdkafka',
  options: { partitions: 12, variant: 'fnv1a-positive' },
  vectors: [text('', -2128831035, 5), text('a', -468965076, 8), bytes('0e9c450115', -2147483648, 0)],
};

/** nats-io/nats-server server/subject_transform.go, getHashPartition: a mapping with partition() in nats-server 2.9.10. */
const NATS: PartitionerVectors = {
  system: 'nats',
  options: { partitions: 12 },
  vectors: [
    text('a', 3826002220, 4),
    text('abc', 440920331, 11),
    text('é', 513665217, 9),
    text('user:1000', 1350311305, 1),
    text('日本', 2670128721, 9),
  ],
};

/**
 * apache/pulsar client/impl/JavaStringHash.java, client/impl/Murmur3Hash32.java: the hashes of HashTest.java, which the
 * tests of the C++ client have, too, and otherwise `hashCode` of JDK 17 and hash32x86 of Apache Commons Codec 1.22.1.
 */
const PULSAR: readonly PartitionerVectors[] = [
  {
    system: 'pulsar',
    options: { partitions: 12 },
    vectors: [
      text('keykeykeykeykey1', 434058482, 2),
      text('keykeykey2', 42978643, 7),
      text('', 0, 0),
      text('abc', 96354, 6),
      text('é', 233, 5),
      text('日本', 835047, 3),
    ],
  },
  {
    system: 'pulsar',
    options: { partitions: 12, variant: 'murmur3' },
    vectors: [
      text('k1', 2110152746, 2),
      text('k2', 1479966664, 4),
      text('key1', 462881061, 9),
      text('key2', 1936800180, 0),
      text('key01', 39696932, 8),
      text('key02', 751761803, 11),
      text('é', 269551495, 7),
    ],
  },
];

/**
 * apache/hive ObjectInspectorUtils.java (hashCode, hashCodeMurmur, getBucketNumber), Murmur3.java (hash32): the hashes of
 * trinodb/trino TestHiveBucketing.java, which compares them with Hive's own classes. No text of these ends with a byte from
 * 0x80 on that is left over from its words of 4 bytes. For `é`, `你`, `你好` and `naïveté`: hash32 of Apache Commons Codec 1.22.1,
 * which was Hive's.
 */
const HIVE: readonly PartitionerVectors[] = [
  {
    system: 'hive',
    options: { buckets: 12 },
    vectors: [
      text('Trino rocks', -399107423, 9),
      text('', -965378730, 2),
      text('test string', -138301454, 6),
      text('强大的Trino引擎', 1784416344, 0),
      text('𠿼𠿽𠿾𠿿', -697348811, 9),
      text('é', -527561221, 7),
      text('你', 1993875730, 10),
      text('你好', 252376810, 10),
      text('naïveté', 1600945196, 8),
      int32(300_000, -678663480, 8),
      int32(-(2 ** 31), 1194881028, 0),
      int32(2 ** 31 - 1, 1133859967, 7),
      int64(300_000_000_000n, -888935297, 3),
      int64(-(2n ** 63n), 1728983947, 7),
      int64(2n ** 63n - 1n, -536577852, 8),
    ],
  },
  {
    system: 'hive',
    options: { buckets: 12, version: 1 },
    vectors: [
      text('Trino rocks', 1132136730, 6),
      text('', 0, 0),
      text('test string', -318923937, 11),
      text('强大的Trino引擎', 1688501507, 11),
      text('𠿼𠿽𠿾𠿿', -1810797254, 6),
      int32(300_000, 300000, 0),
      int32(-(2 ** 31), -2147483648, 0),
      int32(2 ** 31 - 1, 2147483647, 7),
      int64(300_000_000_000n, -647710651, 1),
      int64(-(2n ** 63n), -2147483648, 0),
      int64(2n ** 63n - 1n, -2147483648, 0),
    ],
  },
  { system: 'hive', options: { buckets: 4 }, vectors: [text('Trino rocks', undefined, 1)] },
  { system: 'hive', options: { buckets: 4, version: 1 }, vectors: [text('Trino rocks', undefined, 2)] },
];

/** API reference of PutRecord: MD5 as an integer of 128 bits over even ranges; hashlib of Python. Tokens are its upper half. */
const KINESIS: PartitionerVectors = {
  system: 'kinesis',
  options: { shards: 12 },
  vectors: [
    text('', 0xd41d8cd98f00b204n, 9),
    text('a', 0x0cc175b9c0f1b6a8n, 0),
    text('abc', 0x900150983cd24fb0n, 6),
    text('user:42', 0x56dadf1868c3ba34n, 4),
    text('é', 0x66ddcd97cfdeabb2n, 4),
    text('日本', 0x4dbed2e657457884n, 3),
  ],
};

/** Of ketama and nginx. */
const SERVERS = [
  { name: '10.0.1.1:11211' },
  { name: '10.0.1.2:11211', weight: 2 },
  { name: '10.0.1.3:11212', weight: 5 },
];
const EQUAL_SERVERS = SERVERS.map(({ name }) => ({ name }));

/**
 * awesomized/libmemcached hosts.cc (update_continuum) and hash.cc (dispatch_host), 3rd-Eden/node-hashring index.js: their
 * formulas in Python, which agree with libmemcached 1.1.4 and hashring 3.2.0. Tokens are the first 4 bytes of MD5, or of
 * `plain` one-at-a-time.
 */
const KETAMA: readonly PartitionerVectors[] = [
  {
    system: 'ketama',
    options: { servers: SERVERS },
    vectors: [
      text('', 3649838548, 1),
      text('a', 3111502092, 2),
      text('abc', 2555380112, 2),
      text('user:42', 417323606, 2),
      text('é', 2546851174, 2),
      text('日本', 3872570957, 2),
    ],
  },
  {
    system: 'ketama',
    options: { servers: SERVERS, variant: 'hashring' },
    vectors: [text('', 3649838548, 2), text('abc', 2555380112, 2), text('日本', 3872570957, 1)],
  },
  {
    system: 'ketama',
    options: { servers: SERVERS, variant: 'plain' },
    vectors: [text('', 0, 2), text('a', 3392050242, 2), text('abc', 3977453403, 1), text('é', 26298542, 1)],
  },
  {
    system: 'ketama',
    options: { servers: EQUAL_SERVERS, variant: 'plain' },
    vectors: [
      text('', 0, 1),
      text('a', 3392050242, 2),
      text('abc', 3977453403, 1),
      text('user:42', 809463786, 1),
      text('é', 26298542, 2),
      text('日本', 3053611164, 1),
    ],
  },
];

/**
 * nginx/nginx ngx_http_upstream_hash_module.c: its formula in Python, with zlib's CRC32. Tokens are the CRC32. nginx takes the
 * servers in turn for the empty key.
 */
const NGINX: PartitionerVectors = {
  system: 'nginx',
  options: { servers: SERVERS },
  vectors: [
    text('', 0),
    text('a', 3904355907, 1),
    text('abc', 891568578, 1),
    text('user:42', 1684999558, 2),
    text('é', 235179326, 2),
    text('日本', 3350711756, 2),
  ],
};

/**
 * discord/discord-api-docs Gateway, "Sharding Formula". That of 17 shards is from the documentation of serenity 0.11
 * (shard_id), the others are calculateShardId of @discordjs/util 1.2.0.
 */
const DISCORD: readonly PartitionerVectors[] = [
  { system: 'discord', options: { shards: 17 }, vectors: [int64(81384788765712384n, 19403645698n, 7)] },
  {
    system: 'discord',
    options: { shards: 16 },
    vectors: [
      int64(81384788765712384n, 19403645698n, 2),
      int64(41771983423143937n, 9959216934n, 6),
      int64(197038439483310086n, 46977624770n, 2),
      int64(613425648685547541n, 146252071544n, 8),
      int64(2n ** 63n - 1n, 2n ** 41n - 1n, 15),
    ],
  },
];

/** redis/redis cluster.h (keyHashSlot), crc16.c: CLUSTER KEYSLOT of redis-server 7.0.15. */
const REDIS: PartitionerVectors = {
  system: 'redis',
  options: {},
  vectors: [
    text('', undefined, 0),
    text('foo', undefined, 12182),
    text('123456789', undefined, 12739),
    text('{user1000}.following', undefined, 3443),
    text('foo{}{bar}', undefined, 8363),
    text('{}bar', undefined, 6479),
    text('foo{{bar}}zap', undefined, 4015),
    text('foo{bar}{zap}', undefined, 5061),
    bytes('ff', undefined, 7920),
  ],
};

/** gcc libsupc++/hash_bytes.cc: std::hash compiled with g++ 12. ClickHouse's gccMurmurHash agrees. */
const RAGEDB: PartitionerVectors = {
  system: 'ragedb',
  options: { shards: 12 },
  vectors: [
    text('', 6142509188972423790n, 3),
    text('abc', 3663726644998027833n, 2),
    text('foo', 9631199822919835226n, 6),
    bytes('ff', 14904248647013222923n, 9),
  ],
};

/**
 * apache/spark unsafe/hash/Murmur3_x86_32.java (hashUnsafeBytes), plans/physical/partitioning.scala, and for `rdd`
 * Partitioner.scala: a transcription in Java, which gives the values in Spark's documentation and test suites, and those
 * that apache/datafusion-comet has from Spark.
 */
const SPARK: readonly PartitionerVectors[] = [
  {
    system: 'spark',
    options: { partitions: 200 },
    vectors: [
      text('', 142593372, 172),
      text('abc', 1322437556, 156),
      text('天地', -1899966402, 198),
      bytes('80', 775851899, 99),
      int32(42, 29417773, 173),
      int64(42n, 1316951768, 168),
      int64(-1n, -939490007, 193),
    ],
  },
  {
    system: 'spark',
    options: { partitions: 12, variant: 'rdd' },
    vectors: [text('abc', undefined, 6), text('é', undefined, 5), int64(-1n, undefined, 0)],
  },
];

/**
 * apache/iceberg util/BucketUtil.java, transforms/Bucket.java: BucketUtil with Guava 31.1. ClickHouse's icebergBucket
 * agrees.
 */
const ICEBERG: PartitionerVectors = {
  system: 'iceberg',
  options: { buckets: 16 },
  vectors: [
    text('', 0, 0),
    text('iceberg', 1210000089, 9),
    text('abc', -1277324294, 10),
    int32(34, 2017239379, 3),
    int64(34n, 2017239379, 3),
    int32(-255825987, -1, 15),
    uuid(1488055340, 12),
    bytes('00010203', -188683207, 9),
  ],
};

/**
 * vitessio/vitess vindexes/xxhash.go, key/key.go: cespare/xxhash, which it uses, with its own code transcribed. Tokens
 * are keyspace ids. The last group has the range that holds one.
 */
const VITESS: readonly PartitionerVectors[] = [
  {
    system: 'vitess',
    options: { shards: 12 },
    vectors: [
      text('abc', 0x990977adf52cbc44n),
      text('test1', 0xd01ab7e4d6978f0bn),
      text('', 0x99e9d85137db46efn),
      text('1', 0xd46405367612b4b7n),
      int32(1, 0xd46405367612b4b7n),
      int64(1n, 0xd46405367612b4b7n),
      text('-1', 0xd8e2a6a7c8c7623dn),
      int32(-1, 0xd8e2a6a7c8c7623dn),
      int64(-1n, 0xd8e2a6a7c8c7623dn),
    ],
  },
  {
    system: 'vitess',
    options: { ranges: ['-40', '40-80', '80-c0', 'c0-'] },
    vectors: [text('foo', 0x3fbac459a800bf33n, 0)],
  },
];

/**
 * postgres partitioning/partbounds.c, common/hashfn.c, access/hash/hashfunc.c: the partitions that rows of tables with
 * PARTITION BY HASH went to, in PostgreSQL 18.4. 15.20 agrees.
 */
const POSTGRES: PartitionerVectors = {
  system: 'postgres',
  options: { modulus: 12 },
  vectors: [
    text('', 18051608080690800806n, 2),
    text('abc', 8934288089726683813n, 1),
    text('é', 9683387253055965103n, 7),
    int32(-1, 288437243775528869n, 5),
    int64(-1n, 288437243775528869n, 5),
    int32(1, 11274504255086170040n, 8),
    int64(1n, 11274504255086170040n, 8),
    int64(2n ** 32n, 11274504255086170040n, 8),
    uuid(17220571450569938272n, 4),
  ],
};

/**
 * citusdata/citus shardinterval_utils.c (CalculateUniformHashRangeIndex): worker_hash, and the shards that rows went to,
 * in Citus 12.1.12 on PostgreSQL 15.
 */
const CITUS: PartitionerVectors = {
  system: 'citus',
  options: { shards: 12 },
  vectors: [
    text('', -1477818771, 1),
    text('abc', -785388649, 3),
    int32(1, -1905060026, 0),
    int64(1n, -1905060026, 0),
    int64(-1n, 385747274, 7),
    int32(963809240, -2147483648, 0),
    int32(-1686493264, 2147483647, 11),
  ],
};

/**
 * elastic/elasticsearch Murmur3HashFunction.java, RoutingFunction.java (moduloNumberOfShards, and with `before`
 * legacyRoutingNumberOfShards): the hash of Lucene 8.7, with the rest transcribed. What 2 and 8 shards have is from
 * its own tests, IndexRoutingTests.java (testSimpleRoutingPreAndPostModRoutingChange, testBWC).
 */
const ELASTICSEARCH: readonly PartitionerVectors[] = [
  {
    system: 'elasticsearch',
    options: { shards: 5 },
    vectors: [
      text('', 0, 0),
      text('hello', -675079799, 1),
      text('abc', 1118836419, 4),
      text('é', 1105794559, 4),
      text('😀', 1443257913, 3),
      text('你好', -1113191313, 2),
    ],
  },
  { system: 'elasticsearch', options: { shards: 2 }, vectors: [text('1', undefined, 1)] },
  {
    system: 'elasticsearch',
    options: { shards: 8 },
    vectors: [
      text('sEERfFzPSI', undefined, 1),
      text('cNRiIrjzYd', undefined, 7),
      text('BgfLBXUyWT', undefined, 5),
      text('cnepjZhQnb', undefined, 3),
      text('OKCmuYkeCK', undefined, 6),
      text('hswhrppvDH', undefined, 0),
      text('KXuNWWNgVj', undefined, 2),
      text('DGJOYrpESx', undefined, 4),
    ],
  },
  {
    system: 'elasticsearch',
    options: { shards: 5, before: '9.4' },
    vectors: [
      text('', 0, 0),
      text('hello', -675079799, 4),
      text('abc', 1118836419, 4),
      text('é', 1105794559, 4),
      text('😀', 1443257913, 2),
      text('你好', -1113191313, 2),
    ],
  },
  { system: 'elasticsearch', options: { shards: 2, before: '9.4' }, vectors: [text('1', undefined, 0)] },
  {
    system: 'elasticsearch',
    options: { shards: 8, routingShards: 8 },
    vectors: [text('sEERfFzPSI', undefined, 1)],
  },
];

/**
 * elastic/elasticsearch MetadataCreateIndexService.java (calculateNumRoutingShards): how many routing shards an index
 * with so many shards has by default before 9.4.
 */
export const ROUTING_SHARDS: readonly { readonly shards: number; readonly routingShards: number }[] = [
  { shards: 1, routingShards: 1024 },
  { shards: 2, routingShards: 1024 },
  { shards: 3, routingShards: 768 },
  { shards: 5, routingShards: 640 },
  { shards: 12, routingShards: 768 },
  { shards: 1000, routingShards: 2000 },
];

/**
 * apache/cassandra MurmurHash.java (hash3_x64_128), Murmur3Partitioner.java: a transcription. The drivers for Python and
 * Node.js agree, except for the smallest token and the empty key.
 */
const CASSANDRA: PartitionerVectors = {
  system: 'cassandra',
  options: {},
  vectors: [
    text('abc', -5434086359492102041n),
    text('123', -7468325962851647638n),
    text('é', 5461403030378599040n),
    text('', -(2n ** 63n)),
    bytes('ff', -4442228696663692417n),
    int32(42, -7160136740246525330n),
    int64(42n, 8623491988607824794n),
    bytes('653cbefb85ec3111b4e38fa9bc7cbcae', 9223372036854775807n),
  ],
};

/**
 * couchbase-cxx-client utils/crc32.hxx, topology/configuration.cxx (map_key): the header, compiled. The 128 vBuckets of
 * Magma are its values modulo 128, because 1024 is a multiple.
 */
const COUCHBASE: readonly PartitionerVectors[] = [
  {
    system: 'couchbase',
    options: { vbuckets: 1024 },
    vectors: [
      text('', undefined, 0),
      text('foo', undefined, 115),
      text('abc', undefined, 292),
      text('é', undefined, 516),
      text('airline_10', undefined, 361),
    ],
  },
  {
    system: 'couchbase',
    options: { vbuckets: 128 },
    vectors: [
      text('', undefined, 0),
      text('foo', undefined, 115),
      text('abc', undefined, 36),
      text('é', undefined, 4),
      text('airline_10', undefined, 105),
    ],
  },
];

/**
 * apache/flink MathUtils.java (murmurHash), KeyGroupRangeAssignment.java: a transcription, whose mix gives Guava's
 * published values.
 */
const FLINK: PartitionerVectors = {
  system: 'flink',
  options: { maxParallelism: 128 },
  vectors: [
    text('', undefined, 94),
    text('abc', undefined, 115),
    text('é', undefined, 30),
    int32(-1, undefined, 80),
    int64(-1n, undefined, 94),
    int32(-2089875627, undefined, 0),
  ],
};

/**
 * ClickHouse src/Functions/FunctionsHashing.h: chdb 26.7. A server 18.16 agrees for sipHash64, cityHash64 and
 * murmurHash3_64.
 */
const CLICKHOUSE: readonly PartitionerVectors[] = [
  {
    system: 'clickhouse',
    options: { hash: 'sipHash64', shards: 12 },
    vectors: [text('', 2202906307356721367n), text('abc', 4596069200710135518n), int32(-1, 695094959782041094n)],
  },
  {
    system: 'clickhouse',
    options: { hash: 'cityHash64', shards: 12 },
    vectors: [
      text('', 11160318154034397263n),
      text('abc', 4220206313085259313n),
      int32(-1, 9168733277332772950n),
      int64(-1n, 14600443904207254319n),
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash3_64', shards: 12 },
    vectors: [text('abc', 10318955651176813877n)],
  },
];

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
];

/** apache/spark expressions/XXH64.java: SQL's xxhash64(), which places no rows. ClickHouse's xxHash64Spark agrees. */
export const SPARK_XXHASH64: readonly { readonly key: string | Uint8Array; readonly hash: bigint }[] = [
  { key: '', hash: -7444071767201028348n },
  { key: 'Spark', hash: -4294468057691064905n },
  { key: Uint8Array.of(42, 0, 0, 0), hash: -387659249110444264n },
  { key: Uint8Array.of(42, 0, 0, 0, 0, 0, 0, 0), hash: -6876166290308861218n },
];

export interface PartitionerChecksum {
  readonly system: string;
  readonly options: object;
  /** FNV-1a 64 of the shards as little-endian u32. */
  readonly checksum: bigint;
}

/**
 * Of `user:0` to `user:999999`, from the same implementations as the vectors; those of NATS and of Sarama's reference hash
 * from a loop over FNV-1a in Python, which agrees with librdkafka's; those of Pulsar and Hive from their hashes in Python,
 * which agree with those in Java; those of Kinesis, ketama and nginx from hashlib and zlib of Python.
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
