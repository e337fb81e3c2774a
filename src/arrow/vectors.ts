import { type Float64, makeVector, type Uint8, type Uint16, type Uint32, type Uint64, type Vector } from 'apache-arrow';
import { checkOptions, checkSeed, wrongKind } from '../arguments.js';
import { xxh64Many } from '../hash/xxh64.js';
import type { UnpackOptions } from '../layout/columns.js';
import type { Layout } from '../layout/layout.js';
import { checkRouter, type Router } from '../routing/router.js';
import { type ArrowVector, checkVector, chunksOf, isKey, isU64, KEY_TYPES } from './chunks.js';
import { mapChunks, resultsOf } from './results.js';

export type UnpackedVectors<Name extends string> = {
  [K in Name]: Vector<Uint8> | Vector<Uint16> | Vector<Uint32> | Vector<Float64> | Vector<Uint64>;
};

/**
 * The shard of every key of a vector, as `router.routeMany`, chunk by chunk. Of a dictionary every value is
 * routed once, whether rows have it or not.
 * @param vector what {@link chunksOf} takes, or a dictionary of that; with `hash: 'none'` Uint64 or Int64
 * @returns a vector with the same chunks
 * @throws TypeError if an argument is of the wrong kind, or the vector of the wrong type
 * @throws RangeError if a row is null, its offset or index is out of bounds (the message names the row,
 *   counted over all chunks), or a chunk's memory does not hold its rows
 * @example
 * const shards = routeVector(new Router({ shards: 1024 }), users); // a Vector<Uint32>
 */
export function routeVector(router: Router, vector: ArrowVector): Vector<Uint32> {
  const u64Only = checkRouter('router', router).hash === 'none';
  const accepts = u64Only ? isU64 : isKey;
  const expected = u64Only ? "Uint64 or Int64, as the router has hash 'none'" : KEY_TYPES;
  checkVector(vector, `${expected}, or a dictionary`, (type) => accepts(type.dictionary ?? type));
  return makeVector(resultsOf(vector, Uint32Array, (keys, out) => router.routeMany(keys, { out })));
}

/**
 * XXH64 of every key of a vector, as `xxh64Many`, chunk by chunk. Of a dictionary every value is hashed once,
 * whether rows have it or not.
 * @param vector what {@link chunksOf} takes, or a dictionary of that
 * @param options.seed a bigint, taken modulo 2^64; 0 unless given
 * @returns a vector with the same chunks
 * @throws TypeError if an argument is of the wrong kind, or the vector of the wrong type
 * @throws RangeError as {@link routeVector}
 * @example
 * const hashes = xxh64Vector(users, { seed: 7n });
 */
export function xxh64Vector(vector: ArrowVector, options?: { seed?: bigint }): Vector<Uint64> {
  const seed = checkSeed(checkOptions(options, ['seed']).seed);
  checkVector(vector, `${KEY_TYPES}, or a dictionary`, (type) => isKey(type.dictionary ?? type));
  return makeVector(resultsOf(vector, BigUint64Array, (keys, out) => xxh64Many(keys, { seed, out })));
}

/**
 * The vectors of the fields of a vector of ids, as `layout.unpackMany`, chunk by chunk.
 * @param vector Uint64, or Int64, which is read as the same bits
 * @param options.fields which fields; all unless given
 * @param options.wide Uint64 throughout; otherwise the narrowest of Uint8, Uint16, Uint32, Float64 (33 to
 *   53 bits) and Uint64 that holds the field
 * @returns for every field a vector with the same chunks
 * @throws TypeError if an argument is of the wrong kind, or the vector of the wrong type
 * @throws RangeError if a row is null, has bits above the layout or a field below its `min` (the message
 *   names the row, counted over all chunks), or a field is unknown
 * @example
 * const { shard } = unpackVector(layouts.snowflake, ids, { fields: ['shard'] });
 */
export function unpackVector<Name extends string, F extends Name = Name>(
  layout: Layout<Name>,
  vector: ArrowVector,
  options?: Omit<UnpackOptions<F>, 'out'>,
): UnpackedVectors<F> {
  if (typeof layout?.unpackMany !== 'function') throw wrongKind('layout', 'a Layout', layout);
  const checked = checkOptions(options, ['fields', 'wide']);
  checkVector(vector, 'Uint64 or Int64', isU64);
  const chunks = mapChunks('vector', vector, chunksOf(vector), (ids) =>
    layout.unpackMany(ids as BigUint64Array, checked),
  );
  const names = Object.keys(chunks[0] ?? {}) as F[];
  const vectors = names.map((name) => [name, makeVector(chunks.map((columns) => columns[name]))]);
  return Object.fromEntries(vectors);
}
