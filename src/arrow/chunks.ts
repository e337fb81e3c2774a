// The chunks of an Arrow vector as keys, in place. In apache-arrow, a chunk's `values` and `valueOffsets` begin with
// its first row, even in a slice, and may be longer than the chunk; `offset` applies only to bits of the bitmap.
import { DateUnit, TimeUnit, Type } from 'apache-arrow';
import { type ArgumentRangeError, wrongKind, wrongValue } from '../arguments.js';
import {
  type BytesColumn,
  bytesColumnOf,
  checkKeys,
  type IntegerArray,
  type KeyKind,
  type PartitionValue,
  utf8ColumnOf,
} from '../columns/keys.js';
import { detailsOf } from '../errors.js';
import { viewOf } from '../kernels/types.js';

/** The part of a vector that is read. Vectors may come from any copy or version of apache-arrow. */
export interface ArrowVector {
  readonly type: ArrowType;
  readonly data: readonly ArrowData[];
}

/** The part of a vector's type that is read. */
export interface ArrowType {
  readonly typeId: number;
  /** The width of an integer. */
  readonly bitWidth?: number;
  readonly isSigned?: boolean;
  /** The width of a FixedSizeBinary. */
  readonly byteWidth?: number;
  /** Of dates, times and timestamps: a number of `DateUnit` or `TimeUnit`. */
  readonly unit?: number;
  /** The decimals of a decimal number. */
  readonly scale?: number;
  /** The type of a dictionary's values. */
  readonly dictionary?: ArrowType;
  /** The fields of a struct. */
  readonly children?: readonly { readonly type: ArrowType }[] | null;
}

/** The part of a vector's chunk that is read. */
export interface ArrowData {
  readonly length: number;
  readonly offset: number;
  readonly nullCount: number;
  readonly nullBitmap?: Uint8Array | null | undefined;
  readonly values: unknown;
  readonly valueOffsets: unknown;
  readonly dictionary?: ArrowVector | undefined;
  readonly children?: readonly ArrowData[];
}

/** The keys of a chunk. */
export type KeyChunk = BytesColumn | BigUint64Array;

/** A column of keys of a chunk, including those that only a partitioner takes. */
export type RoutingColumn = KeyChunk | Exclude<IntegerArray, BigUint64Array> | readonly PartitionValue[];

/** The keys of a chunk; of a struct, the column of each field. */
export type RoutingChunk = RoutingColumn | readonly RoutingColumn[];

export const BYTES_TYPES = 'Utf8, LargeUtf8, Binary, LargeBinary or FixedSizeBinary';
export const KEY_TYPES = 'Utf8, LargeUtf8, Binary, LargeBinary, FixedSizeBinary, Uint64 or Int64';
const BYTE_TYPES = [Type.Utf8, Type.LargeUtf8, Type.Binary, Type.LargeBinary, Type.FixedSizeBinary];

export const isU64 = ({ typeId, bitWidth }: ArrowType): boolean => typeId === Type.Int && bitWidth === 64;
export const isBytes = ({ typeId }: ArrowType): boolean => BYTE_TYPES.includes(typeId);
export const isStruct = ({ typeId }: ArrowType): boolean => typeId === Type.Struct;
export const isKey = (type: ArrowType): boolean => isU64(type) || isBytes(type);

/** The types of vectors that hold a kind of keys. */
interface VectorTypes {
  accepts(type: ArrowType): boolean;
  readonly expected: string;
}

const isDecimal = ({ typeId, bitWidth = 128 }: ArrowType) => typeId === Type.Decimal && bitWidth === 128;
const hasUnit = ({ typeId, unit }: ArrowType, id: Type, ...units: (number | undefined)[]) =>
  typeId === id && units.includes(unit);

const VECTORS: { readonly [kind in KeyKind]?: VectorTypes } = {
  u64: { accepts: isU64, expected: 'Uint64 or Int64' },
  date: { accepts: (type) => hasUnit(type, Type.Date, DateUnit.DAY), expected: 'Date<DAY>' },
  time: { accepts: (type) => hasUnit(type, Type.Time, TimeUnit.MICROSECOND), expected: 'Time64<MICROSECOND>' },
  timestamp: {
    accepts: (type) => hasUnit(type, Type.Timestamp, TimeUnit.MICROSECOND, TimeUnit.MILLISECOND),
    expected: 'Timestamp<MICROSECOND> or Timestamp<MILLISECOND>',
  },
  decimal: { accepts: (type) => isDecimal(type) || isBytes(type), expected: `Decimal of 128 bits, ${BYTES_TYPES}` },
};

