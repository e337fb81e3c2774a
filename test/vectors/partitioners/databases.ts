// Databases and search.
import {
  bytes,
  int32,
  int64,
  type PartitionerVector,
  type PartitionerVectors,
  text,
  uuid,
} from '../partitioner-vector.js';

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
  // binarymd5.go: the values of binarymd5_test.go, and MD5 of Node.js. Integers are hashed as their decimal text.
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'binary_md5' },
    vectors: [
      text('Test', 0x0cbc6611f5540bd0n, 0),
      text('TEST', 0x033bd94b1168d7e4n, 0),
      text('', 0xd41d8cd98f00b204n, 9),
      text('abc', 0x900150983cd24fb0n, 6),
      text('é', 0x66ddcd97cfdeabb2n),
      bytes('ff', 0x00594fd4f42ba43fn),
      int32(1, 0xc4ca4238a0b92382n, 9),
      int64(-1n, 0x6bb61e3b7bce0931n, 5),
    ],
  },
  // hash.go: the values of hash_test.go, and DES of OpenSSL.
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'hash' },
    vectors: [
      int32(0, 0x8ca64de9c1b123a7n),
      int32(1, 0x166b40b44aba4bd6n, 1),
      int32(2, 0x06e7ea22ce92708fn),
      int32(3, 0x4eb190c9a2fa169cn),
      int32(4, 0xd2fd8867d50d2dfen),
      int32(5, 0x70bb023c810ca87an),
      int32(6, 0xf098480ac4c4be71n),
      int32(255, 0x254e882e6597f41dn, 1),
      int32(-1, 0x355550b2150e2451n, 2),
      int64(1n, 0x166b40b44aba4bd6n, 1),
      int64(-1n, 0x355550b2150e2451n, 2),
      int64(2n ** 32n, 0xaeb5f5ede22d1a36n),
      int64(2n ** 63n - 1n, 0xf77d48aadda1f1bbn),
      int64(-(2n ** 63n), 0x95f8a5e5dd31d900n),
    ],
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
 * murmurHash3_64. The tokens of javaHash are its Int32 as UInt32.
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
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12 },
    vectors: [
      text('', 0, 0),
      text('a', 510903276987443985n, 9),
      text('abc', 11297775770902552315n, 7),
      text('é', 18195260988191342947n, 7),
      text('user:1', 2927594953103536519n, 7),
      text('x'.repeat(100), 2452818515257052624n, 8),
      int32(0, 6960269033020761575n, 11),
      int32(1, 17666132492028397833n, 9),
      int32(-1, 6877762905250664532n, 0),
      int32(2 ** 31 - 1, 13426336580491720044n, 0),
      int32(-(2 ** 31), 1887120997060179682n, 10),
      int64(0n, 8217090173679840641n, 5),
      int64(1n, 10357027354812746030n, 2),
      int64(-1n, 4219408603045787357n, 5),
      int64(2n ** 63n - 1n, 12328735522069222783n, 7),
      int64(-(2n ** 63n), 9158703207903963431n, 11),
      int64(2n ** 32n, 3776414752993914744n, 0),
      uuid(5546422057267070875n, 7),
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12 },
    vectors: [
      text('', 11160318154034397263n, 11),
      text('a', 12917804110809363939n, 3),
      text('abc', 2640714258260161385n, 5),
      text('é', 693143013273849025n, 1),
      text('user:1', 16712593967348936363n, 11),
      text('x'.repeat(100), 6590480085648050719n, 7),
      int32(0, 4761183170873013810n, 6),
      int32(1, 10577349846663553072n, 4),
      int32(-1, 9168733277332772950n, 10),
      int32(2 ** 31 - 1, 11648569063521156533n, 5),
      int32(-(2 ** 31), 6300953685602397207n, 3),
      int64(0n, 4761183170873013810n, 6),
      int64(1n, 10577349846663553072n, 4),
      int64(-1n, 14600443904207254319n, 11),
      int64(2n ** 63n - 1n, 16054072765933828340n, 8),
      int64(-(2n ** 63n), 7378616448805205431n, 7),
      int64(2n ** 32n, 9002738297624573766n, 6),
      uuid(16377714616093832133n, 9),
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'javaHash', shards: 12 },
    vectors: [
      text('', 0, 0),
      text('a', 97, 1),
      text('abc', 96354, 6),
      text('é', 4294965318, 6),
      text('user:1', 3458935874, 2),
      text('x'.repeat(100), 1680682496, 8),
      int32(0, 0, 0),
      int32(1, 1, 1),
      int32(-1, 4294967295, 3),
      int32(2 ** 31 - 1, 2147483647, 7),
      int32(-(2 ** 31), 2147483648, 8),
      int64(0n, 0, 0),
      int64(1n, 1, 1),
      int64(-1n, 0, 0),
      int64(2n ** 63n - 1n, 2147483648, 8),
      int64(-(2n ** 63n), 2147483648, 8),
      int64(2n ** 32n, 1, 1),
      uuid(1211378402, 2),
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12 },
    vectors: [
      int32(0, 4761183170873013810n, 6),
      int32(1, 10577349846663553072n, 4),
      int32(-1, 14600443904207254319n, 11),
      int32(2 ** 31 - 1, 11648569063521156533n, 5),
      int32(-(2 ** 31), 15866026624572263334n, 6),
      int64(0n, 4761183170873013810n, 6),
      int64(1n, 10577349846663553072n, 4),
      int64(-1n, 14600443904207254319n, 11),
      int64(2n ** 63n - 1n, 16054072765933828340n, 8),
      int64(-(2n ** 63n), 7378616448805205431n, 7),
      int64(2n ** 32n, 9002738297624573766n, 6),
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12 },
    vectors: [
      int32(0, 4249604106, 6),
      int32(1, 1343103100, 4),
      int32(-1, 3545659993, 1),
      int32(2 ** 31 - 1, 1334432569, 1),
      int32(-(2 ** 31), 785686968, 0),
      int64(0n, 4249604106, 6),
      int64(1n, 1343103100, 4),
      int64(-1n, 3545659993, 1),
      int64(2n ** 63n - 1n, 2112611299, 7),
      int64(-(2n ** 63n), 3930999127, 7),
      int64(2n ** 32n, 3518258701, 1),
    ],
  },
];

