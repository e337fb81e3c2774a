import type { Spans } from './contract.js';

/**
 * The hashes that other systems place keys by, apart from the other kernels, as most programs do without. Two things
 * implement them, with bit-identical results.
 */
export interface PartitionerKernels {
  /** The hash of every row. */
  hashSpans(hash: ForeignHash, rows: Spans, hashes: HashColumn): void;
  /** The same of the UTF-8 of texts; a lone surrogate counts as U+FFFD. */
  hashTexts(hash: ForeignHash, texts: readonly string[], hashes: HashColumn): void;
  /** The same of the UTF-16 of texts, little-endian; a lone surrogate is a unit like any other. */
  hashUnits(hash: ForeignHash, texts: readonly string[], hashes: HashColumn): void;
  /**
   * The same of rows of UTF-8.
   * @returns the first row that is not UTF-8, or -1; the hashes before it are written
   */
  hashSpansAsUnits(hash: ForeignHash, rows: Spans, hashes: HashColumn): number;
  /** The hash of one row: a number for one of 32 bits, a bigint for one of 64, neither below 0. */
  hashBytes(hash: ForeignHash, bytes: Uint8Array): number | bigint;
  /** The same of the UTF-8 of a text. */
  hashText(hash: ForeignHash, text: string): number | bigint;
  /** The same of the UTF-16 of a text. */
  hashTextUnits(hash: ForeignHash, text: string): number | bigint;
  /** `tokens[i] mod n`, not below 0; `1 <= n < 2^31`. */
  remainders(tokens: Uint32Array, sign: TokenSign, n: number, shards: Uint32Array): void;
}

/**
 * What becomes of the sign of a token: it is cut off, there is none, the absolute value counts (of -2^31 it is 2^31), or the
 * remainder gets none.
 */
export type TokenSign = (typeof TOKEN_SIGNS)[number];

/** assembly/partitioners/remainders.ts numbers them in this order. */
export const TOKEN_SIGNS = ['cut', 'none', 'absolute', 'floored'] as const;

/** As wide as the hash. */
export type HashColumn = Uint32Array | BigUint64Array;

/** Hashes of 32 bits; of `javaHash`, rows are units of UTF-16. */
export type Hash32 =
  | 'murmur2'
  | 'murmur3'
  | 'murmur3Spark'
  | 'crc32'
  | 'crc16Tag'
  | 'fnv1a'
  | 'lookup3Citus'
  | 'javaHash';

/** Hashes of 64 bits. */
export type Hash64 =
  | 'murmur64A'
  | 'murmur3Cassandra'
  | 'murmur3ClickHouse'
  | 'lookup3Postgres'
  | 'sipHash'
  | 'cityHash';

export type ForeignHash = Hash32 | Hash64;
