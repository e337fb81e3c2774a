// Caches and rings of servers, and Discord's gateway.
import { bytes, int64, type PartitionerVectors, text } from '../partitioner-vector.js';

/** Of ketama and nginx. */
export const SERVERS = [
  { name: '10.0.1.1:11211' },
  { name: '10.0.1.2:11211', weight: 2 },
  { name: '10.0.1.3:11212', weight: 5 },
];
export const EQUAL_SERVERS = SERVERS.map(({ name }) => ({ name }));

/**
 * awesomized/libmemcached hosts.cc (update_continuum) and hash.cc (dispatch_host), 3rd-Eden/node-hashring index.js: their
 * formulas in Python, which agree with libmemcached 1.1.4 and hashring 3.2.0. Tokens are the first 4 bytes of MD5, or of
 * `plain` one-at-a-time.
 */
export const KETAMA: readonly PartitionerVectors[] = [
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
export const NGINX: PartitionerVectors = {
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

/** redis/redis cluster.h (keyHashSlot), crc16.c: CLUSTER KEYSLOT of redis-server 7.0.15. */
export const REDIS: PartitionerVectors = {
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

/**
 * couchbase-cxx-client utils/crc32.hxx, topology/configuration.cxx (map_key): the header, compiled. The 128 vBuckets of
 * Magma are its values modulo 128, because 1024 is a multiple.
 */
export const COUCHBASE: readonly PartitionerVectors[] = [
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
 * discord/discord-api-docs Gateway, "Sharding Formula". That of 17 shards is from the documentation of serenity 0.11
 * (shard_id), the others are calculateShardId of @discordjs/util 1.2.0.
 */
export const DISCORD: readonly PartitionerVectors[] = [
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
