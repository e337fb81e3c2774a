import { checkInteger, MAX_BUCKETS } from '../../arguments.js';
import { type Hashers, int32BigEndian, int64BigEndian, javaHashCodes, ofBytes, ofEncoded } from '../hash.js';
import { remainder, type System } from '../system.js';

export interface HiveOptions {
  /** The number of buckets of the table, 1 to 2^31 - 1. */
  buckets: number;
  /** The `bucketing_version` of the table: 2 by default; 1 for a table from before Hive 3, which does not have the property. */
  version?: 1 | 2 | undefined;
}

const HASHERS: Record<1 | 2, Hashers> = {
  1: { text: ofBytes('javaHashOfBytes'), int32: javaHashCodes.int32, int64: javaHashCodes.int64 },
  2: {
    text: ofBytes('murmur3Hive'),
    int32: ofEncoded(int32BigEndian, 'murmur3Hive'),
    int64: ofEncoded(int64BigEndian, 'murmur3Hive'),
  },
};

/**
 * The buckets of a table in Apache Hive, by one column: a string, an int or a bigint. Keys are not `bytes`, because Hive
 * hashes a binary value in version 2 with whatever lies behind it in its buffer.
 * Source: apache/hive `serde2/objectinspector/ObjectInspectorUtils` (hashCode, hashCodeMurmur, getBucketNumber),
 * `common/util/Murmur3`.
 */
export const hive: System<HiveOptions> = {
  options: ['buckets', 'version'],
  count: 'buckets',
  choice: { option: 'version', values: { 1: 1, 2: 2 }, without: 'one of them' },
  configure({ buckets, version = 2 }) {
    checkInteger('buckets', buckets, 1, MAX_BUCKETS);
    checkInteger('version', version, 1, 2);
    return {
      shards: buckets,
      hashers: HASHERS[version],
      tokens: 'i32',
      toShard: remainder('cut', buckets),
      json: { buckets, version },
    };
  },
};
