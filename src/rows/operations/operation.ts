import type { Kernels } from '../../kernels/types.js';
import { type Batch, type Header, Refused, refuseNull } from '../batch.js';
import type { CheckedFormat } from '../format.js';

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

/** Work on the rows of batches. */
export class OpenOperation<R> {
  /** @param options.takesNull whether it knows what NULL means; otherwise rows without a key are refused before it */
  constructor(
    private readonly work: (batch: Batch, input: number) => R | Refused,
    private readonly options: { readonly takesNull?: boolean; header?(header: Header): R } = {},
  ) {}

  /** The result for the header of a table, if there is any. */
  header(header: Header): R | undefined {
    return this.options.header?.(header);
  }

  /**
   * The result for some rows, valid until the next call; or the first one that is refused.
   * @param input the number of the input that they are of, from 0
   */
  run(batch: Batch, input: number): R | Refused {
    const nulls = this.options.takesNull ? undefined : batch.nulls;
    return nulls === undefined ? this.work(batch, input) : refuseNull(batch, nulls);
  }
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

interface ByteWork<T> {
  make(batch: Batch): T | Refused;
  /** Writes what was made, as bytes that are valid until the next call. */
  write(made: T): Uint8Array;
  header(header: Header): Uint8Array;
  readonly takesNull?: boolean;
}

/** An operation whose results are written when their bytes are read. */
export function byteOperation<O, T>(
  name: string,
  begin: (kernels: Kernels, options: O, format: CheckedFormat | undefined) => ByteWork<T>,
): Operation<O, Written> {
  const open = (...given: Parameters<typeof begin>) => {
    const { make, write, header, takesNull = false } = begin(...given);
    const work = (batch: Batch) => {
      const made = make(batch);
      return made instanceof Refused ? made : new LazyBytes(write, made);
    };
    return new OpenOperation<Written>(work, { takesNull, header: (first) => ({ bytes: header(first) }) });
  };
  return { name, open, collect: collectWritten };
}

/** It is a class for the same reason as `Batch`. */
class LazyBytes<T> implements Written {
  constructor(
    private readonly write: (made: T) => Uint8Array,
    private readonly made: T,
  ) {}

  get bytes(): Uint8Array {
    return this.write(this.made);
  }
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

const FIRST_BYTES = 64 * 1024;

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
