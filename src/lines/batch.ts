import type { Column, Spans } from '../kernels/contract.js';

/**
 * Lines without their newlines, in the kernels' memory; good until the next call to their source. Ask
 * for the arrays anew after making a column, as that may grow the memory (see `Column.array`).
 */
export interface Lines extends Spans {
  readonly count: number;
  /** The number of the first line in its input, from 1. */
  readonly firstLine: number;
}

/** The columns of a batch, those of what has been made of its lines among them. */
interface BatchColumns {
  readonly data: Column<'u8'>;
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  readonly hashes?: Column<'u64'>;
  readonly shards?: Column<'u32'>;
}

/**
 * Lines, and their hashes or shards once there are any. A class, because an object literal with getters takes memory
 * that only a full collection frees: 300 bytes a batch.
 */
export class Batch implements Lines {
  readonly #columns: BatchColumns;

  constructor(
    readonly count: number,
    readonly firstLine: number,
    columns: BatchColumns,
  ) {
    this.#columns = columns;
  }

  /** The same lines with more made of them. */
  with(made: Pick<BatchColumns, 'hashes' | 'shards'>): Batch {
    return new Batch(this.count, this.firstLine, { ...this.#columns, ...made });
  }

  get lines(): Lines {
    return this;
  }

  get data(): Uint8Array {
    return this.#columns.data.array;
  }

  get starts(): Uint32Array {
    return this.#columns.starts.array.subarray(0, this.count);
  }

  get ends(): Uint32Array {
    return this.#columns.ends.array.subarray(0, this.count);
  }

  /** Of lines that have been hashed. */
  get hashes(): BigUint64Array {
    return (this.#columns.hashes as Column<'u64'>).array.subarray(0, this.count);
  }

  /** Of lines that have been routed. */
  get shards(): Uint32Array {
    return (this.#columns.shards as Column<'u32'>).array.subarray(0, this.count);
  }
}
