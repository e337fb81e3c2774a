import { expect, test } from 'vitest';
import * as api from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { TYPED_ARRAYS } from '../support/typed-arrays.js';

// An array that has lost its memory has a length of 0, and is rejected. An array that is empty is not.

type View = Uint8Array | BigUint64Array;

const TYPES: Readonly<Record<string, { new (memory: ArrayBuffer, at: number, length: number): unknown }>> =
  TYPED_ARRAYS;

/** Empty arrays in the middle of their memory, at its end, and with none. */
function empties(type: string): never[] {
  const Type = TYPES[type] as { new (memory?: ArrayBuffer, at?: number, length?: number): View };
  const memory = new ArrayBuffer(64);
  return [new Type(memory, 16, 2).subarray(0, 0), new Type(memory, 64), new Type(memory, 64, 0), new Type()] as never[];
}

const router = new api.Router({ shards: 4 });
const layout = api.defineLayout({ v: 20, low: 10, shard: 10 });
const none = new BigUint64Array(0);
const noOffsets = Uint32Array.of(0, 0);

const U64S = ['BigUint64Array', 'BigInt64Array'];
const ALL = Object.keys(TYPES);

/** Every place for an array, with the types it takes. */
const PLACES: readonly [name: string, argument: string, types: readonly string[], call: (array: never) => unknown][] = [
  ['xxh64', 'data', ALL, (array) => api.xxh64(array)],
  ['Xxh64.update', 'data', ALL, (array) => new api.Xxh64().update(array)],
  ['Router.route', 'key', ALL, (array) => router.route(array)],
  ['xxh64Many', 'keys', U64S, (array) => api.xxh64Many(array)],
  ['xxh64Many', 'keys.data', ['Uint8Array'], (data) => api.xxh64Many({ data, offsets: noOffsets })],
  ['xxh64Many', 'keys.offsets', ['Uint32Array'], (offsets) => api.xxh64Many({ data: new Uint8Array(2), offsets })],
  ['Router.routeMany', 'keys', U64S, (array) => router.routeMany(array)],
  ['planReshard', 'keys', U64S, (array) => api.planReshard(array, router, router)],
  ['jumpHashMany', 'keys', U64S, (array) => api.jumpHashMany(array, 10)],
  ['fastRangeMany', 'hashes', U64S, (array) => api.fastRangeMany(array, 10)],
  ['groupByShard', 'shards', ['Uint32Array'], (array) => api.groupByShard(array, 10)],
  ['Layout.packMany', 'columns.v', ALL, (v) => layout.packMany({ v, low: 1, shard: 1 })],
  ['Layout.packMany', 'columns.shard', ALL, (shard) => layout.packMany({ v: new Uint8Array(0), low: 1, shard })],
  ['Layout.unpackMany', 'ids', U64S, (array) => layout.unpackMany(array)],
  ['xxh64Many', 'out', ['BigUint64Array'], (out) => api.xxh64Many([], { out })],
  ['Router.routeMany', 'out', ['Uint32Array'], (out) => router.routeMany([], { out })],
  ['jumpHashMany', 'out', ['Uint32Array'], (out) => api.jumpHashMany(none, 10, { out })],
  ['fastRangeMany', 'out', ['Uint32Array'], (out) => api.fastRangeMany(none, 10, { out })],
  ['Layout.packMany', 'out', ['BigUint64Array'], (out) => layout.packMany({ v: none, low: 1, shard: 1 }, { out })],
  [
    'Layout.unpackMany',
    'out.v',
    ['Uint32Array', 'Float64Array', 'BigUint64Array'],
    (v) => layout.unpackMany(none, { out: { v } }),
  ],
];

onBothBackends('empty arrays are accepted', () => {
  test.each(PLACES)('%s, as %s', (_name, _argument, types, call) => {
    for (const type of types) {
      for (const empty of empties(type)) expect(() => call(empty), type).not.toThrow();
    }
  });

  test('xxh64, of an empty ArrayBuffer', () => {
    expect(api.xxh64(new ArrayBuffer(0))).toBe(0xef46db3751d8e999n);
  });

  test('xxh64Many gives no hashes', () => {
    for (const empty of empties('BigUint64Array')) expect(api.xxh64Many(empty)).toEqual(none);
  });
});
