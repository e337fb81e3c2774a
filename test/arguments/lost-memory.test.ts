import { describe, expect, test } from 'vitest';
import * as api from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { TYPED_ARRAYS } from '../support/typed-arrays.js';

// JavaScript gives an array whose memory has been transferred, or has shrunk below it, a length of 0.
// It must not pass for an empty one.

type View = Uint8Array | BigUint64Array;
type Make = (type: string) => never;

const TYPES: Readonly<Record<string, { new (memory: ArrayBuffer, at: number, length: number): unknown }>> =
  TYPED_ARRAYS;

// As of ES2024, which the compiler's library is older than.
type Resizable = ArrayBuffer & { resize(byteLength: number): void };
const ResizableBuffer = ArrayBuffer as unknown as new (length: number, options: { maxByteLength: number }) => Resizable;

const viewOf = (type: string, memory: ArrayBuffer): never =>
  new (TYPES[type] as { new (...of: unknown[]): never })(memory, 16, 2);

const detached: Make = (type) => {
  const memory = new ArrayBuffer(64);
  const view = viewOf(type, memory);
  structuredClone(memory, { transfer: [memory] });
  return view;
};
const outgrown: Make = (type) => {
  const memory = new ResizableBuffer(64, { maxByteLength: 64 });
  const view = viewOf(type, memory);
  memory.resize(17);
  return view;
};
const empty: Make = (type) => (viewOf(type, new ArrayBuffer(64)) as View).subarray(0, 0) as never;

const router = new api.Router({ shards: 4 });
const layout = api.defineLayout({ v: 20, low: 10, shard: 10 });
const none = new BigUint64Array(0);

/** Every place for an array, with the types it takes. */
const PLACES: readonly [name: string, argument: string, types: readonly string[], call: (array: never) => unknown][] = [
  ['xxh64', 'data', Object.keys(TYPES), (array) => api.xxh64(array)],
  ['Xxh64.update', 'data', Object.keys(TYPES), (array) => new api.Xxh64().update(array)],
  ['Router.route', 'key', Object.keys(TYPES), (array) => router.route(array)],
  ['xxh64Many', 'keys', ['BigUint64Array', 'BigInt64Array'], (array) => api.xxh64Many(array)],
  ['xxh64Many', 'keys.data', ['Uint8Array'], (data) => api.xxh64Many({ data, offsets: Uint32Array.of(0, 0) })],
  ['xxh64Many', 'keys.offsets', ['Uint32Array'], (offsets) => api.xxh64Many({ data: new Uint8Array(2), offsets })],
  ['Router.routeMany', 'keys', ['BigUint64Array', 'BigInt64Array'], (array) => router.routeMany(array)],
  ['planReshard', 'keys', ['BigUint64Array', 'BigInt64Array'], (array) => api.planReshard(array, router, router)],
  ['jumpHashMany', 'keys', ['BigUint64Array', 'BigInt64Array'], (array) => api.jumpHashMany(array, 10)],
  ['fastRangeMany', 'hashes', ['BigUint64Array', 'BigInt64Array'], (array) => api.fastRangeMany(array, 10)],
  ['groupByShard', 'shards', ['Uint32Array'], (array) => api.groupByShard(array, 10)],
  ['Layout.packMany', 'columns.v', Object.keys(TYPES), (v) => layout.packMany({ v, low: 1, shard: 1 })],
  [
    'Layout.packMany',
    'columns.shard',
    ['Uint8Array'],
    (shard) => layout.packMany({ v: new Uint8Array(0), low: 1, shard }),
  ],
  ['Layout.unpackMany', 'ids', ['BigUint64Array', 'BigInt64Array'], (array) => layout.unpackMany(array)],
  // As `out`, with no rows: only the lost memory is wrong.
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

/** How a call fails: well if with a TypeError that names the argument. */
function outcome(call: () => unknown, argument: string): string {
  try {
    call();
  } catch (error) {
    const named = error instanceof TypeError && error.message.startsWith(`"${argument}": `);
    return named ? 'refused' : String(error);
  }
  return 'accepted';
}

onBothBackends('lost memory', () => {
  describe.each([
    ['detached', detached],
    ['outgrown', outgrown],
  ] as const)('%s', (_, make) => {
    test.each(PLACES)('%s: arrays as %j are refused', (_name, argument, types, call) => {
      const outcomes = types.map((type) => {
        const array = make(type);
        expect((array as View).length).toBe(0);
        return `${type}: ${outcome(() => call(array), argument)}`;
      });
      expect(outcomes).toEqual(types.map((type) => `${type}: refused`));
    });
  });

  test.each(PLACES)('%s: empty arrays as %j are fine', (_, argument, types, call) => {
    const outcomes = types.map((type) => `${type}: ${outcome(() => call(empty(type)), argument)}`);
    expect(outcomes).toEqual(types.map((type) => `${type}: accepted`));
  });

  test('a detached ArrayBuffer is refused where bytes are taken', () => {
    const memory = new ArrayBuffer(8);
    structuredClone(memory, { transfer: [memory] });
    expect(() => api.xxh64(memory)).toThrow(/"data"/);
    expect(() => new api.Xxh64().update(memory)).toThrow(/"data"/);
    expect(() => router.route(memory)).toThrow(/"key"/);
    expect(api.xxh64(new ArrayBuffer(0))).toBe(0xef46db3751d8e999n);
  });

  test('a lost array among good ones writes nothing', () => {
    const out = new BigUint64Array(0);
    expect(() => layout.packMany({ v: new Uint8Array(0), low: detached('Uint16Array'), shard: 1 }, { out })).toThrow(
      TypeError,
    );
    const good = { v: new Uint32Array(2).fill(7), low: detached('Uint16Array') };
    expect(() => layout.unpackMany(BigUint64Array.of(1n, 2n), { out: good })).toThrow(TypeError);
    expect([...good.v]).toEqual([7, 7]);
  });
});
