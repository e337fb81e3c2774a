import {
  checkAttached,
  checkInteger,
  checkOptions,
  checkU64,
  MAX_BUCKETS,
  typeName,
  wrongKind,
  wrongValue,
} from '../arguments.js';
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

/**
 * Groups rows by shard with a counting sort: the rows of shard s are `rows[offsets[s]..offsets[s + 1])`, in
 * the order of the input.
 * @param shards the shard of each row, from `unpackMany` or `routeMany` for example
 * @param count how many shards there are, 1 to 2^31 - 1
 * @returns `offsets`, count + 1 of them, and `rows`, as long as `shards`
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if `count` is out of range, or a shard is not below it (the error has the row)
 * @example
 * groupByShard(Uint32Array.of(1, 0, 1), 2); // { offsets: Uint32Array [0, 1, 3], rows: Uint32Array [1, 0, 2] }
 */
export function groupByShard(
  shards: Uint8Array | Uint16Array | Uint32Array,
  count: number,
): { offsets: Uint32Array; rows: Uint32Array } {
  if (!/^Uint(8|16|32)Array$/.test(typeName(shards))) {
    throw wrongKind('shards', 'a Uint8Array, Uint16Array or Uint32Array', shards);
  }
  checkAttached('shards', shards);
  checkInteger('count', count, 1, MAX_BUCKETS);
  const offsets = new Uint32Array(count + 1);
  for (let row = 0; row < shards.length; row++) {
    const shard = shards[row];
    if (shard >= count) throw wrongValue('shards', `a shard from 0 to ${count - 1}`, shard, row);
    offsets[shard + 1]++;
  }
  for (let shard = 0; shard < count; shard++) offsets[shard + 1] += offsets[shard];
  const next = offsets.slice(0, count);
  const rows = new Uint32Array(shards.length);
  for (let row = 0; row < shards.length; row++) rows[next[shards[row]]++] = row;
  return { offsets, rows };
}
