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

/** The columns of a batch. Those of what has been made of its lines begin with its first line. */
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
  readonly #first: number;

  /** @param first where the first line stands in the columns of starts and ends */
  constructor(
    readonly count: number,
    readonly firstLine: number,
    columns: BatchColumns,
    first = 0,
  ) {
    this.#columns = columns;
    this.#first = first;
  }

  /** The same lines with more made of them. */
  with(made: Pick<BatchColumns, 'hashes' | 'shards'>): Batch {
    return new Batch(this.count, this.firstLine, { ...this.#columns, ...made }, this.#first);
  }

  /** Some of the lines, of which nothing has been made yet. */
  slice(from: number, to: number): Batch {
    if (from === 0 && to === this.count) return this;
    const { data, starts, ends } = this.#columns;
    return new Batch(to - from, this.firstLine + from, { data, starts, ends }, this.#first + from);
  }

  /** Where the lines are described. */
  get columns(): Pick<BatchColumns, 'data' | 'starts' | 'ends'> & { readonly first: number } {
    const { data, starts, ends } = this.#columns;
    return { data, starts, ends, first: this.#first };
  }

  get lines(): Lines {
    return this;
  }

  get data(): Uint8Array {
    return this.#columns.data.array;
  }

  get starts(): Uint32Array {
    return this.#columns.starts.array.subarray(this.#first, this.#first + this.count);
  }

  get ends(): Uint32Array {
    return this.#columns.ends.array.subarray(this.#first, this.#first + this.count);
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
