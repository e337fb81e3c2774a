// The chunks of an Arrow vector as keys, in place. In apache-arrow, a chunk's `values` and `valueOffsets` begin with
// its first row, even in a slice, and may be longer than the chunk; `offset` applies only to bits of the bitmap.
import { Type } from 'apache-arrow';
import { wrongKind, wrongValue } from '../arguments.js';
import type { BytesColumn } from '../columns/keys.js';

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
  /** The type of a dictionary's values. */
  readonly dictionary?: ArrowType;
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
}

/** The keys of a chunk. */
export type KeyChunk = BytesColumn | BigUint64Array;

/** The keys of a chunk, including those that only a partitioner takes. */
export type RoutingChunk = KeyChunk | Int32Array;

export const BYTES_TYPES = 'Utf8, LargeUtf8, Binary, LargeBinary or FixedSizeBinary';
export const KEY_TYPES = 'Utf8, LargeUtf8, Binary, LargeBinary, FixedSizeBinary, Uint64 or Int64';
const BYTE_TYPES = [Type.Utf8, Type.LargeUtf8, Type.Binary, Type.LargeBinary, Type.FixedSizeBinary];

export const isU64 = ({ typeId, bitWidth }: ArrowType): boolean => typeId === Type.Int && bitWidth === 64;
export const isBytes = ({ typeId }: ArrowType): boolean => BYTE_TYPES.includes(typeId);
export const isInteger = ({ typeId, bitWidth, isSigned }: ArrowType, bits: 32 | 64): boolean =>
  typeId === Type.Int && bitWidth === bits && isSigned === true;
export const isKey = (type: ArrowType): boolean => isU64(type) || isBytes(type);

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

/** The numbers of the rows that are null, counted over all chunks. */
export function* nullRows({ data }: ArrowVector): Generator<number> {
  let first = 0;
  for (const chunk of data) {
    for (const row of nullsOf(chunk)) yield first + row;
    first += chunk.length;
  }
}

function* nullsOf({ length, offset, nullCount, nullBitmap }: ArrowData): Generator<number> {
  // nullCount is computed when it is read, and is -1 if there is no bitmap.
  for (let row = 0; nullCount > 0 && row < length; row++) {
    const bit = offset + row;
    if ((((nullBitmap?.[bit >>> 3] ?? 0) >> (bit & 7)) & 1) === 0) yield row;
  }
}

/** The number of rows before the first null of a chunk. */
export function rowsBeforeNull(chunk: ArrowData): number {
  for (const row of nullsOf(chunk)) return row;
  return chunk.length;
}

export function nullRow(row: number): RangeError {
  return wrongValue('vector', 'a value', null, row, 'null, which is not a key');
}

/** The keys of each chunk. A null is whatever bytes lie in its place. */
export function keyChunks({ type, data }: ArrowVector): RoutingChunk[] {
  return data.map((chunk) => firstKeys(type, chunk, chunk.length));
}

/** The keys in the first rows of a chunk. Arrow may leave out the memory of a chunk whose rows are all null. */
export function firstKeys(type: ArrowType, chunk: ArrowData, rows: number): RoutingChunk {
  if (isU64(type)) return u64Keys(chunk, rows);
  return isInteger(type, 32) ? take(chunk.values as Int32Array, rows) : byteKeys(type, chunk, rows);
}

/** Some rows of a chunk, in its memory. */
export function part(keys: RoutingChunk, from: number, to: number): RoutingChunk {
  if (!('offsets' in keys)) return keys.subarray(from, to);
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
export function take<T extends { readonly length: number; subarray(from: number, to: number): T }>(
  memory: T,
  length: number,
): T {
  if (memory.length < length) throw wrongValue('vector', `${length} elements in a chunk's memory`, memory.length);
  return memory.subarray(0, length);
}
