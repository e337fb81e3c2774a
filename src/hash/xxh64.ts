import { checkOptions, checkSeed, checkU64 } from '../arguments.js';
import {
  type Bytes,
  checkBytes,
  checkKeys,
  checkOut,
  type HashedColumn,
  type Key,
  type Keys,
  spansBetween,
} from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { STREAM_STATE_BYTES, viewOf } from '../kernels/types.js';
import { encoder } from '../utf8.js';

/** Like `slice`, but returns a plain array even for a subclass. */
export function textRows(texts: readonly string[], from: number, to: number): readonly string[] {
  if (from === 0 && to === texts.length) return texts;
  const rows: string[] = [];
  for (let row = from; row < to; row++) rows.push(texts[row]);
  return rows;
}

/** Hashes one key. */
export function hashKey(argument: string, key: Key, seed: bigint): bigint {
  if (typeof key === 'string') return kernels().xxh64Text(key, seed);
  if (typeof key === 'bigint') return kernels().xxh64U64(checkU64(argument, key), seed);
  return kernels().xxh64(checkBytes(argument, key, "a string, bytes or a bigint ('42' and 42n are two keys)"), seed);
}

/** Hashes rows from..to of a column. */
export function hashRows(column: HashedColumn, from: number, to: number, seed: bigint, hashes: BigUint64Array): void {
  const { xxh64U64Column, xxh64TextColumn, xxh64SpanColumn } = kernels();
  if (column.kind === 'u64') xxh64U64Column(viewOf(column.keys, from, to), seed, hashes);
  else if (column.kind === 'text') xxh64TextColumn(textRows(column.texts, from, to), seed, hashes);
  else xxh64SpanColumn(spansBetween(column.spans, from, to), seed, hashes);
}

/**
 * XXH64 of one key. Not cryptographic: anyone who can choose the keys can make them collide.
 * Specification: Cyan4973/xxHash `doc/xxhash_spec.md`; the same function as ClickHouse's `xxHash64`.
 * @param data a string (its UTF-8 bytes, a lone surrogate as U+FFFD), bytes (of a view, those it covers),
 *   or a u64 as a bigint (its 8 bytes, little-endian)
 * @param seed a bigint, taken modulo 2^64; 0 by default
 * @returns the hash, 0 to 2^64 - 1
 * @throws TypeError if `data` is of another kind, such as a number, or `seed` is not a bigint
 * @throws RangeError if a bigint key is not a u64
 * @example
 * xxh64('abc'); // 4952883123889572249n
 */
export function xxh64(data: Key, seed?: bigint): bigint {
  return hashKey('data', data, checkSeed(seed));
}

/**
 * XXH64 of every key of a column.
 * @param keys strings, a BytesColumn, or u64s (each is hashed as its 8 bytes, little-endian)
 * @param options.seed a bigint, taken modulo 2^64; 0 by default
 * @param options.out where the hashes go, as long as `keys`; it may be `keys` itself
 * @returns `out`, or a new array
 * @throws TypeError if an argument or a row is of the wrong kind
 * @throws RangeError if offsets descend or point beyond the data, or `out` has another length or overlaps
 *   `keys` in part; nothing has been written then
 * @example
 * xxh64Many(['a', 'abc']); // BigUint64Array [15154266338359012955n, 4952883123889572249n]
 */
export function xxh64Many(
  keys: Keys,
  options?: { seed?: bigint | undefined; out?: BigUint64Array | undefined },
): BigUint64Array {
  const column = checkKeys('keys', keys);
  const { seed, out } = checkOptions(options, ['seed', 'out']);
  const wrapped = checkSeed(seed);
  const hashes = checkOut(out, BigUint64Array, column.rows, column.memory);
  hashRows(column, 0, column.rows, wrapped, hashes);
  return hashes;
}

/**
 * XXH64 of data that comes in parts. The result does not depend on where the data is cut. The state is 80 bytes and
 * needs no disposal.
 * @example
 * new Xxh64().update('ab').update('c').digestHex(); // '44bc2cf5ad770999'
 */
export class Xxh64 {
  #state = new Uint8Array(STREAM_STATE_BYTES);
  #seed: bigint;

  /**
   * Starts with no data.
   * @param seed a bigint, taken modulo 2^64; 0 by default
   * @throws TypeError if it is not a bigint
   */
  constructor(seed?: bigint) {
    this.#seed = checkSeed(seed);
    kernels().xxh64Init(this.#state, this.#seed);
  }

  /**
   * Adds data.
   * @param data bytes, or a string, of which the UTF-8 bytes count. A lone surrogate counts as U+FFFD, so do not
   *   cut a surrogate pair between two updates
   * @throws TypeError if `data` is neither
   */
  update(data: string | Bytes): this {
    kernels().xxh64Update(this.#state, typeof data === 'string' ? encoder().encode(data) : checkBytes('data', data));
    return this;
  }

  /** The hash of all data so far, 0 to 2^64 - 1. More data can follow. */
  digest(): bigint {
    return kernels().xxh64Digest(this.#state);
  }

  /** The digest as 16 lower-case hexadecimal digits. */
  digestHex(): string {
    return this.digest().toString(16).padStart(16, '0');
  }

  /**
   * Starts again with a seed, by default the same one.
   * @throws TypeError if the seed is not a bigint
   */
  reset(seed?: bigint): this {
    if (seed !== undefined) this.#seed = checkSeed(seed);
    kernels().xxh64Init(this.#state, this.#seed);
    return this;
  }

  /** An independent copy that continues from here. */
  clone(): Xxh64 {
    const copy = makeXxh64(this.#seed);
    copy.#state.set(this.#state);
    return copy;
  }
}

/** Outside the class, because bundlers rename a class that refers to itself, and `console.log` would show that name. */
function makeXxh64(seed: bigint): Xxh64 {
  return new Xxh64(seed);
}
