import type { ShardBuffers } from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import type { Column, Kernels } from '../../kernels/types.js';
import type { Batch } from '../batch.js';

/** Takes bytes of a shard, which may change after it returns. */
type Take = (shard: number, bytes: Uint8Array) => void;

/** Distributes rows to shards. Each shard has a buffer in the kernels' memory, which is handed out when it is full. */
export class Scatter {
  readonly #kernels: Kernels;
  readonly #buffers: Column<'u8'>;
  readonly #filled: Column<'u32'>;
  readonly #capacity: number;
  readonly #isWhole: boolean;
  readonly #take: Take;

  /**
   * @param capacity the size of a buffer in bytes
   * @param isWhole whether rows keep their line ends; otherwise all end with `\n`. A row without a line end always gets `\n`
   */
  constructor(kernels: Kernels, shards: number, capacity: number, isWhole: boolean, take: Take) {
    this.#kernels = kernels;
    this.#capacity = capacity;
    this.#isWhole = isWhole;
    this.#take = take;
    this.#buffers = kernels.column('u8', capacity * shards);
    this.#filled = kernels.column('u32', shards);
  }

  /** Adds routed rows. */
  add(rows: Batch): void {
    for (let row = 0; row < rows.count; ) {
      const { shards, records } = rows;
      row = recordKernels(this.#kernels).scatterRows(records, shards, row, this.#isWhole, this.#all);
      if (row < rows.count && !this.flush(shards[row])) this.#takeLong(rows, row++);
    }
  }

  /** Hands out the contents of a buffer. @returns whether there were any */
  flush(shard: number): boolean {
    const { data, filled } = this.#all;
    const byteLength = filled[shard];
    if (byteLength === 0) return false;
    const start = shard * this.#capacity;
    this.#take(shard, data.subarray(start, start + byteLength));
    filled[shard] = 0;
    return true;
  }

  free(): void {
    this.#buffers.free();
    this.#filled.free();
  }

  get #all(): ShardBuffers {
    return { data: this.#buffers.array, capacity: this.#capacity, filled: this.#filled.array };
  }

  /** Hands out a row that is too long for a buffer. */
  #takeLong({ records, shards }: Batch, row: number): void {
    const { data, starts, ends } = records;
    const [start, end, next] = [starts[row], ends[row], starts[row + 1]];
    const hasEnd = this.#isWhole && next > end;
    this.#take(shards[row], data.subarray(start, hasEnd ? next : end));
    if (!hasEnd) this.#take(shards[row], NEWLINE);
  }
}

const NEWLINE = Uint8Array.of(0x0a);
