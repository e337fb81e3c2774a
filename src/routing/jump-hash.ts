import { checkInteger, checkOptions, checkU64, MAX_BUCKETS } from '../arguments.js';
import { checkOut } from '../columns/out.js';
import { checkU64Column } from '../columns/u64-column.js';
import { kernels } from '../kernels/active.js';

/**
 * Jump consistent hash: the bucket of a key. Growing from n to n + 1 buckets moves 1 key in n + 1, always
 * to the new bucket.
 * Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm" (2014). Rounding follows the
 * paper, so results are those of ClickHouse's `jumpConsistentHash` and Go's ports. Guava rounds once, and
 * its results sometimes differ.
 * @param key 0 to 2^64 - 1; it need not be evenly spread
 * @param buckets 1 to 2^31 - 1
 * @returns 0 to buckets - 1
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an argument is out of range
 * @example
 * jumpHash(256n, 1024); // 520
 */
export function jumpHash(key: bigint, buckets: number): number {
  return kernels().jumpHash(checkU64('key', key), checkInteger('buckets', buckets, 1, MAX_BUCKETS));
}

/**
 * {@link jumpHash} of every key of a column.
 * @param keys u64s, which need not be evenly spread; a BigInt64Array is read as the same bits
 * @param buckets 1 to 2^31 - 1
 * @param options.out where the buckets go, as long as `keys`
 * @returns `out`, or a new array
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if `buckets` is out of range, or `out` has another length or overlaps `keys`; nothing
 *   has been written then
 * @example
 * jumpHashMany(new BigUint64Array([1n, 2n]), 1024);
 */
export function jumpHashMany(
  keys: BigUint64Array | BigInt64Array,
  buckets: number,
  options?: { out?: Uint32Array | undefined },
): Uint32Array {
  const column = checkU64Column('keys', keys);
  checkInteger('buckets', buckets, 1, MAX_BUCKETS);
  const shards = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.length, [column]);
  kernels().jumpHashColumn(column, buckets, shards);
  return shards;
}
