// Distributes rows to a buffer for each shard.

import { copy, lineEndLength, NEWLINE } from './bytes';

const SLACK: u32 = 15; // `copy` may write this many bytes after a row

// Appends rows first .. rows - 1 to the buffers of their shards. Row i is data + starts[i] .. data + ends[i]. With `isWhole`
// it keeps its line end; otherwise, or if it has none because starts[i + 1] is ends[i], it ends with "\n". Buffer s lies at
// buffers + s * capacity and holds filled[s] bytes. Returns the first row that does not fit its buffer together with 15 more
// bytes.
export function scatterRows(
  data: usize,
  starts: usize,
  ends: usize,
  shards: usize,
  first: u32,
  rows: u32,
  isWhole: bool,
  buffers: usize,
  capacity: u32,
  filled: usize,
): u32 {
  for (let i = first; i < rows; i++) {
    const place = (<usize>i) << 2;
    const start = load<u32>(starts + place);
    const end = load<u32>(ends + place);
    const kept = isWhole ? lineEndLength(data, end, load<u32>(starts + place, 4)) : 0;
    const byteLength = end + kept - start;
    const shard = load<u32>(shards + place);
    const fill = filled + ((<usize>shard) << 2);
    const used = load<u32>(fill);
    const total = <u64>used + byteLength + 1 + SLACK;
    if (total > capacity) return i;
    let to = copy(data + start, byteLength, buffers + (<usize>shard) * capacity + used);
    if (kept == 0) store<u8>(to++, NEWLINE);
    store<u32>(fill, <u32>(to - buffers) - shard * capacity);
  }
  return rows;
}
