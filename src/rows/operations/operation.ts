import type { Kernels } from '../../kernels/types.js';
import { type Batch, type Header, Refused } from '../batch.js';
import type { CheckedFormat } from '../format.js';
import type { RowWriter } from '../sinks/rows.js';

/**
 * What is done with the rows of an input, batch by batch: a function from batches to results. One thread does it, or
 * several do, each with parts of the input. Its options are plain data, apart from routings that can be sent to other threads.
 * @typeParam C the results for a part of the input, together
 */
export interface Operation<O, R, C = R> {
  /** What other threads know it by. */
  readonly name: string;
  open(kernels: Kernels, options: O, format: CheckedFormat | undefined): OpenOperation<R>;
  collect(kernels: Kernels, options: O): Collector<R, C>;
}

export interface OpenOperation<R> {
  /**
   * The result for some rows, valid until the next call; or the first one that is refused.
   * @param input the number of the input that they are of, from 0
   */
  run(batch: Batch, input: number): R | Refused;
  /** The result for the header of a table. */
  header?: ((header: Header) => R) | undefined;
}

/** Collects the results for a part of the input, in memory of their own. */
export interface Collector<R, C> {
  /** Gives it memory of results that are not needed any more, because the system clears new memory before it is used. */
  reuse(memory: readonly ArrayBuffer[]): void;
  add(result: R): void;
  /** All results since the last call, and their memory. */
  flush(part: Part): { readonly value: C; readonly memory: ArrayBuffer[] };
}

/** A part of the input that has been done. */
export interface Part {
  /** Its place among all parts, from 0. */
  readonly number: number;
  /** Whether it ends within a record, so that the next one has to be done again. */
  readonly isCut: boolean;
  /** Whether it is done again, because the part before it ended within a record. */
  readonly isAgain: boolean;
}

/** A result that is bytes. Read them only when they are used, because other work in between may grow the memory. */
export interface Written {
  readonly bytes: Uint8Array;
}

/** An operation whose results are bytes. */
export function byteOperation<O>(name: string, open: Operation<O, Written>['open']): Operation<O, Written> {
  return { name, open, collect: collectWritten };
}

function collectWritten(): Collector<Written, Written> {
  const collected = collectBytes();
  return {
    reuse: collected.reuse,
    add: ({ bytes }) => collected.add(bytes),
    flush() {
      const { value: bytes, memory } = collected.flush();
      return { value: { bytes }, memory };
    },
  };
}

/** Makes rows that are written when their bytes are read. */
export function writtenRows(
  make: (batch: Batch) => Batch | Refused,
  { header, write }: RowWriter,
): OpenOperation<Written> {
  return {
    header: (first) => ({ bytes: header(first) }),
    run(batch) {
      const rows = make(batch);
      return rows instanceof Refused ? rows : new WrittenRows(write, rows);
    },
  };
}

/** It is a class for the same reason as `Batch`. */
class WrittenRows implements Written {
  constructor(
    private readonly write: (batch: Batch) => Uint8Array,
    private readonly batch: Batch,
  ) {}

  get bytes(): Uint8Array {
    return this.write(this.batch);
  }
}

const FIRST_BYTES = 64 * 1024;

/** Collects bytes one after the other. */
export function collectBytes() {
  let room = FIRST_BYTES;
  let spare: readonly ArrayBuffer[] = [];
  let bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  let length = 0;
  return {
    reuse(memory: readonly ArrayBuffer[]): void {
      spare = memory;
    },
    add(more: Uint8Array): void {
      const needed = length + more.length;
      if (needed > bytes.length) {
        const wanted = Math.max(room, needed > room ? 2 * needed : needed);
        const found = spare.find(({ byteLength }) => byteLength >= wanted && byteLength <= 2 * wanted);
        spare = spare.filter((one) => one !== found);
        const larger = found === undefined ? new Uint8Array(wanted) : new Uint8Array(found);
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(more, length);
      length = needed;
    },
    flush() {
      const value = bytes.subarray(0, length);
      room = Math.max(room, Math.ceil(1.1 * length)); // as parts are alike
      bytes = new Uint8Array(0);
      length = 0;
      return { value, memory: value.length > 0 ? [value.buffer] : [] };
    },
  };
}

export function u32sOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
