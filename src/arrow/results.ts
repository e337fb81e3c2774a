// Results for the keys of a vector, or for those of its dictionary.
import { type ArgumentRangeError, wrongValue } from '../arguments.js';
import type { KeyKind } from '../columns/keys.js';
import { detailsOf } from '../errors.js';
import { viewOf } from '../kernels/types.js';
import {
  type ArrowData,
  type ArrowVector,
  type ChunkColumn,
  columnsIn,
  nullRow,
  nullRows,
  nullsOf,
  rowsBeforeNull,
  rowsOf,
  take,
} from './chunks.js';

type Results = Uint32Array | BigUint64Array;

interface Making<T extends Results> {
  /** What each column of a key is. */
  readonly kinds?: readonly KeyKind[] | undefined;
  readonly type: new (length: number) => T;
  /** Whether fields of structs may be null. */
  readonly takesNullFields?: boolean | undefined;
  /** The result for null; without it, null is refused. */
  readonly ofNull?: T[number] | undefined;
  write(columns: readonly ChunkColumn[], out: T): void;
}

/** The results for a vector's keys, or for those of a dictionary, by chunk. */
export function resultsOf<T extends Results>(vector: ArrowVector, making: Making<T>): T[] {
  if (vector.type.dictionary !== undefined) return dictionaryResults(vector, making);
  const resultsIn = (chunk: ArrowData, rows: number) => {
    const out = new making.type(rows);
    making.write(columnsIn(vector.type, chunk, rows, making.kinds), out);
    return out;
  };
  return mapChunks(vector, resultsIn, (chunk) =>
    making.ofNull === undefined ? rowsBeforeNull(chunk, making.takesNullFields ? [] : chunk.children) : chunk.length,
  );
}

/**
 * Maps each chunk. An error about a row of a chunk becomes an error about that row of the vector. The rows before a null
 * are mapped, too, because the error has to be about the first wrong row.
 * @param rowsIn how many rows `work` gets; the one after them is refused as null
 */
export function mapChunks<T>(
  vector: ArrowVector,
  work: (chunk: ArrowData, rows: number) => T,
  rowsIn: (chunk: ArrowData) => number = rowsBeforeNull,
): T[] {
  const results: T[] = [];
  let first = 0;
  for (const chunk of vector.data) {
    const rows = rowsIn(chunk);
    const error = rowErrorOf(() => results.push(work(chunk, rows)));
    if (error !== undefined) throw inChunk(error, 'vector', first);
    if (rows < chunk.length) throw nullRow(first + rows);
    first += rows;
  }
  return results;
}

type RowError = ArgumentRangeError & { readonly row: number };

/** The error about a row that `work` throws, or undefined. Other errors are thrown. */
function rowErrorOf(work: () => unknown): RowError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const { expected, row } = detailsOf(error);
    if (error instanceof RangeError && expected !== undefined && row !== undefined) return error as RowError;
    throw error;
  }
}

function atRow(cause: RowError, argument: string, row: number): RowError {
  return Object.assign(wrongValue(argument, cause.expected, cause.got, row), { row, cause });
}

/** Makes an error about a row of a chunk one about a row of `argument`, in which the chunk begins at the row `first`. */
function inChunk(error: RowError, argument: string, first: number): RowError {
  const { argument: of = '', row } = error; // a Routing of your own may throw an error without an argument
  return atRow(error, argument + of.replace(/^\w+/, ''), first + row);
}

/** Computes every value of a dictionary once. All chunks of a vector share one dictionary, which may grow from chunk to chunk. */
function dictionaryResults<T extends Results>(vector: ArrowVector, making: Making<T>): T[] {
  const known = new Map<ArrowVector | undefined, Dictionary<T>>();
  let first = 0;
  const results = vector.data.map((chunk) => {
    const { dictionary } = chunk;
    const values = known.get(dictionary) ?? dictionaryOf(dictionary, making);
    known.set(dictionary, values);
    const out = gather(values, chunk, first, making);
    first += chunk.length;
    return out;
  });
  // No row refers to the refused value.
  for (const { refused } of known.values()) if (refused !== undefined) throw refused.error;
  return results;
}

