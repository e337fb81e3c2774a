import {
  checkAttached,
  checkInteger,
  checkOneOf,
  MAX_BUCKETS,
  typeName,
  wordsOf,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { joined, separatedBy, withLengths } from '../columns.js';
import {
  BIG_ENDIAN,
  type Encodings,
  int8AsByte,
  type KeyEncoding,
  mapped,
  ofWords,
  reverseBytes,
  toMilliseconds,
  uuidAsBytes,
  widened,
} from '../encodings.js';
import { concat, encodedHashers, type Hashers, hashersOf, ofBytes, ofEnclosed, ofUnits } from '../hash.js';
import {
  Bounds,
  byStrategy,
  mapShards,
  remainder,
  type ShardConfiguration,
  type System,
  shardsOr,
  systemOfCount,
} from '../system.js';

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
  timestamp: mapped(BIG_ENDIAN.int64, toMilliseconds),
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
    if (ring !== undefined) checkTokens('tokens', ring);
    if (ring?.length === 0) throw wrongValue('tokens', 'at least one token', ring);
    const owners = ring && signedBounds(ring);
    const count = ring?.length ?? 0;
    return {
      shards: count,
      hashers: hashersOf('murmur3Cassandra', CASSANDRA),
      columns: joined('murmur3Cassandra', withLengths),
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

/** @param above what the first token has to be above, if it has to be */
function checkTokens(name: string, tokens: BigInt64Array, above?: bigint): void {
  if (typeName(tokens) !== 'BigInt64Array') throw wrongKind(name, 'a BigInt64Array', tokens);
  checkAttached(name, tokens);
  for (let row = 0; row < tokens.length; row++) {
    const previous = row === 0 ? above : tokens[row - 1];
    if (previous === undefined || tokens[row] > previous) continue;
    throw wrongValue(name, `a token above ${previous}`, tokens[row], row);
  }
}

/** Ascending tokens as bounds that `Bounds.countBelow` compares with signed ones. */
const signedBounds = (tokens: BigInt64Array): Bounds =>
  new Bounds(new BigUint64Array(tokens.length).map((_, i) => BigInt.asUintN(64, tokens[i] ^ -(2n ** 63n))));

/** At most one of the two. Without them, only `tokens` works, and routing throws. */
export interface MongodbOptions {
  /** The bounds between chunks, ascending: the `max` of every chunk in `config.chunks` but the last. */
  chunks?: BigInt64Array | undefined;
  /** The number of chunks, 1 to 2^31 - 1, for those that an empty collection gets when it is sharded. */
  shards?: number | undefined;
}

// A hash is of the seed 0, the type of the value in the order of BSON's types, 4 bytes each, and the value as in BSON.

const ofType = (type: number) => [0, 0, 0, 0, type, 0, 0, 0];
const ofTypeAndLength = (type: number, length: number) => [
  ...ofType(type),
  ...[length, length >>> 8, length >>> 16, length >>> 24],
];

const bsonInt64 = (type: number) =>
  ofWords<BigInt64Array>(4, (values, words) => {
    const halves = wordsOf(values);
    for (let i = 0; i < halves.length; i += 2) words.set([0, type, halves[i], halves[i + 1]], 2 * i);
  });

const NUMBER = /* @__PURE__ */ bsonInt64(10);
// BSON has no integers of 64 bits without a sign.
const { u64: _u64, ...NUMBERS } = /* @__PURE__ */ widened<KeyEncoding<Int32Array>, KeyEncoding<BigInt64Array>>(
  (values, ...out) => NUMBER(BigInt64Array.from(values, BigInt), ...out),
  NUMBER,
);
const DATE = /* @__PURE__ */ bsonInt64(45);
const DAY_MS = 86_400_000n;

const MONGODB: Hashers = {
  text: ofEnclosed('md5High', (key) => concat(ofTypeAndLength(15, key.length + 1), key, [0])),
  bytes: ofEnclosed('md5High', (key) => concat(ofTypeAndLength(30, key.length), [0], key)),
  objectid: ofEnclosed('md5High', (key) => concat(ofType(35), key)),
  ...encodedHashers('md5High', {
    ...NUMBERS,
    date: (days, ...out) =>
      DATE(
        BigInt64Array.from(days, (day) => BigInt(day) * DAY_MS),
        ...out,
      ),
    timestamp: mapped(DATE, toMilliseconds),
    uuid(values, bytes, ends) {
      for (let row = 0; row < ends.length; row++) {
        const uuid = values.subarray(16 * row, 16 * row + 16);
        bytes.set(concat(ofTypeAndLength(30, 16), [4], uuid), 29 * row);
        ends[row] = 29 * (row + 1);
      }
    },
  }),
};

/**
 * The chunks of a collection of MongoDB that is sharded by a hashed key, in the order of their bounds.
 * Source: mongodb/mongo `src/mongo/db/hasher.cpp`, `s/config/initial_split_policy.cpp`.
 */
export const mongodb: System<MongodbOptions> = {
  options: ['chunks', 'shards'],
  count: 'shards',
  noun: 'chunk',
  configure({ chunks, shards }) {
    const isOpen = chunks === undefined && shards === undefined;
    return {
      hashers: MONGODB,
      tokens: 'i64',
      finalize: reverseBytes,
      ...(isOpen ? NO_CHUNKS : shardsOr('chunks', { chunks, shards }, [MAX_BUCKETS, ofEqualChunks], ofChunks)),
    };
  },
};

const NO_CHUNKS: ShardConfiguration = {
  shards: 0,
  toShard: {
    column() {
      throw wrongKind('chunks', 'the bounds between chunks in a BigInt64Array, or "shards"', undefined);
    },
  },
  json: {},
};

/** Equal chunks around 0. The first and the last also have the tokens that are beyond. */
function ofEqualChunks(n: number): ShardConfiguration {
  const half = (2n ** 63n - 1n) / BigInt(n);
  const below = half * BigInt(n);
  const size = 2n * half;
  return {
    shards: n,
    toShard: {
      column(tokens: BigInt64Array, shards) {
        for (let i = 0; i < shards.length; i++) shards[i] = Math.min(n - 1, Number((tokens[i] + below) / size));
      },
    },
    json: { shards: n },
  };
}

function ofChunks(chunks: BigInt64Array): ShardConfiguration {
  checkTokens('chunks', chunks, -(2n ** 63n));
  // A chunk begins with its lower bound.
  const ends = signedBounds(chunks.map((bound) => bound - 1n));
  return {
    shards: chunks.length + 1,
    toShard: { column: (tokens: BigInt64Array, shards) => ends.countBelow(tokens, SIGN, shards) },
    json: { chunks: Array.from(chunks, String) },
  };
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

export interface PrometheusOptions {
  /** The `modulus` of the relabeling, 1 to 2^31 - 1. */
  modulus: number;
}

const SEMICOLON = 0x3b;

/**
 * The action `hashmod` of a relabeling in Prometheus. Several columns are source labels, which are joined by a semicolon, the
 * usual `separator`. NULL is a label that a target does not have, which is empty.
 * Source: prometheus/prometheus `model/relabel/relabel.go`.
 */
export const prometheus = /* @__PURE__ */ systemOfCount(
  'modulus',
  (modulus) => ({
    hashers: { text: ofBytes('md5Low') },
    columns: joined('md5Low', separatedBy(SEMICOLON), true),
    tokens: 'u64',
    toShard: byStrategy('modulo', modulus),
  }),
  { noun: 'remainder' },
);
