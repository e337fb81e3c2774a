import type { BytesColumn } from '../columns/keys.js';
import type { Spans } from '../kernels/contract.js';

/** Copies rows of bytes, such as the lines of a batch or their keys, to an Arrow-layout column. */
export function bytesColumnOf({ data, starts, ends }: Spans): BytesColumn {
  const rows = starts.length;
  const offsets = new Uint32Array(rows + 1);
  const first = starts[0] as number;
  const bytes = data.slice(first, ends[rows - 1]);
  for (let row = 0, at = 0; row < rows; row++) {
    const start = (starts[row] as number) - first;
    const end = (ends[row] as number) - first;
    bytes.copyWithin(at, start, end);
    at += end - start;
    offsets[row + 1] = at;
  }
  return { data: bytes.subarray(0, offsets[rows]), offsets };
}
