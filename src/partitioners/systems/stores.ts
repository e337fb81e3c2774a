import { hashersOf } from '../hash.js';
import { byStrategy, remainder, type System, systemOfCount } from '../system.js';

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
