// Kinds of keys that few systems have, and keys of several columns. The sources are those of the other vectors of each system.
import type { KeyedVectors } from '../partitioner-vector.js';

/** chdb 26.7. A column is its own hash with 'none': the shards in which a Distributed table puts its rows. */
const CLICKHOUSE: readonly KeyedVectors[] = [
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12, key: 'int8' },
    vectors: [
      [0, 4249604106, 6],
      [1, 1343103100, 4],
      [-1, 3545659993, 1],
      [127, 1789860724, 4],
      [-128, 3331033089, 9],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12, key: 'int16' },
    vectors: [
      [0, 4249604106, 6],
      [1, 1343103100, 4],
      [-1, 3545659993, 1],
      [32767, 3656985277, 1],
      [-32768, 3531407176, 4],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12, key: 'uint8' },
    vectors: [
      [0, 4249604106, 6],
      [1, 1343103100, 4],
      [255, 4243176437, 5],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12, key: 'uint16' },
    vectors: [
      [0, 4249604106, 6],
      [1, 1343103100, 4],
      [65535, 2814166736, 8],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12, key: 'uint32' },
    vectors: [
      [0, 4249604106, 6],
      [1, 1343103100, 4],
      [4294967295, 3983947013, 5],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash32', shards: 12, key: 'u64' },
    vectors: [
      [0n, 4249604106, 6],
      [1n, 1343103100, 4],
      [18446744073709551615n, 3545659993, 1],
      [9223372036854775808n, 3930999127, 7],
      [4294967296n, 3518258701, 1],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12, key: 'int8' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [-1, 14600443904207254319n, 11],
      [127, 6947037243239945742n, 6],
      [-128, 991586871591636258n, 6],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12, key: 'int16' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [-1, 14600443904207254319n, 11],
      [32767, 16297833981631044619n, 7],
      [-32768, 1466026481389554835n, 7],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12, key: 'uint8' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [255, 8055013221972926055n, 3],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12, key: 'uint16' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [65535, 6547939410751295652n, 0],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12, key: 'uint32' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [4294967295, 9168733277332772950n, 10],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'intHash64', shards: 12, key: 'u64' },
    vectors: [
      [0n, 4761183170873013810n, 6],
      [1n, 10577349846663553072n, 4],
      [18446744073709551615n, 14600443904207254319n, 11],
      [9223372036854775808n, 7378616448805205431n, 7],
      [4294967296n, 9002738297624573766n, 6],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: 'int8' },
    vectors: [
      [0, 6351753276682545529n, 1],
      [1, 12725806677685968135n, 3],
      [-1, 3866667633532608802n, 10],
      [127, 14144672264048861167n, 7],
      [-128, 13393303071874499911n, 7],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: 'int16' },
    vectors: [
      [0, 12703506553365091059n, 3],
      [1, 11416615060883246039n, 11],
      [-1, 1991829697748304226n, 10],
      [32767, 8182515680735688370n, 10],
      [-32768, 685754795991641832n, 0],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: 'uint8' },
    vectors: [
      [0, 6351753276682545529n, 1],
      [1, 12725806677685968135n, 3],
      [255, 3866667633532608802n, 10],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: 'uint16' },
    vectors: [
      [0, 12703506553365091059n, 3],
      [1, 11416615060883246039n, 11],
      [65535, 1991829697748304226n, 10],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: 'uint32' },
    vectors: [
      [0, 6960269033020761575n, 11],
      [1, 17666132492028397833n, 9],
      [4294967295, 6877762905250664532n, 0],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: 'u64' },
    vectors: [
      [0n, 8217090173679840641n, 5],
      [1n, 10357027354812746030n, 2],
      [18446744073709551615n, 4219408603045787357n, 5],
      [9223372036854775808n, 9158703207903963431n, 11],
      [4294967296n, 3776414752993914744n, 0],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: 'int8' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [-1, 8055013221972926055n, 3],
      [127, 6947037243239945742n, 6],
      [-128, 10573636647639147473n, 5],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: 'int16' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [-1, 6547939410751295652n, 0],
      [32767, 16297833981631044619n, 7],
      [-32768, 11349277977595110966n, 6],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: 'uint8' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [255, 8055013221972926055n, 3],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: 'uint16' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [65535, 6547939410751295652n, 0],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: 'uint32' },
    vectors: [
      [0, 4761183170873013810n, 6],
      [1, 10577349846663553072n, 4],
      [4294967295, 9168733277332772950n, 10],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: 'u64' },
    vectors: [
      [0n, 4761183170873013810n, 6],
      [1n, 10577349846663553072n, 4],
      [18446744073709551615n, 14600443904207254319n, 11],
      [9223372036854775808n, 7378616448805205431n, 7],
      [4294967296n, 9002738297624573766n, 6],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'javaHash', shards: 12, key: 'int8' },
    vectors: [
      [0, 0, 0],
      [1, 1, 1],
      [-1, 4294967295, 3],
      [127, 127, 7],
      [-128, 4294967168, 8],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'javaHash', shards: 12, key: 'int16' },
    vectors: [
      [0, 0, 0],
      [1, 1, 1],
      [-1, 4294967295, 3],
      [32767, 32767, 7],
      [-32768, 4294934528, 8],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: ['text', 'int64'] },
    vectors: [[['a', 1n], 4499316315027250013n, 5]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: ['text', 'text'] },
    vectors: [
      [['a', 'b'], 6575459576158992452n, 8],
      [['', ''], 4761183170873013810n, 6],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: ['uint8', 'int64'] },
    vectors: [[[1, 2n], 14193701521640847559n, 7]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'murmurHash2_64', shards: 12, key: ['text', 'text', 'text'] },
    vectors: [[['a', 'b', 'c'], 913912369267383934n, 10]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: ['text', 'int64'] },
    vectors: [[['a', 1n], 9435956406127488341n, 5]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: ['text', 'text'] },
    vectors: [
      [['a', 'b'], 13764019092918827821n, 1],
      [['', ''], 857056678345777455n, 3],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: ['uint8', 'int64'] },
    vectors: [[[1, 2n], 463667963421364848n, 0]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'farmHash64', shards: 12, key: ['text', 'text', 'text'] },
    vectors: [[['a', 'b', 'c'], 10477855848914799694n, 10]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'none', shards: 11, key: 'int8' },
    vectors: [
      [-128, undefined, 8],
      [-2, undefined, 2],
      [-1, undefined, 3],
      [0, undefined, 0],
      [1, undefined, 1],
      [127, undefined, 6],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'none', shards: 11, key: 'int16' },
    vectors: [
      [-32768, undefined, 5],
      [-1, undefined, 3],
      [32767, undefined, 9],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'none', shards: 11, key: 'int32' },
    vectors: [
      [-1, undefined, 3],
      [-(2 ** 31), undefined, 2],
    ],
  },
  {
    system: 'clickhouse',
    options: { hash: 'none', shards: 11, key: 'int64' },
    vectors: [
      [-1n, undefined, 4],
      [-(2n ** 63n), undefined, 8],
    ],
  },
  { system: 'clickhouse', options: { hash: 'none', shards: 11, key: 'uint8' }, vectors: [[255, undefined, 2]] },
  {
    system: 'clickhouse',
    options: { hash: 'none', shards: 11, key: 'u64' },
    vectors: [[2n ** 64n - 1n, undefined, 4]],
  },
  {
    system: 'clickhouse',
    options: { hash: 'javaHash', shards: 11, key: 'int8' },
    vectors: [
      [-128, 4294967168, 8],
      [-1, 4294967295, 3],
    ],
  },
];

