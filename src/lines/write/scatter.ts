import { recordKernels } from '../../kernels/records.js';
import type { Kernels } from '../../kernels/types.js';
import type { Batch } from '../batch.js';
import { arraysOf } from '../memory.js';

/** Takes bytes of a shard, which may change after it returns. */
type Take = (shard: number, bytes: Uint8Array) => void;

/** Distributes rows to shards. */
export interface Scatter {
  /** Adds routed rows. */
  add(rows: Batch): void;
  /** Hands out the contents of a buffer. @returns whether there were any */
  flush(shard: number): boolean;
}

/**
 * Each shard has a buffer in the kernels' memory, which is handed out when it is full.
 * @param capacity the size of a buffer in bytes
 * @param isWhole whether rows keep their line ends; otherwise all end with `\n`. A row without a line end always gets `\n`
 */
export function scatter(kernels: Kernels, shards: number, capacity: number, isWhole: boolean, take: Take): Scatter {
  const buffers = { data: kernels.column('u8', capacity * shards), filled: kernels.column('u32', shards) };

  const flush = (shard: number) => {
    const { data, filled } = arraysOf(buffers);
    const byteLength = filled[shard];
    if (byteLength === 0) return false;
    const start = shard * capacity;
    take(shard, data.subarray(start, start + byteLength));
    filled[shard] = 0;
    return true;
  };

  /** Hands out a row that is too long for a buffer. */
  const takeLong = ({ records, shards }: Batch, row: number) => {
    const { data, starts, ends } = records;
    const [start, end, next] = [starts[row], ends[row], starts[row + 1]];
    const hasEnd = isWhole && next > end;
    take(shards[row], data.subarray(start, hasEnd ? next : end));
    if (!hasEnd) take(shards[row], NEWLINE);
  };

  return {
    flush,
    add(rows) {
      for (let row = 0; row < rows.count; ) {
        const { shards, records } = rows;
        row = recordKernels(kernels).scatterRows(records, shards, row, isWhole, { capacity, ...arraysOf(buffers) });
        if (row < rows.count && !flush(shards[row])) takeLong(rows, row++);
      }
    },
  };
}

const NEWLINE = Uint8Array.of(0x0a);