export function vectorsOf(kind: KeyKind): VectorTypes {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(kind) ?? [];
  if (bits === undefined) return VECTORS[kind] ?? { accepts: isBytes, expected: BYTES_TYPES };
  const isSigned = unsigned === '';
  return {
    accepts: (type) => type.typeId === Type.Int && type.bitWidth === Number(bits) && type.isSigned === isSigned,
    expected: `${isSigned ? 'Int' : 'Uint'}${bits}`,
  };
}

/**
 * The chunks of a vector as keys for every `…Many` function, in the vector's own memory. Only the offsets of
 * LargeUtf8, LargeBinary and FixedSizeBinary are new arrays, because theirs are not of 32 bits.
 * @param vector Utf8, LargeUtf8, Binary, LargeBinary, FixedSizeBinary, Uint64 or Int64, which is read as
 *   the same bits
 * @returns a BytesColumn or a BigUint64Array for every chunk, even an empty one
 * @throws TypeError if `vector` is not a vector, or has another type, such as a dictionary
 * @throws RangeError if a row is null (the error names the row), or a chunk's memory is shorter than its rows
 * @example
 * chunksOf(vector).map((keys) => xxh64Many(keys));
 */
export function chunksOf(vector: ArrowVector): KeyChunk[] {
  checkVector(vector, `${KEY_TYPES}; only routeVector and xxh64Vector take dictionaries`, isKey);
  for (const row of nullRows(vector)) throw nullRow(row);
  return keyChunks(vector) as KeyChunk[];
}

export function checkVector(vector: ArrowVector, expected: string, accepts: (type: ArrowType) => boolean): void {
  if (typeof vector?.type?.typeId !== 'number' || !Array.isArray(vector.data) || vector.data.length === 0) {
    throw wrongKind('vector', 'an Arrow vector', vector);
  }
  if (!accepts(vector.type)) throw wrongKind('vector', expected, vector, undefined, String(vector.type));
}

/** Refuses fields that are null in a vector of structs. */
export function checkFields({ data }: ArrowVector): void {
  let first = 0;
  for (const { children = [], length } of data) {
    const [row] = children.flatMap((child) => [...nullsOf(child)]).sort((a, b) => a - b);
    if (row !== undefined) throw nullRow(first + row);
    first += length;
  }
}

/** The numbers of the rows that are null, counted over all chunks. */
function* nullRows({ data }: ArrowVector): Generator<number> {
  let first = 0;
  for (const chunk of data) {
    for (const row of nullsOf(chunk)) yield first + row;
    first += chunk.length;
  }
}

function* nullsOf({ length, offset, nullCount, nullBitmap }: ArrowData): Generator<number, undefined> {
  // nullCount is computed when it is read, and is -1 if there is no bitmap.
  for (let row = 0; nullCount > 0 && row < length; row++) {
    const bit = offset + row;
    if ((((nullBitmap?.[bit >>> 3] ?? 0) >> (bit & 7)) & 1) === 0) yield row;
  }
}

/** The number of rows before the first null of a chunk. */
function rowsBeforeNull(chunk: ArrowData): number {
  return nullsOf(chunk).next().value ?? chunk.length;
}

function nullRow(row: number): RangeError {
  return wrongValue('vector', 'a value', null, row, 'null, which is not a key');
}

/** The keys of each chunk. A null is whatever bytes lie in its place. */
function keyChunks({ type, data }: ArrowVector): RoutingChunk[] {
  return data.map((chunk) => firstKeys(type, chunk, chunk.length));
}

