import type { Column, Kernels } from '../kernels/contract.js';
import { lineKernels } from '../kernels/lines.js';
import type { Lines } from './batch.js';

/**
 * How a row is written: `tsv` is `shard <TAB> key \n`, `shard` is the number on a line, `u32` is four
 * bytes, little-endian.
 */
export type RowFormat = 'tsv' | 'shard' | 'u32';

/** Lines with their shards, both good as long as the lines are. */
export interface RoutedLines {
  readonly lines: Lines;
  readonly shards: Uint32Array;
}

const SHARD_BYTES = 12; // ten digits, a tab and a newline

/** Writes rows as text or binary into the kernels' memory. */
export class RowWriter {
  readonly #kernels: Kernels;
  readonly #format: RowFormat;
  #text: Column<'u8'> | undefined;

  constructor(kernels: Kernels, format: RowFormat) {
    this.#kernels = kernels;
    this.#format = format;
  }

  /** The rows of some lines, good until the next call. */
  write(rows: RoutedLines): Uint8Array {
    if (this.#format === 'u32') {
      const { buffer, byteOffset, byteLength } = rows.shards;
      return new Uint8Array(buffer, byteOffset, byteLength);
    }
    const text = this.#room(rows.lines);
    const byteLength =
      this.#format === 'tsv'
        ? lineKernels(this.#kernels).shardedRows(rows.lines, rows.shards, text)
        : lineKernels(this.#kernels).shardRows(rows.shards, text);
    return text.subarray(0, byteLength);
  }

  free(): void {
    this.#text?.free();
  }

  #room({ starts, ends, count }: Lines): Uint8Array {
    const needed = (ends[count - 1] as number) - (starts[0] as number) + count * SHARD_BYTES;
    if (this.#text === undefined || this.#text.length < needed) {
      this.#text?.free();
      this.#text = this.#kernels.column('u8', 2 * needed);
    }
    return this.#text.array;
  }
}
