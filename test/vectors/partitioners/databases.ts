// Databases and search.
import { bytes, int32, int64, type PartitionerVectors, text, uuid } from '../partitioner-vector.js';

/** gcc libsupc++/hash_bytes.cc: std::hash compiled with g++ 12. ClickHouse's gccMurmurHash agrees. */
export const RAGEDB: PartitionerVectors = {
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
 * vitessio/vitess vindexes/xxhash.go, key/key.go: cespare/xxhash, which it uses, with its own code transcribed. Tokens
 * are keyspace ids. The last group has the range that holds one.
 */
export const VITESS: readonly PartitionerVectors[] = [
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
export const POSTGRES: PartitionerVectors = {
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
export const CITUS: PartitionerVectors = {
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
export const ELASTICSEARCH: readonly PartitionerVectors[] = [
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
export const CASSANDRA: PartitionerVectors = {
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
 * ClickHouse src/Functions/FunctionsHashing.h: chdb 26.7. A server 18.16 agrees for sipHash64, cityHash64 and
 * murmurHash3_64.
 */
export const CLICKHOUSE: readonly PartitionerVectors[] = [
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
