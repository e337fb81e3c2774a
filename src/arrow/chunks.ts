// The chunks of an Arrow vector as keys, in place. In apache-arrow, a chunk's `values` and `valueOffsets` begin with
// its first row, even in a slice, and may be longer than the chunk; `offset` applies only to bits of the bitmap.
import { DateUnit, TimeUnit, Type } from 'apache-arrow';
import { wrongKind, wrongValue } from '../arguments.js';
import {
  type BytesColumn,
  bytesColumnOf,
  checkTextColumn,
  type IntegerArray,
  type KeyKind,
  type RowValues,
  spansOf,
  utf8ColumnOf,
} from '../columns/keys.js';

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

type ChunkMemory = { readonly values: any; readonly valueOffsets: any };

export type KeyChunk = BytesColumn | BigUint64Array;

export const BYTES_TYPES = 'Utf8, LargeUtf8, Binary, LargeBinary or FixedSizeBinary';
export const KEY_TYPES = 'Utf8, LargeUtf8, Binary, LargeBinary, FixedSizeBinary, Uint64 or Int64';
const BYTE_TYPES = [Type.Utf8, Type.LargeUtf8, Type.Binary, Type.LargeBinary, Type.FixedSizeBinary];

export const isU64 = ({ typeId, bitWidth }: ArrowType): boolean => typeId === Type.Int && bitWidth === 64;
export const isBytes = ({ typeId }: ArrowType): boolean => BYTE_TYPES.includes(typeId);
export const isStruct = ({ typeId }: ArrowType): boolean => typeId === Type.Struct;
export const isKey = (type: ArrowType): boolean => isU64(type) || isBytes(type);

type VectorTypes = { accepts(type: ArrowType): boolean; readonly expected: string };

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
  return vector.data.map((chunk) => keysIn(vector.type, chunk, chunk.length));
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

export function* nullsOf({ length, offset, nullCount, nullBitmap }: ArrowData): Generator<number, undefined> {
  // nullCount is computed when it is read, and is -1 if there is no bitmap.
  for (let row = 0; nullCount > 0 && row < length; row++) {
    const bit = offset + row;
    if ((((nullBitmap?.[bit >>> 3] ?? 0) >> (bit & 7)) & 1) === 0) yield row;
  }
}

/** The number of rows before the first null of a chunk or of fields of a struct: by default, of all its fields. */
export function rowsBeforeNull(chunk: ArrowData, fields = chunk.children ?? []): number {
  return Math.min(...[chunk, ...fields].map((data) => nullsOf(data).next().value ?? chunk.length));
}

export function nullRow(row: number): RangeError {
  return wrongValue('vector', 'a value', null, row, 'null, which is not a key');
}

/** A column of keys in a chunk. Offsets have not been checked. */
export interface ChunkColumn {
  readonly keys: BytesColumn | IntegerArray;
  /** 1 for each row that is null; undefined if none is. Any bytes may lie in its place. */
  readonly nulls?: Uint8Array | undefined;
}

/** Reads the first rows of a chunk, which may have no memory if all of them are null; of a struct, those of its fields. */
export function columnsIn(type: ArrowType, chunk: ArrowData, rows: number, kinds?: readonly KeyKind[]): ChunkColumn[] {
  if (!isStruct(type)) return [columnIn(type, chunk, rows, kinds?.[0])];
  const [fields, children] = [chunk.children ?? [], type.children ?? []];
  return fields.map((field, i) => columnIn(children[i].type, field, rows, kinds?.[i]));
}

function columnIn(type: ArrowType, chunk: ArrowData, rows: number, kind: KeyKind = 'u64'): ChunkColumn {
  const nulls = maskOf(chunk, rows);
  const isText = isDecimal(type) || isBytes(type);
  if (nulls === undefined || nulls.includes(0)) {
    const read = isDecimal(type) ? decimals : isText || kind === 'u64' ? keysIn : numbersIn;
    return { keys: read(type, chunk, rows), nulls };
  }
  const keys = isText ? { data: new Uint8Array(), offsets: new Uint32Array(rows + 1) } : new BigUint64Array(rows);
  return { keys, nulls };
}

