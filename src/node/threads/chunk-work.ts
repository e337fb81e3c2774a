import { detailsOf } from '../../errors.js';
import { isTransferable } from '../../routing/routing.js';
import { type Batch, outcomesOf } from '../../rows/batch.js';
import { type CheckedFormat, sourceOf } from '../../rows/format.js';
import type { Collector, OpenOperation, Operation } from '../../rows/operations/operation.js';
import type { BufferedSource, Table } from '../../rows/sources/lines.js';
import { type Chunk, readChunk } from '../files/chunks.js';
import { named } from '../files/input.js';

/** Options for another thread: plain data, and the JSON of each routing. */
export interface SentOptions {
  readonly plain: object;
  readonly routings: { readonly [name: string]: object };
}

/** @param options plain data, and routings that are transferable */
export function sent(options: object): SentOptions {
  const entries = Object.entries(options);
  const isRouting = (value: unknown) => typeof value === 'object' && value !== null && isTransferable(value as never);
  const routings = entries.filter(([, value]) => isRouting(value)).map(([name, value]) => [name, value.toJSON()]);
  const plain = entries.filter(([, value]) => !isRouting(value));
  return { plain: Object.fromEntries(plain), routings: Object.fromEntries(routings) };
}

export interface ChunkJob<O> {
  readonly options: O;
  readonly format: CheckedFormat | undefined;
  /** Whether the first invalid line ends the work. */
  readonly isStrict: boolean;
  /** What the start of the input has told. */
  readonly table: Table | undefined;
}

/** An invalid line; plain data. */
export interface BadLine {
  /** Its number in the chunk, from 1. */
  readonly line: number;
  readonly bytes: Uint8Array;
  readonly message: string;
  readonly details: object;
}

/** The result for the complete lines or records of a chunk. */
export interface ChunkResult<C> {
  /** For all lines, or those before the one that ends the work. */
  readonly value: C;
  readonly keys: number;
  /** How many lines they are, with empty ones and rejected ones. */
  readonly lines: number;
  readonly rejected: readonly BadLine[];
  /** A line that cannot be read, nor any after it: one that is too long, or a header of other columns. */
  readonly failure?: BadLine | undefined;
  /** How many of the last bytes made no complete record; `all` if no record was complete. */
  readonly rest: number | 'all';
  /** The bytes of the chunk, if it came with them. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The memory of `value`. */
  readonly memory: readonly ArrayBuffer[];
}

export class ChunkWork<O, R, C> {
  readonly #source: BufferedSource;
  readonly #opened: OpenOperation<R>;
  readonly #collect: () => Collector<R, C>;
  /** Those that hold nothing. */
  readonly #collectors: Collector<R, C>[] = [];
  readonly #isStrict: boolean;

  constructor(operation: Operation<O, R, C>, { options, format, isStrict, table }: ChunkJob<O>) {
    this.#source = sourceOf(format);
    if (table !== undefined) this.#source.useTable(table);
    const { kernels } = this.#source;
    this.#opened = operation.open(kernels, options, format);
    this.#collect = () => operation.collect(kernels, options);
    this.#isStrict = isStrict;
  }

  /**
   * Works on a chunk, up to what waits for the chunks before it.
   * @param spare memory of results that are not needed any more
   * @returns what gives the result. `isAgain` says whether the chunk begins with the end of the one before it
   */
  run(chunk: Chunk, spare: readonly ArrayBuffer[]): (isAgain?: boolean) => ChunkResult<C> {
    const collector = this.#collectors.pop() ?? this.#collect();
    collector.reuse(spare);
    let keys = 0;
    let isAny = false;
    let failure: BadLine | undefined;
    const rejected: BadLine[] = [];
    try {
      for (const outcome of this.#outcomes(chunk)) {
        isAny = true;
        if (outcome.kind === 'value') {
          collector.add(outcome.value);
          keys += outcome.rows;
        } else if (outcome.kind === 'invalid') {
          const { line, bytes, error } = outcome;
          rejected.push({ line, bytes, ...dataOf(error) });
          if (this.#isStrict) break;
        }
      }
    } catch (error) {
      const { line } = error as { line?: unknown };
      if (typeof line !== 'number') throw chunk.place instanceof Uint8Array ? error : named(chunk.place.path, error);
      failure = { line, bytes: new Uint8Array(0), ...dataOf(error as Error) };
    }
    const { waiting, line } = this.#source;
    const rest = chunk.isEnd ? 0 : isAny ? waiting : 'all';
    const bytes = chunk.place instanceof Uint8Array ? chunk.place : undefined;
    const lines = rest === 'all' ? 0 : line - 1;
    return (isAgain = false) => {
      const part = { number: chunk.number, isCut: rest !== 0, isAgain };
      const { value, memory } = collector.flush(part);
      this.#collectors.push(collector);
      return { value, memory, keys, lines, rejected, failure, rest, bytes };
    };
  }

  *#outcomes(chunk: Chunk) {
    const run = (batch: Batch) => this.#opened.run(batch, chunk.input);
    for (const piece of readChunk(chunk, this.#source)) yield* outcomesOf(piece, run);
  }

  free(): void {
    this.#source.free();
  }
}

/** An error as plain data. The copy of an error in another thread has its message, but not its other properties. */
function dataOf(error: Error): Pick<BadLine, 'message' | 'details'> {
  return { message: error.message, details: { ...detailsOf(error) } };
}
