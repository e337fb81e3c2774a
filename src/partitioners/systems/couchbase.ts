import { hashersOf } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

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
export const couchbase = /* @__PURE__ */ systemOfCount<CouchbaseOptions>(
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