/** Dates are hashed as milliseconds. hasher_test.cpp has the first ObjectId and the first date. */
const MONGODB: readonly KeyedVectors[] = [
  {
    system: 'mongodb',
    options: { shards: 12, key: 'objectid' },
    vectors: [
      ['010203040506070809101112', -5588663249627035708n, 2],
      ['000000000000000000000000', -4293118519463489418n],
      ['507f1f77bcf86cd799439011', -3048436677993134862n, 4],
      ['507F1F77BCF86CD799439011', -3048436677993134862n, 4],
    ],
  },
  {
    system: 'mongodb',
    options: { shards: 12, key: 'date' },
    vectors: [
      ['1970-01-01', -1178696894582842035n],
      ['2020-01-02', 7659703277744640815n, 10],
      ['1969-12-31', -5807379673982203493n, 2],
    ],
  },
  {
    system: 'mongodb',
    options: { shards: 12, key: 'timestamp' },
    vectors: [
      ['1970-01-01T00:00:00', -1178696894582842035n],
      ['2020-01-02T03:04:05.678', -9137589925788112852n, 0],
      ['2020-01-02T03:04:05.678999', -9137589925788112852n, 0],
      ['1969-12-31T23:59:59.9999', -9185066864950842249n, 0],
    ],
  },
  {
    system: 'mongodb',
    options: { shards: 12, key: 'uint32' },
    vectors: [
      [42, -944302157085130861n, 5],
      [2 ** 32 - 1, -5951240461166399728n, 2],
    ],
  },
  { system: 'mongodb', options: { shards: 12, key: 'int8' }, vectors: [[-1, 1140205862565771219n, 6]] },
];

