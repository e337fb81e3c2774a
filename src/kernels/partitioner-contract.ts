import type { Spans } from './contract.js';

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

/** Hashes of 32 bits. The rows of `javaHash` are units of UTF-16. */
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
