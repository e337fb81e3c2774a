import { type ArgumentRangeError, wrongValue } from '../arguments.js';
import { rowsOf } from '../kernels/contract.js';
import {
  type ArrowData,
  type ArrowVector,
  keyChunks,
  nullRow,
  nullRows,
  type RoutingChunk,
  take,
  withoutNulls,
} from './chunks.js';

type Results = Uint32Array | BigUint64Array;
type ResultType<T extends Results> = new (length: number) => T;
/** Writes a result for every key. */
type Write<T extends Results> = (keys: RoutingChunk, out: T) => void;

/** The results for a vector's keys, or for those of a dictionary, by chunk. */
export function resultsOf<T extends Results>(vector: ArrowVector, type: ResultType<T>, write: Write<T>): T[] {
  if (vector.type.dictionary !== undefined) return dictionaryResults(vector, type, write);
  return mapChunks('vector', vector, withoutNulls(vector), (keys, rows) => {
    const out = new type(rows);
    write(keys, out);
    return out;
  });
}

/** Maps each chunk. An error about a row of a chunk becomes an error about that row of the vector. */
export function mapChunks<T, K extends RoutingChunk>(
  argument: string,
  vector: ArrowVector,
  chunks: readonly K[],
  work: (keys: K, rows: number, first: number) => T,
): T[] {
  let first = 0;
  return chunks.map((keys, i) => {
    const rows = (vector.data[i] as ArrowData).length;
    try {
      return work(keys, rows, first);
    } catch (error) {
      throw inVector(error, argument, first);
    } finally {
      first += rows;
    }
  });
}

function inVector(error: unknown, argument: string, first: number): unknown {
  const { expected, got, row, argument: of = '' } = error as Partial<ArgumentRangeError>;
  if (!(error instanceof RangeError) || expected === undefined || row === undefined) return error;
  return Object.assign(wrongValue(argument + of.replace(/^\w+/, ''), expected, got, first + row), { cause: error });
}

/** Computes every value of a dictionary once. All chunks of a vector share one dictionary, which may grow from chunk to chunk. */
function dictionaryResults<T extends Results>(vector: ArrowVector, type: ResultType<T>, write: Write<T>): T[] {
  for (const row of nullRows(vector)) throw nullRow(row);
  const known = new Map<ArrowVector | undefined, Dictionary<T>>();
  let first = 0;
  return vector.data.map((chunk) => {
    const { dictionary } = chunk;
    const values = known.get(dictionary) ?? dictionaryOf(dictionary, type, write);
    known.set(dictionary, values);
    const out = gather(values, chunk, first, new type(chunk.length));
    first += chunk.length;
    return out;
  });
}

interface Dictionary<T> {
  readonly results: T;
  readonly nulls: ReadonlySet<number>;
}

/** The results of a dictionary. A null in it is an error only for rows that refer to it. */
function dictionaryOf<T extends Results>(
  vector: ArrowVector | undefined,
  type: ResultType<T>,
  write: Write<T>,
): Dictionary<T> {
  if (vector === undefined) throw wrongValue('vector', 'a dictionary in every chunk', vector, undefined, 'none');
  const results = new type(vector.data.reduce((rows, { length }) => rows + length, 0));
  const nulls = new Set(nullRows(vector));
  mapChunks('vector.dictionary', vector, keyChunks(vector), (keys, rows, first) =>
    write(withoutGarbage(keys, nulls, first), rowsOf(results, first, first + rows)),
  );
  return { results, nulls };
}

const FILLER = new Uint8Array(16); // valid as text and as a UUID

/** Replaces nulls by filler. Any bytes may lie in their place, and some partitioners would refuse them. */
function withoutGarbage(keys: RoutingChunk, nulls: ReadonlySet<number>, first: number): RoutingChunk {
  if (nulls.size === 0 || !('offsets' in keys)) return keys;
  const offsets = new Uint32Array(keys.offsets.length);
  const rows: Uint8Array[] = [];
  for (let row = 0; row + 1 < offsets.length; row++) {
    const bytes = nulls.has(first + row) ? FILLER : keys.data.subarray(keys.offsets[row], keys.offsets[row + 1]);
    rows.push(bytes);
    offsets[row + 1] = (offsets[row] as number) + bytes.length;
  }
  const data = new Uint8Array(offsets[offsets.length - 1] ?? 0);
  for (const [row, bytes] of rows.entries()) data.set(bytes, offsets[row]);
  return { data, offsets };
}

/** Looks up the result of each index of a chunk in the dictionary. */
function gather<T extends Results>({ results, nulls }: Dictionary<T>, chunk: ArrowData, first: number, out: T): T {
  const indices = take(chunk.values as Uint32Array | BigInt64Array, chunk.length);
  // Words are copied, so that no u64 becomes a bigint.
  const width = out.BYTES_PER_ELEMENT / 4;
  const from = new Uint32Array(results.buffer, results.byteOffset, results.length * width);
  const to = new Uint32Array(out.buffer, out.byteOffset, out.length * width);
  for (let row = 0; row < indices.length; row++) {
    const index = Number(indices[row]);
    if (!(index >= 0 && index < results.length)) {
      throw wrongValue('vector', `an index from 0 to ${results.length - 1} into the dictionary`, index, first + row);
    }
    if (nulls.size > 0 && nulls.has(index)) throw nullRow(first + row);
    for (let word = 0; word < width; word++) to[row * width + word] = from[index * width + word] as number;
  }
  return out;
}
