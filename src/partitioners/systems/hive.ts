import { checkInteger, MAX_BUCKETS } from '../../arguments.js';
import { folded } from '../columns.js';
import {
  type Hashers,
  int16BigEndian,
  int32BigEndian,
  int64BigEndian,
  javaHashCodes,
  ofBytes,
  ofEncoded,
  ownValue,
  widened,
} from '../hash.js';
import { remainder, type System } from '../system.js';

export interface HiveOptions {
  /** The number of buckets of the table, 1 to 2^31 - 1. */
  buckets: number;
  /** The `bucketing_version` of the table: 2 by default; 1 for a table from before Hive 3, which does not have the property. */
  version?: 1 | 2 | undefined;
}

const HASHERS: Record<1 | 2, Hashers> = {
  1: { text: ofBytes('javaHashOfBytes'), ...widened(ownValue, javaHashCodes.int64), date: ownValue },
  2: {
    text: ofBytes('murmur3Hive'),
    int8: ownValue,
    int16: ofEncoded(int16BigEndian, 'murmur3Hive'),
    int32: ofEncoded(int32BigEndian, 'murmur3Hive'),
    int64: ofEncoded(int64BigEndian, 'murmur3Hive'),
    u64: ofEncoded(int64BigEndian, 'murmur3Hive'),
    date: ofEncoded(int32BigEndian, 'murmur3Hive'),
  },
};

/** In both versions. The hash of NULL is 0. */
const COLUMNS = folded<number>((before, hash) => (Math.imul(31, before) + hash) >>> 0, { ofNull: 0 });

/**
 * The buckets of a table in Apache Hive, by one column or several. Keys are not `bytes`, because Hive
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
      columns: COLUMNS,
      toShard: remainder('cut', buckets),
      json: { buckets, version },
    };
  },
};
