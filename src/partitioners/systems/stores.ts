import { checkAttached, checkInteger, checkOneOf, typeName, wrongKind, wrongValue } from '../../arguments.js';
import { joined } from '../columns.js';
import { BIG_ENDIAN, type Encodings, hashersOf, int8AsByte, mapped, ofUnits, uuidAsBytes } from '../hash.js';
import { Bounds, byStrategy, mapShards, remainder, type System, systemOfCount } from '../system.js';

/** Redis Cluster always has this many slots. */
const SLOTS = 16384;

/**
 * The slots of Redis Cluster and Valkey.
 * Source: redis/redis `cluster.h keyHashSlot`, `crc16.c`; Redis Cluster specification, "Hash tags".
 */
export const redis: System<object> = {
  options: [],
  noun: 'slot',
  configure() {
    return {
      shards: SLOTS,
      hashers: hashersOf('crc16Tag'),
      tokens: 'u32',
      toShard: remainder('none', SLOTS),
      json: {},
    };
  },
};

export interface CouchbaseOptions {
  /**
   * The number of vBuckets of the bucket, 1 to 65536; 1024 by default. Take it from the cluster map: Couchstore buckets
   * have 1024, and Magma buckets made by Couchbase Server 8.0 or later have 128 unless 1024 were asked for.
   */
  vbuckets?: number | undefined;
}

/**
 * The vBuckets of Couchbase Server.
 * Source: couchbase/couchbase-cxx-client `core/utils/crc32.hxx`, `core/topology/configuration.cxx map_key`.
 */
export const couchbase = /* @__PURE__ */ systemOfCount(
  'vbuckets',
  (vbuckets) => ({
    hashers: hashersOf('crc32'),
    tokens: 'u32',
    finalize(words: Uint32Array) {
      for (let i = 0; i < words.length; i++) words[i] = (words[i] >>> 16) & 0x7fff;
    },
    toShard: remainder('none', vbuckets),
  }),
  { max: 65536, usual: 1024, noun: 'vBucket' },
);

export interface RagedbOptions {
  /** The number of RageDB's shards, one for each core: 1 to 2^31 - 1. */
  shards: number;
}

/**
 * RageDB, and other systems that reduce `std::hash<std::string>` of 64-bit libstdc++ by multiply-high.
 * Source: gcc `libsupc++/hash_bytes.cc`; ragedb `Shard::CalculateShardId`.
 */
export const ragedb = /* @__PURE__ */ systemOfCount('shards', (shards) => ({
  hashers: hashersOf('murmur64A'),
  tokens: 'u64',
  toShard: byStrategy('fastrange', shards),
}));

export interface CassandraOptions {
  /** The tokens of the ring, ascending. Without them, only `tokens` works, and routing throws. */
  tokens?: BigInt64Array | undefined;
}

const SIGN = 0x80000000;

/** Dates are days above -2^31, times nanoseconds, and timestamps milliseconds. */
const CASSANDRA: Encodings = {
  int8: int8AsByte,
  ...BIG_ENDIAN,
  uuid: uuidAsBytes,
  date: mapped(BIG_ENDIAN.int32, (day: number) => day ^ SIGN),
  time: mapped(BIG_ENDIAN.int64, (us: bigint) => us * 1000n),
  timestamp: mapped(BIG_ENDIAN.int64, (us: bigint) => (us - (((us % 1000n) + 1000n) % 1000n)) / 1000n),
};

/**
 * Cassandra's and ScyllaDB's Murmur3Partitioner. A shard is the index of the first token of the ring at or after the
 * token of the key, or 0 if the key's token is after the last one. A key may have several columns.
 * Source: apache/cassandra `utils/MurmurHash.hash3_x64_128`, `dht/Murmur3Partitioner`.
 */
