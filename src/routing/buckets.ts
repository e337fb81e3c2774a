import { checkInteger, checkOptions, checkU64, MAX_BUCKETS } from '../arguments.js';
import { checkOut, checkU64Column } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';

/**
 * Jump consistent hash: the bucket of a key. Growing from n to n + 1 buckets moves 1 key in n + 1, always
 * to the new bucket.
 * Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm" (2014). Rounding follows the
 * paper, so results are those of ClickHouse's `jumpConsistentHash` and Go's ports. Guava rounds once, and
 * its results sometimes differ.
 * @param key any u64, 0 to 2^64 - 1: it need not be a hash
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

const MAX_N = 4294967295; // 2^32 - 1

/**
 * Maps a hash to 0..n-1 by multiplication: `floor(hash * n / 2^64)`, exactly.
 * The high bits decide, so small integers all go to 0: hash them first. It is not consistent: growing
 * from n to n + 1 moves half of the keys.
 * Source: Lemire, "Fast Random Integer Generation in an Interval" (2019).
 * @param hash 0 to 2^64 - 1, evenly spread
 * @param n 1 to 2^32 - 1
 * @returns 0 to n - 1
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an argument is out of range
 * @example
 * fastRange(xxh64('abc'), 1000); // 268
 */
export function fastRange(hash: bigint, n: number): number {
  return kernels().fastRange(checkU64('hash', hash), checkInteger('n', n, 1, MAX_N));
}

/**
 * {@link fastRange} of every hash of a column.
 * @param hashes evenly spread u64s; a BigInt64Array is read as the same bits
 * @param n 1 to 2^32 - 1
 * @param options.out where the results go, as long as `hashes`
 * @returns `out`, or a new array
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if `n` is out of range, or `out` has another length or overlaps `hashes`; nothing has
 *   been written then
 * @example
 * fastRangeMany(xxh64Many(['a', 'b']), 4);
 */
export function fastRangeMany(
  hashes: BigUint64Array | BigInt64Array,
  n: number,
  options?: { out?: Uint32Array | undefined },
): Uint32Array {
  const column = checkU64Column('hashes', hashes);
  checkInteger('n', n, 1, MAX_N);
  const shards = checkOut(checkOptions(options, ['out']).out, Uint32Array, column.length, [column]);
  kernels().fastRangeColumn(column, n, shards);
  return shards;
}
