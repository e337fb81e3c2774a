import { checkInteger, checkOneOf } from '../arguments.js';
import type { TextFormat } from './text-formats.js';

export { TEXT_FORMATS, type TextFormat } from './text-formats.js';

// For programs that are compiled with older types.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/**
 * The contract between the library and its arithmetic: columns go in, columns come out. It has two
 * implementations, {@link wasm} and {@link bigint}, with bit-identical results.
 *
 * Preconditions are stated here and not checked, with one exception: columns that must have the same
 * length are checked (`RangeError`), because a short one would be written past its end.
 *
 * Columns may be ordinary typed arrays, which WebAssembly copies in pieces of a fixed size, or the
 * arrays of resident columns ({@link Kernels.column}), which it works on in place. Outputs must not
 * overlap inputs, with one exception: outside `pack` and `unpack`, an output may be the same array as
 * an input with elements of the same width.
 */
export interface Kernels extends CoreKernels {
  /**
   * A column of `length` zeros in the kernels' own memory. It lives until it is freed.
   * @param length 0 to 2^32 elements
   * @throws TypeError or RangeError if `type` is not a column type or `length` is not such a number
   * @throws RangeError if the memory has no room
   */
  column<T extends ColumnType>(type: T, length: number): Column<T>;
}

/** {@link Kernels} without resident columns, which most programs do not need. */
export interface CoreKernels {
  readonly name: 'wasm' | 'bigint';

  /**
   * {@link PIECE_ROWS} elements in the kernels' own memory, for results that one kernel passes to the
   * next. All callers share them, so they are valid only until other code runs. Never grows the memory.
   */
  readonly scratch: BigUint64Array;

  /** XXH64 of a buffer of any length. */
  xxh64(data: Uint8Array, seed: bigint): bigint;
  /** XXH64 of the UTF-8 bytes of a text; a lone surrogate counts as U+FFFD. */
  xxh64Text(text: string, seed: bigint): bigint;
  /** XXH64 of the 8 bytes of a key, little-endian. */
  xxh64U64(key: bigint, seed: bigint): bigint;
  xxh64U64Column(keys: BigUint64Array, seed: bigint, hashes: BigUint64Array): void;
  xxh64TextColumn(texts: readonly string[], seed: bigint, hashes: BigUint64Array): void;
  xxh64SpanColumn(spans: Spans, seed: bigint, hashes: BigUint64Array): void;

  /** Starts a stream in `state`, the caller's {@link STREAM_STATE_BYTES} bytes. */
  xxh64Init(state: Uint8Array, seed: bigint): void;
  xxh64Update(state: Uint8Array, data: Uint8Array): void;
  /** The hash of all bytes so far; the stream can continue. */
  xxh64Digest(state: Uint8Array): bigint;

  /** Jump consistent hash, in the paper's order of rounding; `1 <= buckets < 2^31`. */
  jumpHash(key: bigint, buckets: number): number;
  jumpHashColumn(keys: BigUint64Array, buckets: number, shards: Uint32Array): void;
  /** `floor(hash * n / 2^64)`; `1 <= n < 2^32`. */
  fastRange(hash: bigint, n: number): number;
  fastRangeColumn(hashes: BigUint64Array, n: number, shards: Uint32Array): void;
  /** `hash mod n`; `1 <= n < 2^32`. */
  moduloColumn(hashes: BigUint64Array, n: number, shards: Uint32Array): void;
  /** SplitMix64's finalizer over `keys[i] + increment` modulo 2^64. */
  splitMix64Column(keys: BigUint64Array, increment: bigint, mixed: BigUint64Array): void;

  /**
   * `ids[i] = base | values[i] << shift | …` over all fields, which do not overlap each other or `base`.
   * @returns whether every value is an integer from 0 to its mask; if not, `ids` is undefined
   */
  pack(fields: readonly FieldColumn[], base: bigint, ids: BigUint64Array): boolean;
  /** `values[i] = ids[i] >>> shift & mask` for every field. The elements of each column can hold its mask. */
  unpack(ids: BigUint64Array, fields: readonly FieldColumn[]): void;
  /** The first row whose value is outside `min` to `max`, or -1; `min <= max`. */
  firstOutside(values: BigUint64Array, min: bigint, max: bigint): number;

