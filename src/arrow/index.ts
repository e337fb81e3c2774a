/**
 * Route, hash and unpack Apache Arrow vectors, mostly without copies.
 * @module shardbits/arrow
 */

import {
  type Data,
  DataType,
  type Float64,
  makeData,
  makeVector,
  TimestampMicrosecond,
  TimestampMillisecond,
  type Uint8,
  type Uint16,
  type Uint32,
  type Uint64,
  type Vector,
} from 'apache-arrow';
import { checkOptions, checkSeed, wrongKind } from '../arguments.js';
import { xxh64Many } from '../hash/xxh64.js';
import type { IdLayout, LayoutTime } from '../layout/id-layout.js';
import { type Layout, layoutOf, type UnpackOptions } from '../layout/layout.js';
import type { ByKind, FieldSpecs, NewColumn } from '../layout/types.js';
import { abilitiesOf, checkRouting, type Routing, shardsOf } from '../routing/routing.js';
import {
  type ArrowVector,
  type ChunkColumn,
  checkVector,
  isKey,
  isStruct,
  isU64,
  KEY_TYPES,
  type KeyChunk,
  u64sIn,
  valuesOf,
  vectorsOf,
  withoutGarbage,
} from './chunks.js';
import { mapChunks, resultsOf } from './results.js';

export { type ArrowData, type ArrowType, type ArrowVector, chunksOf, type KeyChunk } from './chunks.js';

type VectorOf<Column> = Column extends Uint8Array
  ? Vector<Uint8>
  : Column extends Uint16Array
    ? Vector<Uint16>
    : Column extends Uint32Array
      ? Vector<Uint32>
      : Column extends Float64Array
        ? Vector<Float64>
        : Vector<Uint64>;

type TimeVector<Spec> = Spec extends { readonly unit: infer Unit }
  ? Unit extends 'us' | '10us'
    ? Vector<TimestampMicrosecond>
    : Vector<TimestampMillisecond>
  : Spec extends number | { readonly unit?: undefined }
    ? Vector<TimestampMillisecond>
    : Vector<TimestampMillisecond> | Vector<TimestampMicrosecond>;

/** The vectors of some fields: u64s if `Wide`; otherwise timestamps for times, and the narrowest type for other fields. */
export type UnpackedVectors<S extends FieldSpecs, Name extends keyof S, Wide extends boolean | undefined> = {
  -readonly [K in Name]: Wide extends true
    ? Vector<Uint64>
    : ByKind<K, S[K], TimeVector<S[K]>, VectorOf<NewColumn<S, K, false>>>;
};

/**
 * The shard of every key of a vector, like `router.routeMany`, chunk by chunk. Every value of a dictionary is
 * routed once, even if no row has it.
 * @param vector a vector that {@link chunksOf} takes, or a dictionary of such values; with `hash: 'none'` Uint64 or Int64. For
 *   a partitioner: Utf8 or Binary of any kind for text, bytes, UUIDs (16 bytes or 36 characters) and decimals, which may also be
 *   Decimal; integers of their kind, such as Int16; Date, Time and Timestamp for dates, times and timestamps; for keys of
 *   several columns a Struct of such vectors
 * @returns a vector with the same chunks, in the classes of the copy of apache-arrow that made `vector`
 * @throws TypeError if an argument is of the wrong kind, or the vector has the wrong type
 * @throws RangeError if a row is null and the system has no rule for it, if the partitioner refuses its key, or if its offset
 *   or index is out of bounds: the error names the first such row, counted over all chunks. If no row has the wrong value of
 *   a dictionary, the error names the row of `vector.dictionary`; a null that no row has is no error. Or if a chunk's memory
 *   is shorter than its rows
 * @example
 * const shards = routeVector(new Router({ shards: 1024 }), users); // a Vector<Uint32>
 */
