import { arraysOf, growingBytes } from '../../kernels/active.js';
import { lineKernels, recordKernels } from '../../kernels/records.js';
import type { Kernels } from '../../kernels/types.js';
import type { ShardNames } from '../../routing/routing.js';
import { type Batch, type Header, type Lines, NEWLINE } from '../batch.js';
import { type CheckedFormat, isOfLines, lineEndOf } from '../format.js';
import { addedValues } from './values.js';

/**
 * How a row is written: `tsv` is `shard <TAB> key \n`; `shard` is the number of the shard on a line; `u32` is
 * that number as four bytes, little-endian.
 */
export type OutputFormat = 'tsv' | 'shard' | 'u32';

/** Lines with their shards. Both are valid as long as the lines are. */
export interface RoutedLines {
  readonly lines: Lines;
  readonly shards: Uint32Array;
}

/** Writes routed lines, as bytes that are valid until the next call. */
export interface RowWriter {
  write(rows: Batch): Uint8Array;
  /** Writes a header; empty if records are not written. */
  header(header: Header): Uint8Array;
}

/**
 * @param records for records that get one more column; the format is then not used
 * @param named what shards are called: labels are then written instead of shards
 */
export function rowWriter(
  kernels: Kernels,
  format: OutputFormat,
  records?: CheckedFormat,
  named?: ShardNames,
): RowWriter {
  const isPlain = isOfLines(records) || records.added.length === 0;
  const isKernel = format !== 'tsv' || lineEndOf(records) === NEWLINE;
  if (isPlain && named === undefined && isKernel) return shardWriter(kernels, format);
  const value = named ? ({ kind: 'text', texts: named.names } as const) : ({ kind: 'u32' } as const);
  const { header, write } = addedValues(kernels, isOfLines(records) || !isPlain ? records : undefined, [value]);
  return { header, write: (rows) => write(rows, [rows.labels]) };
}

/** Writes shards as text or binary into the kernels' memory, with or without the lines. */
function shardWriter(kernels: Kernels, format: OutputFormat): RowWriter {
  const room = growingBytes(kernels);
  const { shardedRows, shardRows } = lineKernels(kernels);
  return {
    header: () => new Uint8Array(0),
    write(rows) {
      if (format === 'u32') {
        const { buffer, byteOffset, byteLength } = rows.shards;
        return new Uint8Array(buffer, byteOffset, byteLength);
      }
      const { starts, ends, count } = rows;
      const text = room(ends[count - 1] - starts[0] + count * SHARD_BYTES).array;
      // Only now are the shards read, because the room may have made the memory grow.
      const byteLength = format === 'tsv' ? shardedRows(rows, rows.shards, text) : shardRows(rows.shards, text);
      return text.subarray(0, byteLength);
    },
  };
}

const SHARD_BYTES = 12; // ten digits, a tab and a newline

const MOST_BYTES = 256 * 1024;
const LEAST_BYTES = 512;

/**
 * Distributes rows to shards. Each has a buffer in the kernels' memory, which is handed out when it is full.
 * @param byteLength the size of all buffers together, as long as one has 512 bytes to 256 KiB
 * @param isWhole whether rows keep their line ends; otherwise all end with `\n`. A row without a line end always gets `\n`
 * @param take takes bytes of a shard, which may change after it returns
 */
export function scatter(
  kernels: Kernels,
  shards: number,
  byteLength: number,
  isWhole: boolean,
  take: (shard: number, bytes: Uint8Array) => void,
) {
  const capacity = Math.max(LEAST_BYTES, Math.min(MOST_BYTES, Math.floor(byteLength / shards)));
  const buffers = { data: kernels.column('u8', capacity * shards), filled: kernels.column('u32', shards) };

  /** Hands out the contents of a buffer. @returns whether there were any */
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
  const takeLong = ({ records, labels }: Batch, row: number) => {
    const { data, starts, ends } = records;
    const [start, end, next] = [starts[row], ends[row], starts[row + 1]];
    const hasEnd = isWhole && next > end;
    take(labels[row], data.subarray(start, hasEnd ? next : end));
    if (!hasEnd) take(labels[row], Uint8Array.of(NEWLINE));
  };

  return {
    flush,
    /** How many bytes the buffer of a shard holds. */
    bytesOf: (shard: number) => buffers.filled.array[shard],
    /** Adds routed rows: all of them, or those from a row up to another one. */
    add(rows: Batch, from = 0, to = rows.count): void {
      for (let row = from; row < to; ) {
        const { records } = rows;
        const shards = rows.labels.subarray(0, to);
        row = recordKernels(kernels).scatterRows(records, shards, row, isWhole, { capacity, ...arraysOf(buffers) });
        if (row < to && !flush(shards[row])) takeLong(rows, row++);
      }
    },
  };
}