  /** Writes the ids one after the other, each in the format's width: `text` has rows times width bytes. */
  formatColumn(ids: BigUint64Array, format: TextFormat, text: Uint8Array): void;
  /**
   * Reads texts in a format; leading zeros are optional, and there may be any number of them.
   * @returns the first row that is empty, has characters other than digits, or is above 2^64 - 1; -1 if there is none.
   *   The rows before it are written
   */
  parseSpans(spans: Spans, format: TextFormat, ids: BigUint64Array): number;
  /** Like {@link Kernels.parseSpans}. */
  parseTexts(texts: readonly string[], format: TextFormat, ids: BigUint64Array): number;
}

/** The element types of columns, and their arrays. */
export interface ColumnArrays {
  u8: Uint8Array;
  u16: Uint16Array;
  u32: Uint32Array;
  f64: Float64Array;
  u64: BigUint64Array;
}
export type ColumnType = keyof ColumnArrays;
export type ColumnArray = ColumnArrays[ColumnType];

export const COLUMN_ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f64: Float64Array,
  u64: BigUint64Array,
} as const;

/** Narrowest first. assembly/index.ts numbers the types in this order. */
export const COLUMN_TYPES = /* @__PURE__ */ Object.keys(COLUMN_ARRAYS) as readonly ColumnType[];

/** The element type of an array, which may come from another realm. */
export function columnType(array: ColumnArray): ColumnType {
  return TYPE_OF_ARRAY[array[Symbol.toStringTag]];
}

const TYPE_OF_ARRAY = {
  Uint8Array: 'u8',
  Uint16Array: 'u16',
  Uint32Array: 'u32',
  Float64Array: 'f64',
  BigUint64Array: 'u64',
} as const;

/**
 * A column in the kernels' own memory: filled and read in place, and passed to the kernels and to
 * every `…Many` function without a copy.
 */
export interface Column<T extends ColumnType> {
  readonly type: T;
  readonly length: number;
  /**
   * The elements, in place. Read this property again after any call that may have made another column: when
   * WebAssembly memory grows, arrays from before get a length of 0.
   * @throws TypeError if the column has been freed
   */
  readonly array: ColumnArrays[T];
  /** Gives the memory back. Arrays of the column must not be used afterwards. */
  free(): void;
  /** The same as `free`, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * Byte strings by their starts and ends: row i is `data[starts[i]..ends[i])`. Rows are in ascending order
 * and do not overlap.
 */
export interface Spans {
  readonly data: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The column of a field, its place in the id, and its largest value (all bits set). */
export interface FieldColumn {
  readonly values: ColumnArray;
  readonly shift: number;
  readonly mask: bigint;
  /**
   * Only for a Float64Array of Unix milliseconds: ids hold whole milliseconds since this epoch, an integer from -2^52 to
   * 2^52 in Unix milliseconds.
   */
  readonly epoch?: number | undefined;
}

// The length of a Uint8Array that fills a WebAssembly memory.
const MAX_COLUMN_LENGTH = 2 ** 32;

/** Four accumulators, the length so far, the seed, and up to 31 pending bytes. */
export const STREAM_STATE_BYTES = 80;

/** The rows of the scratch column: as many as stay in the second-level cache. */
export const PIECE_ROWS = 16384;

/**
 * Rows from..to of a column, in place. Unlike `subarray`, which a subclass may override, this always returns the plain
 * type.
 */
export function rowsOf<T extends ColumnArray>(array: T, from: number, to: number): T {
  const type = COLUMN_ARRAYS[columnType(array)] as unknown as new (...view: [ArrayBufferLike, number, number]) => T;
  return new type(array.buffer, array.byteOffset + from * array.BYTES_PER_ELEMENT, to - from);
}

/** Checks the type and the length of a new column. */
export function checkColumn(type: ColumnType, length: number): void {
  checkOneOf('type', type, COLUMN_TYPES);
  checkInteger('length', length, 0, MAX_COLUMN_LENGTH);
}

export function sameLength(a: { length: number }, b: { length: number }): void {
  if (a.length !== b.length) throw new RangeError(`columns differ in length: ${a.length} and ${b.length}`);
}

export function freed(): TypeError {
  return new TypeError('this column has been freed');
}