/** google/farmhash farmhash.cc (util::Fingerprint64): libfarmhash of Debian 12; the last six are also in lovell/farmhash#26. */
const FINGERPRINTS: readonly PartitionerVector[] = [
  text('', -7286425919675154353n, 5),
  text('abc', 2640714258260161385n, 5),
  text('é', 693143013273849025n, 1),
  text('test', 8581389452482819506n, 6),
  text('1footrue', -1541654101129638711n, 3),
  text('2applefalse', 2794438866806483259n, 3),
  text('foo', 6150913649986995171n, 3),
  text('a'.repeat(126), 6261940804893177895n, 7),
  text('a'.repeat(127), 7531535164187061522n, 6),
  text('a'.repeat(128), -4747627967806356490n, 10),
  text('a'.repeat(129), -266561011801984384n, 4),
  text('a'.repeat(130), 7135893960687184995n, 3),
];

/** MOD(ABS(FARM_FINGERPRINT(key)), 12), and MOD(MOD(FARM_FINGERPRINT(key), 12) + 12, 12). */
export const BIGQUERY: readonly PartitionerVectors[] = [
  { system: 'bigquery', options: { shards: 12 }, vectors: FINGERPRINTS },
  {
    system: 'bigquery',
    options: { shards: 12, variant: 'floored' },
    vectors: FINGERPRINTS.map((vector) => ({ ...vector, shard: Number(((vector.token as bigint) % 12n) + 12n) % 12 })),
  },
];

/**
 * mongodb/mongo hasher.cpp: the values of hasher_test.cpp, and MD5 of Node.js. The chunks are those of an empty collection
 * with 12 of them: initial_split_policy.cpp, transcribed.
 */
export const MONGODB: PartitionerVectors = {
  system: 'mongodb',
  options: { shards: 12 },
  vectors: [
    text('', 2049396243249673340n, 7),
    text('abc', 8478485326885698097n, 11),
    text('é', -590412542577746911n, 5),
    text('漢字😀', 8106029681071572706n, 11),
    text('a\0b', 5846247960051164223n, 9),
    bytes('', -6439747103366268393n, 1),
    bytes('000102030406', 7252465090394235301n, 10),
    int32(0, 4854801880128277513n, 9),
    int32(1, 5902408780260971510n, 9),
    int32(-1, 1140205862565771219n, 6),
    int32(42, -944302157085130861n, 5),
    int32(2 ** 31 - 1, 1143184177162245883n, 6),
    int32(-(2 ** 31), 6165898260261354870n, 10),
    int64(42n, -944302157085130861n, 5),
    int64(2n ** 63n - 1n, 921523596458303250n, 6),
    int64(-(2n ** 63n), 4532067210535695462n, 8),
    uuid(-4986353625607806824n, 2),
  ],
};

/** mongodb/mongo initial_split_policy.cpp (calculateHashedSplitPoints), transcribed: the bounds of so many chunks. */
export const MONGODB_BOUNDS: readonly (readonly bigint[])[] = [
  [],
  [0n],
  [-3074457345618258602n, 3074457345618258602n],
  [-4611686018427387902n, 0n, 4611686018427387902n],
  [-5534023222112865483n, -1844674407370955161n, 1844674407370955161n, 5534023222112865483n],
];

/**
 * mysql/mysql-server strings/ctype-simple.cc (my_hash_sort_simple), ctype-bin.cc (my_hash_sort_bin), sql/field.cc
 * (Field::hash): the partitions that rows of tables with PARTITION BY KEY went to, in MariaDB 10.11.19. The tokens are from a
 * transcription in Python, which agrees with all of them.
 */
export const MYSQL: PartitionerVectors = {
  system: 'mysql',
  options: { partitions: 12 },
  vectors: [
    int64(0n, 1, 1),
    int64(1n, 84215044, 4),
    int64(-1n, 872696919, 3),
    int64(97n, 1179010628, 8),
    int64(0x2020202020202020n, 1, 1),
    int64(2n ** 63n - 1n, 872709335, 11),
    int64(-(2n ** 63n), 3841, 1),
    int32(0, 1, 1),
    int32(1, 84215044, 4),
    int32(-1, 1062574091, 11),
    int32(0x20202020, 1, 1),
    int32(0x61626364, 1577172467, 11),
    int32(-(2 ** 31), 2305, 1),
    bytes('', 1, 1),
    bytes('20', 417, 9),
    bytes('6120', 191364, 0),
    bytes('616263', 49572422, 2),
    bytes('00ff20', 17500313, 5),
  ],
};
