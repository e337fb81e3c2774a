import { expect, test } from 'vitest';
import { fastRangeMany, jumpHashMany, layouts, Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

type Out = Uint32Array | BigUint64Array | Float64Array;

/** A function that takes `out`, called on three rows. */
interface Target {
  readonly name: string;
  readonly Out: new (memory: ArrayBufferLike, at: number, length: number) => Out;
  readonly call: (out: never) => unknown;
}

const keys = BigUint64Array.of(1n, 2n ** 63n, 2n ** 64n - 1n);
const texts = ['a', '', '你好'];
const column = { data: new Uint8Array(9), offsets: Uint32Array.of(0, 3, 3, 9) };
const router = new Router({ shards: 1000 });
const { snowflake } = layouts;
const shard = Uint16Array.of(1, 2, 3);
const sequence = Uint16Array.of(4, 5, 6);
const ids = BigUint64Array.of(4097n, 8194n, 2n ** 63n - 1n);

const TARGETS: readonly Target[] = [
  { name: 'xxh64Many of strings', Out: BigUint64Array, call: (out) => xxh64Many(texts, { out }) },
  { name: 'xxh64Many of bytes', Out: BigUint64Array, call: (out) => xxh64Many(column, { out }) },
  { name: 'xxh64Many of u64s', Out: BigUint64Array, call: (out) => xxh64Many(keys, { out }) },
  { name: 'jumpHashMany', Out: Uint32Array, call: (out) => jumpHashMany(keys, 1000, { out }) },
  { name: 'fastRangeMany', Out: Uint32Array, call: (out) => fastRangeMany(keys, 1000, { out }) },
  { name: 'Router.routeMany', Out: Uint32Array, call: (out) => router.routeMany(texts, { out }) },
  {
    name: 'Layout.packMany',
    Out: BigUint64Array,
    call: (out) => snowflake.packMany({ timestamp: 1672531200001, shard, sequence }, { out }),
  },
  {
    name: 'Layout.unpackMany',
    Out: Uint32Array,
    call: (out) => snowflake.unpackMany(ids, { fields: ['shard'], out: { shard: out } }).shard,
  },
  {
    name: 'Layout.unpackMany of times',
    Out: Float64Array,
    call: (out) => snowflake.unpackMany(ids, { fields: ['timestamp'], out: { timestamp: out } }).timestamp,
  },
  {
    name: 'Layout.unpackMany of units',
    Out: BigUint64Array,
    call: (out) => snowflake.unpackMany(ids, { fields: ['timestamp'], wide: true, out: { timestamp: out } }).timestamp,
  },
  { name: 'Layout.datesOf', Out: Float64Array, call: (out) => snowflake.datesOf(ids, { out }) },
];

onBothBackends('out', () => {
  test.each(TARGETS)('$name gives back `out`, filled with what it would have made', ({ Out, call }) => {
    for (const memory of [new ArrayBuffer(64), new SharedArrayBuffer(64)]) {
      const around = new Uint8Array(memory).fill(0xa5);
      const out = new Out(memory, 16, 3);
      expect(call(out as never)).toBe(out);
      expect(Array.from(out, BigInt)).toEqual(Array.from(call(undefined as never) as Uint32Array, BigInt));
      around.fill(0xa5, 16, 16 + out.byteLength);
      expect(around.every((byte) => byte === 0xa5)).toBe(true);
    }
  });
});