export const cassandra: System<CassandraOptions> = {
  options: ['tokens'],
  noun: 'token',
  configure({ tokens: ring }) {
    if (ring !== undefined) checkRing(ring);
    const owners =
      ring && new Bounds(new BigUint64Array(ring.length).map((_, i) => BigInt.asUintN(64, ring[i] ^ -(2n ** 63n))));
    const count = ring?.length ?? 0;
    return {
      shards: count,
      hashers: hashersOf('murmur3Cassandra', CASSANDRA),
      columns: joined('murmur3Cassandra'),
      tokens: 'i64',
      toShard: {
        column(tokens: BigInt64Array, shards) {
          if (owners === undefined) throw wrongKind('tokens', 'the tokens of the ring in a BigInt64Array', ring);
          owners.countBelow(tokens, SIGN, shards);
          for (let i = 0; i < shards.length; i++) if (shards[i] === count) shards[i] = 0;
        },
      },
      json: { tokens: ring && Array.from(ring, String) },
    };
  },
};

function checkRing(ring: BigInt64Array): void {
  if (typeName(ring) !== 'BigInt64Array') throw wrongKind('tokens', 'a BigInt64Array', ring);
  checkAttached('tokens', ring);
  if (ring.length === 0) throw wrongValue('tokens', 'at least one token', ring);
  for (let row = 1; row < ring.length; row++) {
    const previous = ring[row - 1];
    if (ring[row] <= previous) throw wrongValue('tokens', `a token above ${previous}`, ring[row], row);
  }
}

export interface ElasticsearchOptions {
  /** The number of primary shards of the index, 1 to 2^30 - 1. */
  shards: number;
  /** `'9.4'` for an index that was created before Elasticsearch 9.4.0, or in OpenSearch: it has routing shards. */
  before?: '9.4' | undefined;
  /**
   * `index.number_of_routing_shards` of an index from before 9.4: a multiple of `shards`. It implies `before: '9.4'`. With
   * `before` alone, it is what Elasticsearch 7 and later chose.
   */
  routingShards?: number | undefined;
}

const MAX_PRIMARY_SHARDS = 2 ** 30 - 1;

/**
 * Elasticsearch and OpenSearch, by `_routing` or else `_id`. Since 9.4.0 the hash chooses a shard of a new index; before,
 * and in OpenSearch, it chooses a routing shard, and each shard has several of them.
 * Source: elastic/elasticsearch `routing/Murmur3HashFunction`, `routing/RoutingFunction` (pull request #137062),
 * `metadata/MetadataCreateIndexService.calculateNumRoutingShards`.
 */
export const elasticsearch: System<ElasticsearchOptions> = {
  options: ['shards', 'before', 'routingShards'],
  count: 'shards',
  max: MAX_PRIMARY_SHARDS,
  choice: { option: 'before', values: { 'before-9.4': '9.4' }, without: 'another' },
  configure({ shards, before, routingShards }) {
    checkInteger('shards', shards, 1, MAX_PRIMARY_SHARDS);
    if (before !== undefined) checkOneOf('before', before, ['9.4']);
    if (routingShards !== undefined) checkInteger('routingShards', routingShards, shards, 2 ** 31 - 1);
    const routed = routingShards ?? (before && defaultRoutingShards(shards));
    const hashed = routed ?? shards;
    if (hashed % shards !== 0) throw wrongValue('routingShards', `a multiple of ${shards}`, routingShards);
    const factor = hashed / shards;
    const toHashed = remainder('floored', hashed);
    return {
      shards,
      hashers: { text: ofUnits('murmur3') },
      tokens: 'i32',
      toShard: factor === 1 ? toHashed : mapShards(toHashed, (shard) => Math.floor(shard / factor)),
      json: { shards, ...(routed !== undefined && { routingShards: routed }) },
    };
  },
};

/** The number of shards, doubled as often as possible up to 1024, and at least once. */
function defaultRoutingShards(shards: number): number {
  const log2 = 32 - Math.clz32(shards - 1); // rounded up
  return shards * 2 ** Math.max(1, 10 - log2);
}