const keysIn = (type: ArrowType, chunk: ChunkMemory, rows: number): KeyChunk =>
  isBytes(type) ? byteKeys(type, chunk, rows) : u64sIn(chunk, rows);

export function u64sIn({ values }: ChunkMemory, rows: number): BigUint64Array {
  const { buffer, byteOffset } = take<BigUint64Array | BigInt64Array>(values, rows);
  return new BigUint64Array(buffer, byteOffset, rows);
}

function maskOf(chunk: ArrowData, rows: number): Uint8Array | undefined {
  if (!(chunk.nullCount > 0)) return undefined;
  const mask = new Uint8Array(rows);
  for (const row of nullsOf(chunk)) mask[row] = 1;
  return mask.includes(1) ? mask : undefined;
}

export function rowsOf(columns: readonly ChunkColumn[], from: number, to: number): ChunkColumn[] {
  return columns.map(({ keys, nulls }) => ({
    keys:
      'offsets' in keys ? { data: keys.data, offsets: keys.offsets.subarray(from, to + 1) } : keys.subarray(from, to),
    nulls: nulls?.subarray(from, to),
  }));
}

const FILLER = new Uint8Array(16); // valid as text and as a UUID

/** Keys with filler in place of nulls, because some partitioners refuse what may lie there. */
export function withoutGarbage({ keys, nulls }: ChunkColumn): BytesColumn | IntegerArray {
  if (nulls === undefined || !('offsets' in keys)) return keys;
  checkTextColumn('keys', keys); // below, bytes beyond the data would be cut off
  const { data, offsets } = keys;
  const ends = Array.from(offsets.subarray(1));
  return bytesColumnOf(ends.map((end, row) => (nulls[row] === 1 ? FILLER : data.subarray(offsets[row], end))));
}

/** A column as a partitioner reads it. */
export function valuesOf(column: ChunkColumn): RowValues {
  const { nulls } = column;
  const keys = withoutGarbage(column);
  if (!('offsets' in keys)) return { values: keys, nulls };
  checkTextColumn('keys', keys);
  return { values: spansOf(keys), nulls, areBytes: true };
}

function numbersIn({ typeId, unit }: ArrowType, { values }: ChunkMemory, rows: number): IntegerArray {
  if (typeId !== Type.Time && typeId !== Type.Timestamp) return take<Int32Array>(values, rows);
  // Before version 16.1 of apache-arrow, elements have 32 bits.
  const { buffer, byteOffset, byteLength } = values;
  const times = take(new BigInt64Array(buffer, byteOffset, Math.floor(byteLength / 8)), rows);
  return unit === TimeUnit.MILLISECOND ? times.map((ms) => ms * 1000n) : times;
}

/** Decimals as text. */
function decimals({ scale = 0 }: ArrowType, { values }: ChunkMemory, rows: number): BytesColumn {
  const words = take<Uint32Array>(values, 4 * rows);
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

function byteKeys(type: ArrowType, { values: data, valueOffsets }: ChunkMemory, rows: number): BytesColumn {
  const { typeId, byteWidth = 0 } = type;
  const count = rows === 0 ? 0 : rows + 1;
  if (typeId === Type.FixedSizeBinary) {
    return { data: take<Uint8Array>(data, rows * byteWidth), offsets: narrow(count, (row) => row * byteWidth) };
  }
  if (typeId === Type.LargeUtf8 || typeId === Type.LargeBinary) {
    const { buffer, byteOffset } = take<BigInt64Array>(valueOffsets, count);
    const halves = new Uint32Array(buffer, byteOffset, 2 * count); // low and high, so that no row becomes a bigint
    const offsetAt = (row: number) => (halves[2 * row] ?? 0) + (halves[2 * row + 1] ?? 0) * 2 ** 32;
    return { data: data.subarray(offsetAt(0)), offsets: narrow(count, offsetAt) };
  }
  const { buffer, byteOffset } = take<Int32Array>(valueOffsets, count);
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