/** What is computed of a dictionary. A null or a refused value is an error of the first row that refers to it. */
interface Dictionary<T extends Results> {
  readonly results: T;
  readonly nulls: ReadonlySet<number>;
  /** The error about the first refused value, and that of any value. Without it, there are all results. */
  readonly refused?: { readonly error: RowError; readonly errorOf: (index: number) => RowError | undefined };
}

function dictionaryOf<T extends Results>(vector: ArrowVector | undefined, making: Making<T>): Dictionary<T> {
  if (vector === undefined) throw wrongValue('vector', 'a dictionary in every chunk', vector, undefined, 'none');
  const { data, type } = vector;
  const chunks = data.map((chunk) => columnsIn(type, chunk, chunk.length, making.kinds));
  const results = new making.type(data.reduce((sum, { length }) => sum + length, 0));
  const nulls = new Set(nullRows(vector));
  let first = 0;
  for (const [i, keys] of chunks.entries()) {
    const next = first + data[i].length;
    const error = rowErrorOf(() => making.write(keys, viewOf(results, first, next)));
    if (error !== undefined) {
      const errorOf = errorsOfValues(vector, chunks, making);
      return { results, nulls, refused: { error: inChunk(error, 'vector.dictionary', first), errorOf } };
    }
    first = next;
  }
  return { results, nulls };
}

/** Tries values of a dictionary one by one: a column of them names the first wrong one only. */
function errorsOfValues<T extends Results>(
  { data }: ArrowVector,
  chunks: readonly (readonly ChunkColumn[])[],
  making: Making<T>,
): (index: number) => RowError | undefined {
  const good = new Set<number>();
  return (index) => {
    if (good.has(index)) return undefined;
    let [i, row] = [0, index];
    for (; row >= data[i].length; i++) row -= data[i].length;
    const error = rowErrorOf(() => making.write(rowsOf(chunks[i], row, row + 1), new making.type(1)));
    if (error === undefined) good.add(index);
    return error && inChunk(error, 'vector.dictionary', index);
  };
}

/** Looks up the result of each index of a chunk in the dictionary. @param first the number of the chunk's first row */
function gather<T extends Results>(
  { results, nulls, refused }: Dictionary<T>,
  chunk: ArrowData & { readonly values: any },
  first: number,
  { type, ofNull }: Making<T>,
): T {
  const out = new type(chunk.length);
  const nullRows = new Set(nullsOf(chunk));
  const mayBeNull = nulls.size + nullRows.size > 0;
  const read = ofNull === undefined ? rowsBeforeNull(chunk) : chunk.length;
  const indices = take<Uint32Array | BigInt64Array>(chunk.values, read);
  // Words are copied, so that no u64 becomes a bigint.
  const width = out.BYTES_PER_ELEMENT / 4;
  const from = new Uint32Array(results.buffer, results.byteOffset, results.length * width);
  const to = new Uint32Array(out.buffer, out.byteOffset, out.length * width);
  for (let row = 0; row < out.length; row++) {
    const index = Number(indices[row]);
    if (mayBeNull && (nullRows.has(row) || nulls.has(index))) {
      if (ofNull === undefined) throw nullRow(first + row);
      out[row] = ofNull;
      continue;
    }
    if (!(index >= 0 && index < results.length)) {
      throw wrongValue('vector', `an index from 0 to ${results.length - 1} into the dictionary`, index, first + row);
    }
    const error = refused?.errorOf(index);
    if (error !== undefined) throw atRow(error, 'vector', first + row);
    for (let word = 0; word < width; word++) to[row * width + word] = from[index * width + word];
  }
  return out;
}
