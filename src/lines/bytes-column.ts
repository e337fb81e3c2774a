import type { BytesColumn } from '../columns/keys.js';
import type { Lines } from './batch.js';

/** Lines as an Arrow-layout column in memory of its own, without their newlines. */
export function bytesColumnOf({ data, starts, ends, count }: Lines): BytesColumn {
  const offsets = new Uint32Array(count + 1);
  const first = starts[0] as number;
  const bytes = data.slice(first, ends[count - 1]);
  for (let row = 0, at = 0; row < count; row++) {
    const start = (starts[row] as number) - first;
    const end = (ends[row] as number) - first;
    bytes.copyWithin(at, start, end);
    at += end - start;
    offsets[row + 1] = at;
  }
  return { data: bytes.subarray(0, offsets[count]), offsets };
}