export function routeVector(router: Routing<any>, vector: ArrowVector): Vector<Uint32> {
  const { kinds, takesNull, routeRows } = abilitiesOf(checkRouting('router', router));
  const isStructs = 'key' in router && Array.isArray(router.key);
  const types = kinds?.map(vectorsOf) ?? [{ accepts: isKey, expected: KEY_TYPES }];
  const expected = types.map((type) => type.expected).join('; ');
  const why = kinds === undefined || routeRows !== undefined ? '' : ", because the router has hash 'none'";
  checkVector(vector, isStructs ? `a Struct of ${expected}` : `${expected}${why}, or a dictionary`, (type) => {
    const { accepts } = types[0];
    if (!isStructs) return accepts(type.dictionary ?? type);
    const fields = isStruct(type) ? (type.children ?? []) : [];
    return fields.length === types.length && types.every((one, i) => one.accepts(fields[i].type));
  });
  const ofNull = takesNull && !isStructs ? router.route(null) : undefined;
  const write = (columns: readonly ChunkColumn[], out: Uint32Array) => {
    if (routeRows === undefined) shardsOf(router, withoutGarbage(columns[0]), out);
    else routeRows(columns.map(valuesOf), out);
  };
  const shards = resultsOf(vector, { type: Uint32Array, kinds, takesNullFields: takesNull, ofNull, write });
  return inCopyOf(vector, makeVector(shards));
}

/**
 * XXH64 of every key of a vector, like `xxh64Many`, chunk by chunk. Every value of a dictionary is hashed once,
 * even if no row has it.
 * @param vector a vector that {@link chunksOf} takes, or a dictionary of such values
 * @param options.seed a bigint, taken modulo 2^64; 0 by default
 * @returns a vector with the same chunks, in the classes of the copy of apache-arrow that made `vector`
 * @throws TypeError if an argument is of the wrong kind, or the vector has the wrong type
 * @throws RangeError as {@link routeVector}
 * @example
 * const hashes = xxh64Vector(users, { seed: 7n });
 */
export function xxh64Vector(vector: ArrowVector, options?: { seed?: bigint | undefined }): Vector<Uint64> {
  const seed = checkSeed(checkOptions(options, ['seed']).seed);
  checkVector(vector, `${KEY_TYPES}, or a dictionary`, (type) => isKey(type.dictionary ?? type));
  const hashes = resultsOf(vector, {
    type: BigUint64Array,
    write: ([{ keys }]: readonly { readonly keys: KeyChunk }[], out) => xxh64Many(keys, { seed, out }),
  });
  return inCopyOf(vector, makeVector(hashes));
}

/**
 * Unpacks a vector of ids into a vector for each field, like `layout.unpackMany`, chunk by chunk. The field that holds
 * time becomes a TimestampMillisecond, or a TimestampMicrosecond if its unit is shorter than a millisecond.
 * @param vector Uint64, or Int64, which is read as the same bits
 * @param options.fields the fields to unpack; all by default
 * @param options.wide `true` makes every vector Uint64, with times in units; by default each is the narrowest of Uint8,
 *   Uint16, Uint32, Float64 (33 to 53 bits) and Uint64 that holds the field
 * @returns a vector for every field, with the same chunks, in the classes of the copy of apache-arrow that made `vector`
 * @throws TypeError if an argument is of the wrong kind, or the vector has the wrong type
 * @throws RangeError if a row is null, has bits above the layout, a field below its `min` or a time that a number of
 *   milliseconds cannot hold exactly (the error names the row, counted over all chunks), or a field is unknown
 * @example
 * const { timestamp, shard } = unpackVector(layouts.snowflake, ids, { fields: ['timestamp', 'shard'] });
 */
export function unpackVector<
  const S extends FieldSpecs,
  const Name extends keyof S & string = keyof S & string,
  const Wide extends boolean | undefined = undefined,
>(
  layout: IdLayout<S>,
  vector: ArrowVector,
  options?: Pick<UnpackOptions<S, Name, Wide>, 'fields' | 'wide'>,
): UnpackedVectors<S, Name, Wide> {
  const full = layoutOf('layout', layout);
  checkVector(vector, 'Uint64 or Int64', isU64);
  const checked = checkOptions(options, ['fields', 'wide']);
  const unpacked = mapChunks(vector, (chunk, rows) => unpackChunk(full, u64sIn(chunk, rows), checked));
  const names = Object.keys(unpacked[0] ?? {});
  const vectorOf = (name: string): Vector => inCopyOf(vector, makeVector(unpacked.map((columns) => columns[name])));
  return Object.fromEntries(names.map((name) => [name, vectorOf(name)])) as never;
}