/** multicol_test.go has the first three of three columns. Those of strings are MD5 and xxHash of other programs. */
const VITESS: readonly KeyedVectors[] = [
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'hash', key: 'u64' },
    vectors: [
      [1n, 0x166b40b44aba4bd6n, 1],
      [2n ** 64n - 1n, 0x355550b2150e2451n, 2],
    ],
  },
  { system: 'vitess', options: { shards: 12, vindex: 'hash', key: 'int8' }, vectors: [[-1, 0x355550b2150e2451n, 2]] },
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'multicol', key: ['int64', 'int64', 'int64'] },
    vectors: [
      [[1n, 1n, 1n], 0x166b40166b40166bn, 1],
      [[255n, 1n, 1n], 0x254e88166b40166bn, 1],
      [[256n, 1n, 1n], 0xdd7c0b166b40166bn],
    ],
  },
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'multicol', columnBytes: [1, 2, 3], key: ['int64', 'int64', 'int64'] },
    vectors: [[[1n, 2n, 3n], 0x1606e74eb1900000n, 1]], // 6 bytes; ranges do not tell it from 8
  },
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'multicol', key: ['int64', 'int64'] },
    vectors: [[[1n, 2n], 0x166b40b406e7ea22n, 1]],
  },
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'multicol', columnVindexes: ['hash', 'xxhash'], key: ['int64', 'text'] },
    vectors: [[[1n, 'abc'], 0x166b40b4990977adn, 1]],
  },
  {
    system: 'vitess',
    options: {
      ...{ shards: 12, vindex: 'multicol', columnVindexes: ['hash', 'binary_md5'], columnBytes: [1, 7] },
      key: ['int64', 'text'],
    },
    vectors: [[[1n, 'abc'], 0x16900150983cd24fn, 1]],
  },
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'multicol', columnVindexes: Array(8).fill('xxhash'), key: Array(8).fill('text') },
    vectors: [[[...'abcdefgh'], 0x5b9bede4344dae0fn]],
  },
];

/** A label that is missing is an empty text. */
const PROMETHEUS: readonly KeyedVectors[] = [
  {
    system: 'prometheus',
    options: { modulus: 12, key: ['text', 'text'] },
    vectors: [
      [['a', 'b'], 2420134994223480074n, 2],
      [[null, null], 4718772755342097393n, 9],
      [['', ''], 4718772755342097393n, 9],
    ],
  },
];

/** Each integer is hashed by the width of its own type. */
const MYSQL: readonly KeyedVectors[] = [
  {
    system: 'mysql',
    options: { partitions: 12, key: 'int8' },
    vectors: [
      [0, 257, 5],
      [1, 260, 8],
      [-1, 1530, 6],
      [32, 1, 1],
      [97, 580, 4],
      [-128, 897, 9],
    ],
  },
  {
    system: 'mysql',
    options: { partitions: 12, key: 'int16' },
    vectors: [
      [1, 66820, 4],
      [-1, 409413, 9],
      [0x2061, 580, 4],
      [-32768, 66561, 9],
    ],
  },
  {
    system: 'mysql',
    options: { partitions: 12, key: 'uint8' },
    vectors: [
      [255, 1530, 6],
      [224, 580, 4],
    ],
  },
  {
    system: 'mysql',
    options: { partitions: 12, key: 'uint16' },
    vectors: [
      [65535, 409413, 9],
      [0x2020, 1, 1],
    ],
  },
  {
    system: 'mysql',
    options: { partitions: 12, key: 'uint32' },
    vectors: [
      [2 ** 32 - 1, 1062574091, 11],
      [0x200000c0, 38011460, 8],
    ],
  },
  {
    system: 'mysql',
    options: { partitions: 12, key: 'u64' },
    vectors: [
      [2n ** 64n - 1n, 872696919, 3],
      [0xe0e0e0e061616161n, 3272868393, 9],
    ],
  },
  {
    system: 'mysql',
    options: { partitions: 12, key: ['int32', 'bytes', 'u64'] },
    vectors: [
      [[1, Uint8Array.of(0x61, 0x62, 0x63), 2n ** 64n - 1n], 1795032192, 0],
      [[null, Uint8Array.of(0x61, 0x62, 0x63), null], 215568331, 7],
    ],
  },
  { system: 'mysql', options: { partitions: 12, key: ['int64', 'int64'] }, vectors: [[[1n, 2n], 1162167620, 8]] },
];

export const KEYED_VECTORS: readonly KeyedVectors[] = [...CLICKHOUSE, ...MONGODB, ...VITESS, ...PROMETHEUS, ...MYSQL];
