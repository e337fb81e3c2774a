import { checkInteger, checkOneOf, namesIn } from '../arguments.js';
import type { HASHES_32 } from './js/hashes-32.js';
import type { HASHES_64 } from './js/hashes-64.js';

/**
 * How u64s are written: `dec` in 20 digits, `hex` in 16 (lower case), `base62` in 11 (0-9A-Za-z), `crockford32` in 13
 * (upper case) or `sortable32` in 13 (2-7a-z).
 */
export type TextFormat = 'dec' | 'hex' | 'base62' | 'crockford32' | 'sortable32';

interface Digits {
  /** How many characters 2^64 - 1 takes. */
  readonly width: number;
  readonly radix: 10 | 16 | 32 | 62;
  /** The digits in ascending order of their character codes, so that texts sort as their values do. */
  readonly alphabet: string;
  /** Whether upper and lower case are read alike. */
  readonly foldsCase?: boolean;
  /** Characters that are read as digits, too: pairs of a character and its digit. */
  readonly alike?: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

// Crockford, "Base 32": decoders read I and L as 1, O as 0, and lower case. Hyphens are not accepted here.
export const TEXT_FORMATS: { readonly [K in TextFormat]: Digits } = {
  dec: { width: 20, radix: 10, alphabet: '0123456789' },
  hex: { width: 16, radix: 16, alphabet: '0123456789abcdef', foldsCase: true },
  base62: { width: 11, radix: 62, alphabet: `0123456789${LETTERS}${LETTERS.toLowerCase()}` },
  crockford32: { width: 13, radix: 32, alphabet: '0123456789ABCDEFGHJKMNPQRSTVWXYZ', foldsCase: true, alike: 'I1L1O0' },
  sortable32: { width: 13, radix: 32, alphabet: `234567${LETTERS.toLowerCase()}`, foldsCase: true },
};

/** The value in `digitOf` of a byte that is not a digit. */
export const NO_DIGIT = 255;

const tables: { [K in TextFormat]?: Uint8Array } = {};

/** The value of every byte as a digit, or {@link NO_DIGIT}. */
export function digitOf(format: TextFormat): Uint8Array {
  tables[format] ??= digitTable(TEXT_FORMATS[format]);
  return tables[format];
}

/** The same for other digits. */
export function digitTable({ alphabet, foldsCase, alike = '' }: Omit<Digits, 'width' | 'radix'>): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  const read = (character: string, digit: number) => {
    table[character.charCodeAt(0)] = digit;
    if (foldsCase) table[character.toUpperCase().charCodeAt(0)] = table[character.toLowerCase().charCodeAt(0)] = digit;
  };
  for (let digit = 0; digit < alphabet.length; digit++) read(alphabet.charAt(digit), digit);
  for (let i = 0; i < alike.length; i += 2) read(alike.charAt(i), alphabet.indexOf(alike.charAt(i + 1)));
  return table;
}

/**
 * The contract between the library and its arithmetic: columns go in, columns come out. It has two
 * implementations, {@link wasm} and {@link bigint}, with bit-identical results.
 *
 * Preconditions are stated here and not checked, with one exception: columns that must have the same
 * length are checked (`RangeError`), because a short one would be written past its end.
 *
 * Columns may be ordinary typed arrays, which WebAssembly copies in pieces of a fixed size, or the arrays of resident
 * columns ({@link Kernels.column}), which it works on in place. Outputs must not overlap inputs, with one exception:
 * outside `pack` and `unpack`, an output may be the same array as an input with elements of the same width.
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
export const COLUMN_TYPES = /* @__PURE__ */ namesIn(COLUMN_ARRAYS);

/** The element type of an array, which may come from another realm. */
export function columnType(array: ColumnArray): ColumnType {
  return TYPE_OF_ARRAY[array[Symbol.toStringTag]];
}

const TYPE_OF_ARRAY = /* @__PURE__ */ Object.fromEntries(
  COLUMN_TYPES.map((type) => [COLUMN_ARRAYS[type].name, type]),
) as { readonly [name: string]: ColumnType };

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
export function viewOf<T extends ColumnArray>(array: T, from: number, to: number): T {
  const type: new (...view: [ArrayBufferLike, number, number]) => ColumnArray = COLUMN_ARRAYS[columnType(array)];
  return new type(array.buffer, array.byteOffset + from * array.BYTES_PER_ELEMENT, to - from) as T;
}

export function checkColumn(type: ColumnType, length: number): void {
  checkOneOf('type', type, COLUMN_TYPES);
  checkInteger('length', length, 0, MAX_COLUMN_LENGTH);
}

export function sameLength(a: { length: number }, b: { length: number }): void {
  if (a.length !== b.length) throw new RangeError(`columns differ in length: ${a.length} and ${b.length}`);
}

/**
 * The hashes by which other systems place keys and stores find strings, separate from the other kernels because most
 * programs do not need them. There are two implementations with bit-identical results.
 */
export interface PartitionerKernels {
  /** The hash of every row. */
  hashSpans(hash: ForeignHash, rows: Spans, hashes: HashColumn): void;
  /** The hash of every text, from its UTF-8; a lone surrogate counts as U+FFFD. */
  hashTexts(hash: ForeignHash, texts: readonly string[], hashes: HashColumn): void;
  /** The hash of every text, from its UTF-16, little-endian; a lone surrogate is a unit like any other. */
  hashUnits(hash: ForeignHash, texts: readonly string[], hashes: HashColumn): void;
  /**
   * Like `hashUnits`, for texts that are given in UTF-8.
   * @returns the first row that is not UTF-8, or -1; the hashes before it are written
   */
  hashSpansAsUnits(hash: ForeignHash, rows: Spans, hashes: HashColumn): number;
  /** The hash of one row, not below 0: a number for a 32-bit hash, a bigint for a 64-bit one. */
  hashBytes(hash: ForeignHash, bytes: Uint8Array): number | bigint;
  /** The hash of the UTF-8 of a text. */
  hashText(hash: ForeignHash, text: string): number | bigint;
  /** The hash of the UTF-16 of a text, little-endian. */
  hashTextUnits(hash: ForeignHash, text: string): number | bigint;
  /**
   * SipHash-2-4 of every text, from its UTF-8; a lone surrogate counts as U+FFFD.
   * @param key 16 bytes
   * @param width how many elements a hash takes: 1 for the one of 64 bits, 2 for the one of 128, its first half first
   */
  sipHashTexts(texts: readonly string[], key: Uint8Array, width: 1 | 2, hashes: BigUint64Array): void;
  /** `tokens[i] mod n`, not below 0; `1 <= n < 2^31`. */
  remainders(tokens: Uint32Array, sign: TokenSign, n: number, shards: Uint32Array): void;
}

/**
 * How the sign of a token is handled. `cut`: the sign bit is cleared. `none`: tokens are unsigned. `absolute`: the absolute
 * value counts (2^31 for -2^31). `floored`: the remainder is never negative.
 */
export type TokenSign = (typeof TOKEN_SIGNS)[number];

/** assembly/partitioners/remainders.ts numbers them in this order. */
export const TOKEN_SIGNS = ['cut', 'none', 'absolute', 'floored'] as const;

/** An element is as wide as the hash. */
export type HashColumn = Uint32Array | BigUint64Array;

/** Hashes of 32 and of 64 bits. The rows of `javaHash` are units of UTF-16. */
export type ForeignHash = keyof typeof HASHES_32 | keyof typeof HASHES_64;