/** The keys in the first rows of a chunk. Arrow may leave out the memory of a chunk whose rows are all null. */
function firstKeys(type: ArrowType, chunk: ArrowData, rows: number): RoutingChunk {
  if (!isStruct(type)) return firstOfColumn(type, chunk, rows);
  return (type.children ?? []).map((field, i) => {
    const column = (chunk.children as readonly ArrowData[])[i];
    const nulls = new Set(nullsOf(column));
    if (nulls.size === 0) return firstOfColumn(field.type, column, rows);
    if (nulls.size === column.length) return new Array<null>(rows).fill(null);
    const keys = firstOfColumn(field.type, column, rows);
    const keyAt = (row: number) => ('offsets' in keys ? bytesOrText(field.type, keys, row) : keys[row]);
    return Array.from({ length: rows }, (_, row) => (nulls.has(row) ? null : keyAt(row)));
  });
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A key among nulls, which are in arrays alone. */
function bytesOrText({ typeId }: ArrowType, { data, offsets }: BytesColumn, row: number): Uint8Array | string {
  const bytes = data.subarray(offsets[row], offsets[row + 1]);
  const isText = typeId !== Type.Binary && typeId !== Type.LargeBinary && typeId !== Type.FixedSizeBinary;
  return isText ? decoder.decode(bytes) : bytes;
}

function firstOfColumn(type: ArrowType, chunk: ArrowData, rows: number): RoutingColumn {
  if (isU64(type)) return u64Keys(chunk, rows);
  if (isBytes(type)) return byteKeys(type, chunk, rows);
  if (isDecimal(type)) return decimals(type, chunk, rows);
  if (type.typeId !== Type.Time && type.typeId !== Type.Timestamp) return take(chunk.values as Int32Array, rows);
  // Before version 16.1 of apache-arrow, elements have 32 bits.
  const { buffer, byteOffset, byteLength } = chunk.values as BigInt64Array;
  const times = take(new BigInt64Array(buffer, byteOffset, Math.floor(byteLength / 8)), rows);
  return type.unit === TimeUnit.MILLISECOND ? times.map((ms) => ms * 1000n) : times;
}

/** Decimals as text. */
function decimals({ scale = 0 }: ArrowType, { values }: ArrowData, rows: number): BytesColumn {
  const words = take(values as Uint32Array, 4 * rows);
  const texts = Array.from({ length: rows }, (_, row) => {
    const [a, b, c, d] = words.subarray(4 * row, 4 * row + 4);
    const unsigned = (BigInt(d) << 96n) | (BigInt(c) << 64n) | (BigInt(b) << 32n) | BigInt(a);
    const value = BigInt.asIntN(128, unsigned);
    const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
    const at = digits.length - scale;
    return `${value < 0n ? '-' : ''}${digits.slice(0, at)}${scale > 0 ? `.${digits.slice(at)}` : ''}`;
  });
  return utf8ColumnOf(texts);
}

/** Some rows of a chunk of a dictionary, in its memory. */
function part(keys: RoutingChunk, from: number, to: number): RoutingChunk {
  if (!('offsets' in keys)) return keys.slice(from, to);
  return { data: keys.data, offsets: keys.offsets.subarray(from, to + 1) };
}

function u64Keys({ values }: ArrowData, rows: number): BigUint64Array {
  const { buffer, byteOffset } = take(values as BigUint64Array | BigInt64Array, rows);
  return new BigUint64Array(buffer, byteOffset, rows);
}

function byteKeys({ typeId, byteWidth = 0 }: ArrowType, chunk: ArrowData, rows: number): BytesColumn {
  const { valueOffsets } = chunk;
  const data = chunk.values as Uint8Array;
  const count = rows === 0 ? 0 : rows + 1;
  if (typeId === Type.FixedSizeBinary) {
    return { data: take(data, rows * byteWidth), offsets: narrow(count, (row) => row * byteWidth) };
  }
  if (typeId === Type.LargeUtf8 || typeId === Type.LargeBinary) {
    const { buffer, byteOffset } = take(valueOffsets as BigInt64Array, count);
    const halves = new Uint32Array(buffer, byteOffset, 2 * count); // low and high, so that no row becomes a bigint
    const offsetAt = (row: number) => (halves[2 * row] ?? 0) + (halves[2 * row + 1] ?? 0) * 2 ** 32;
    return { data: data.subarray(offsetAt(0)), offsets: narrow(count, offsetAt) };
  }
  const { buffer, byteOffset } = take(valueOffsets as Int32Array, count);
  return { data, offsets: new Uint32Array(buffer, byteOffset, count) };
}

/** 32-bit offsets, relative to the first one, because a chunk may lie far into large data. */
function narrow(count: number, offsetAt: (row: number) => number): Uint32Array {
  const offsets = new Uint32Array(count);
  const first = offsetAt(0);
  for (let row = 0; row < count; row++) {
    const offset = offsetAt(row) - first;
    if (offset < 0 || offset >= 2 ** 32) {
      throw wrongValue('vector', `an offset of ${first} to ${first + 2 ** 32 - 1} in a chunk`, offsetAt(row));
    }
    offsets[row] = offset;
  }
  return offsets;
}

/** The first elements of a chunk's memory. The rest is padding, or belongs to another chunk. */
function take<T extends { readonly length: number; subarray(from: number, to: number): T }>(
  memory: T,
  length: number,
): T {
  if (memory.length < length) throw wrongValue('vector', `${length} elements in a chunk's memory`, memory.length);
  return memory.subarray(0, length);
}

// Results for the keys of a vector, or for those of its dictionary.

type Results = Uint32Array | BigUint64Array;
type ResultType<T extends Results> = new (length: number) => T;
/** Writes a result for every key. */
type Write<T extends Results> = (keys: RoutingChunk, out: T) => void;

/**
 * The results for a vector's keys, or for those of a dictionary, by chunk.
 * @param ofNull the result for null; without it, null is refused
 */
export function resultsOf<T extends Results>(
  vector: ArrowVector,
  type: ResultType<T>,
  write: Write<T>,
  ofNull?: T[number],
): T[] {
  if (vector.type.dictionary !== undefined) return dictionaryResults(vector, type, write, ofNull);
  const takesNull = ofNull !== undefined;
  return mapChunks(vector, takesNull, (keys, rows, nulls) => {
    const out = new type(rows);
    if (nulls.size === 0 || nulls.size < rows) write(withoutGarbage(keys, nulls, 0), out);
    if (takesNull) for (const row of nulls) out[row] = ofNull;
    return out;
  });
}

/**
 * Maps each chunk. An error about a row of a chunk becomes an error about that row of the vector. The rows before a null
 * are mapped, too, because the error has to be about the first wrong row.
 * @param takesNull whether `work` gets all rows, of which some are null; if all of them are, it gets no keys
 */
export function mapChunks<T>(
  vector: ArrowVector,
  takesNull: boolean,
  work: (keys: RoutingChunk, rows: number, nulls: ReadonlySet<number>) => T,
): T[] {
  const results: T[] = [];
  let first = 0;
  for (const chunk of vector.data) {
    const nulls = new Set(takesNull ? nullsOf(chunk) : []);
    const rows = takesNull ? chunk.length : rowsBeforeNull(chunk);
    const keys = nulls.size < rows ? rows : 0;
    const error = rowErrorOf(() => results.push(work(firstKeys(vector.type, chunk, keys), rows, nulls)));
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
function dictionaryResults<T extends Results>(
  vector: ArrowVector,
  type: ResultType<T>,
  write: Write<T>,
  ofNull: T[number] | undefined,
): T[] {
  const known = new Map<ArrowVector | undefined, Dictionary<T>>();
  let first = 0;
  const results = vector.data.map((chunk) => {
    const { dictionary } = chunk;
    const values = known.get(dictionary) ?? dictionaryOf(dictionary, type, write);
    known.set(dictionary, values);
    const out = gather(values, chunk, first, new type(chunk.length), ofNull);
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
  const { data, offsets } = keys;
  const ends = Array.from(offsets.subarray(1));
  return bytesColumnOf(ends.map((end, row) => (nulls.has(first + row) ? FILLER : data.subarray(offsets[row], end))));
}

/** Looks up the result of each index of a chunk in the dictionary. */
function gather<T extends Results>(
  dictionary: Dictionary<T>,
  chunk: ArrowData,
  first: number,
  out: T,
  ofNull: T[number] | undefined,
): T {
  const { results, nulls, refused } = dictionary;
  const rows = ofNull === undefined ? rowsBeforeNull(chunk) : chunk.length;
  const nullRows = new Set(ofNull === undefined ? [] : nullsOf(chunk));
  const indices = take(chunk.values as Uint32Array | BigInt64Array, rows);
  // Words are copied, so that no u64 becomes a bigint.
  const width = out.BYTES_PER_ELEMENT / 4;
  const from = new Uint32Array(results.buffer, results.byteOffset, results.length * width);
  const to = new Uint32Array(out.buffer, out.byteOffset, out.length * width);
  for (let row = 0; row < rows; row++) {
    const index = Number(indices[row]);
    if (ofNull !== undefined && (nullRows.has(row) || nulls.has(index))) {
      out[row] = ofNull;
      continue;
    }
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