/** The columns of a chunk. Arrow infers the types from the arrays, except for times. */
function unpackChunk(layout: Layout, ids: BigUint64Array, options: UnpackOptions<FieldSpecs, string>) {
  const columns: { [name: string]: any } = layout.unpackMany(ids, options);
  const { time } = layout;
  if (time !== undefined && time.name in columns && options.wide !== true) {
    const units = layout.unpackMany(ids, { fields: [time.name], wide: true })[time.name];
    columns[time.name] = timestamps(time, units);
  }
  return columns;
}

/** Converts units of time to Arrow's 64-bit milliseconds or microseconds. */
function timestamps({ epoch, unitMs }: LayoutTime, units: BigUint64Array) {
  const isFine = unitMs < 1;
  const ticksPerMs = isFine ? 1000 : 1;
  const offset = BigInt(epoch) * BigInt(ticksPerMs);
  const perUnit = BigInt(unitMs * ticksPerMs);
  const data = new BigInt64Array(units.length);
  for (let row = 0; row < data.length; row++) {
    data[row] = BigInt.asIntN(64, offset + BigInt.asIntN(64, units[row] * perUnit));
  }
  const type = isFine ? new TimestampMicrosecond() : new TimestampMillisecond();
  return makeData({ type, length: data.length, data });
}

// A program may use another copy of apache-arrow than the one imported here, such as its CommonJS modules. A copy
// recognises types by its own class DataType. Files that it writes of vectors with other types cannot be read.

/** The same results in the classes of the copy of apache-arrow that `vector` is of. */
function inCopyOf<T extends DataType>(vector: ArrowVector, results: Vector<T>): Vector<T> {
  const base = topOf(vector.type);
  // Vectors that are plain objects are not of any copy.
  const isOther = base !== DataType.prototype && base[Symbol.toStringTag] === 'DataType';
  if (!isOther) return results;
  const OtherVector = classOf<typeof Vector<T>>(vector);
  const OtherData = classOf<typeof Data<T>>(vector.data[0]);
  const type = retyped(results.type, base);
  const chunks = results.data.map(({ length, stride, values, nullBitmap }) => {
    const chunk = (elements: unknown) => new OtherData(type, 0, length, 0, [undefined, elements, nullBitmap] as never);
    const same = chunk(values);
    if (same.stride === stride) return same;
    // Elements of timestamps have 32 bits before version 16.1, and 64 bits since.
    const Elements = same.stride === 2 ? Int32Array : BigInt64Array;
    Object.defineProperty(type, 'ArrayType', { value: Elements });
    return chunk(new Elements(values.buffer, values.byteOffset, length * same.stride));
  });
  return new OtherVector(chunks);
}

/** The prototype of the class at the top of an object's classes, below Object; a plain object itself. */
function topOf(object: object): any {
  const parent = Object.getPrototypeOf(object);
  return parent === null || Object.getPrototypeOf(parent) === null ? object : topOf(parent);
}

/** The class at the top. For a memoized vector, for example, this is Vector. */
function classOf<Class>(object: object): Class {
  const top = topOf(object);
  if (top === object) throw wrongKind('vector', 'a Vector of Data, as its type is one of apache-arrow', object);
  return top.constructor;
}

/**
 * The same type for the copy whose DataType has the prototype `base`. The copy's own class of the type cannot be found from
 * a vector of another type. The constructor becomes DataType, so that the copy finds two such types equal.
 */
function retyped<T extends object>(type: T, base: T): T {
  if (type === DataType.prototype) return base;
  const { constructor: _, ...properties }: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(type);
  return Object.create(retyped(Object.getPrototypeOf(type), base), properties);
}
