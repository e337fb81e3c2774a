import { type ArgumentRangeError, wrongValue } from '../arguments.js';
import { checkKeys } from '../columns/keys.js';
import { detailsOf } from '../errors.js';
import { viewOf } from '../kernels/types.js';
import {
  type ArrowData,
  type ArrowVector,
  firstKeys,
  keyChunks,
  nullRow,
  nullRows,
  part,
  type RoutingChunk,
  rowsBeforeNull,
  take,
} from './chunks.js';

type Results = Uint32Array | BigUint64Array;
type ResultType<T extends Results> = new (length: number) => T;
/** Writes a result for every key. */
type Write<T extends Results> = (keys: RoutingChunk, out: T) => void;

/** The results for a vector's keys, or for those of a dictionary, by chunk. */
export function resultsOf<T extends Results>(vector: ArrowVector, type: ResultType<T>, write: Write<T>): T[] {
  if (vector.type.dictionary !== undefined) return dictionaryResults(vector, type, write);
  return mapChunks(vector, (keys, rows) => {
    const out = new type(rows);
    write(keys, out);
    return out;
  });
}

/**
 * Maps each chunk. An error about a row of a chunk becomes an error about that row of the vector. The rows before a null
 * are mapped, too, because the error has to be about the first wrong row.
 */
export function mapChunks<T>(vector: ArrowVector, work: (keys: RoutingChunk, rows: number) => T): T[] {
  const results: T[] = [];
  let first = 0;
  for (const chunk of vector.data) {
    const rows = rowsBeforeNull(chunk);
    const error = rowErrorOf(() => results.push(work(firstKeys(vector.type, chunk, rows), rows)));
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
    if (isRowError(error)) return error;
    throw error;
  }
}

function isRowError(error: unknown): error is RowError {
  const { expected, row } = detailsOf(error);
  return error instanceof RangeError && expected !== undefined && row !== undefined;
}

/** The same error about another row. */
function atRow(cause: RowError, argument: string, row: number): RowError {
  return Object.assign(wrongValue(argument, cause.expected, cause.got, row), { row, cause });
}

/** Makes an error about a row of a chunk one about a row of `argument`, in which the chunk begins at the row `first`. */
function inChunk(error: RowError, argument: string, first: number): RowError {
  const { argument: of = '', row } = error; // a Routing of your own may throw an error without an argument
  return atRow(error, argument + of.replace(/^\w+/, ''), first + row);
}

/** Computes every value of a dictionary once. All chunks of a vector share one dictionary, which may grow from chunk to chunk. */
function dictionaryResults<T extends Results>(vector: ArrowVector, type: ResultType<T>, write: Write<T>): T[] {
  const known = new Map<ArrowVector | undefined, Dictionary<T>>();
  let first = 0;
  const results = vector.data.map((chunk) => {
    const { dictionary } = chunk;
    const values = known.get(dictionary) ?? dictionaryOf(dictionary, type, write);
    known.set(dictionary, values);
    const out = gather(values, chunk, first, new type(chunk.length));
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

function dictionaryOf<T extends Results>(
  vector: ArrowVector | undefined,
  type: ResultType<T>,
  write: Write<T>,
): Dictionary<T> {
  if (vector === undefined) throw wrongValue('vector', 'a dictionary in every chunk', vector, undefined, 'none');
  const chunks = keyChunks(vector);
  const rows = vector.data.map(({ length }) => length);
  const results = new type(rows.reduce((sum, length) => sum + length, 0));
  const nulls = new Set(nullRows(vector));
  let first = 0;
  for (const [i, keys] of chunks.entries()) {
    const next = first + rows[i];
    const error = rowErrorOf(() => write(withoutGarbage(keys, nulls, first), viewOf(results, first, next)));
    if (error !== undefined) {
      const errorOf = errorsOfValues(chunks, rows, (value) => write(value, new type(1)));
      return { results, nulls, refused: { error: inChunk(error, 'vector.dictionary', first), errorOf } };
    }
    first = next;
  }
  return { results, nulls };
}

/** Tries values of a dictionary one by one: a column of them names the first wrong one only. */
function errorsOfValues(
  chunks: readonly RoutingChunk[],
  rows: readonly number[],
  work: (value: RoutingChunk) => void,
): (index: number) => RowError | undefined {
  const good = new Set<number>();
  return (index) => {
    if (good.has(index)) return undefined;
    let [i, row] = [0, index];
    for (; row >= rows[i]; i++) row -= rows[i];
    const error = rowErrorOf(() => work(part(chunks[i], row, row + 1)));
    if (error === undefined) good.add(index);
    return error && inChunk(error, 'vector.dictionary', index);
  };
}

const FILLER = new Uint8Array(16); // valid as text and as a UUID

/** Replaces nulls by filler. Any bytes may lie in their place, and some partitioners would refuse them. */
function withoutGarbage(keys: RoutingChunk, nulls: ReadonlySet<number>, first: number): RoutingChunk {
  if (nulls.size === 0 || !('offsets' in keys)) return keys;
  checkKeys('keys', keys); // below, bytes beyond the data would be cut off
  const offsets = new Uint32Array(keys.offsets.length);
  const rows: Uint8Array[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    const bytes = nulls.has(first + row) ? FILLER : keys.data.subarray(keys.offsets[row], keys.offsets[row + 1]);
    rows.push(bytes);
    offsets[row + 1] = offsets[row] + bytes.length;
  }
  const data = new Uint8Array(offsets[offsets.length - 1] ?? 0);
  for (const [row, bytes] of rows.entries()) data.set(bytes, offsets[row]);
  return { data, offsets };
}

/** Looks up the result of each index of a chunk in the dictionary. */
function gather<T extends Results>(dictionary: Dictionary<T>, chunk: ArrowData, first: number, out: T): T {
  const { results, nulls, refused } = dictionary;
  const rows = rowsBeforeNull(chunk);
  const indices = take(chunk.values as Uint32Array | BigInt64Array, rows);
  // Words are copied, so that no u64 becomes a bigint.
  const width = out.BYTES_PER_ELEMENT / 4;
  const from = new Uint32Array(results.buffer, results.byteOffset, results.length * width);
  const to = new Uint32Array(out.buffer, out.byteOffset, out.length * width);
  for (let row = 0; row < rows; row++) {
    const index = Number(indices[row]);
    if (!(index >= 0 && index < results.length)) {
      throw wrongValue('vector', `an index from 0 to ${results.length - 1} into the dictionary`, index, first + row);
    }
    if (nulls.size > 0 && nulls.has(index)) throw nullRow(first + row);
    const error = refused?.errorOf(index);
    if (error !== undefined) throw atRow(error, 'vector', first + row);
    for (let word = 0; word < width; word++) to[row * width + word] = from[index * width + word];
  }
  if (rows < chunk.length) throw nullRow(first + rows);
  return out;
}
