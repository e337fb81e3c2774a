import { hashersOf, int32AsInt64, int64LittleEndian, ofBytes, uuidAsBytes, widened } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

export interface IcebergOptions {
  /** The N of `bucket[N]`, 1 to 2^31 - 1. */
  buckets: number;
}

const HASHERS = {
  ...hashersOf('murmur3', {
    ...widened(int32AsInt64, int64LittleEndian),
    ...{ uuid: uuidAsBytes, date: int32AsInt64, time: int64LittleEndian, timestamp: int64LittleEndian },
  }),
  decimal: ofBytes('murmur3'),
};

/**
 * The bucket transform of Apache Iceberg.
 * Source: the Iceberg table specification, appendix B; apache/iceberg `transforms/Bucket`, `util/BucketUtil`.
 */
export const iceberg = /* @__PURE__ */ systemOfCount('buckets', (buckets) => ({
  hashers: HASHERS,
  tokens: 'i32',
  toShard: remainder('cut', buckets),
}));
