import { hashersOf, int32AsInt64, int64LittleEndian, uuidAsBytes } from '../hash.js';
import { remainder, systemOfCount } from '../system.js';

export interface IcebergOptions {
  /** The N of `bucket[N]`, 1 to 2^31 - 1. */
  buckets: number;
}

/**
 * The bucket transform of Apache Iceberg.
 * Source: the Iceberg table specification, appendix B; apache/iceberg `transforms/Bucket`, `util/BucketUtil`.
 */
export const iceberg = /* @__PURE__ */ systemOfCount<IcebergOptions>('buckets', (buckets) => ({
  hashers: hashersOf('murmur3', { int32: int32AsInt64, int64: int64LittleEndian, uuid: uuidAsBytes }),
  tokens: 'i32',
  toShard: remainder('cut', buckets),
}));
