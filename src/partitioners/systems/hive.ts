import { checkInteger, MAX_BUCKETS } from '../../arguments.js';
import { folded } from '../columns.js';
import { BIG_ENDIAN, type Hashers, hashersOf, javaHashCodes, ofBytes, ownValue, widened } from '../hash.js';
import { remainder, type System } from '../system.js';

export interface HiveOptions {
  /** The number of buckets of the table, 1 to 2^31 - 1. */
  buckets: number;
  /** The `bucketing_version` of the table: 2 by default; 1 for a table from before Hive 3, which does not have the property. */
  version?: 1 | 2 | undefined;
}

const { bytes: _, ...MURMUR3 } = hashersOf('murmur3Hive', { ...BIG_ENDIAN, date: BIG_ENDIAN.int32 });

const HASHERS: Record<1 | 2, Hashers> = {
  1: { text: ofBytes('javaHashOfBytes'), ...widened(ownValue, javaHashCodes.int64), date: ownValue },
  2: { ...MURMUR3, int8: ownValue },
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
