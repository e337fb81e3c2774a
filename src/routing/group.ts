import { checkAttached, checkInteger, MAX_BUCKETS, typeName, wrongKind, wrongValue } from '../arguments.js';

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
