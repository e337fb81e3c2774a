// What a consumer's compiler has to accept, of vectors whose type it knows and of those it does not.
import {
  type Table,
  type Uint16,
  type Uint32,
  type Uint64,
  type Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { layouts, planReshard, Router, xxh64Many } from 'shardbits';
import { type ArrowVector, chunksOf, type KeyChunk, routeVector, unpackVector, xxh64Vector } from 'shardbits/arrow';
import { partitioner } from 'shardbits/partitioners';

declare const table: Table;
declare const users: Vector<Utf8>;
declare const ids: Vector<Uint64>;
const router = new Router({ shards: 3 });

export const shards: Vector<Uint32> = routeVector(router, users);
export const slots: Vector<Uint32> = routeVector(partitioner('redis'), users);
export const hashes: Vector<Uint64> = xxh64Vector(vectorFromArray(['a']), { seed: 7n });
export const counts: Uint32Array = shards.toArray();
export const chunks: KeyChunk[] = chunksOf(ids);
export const moved = chunks.map((keys) => planReshard(keys, router, router.with({ shards: 4 })).moved);
export const each: BigUint64Array[] = chunks.map((keys) => xxh64Many(keys));
export const { shard } = unpackVector(layouts.snowflake, ids, { fields: ['shard'] });
export const narrow = shard as Vector<Uint16>;
export const any: ArrowVector | null = table.getChild('user');
// @ts-expect-error a misspelt field
export const wrong = unpackVector(layouts.snowflake, ids, { fields: ['shrd'] });
// @ts-expect-error a field that was not asked for
export const { sequence } = unpackVector(layouts.snowflake, ids, { fields: ['shard'] });
// @ts-expect-error an array is no vector
routeVector(router, ['a']);
