import { setBackend } from 'shardbits';

/** The results of a way of doing the work: columns, or strings. */
export type Results = readonly (ArrayBufferView | readonly string[])[];

/** One way of doing a piece of work. */
export interface Way {
  readonly name: string;
  /** How many of the area's rows it handles, from the first on, if it is too slow for all. */
  readonly rows?: number;
  /** Does the work, and writes to columns that are kept. A way that only moves bytes has no results. */
  run(): Results | undefined | Promise<Results | undefined>;
  /** Nanoseconds of the last run, for a way that times itself, for example in another process. */
  ownTime?(): number;
  /** The most bytes of memory that it has used, for a way that is a separate process. */
  peakBytes?(): number;
}

/** A piece of work and the ways of doing it. The first way is shardbits, and the others are compared with it. */
export interface Area {
  readonly name: string;
  readonly title: string;
  readonly rows: number;
  /** Bytes that are read and written for a row, for GB/s. */
  readonly bytesPerRow: number;
  readonly ways: readonly Way[];
}

/** A way on each backend. The bigint one handles a tenth of the rows. */
export function onBackends(rows: number, run: (rows: number) => Results): Way[] {
  const slice = Math.ceil(rows / 10);
  const on = (backend: 'wasm' | 'bigint', count: number) => () => {
    setBackend(backend);
    return run(count);
  };
  return [
    { name: 'wasm', run: on('wasm', rows) },
    { name: 'bigint', rows: slice, run: on('bigint', slice) },
  ];
}

/** Copies columns to others of their types, which moves the bytes of some work without doing the work. */
export function copying(
  ...columns: readonly (Uint8Array | Uint16Array | Uint32Array | Float64Array | BigUint64Array)[]
): Way {
  const copies = columns.map((column) => column.slice() as Uint8Array);
  return {
    name: 'copy',
    run() {
      for (const [i, column] of columns.entries()) copies[i].set(column as Uint8Array);
      return undefined;
    },
  };
}

type Columns = readonly (Uint16Array | Uint32Array | Float64Array | BigUint64Array)[];

const PIECE_ROWS = 16 * 1024;

/**
 * Copies columns in pieces to memory that fits the cache, and as much from there to other columns: what work through
 * WebAssembly's memory costs without the work.
 * @param to columns that are kept, or makes new ones for each run
 */
export function copyingInPieces(name: string, from: Columns, to: Columns | (() => Columns)): Way {
  const piecesOf = (columns: Columns) => columns.map((column) => column.slice(0, PIECE_ROWS) as unknown as Uint8Array);
  const inputs = piecesOf(from);
  const outputs = piecesOf(typeof to === 'function' ? to() : to);
  return {
    name,
    run() {
      const results = typeof to === 'function' ? to() : to;
      const rows = from[0].length;
      for (let at = 0; at < rows; at += PIECE_ROWS) {
        const end = Math.min(at + PIECE_ROWS, rows);
        for (const [i, column] of from.entries()) inputs[i].set((column as unknown as Uint8Array).subarray(at, end));
        for (const [i, column] of results.entries()) {
          (column as unknown as Uint8Array).set(outputs[i].subarray(0, end - at), at);
        }
      }
      return undefined;
    },
  };
}
