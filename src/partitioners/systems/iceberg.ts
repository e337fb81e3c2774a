import { checkInteger, MAX_BUCKETS } from '../../arguments.js';
import * as encodings from '../encode.js';
import { ofBytes, ofEncoded } from '../hash.js';
import type { System } from '../system.js';
import { remainder } from '../to-shard.js';

export interface IcebergOptions {
  /** The N of `bucket[N]`, 1 to 2^31 - 1. */
  buckets: number;
}

/**
 * The bucket transform of Apache Iceberg.
 * Source: the Iceberg table specification, appendix B; apache/iceberg `transforms/Bucket`, `util/BucketUtil`.
 */
export const iceberg: System<IcebergOptions> = {
  options: ['buckets'],
  count: 'buckets',
  configure({ buckets }) {
    checkInteger('buckets', buckets, 1, MAX_BUCKETS);
    return {
      shards: buckets,
      hashers: {
        text: ofBytes('murmur3'),
        bytes: ofBytes('murmur3'),
        int32: ofEncoded(encodings.int32AsInt64, 'murmur3'),
        int64: ofEncoded(encodings.int64LittleEndian, 'murmur3'),
        uuid: ofEncoded(encodings.uuidAsBytes, 'murmur3'),
      },
      tokens: 'i32',
      toShard: remainder('cut', buckets),
      json: { buckets },
    };
  },
};
