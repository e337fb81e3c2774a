import { expect, test } from 'vitest';
import { fastRangeMany, jumpHashMany, layouts, Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

type Out = Uint32Array | BigUint64Array;
type Call = (out: never) => unknown;

/** A function that takes `out`: a call on three rows, and calls that must fail, most of them late. */
interface Target {
  readonly name: string;
  readonly Out: new (memory: ArrayBufferLike, at: number, length: number) => Out;
  readonly good: Call;
  readonly bad: readonly Call[];
}

const keys = BigUint64Array.of(1n, 2n ** 63n, 2n ** 64n - 1n);
const texts = ['a', '', '你好'];
const data = new Uint8Array(9);
const column = { data, offsets: Uint32Array.of(0, 3, 3, 9) };
const router = new Router({ shards: 1000 });
const { snowflake, ragedb } = layouts;
const shard = Uint16Array.of(1, 2, 3);
const sequence = Uint16Array.of(4, 5, 6);
const ids = BigUint64Array.of(4097n, 8194n, 2n ** 63n - 1n);

const badKeys = [
  ['a', 'b', 5],
  ['a', 'b', undefined],
  { data, offsets: Uint32Array.of(0, 3, 9, 8) },
  { data, offsets: Uint32Array.of(0, 3, 9, 10) },
] as unknown as string[][];

const TARGETS: readonly Target[] = [
  {
    name: 'xxh64Many of strings',
    Out: BigUint64Array,
    good: (out) => xxh64Many(texts, { out }),
    bad: [
      ...badKeys.map((bad) => (out: never) => xxh64Many(bad, { out })),
      (out) => xxh64Many(texts, { out, seed: 5 as never }),
      (out) => xxh64Many(texts, { out, sed: 5n } as never),
    ],
  },
  { name: 'xxh64Many of bytes', Out: BigUint64Array, good: (out) => xxh64Many(column, { out }), bad: [] },
  { name: 'xxh64Many of u64s', Out: BigUint64Array, good: (out) => xxh64Many(keys, { out }), bad: [] },
  {
    name: 'jumpHashMany',
    Out: Uint32Array,
    good: (out) => jumpHashMany(keys, 1000, { out }),
    bad: [
      (out) => jumpHashMany(keys, 0, { out }),
      (out) => jumpHashMany(keys, 2 ** 31, { out }),
      (out) => jumpHashMany(keys, 10n as never, { out }),
      (out) => jumpHashMany([1n, 2n, 3n] as never, 10, { out }),
      (out) => jumpHashMany(keys, 10, { out, seed: 1n } as never),
    ],
  },
  {
    name: 'fastRangeMany',
    Out: Uint32Array,
    good: (out) => fastRangeMany(keys, 1000, { out }),
    bad: [
      (out) => fastRangeMany(keys, 0, { out }),
      (out) => fastRangeMany(keys, 2 ** 32, { out }),
      (out) => fastRangeMany(keys, 0.5, { out }),
      (out) => fastRangeMany(keys, 10, { out, wide: true } as never),
    ],
  },
  {
    name: 'Router.routeMany',
    Out: Uint32Array,
    good: (out) => router.routeMany(texts, { out }),
    bad: [
      ...badKeys.map((bad) => (out: never) => router.routeMany(bad, { out })),
      (out) => router.with({ hash: 'none' }).routeMany(texts, { out }),
      (out) => router.routeMany(texts, { out, down: [1] } as never),
    ],
  },
  {
    name: 'Layout.packMany',
    Out: BigUint64Array,
    good: (out) => snowflake.packMany({ timestamp: 1, shard, sequence }, { out }),
    bad: [
      (out) => snowflake.packMany({ timestamp: 1, shard, sequence: Uint16Array.of(1, 2, 4096) }, { out }),
      (out) => snowflake.packMany({ timestamp: 1, shard, sequence: Int8Array.of(1, 2, -1) }, { out }),
      (out) => snowflake.packMany({ timestamp: 1, shard, sequence: 4096 }, { out }),
      (out) => snowflake.packMany({ timestamp: new Date(0), shard, sequence }, { out }),
      (out) => snowflake.packMany({ timestamp: 1, shard, sequence: new Uint16Array(4) }, { out }),
      (out) => snowflake.packMany({ timestamp: 1, shard } as never, { out }),
      (out) => snowflake.packMany({ timestamp: 1, shard, sequence, more: 1 } as never, { out }),
    ],
  },
  {
    name: 'Layout.unpackMany',
    Out: Uint32Array,
    good: (out) => snowflake.unpackMany(ids, { fields: ['shard'], out: { shard: out } }).shard,
    bad: [
      (out) => snowflake.unpackMany(BigUint64Array.of(1n, 2n, 2n ** 63n), { out: { shard: out } }),
      (out) => ragedb.unpackMany(BigUint64Array.of(67109888n, 67109888n, 5n), { out: { shard: out } }),
      (out) => snowflake.unpackMany(ids, { out: { shard: out, sequence: new Uint16Array(2) } }),
      (out) => snowflake.unpackMany(ids, { out: { shard: out, sequence: new Uint8Array(3) } }),
      (out) => snowflake.unpackMany(ids, { out: { shard: out, sequence: out } }),
      (out) => snowflake.unpackMany(ids, { out: { shard: out, nothing: out } as never }),
      (out) => snowflake.unpackMany(ids, { out: { shard: out }, fields: ['shard', 'nothing' as never] }),
      (out) => snowflake.unpackMany(ids, { out: { shard: out }, fields: ['sequence'] as never }),
    ],
  },
];

/** Three rows of room in the middle of memory that is full of one value. */
function room({ Out }: Target, memory: ArrayBufferLike): Out {
  new Uint8Array(memory).fill(0xa5);
  return new Out(memory, 16, 3);
}
const untouched = (memory: ArrayBufferLike): boolean => new Uint8Array(memory).every((byte) => byte === 0xa5);

onBothBackends('out', () => {
  test.each(TARGETS)('$name gives back `out`, filled with what it would have made', (target) => {
    for (const memory of [new ArrayBuffer(64), new SharedArrayBuffer(64)]) {
      const out = room(target, memory);
      expect(target.good(out as never)).toBe(out);
      expect(Array.from(out, BigInt)).toEqual(Array.from(target.good(undefined as never) as Uint32Array, BigInt));
      const around = new Uint8Array(memory);
      around.fill(0xa5, 16, 16 + out.byteLength);
      expect(untouched(memory)).toBe(true);
    }
  });

  const failing = TARGETS.flatMap((target) =>
    target.bad.map((call) => ({ name: target.name, source: String(call), target, call })),
  );
  test.each(failing)('$name leaves `out` as it was when it fails: $source', ({ target, call }) => {
    const memory = new ArrayBuffer(64);
    const out = room(target, memory);
    expect(() => call(out as never)).toThrow(/expected [\s\S]+, got /);
    expect(untouched(memory)).toBe(true);
  });

  test.each(TARGETS)('$name leaves an `out` of the wrong length as it was', (target) => {
    const memory = new ArrayBuffer(64);
    for (const length of [0, 2, 4]) {
      const out = new target.Out(room(target, memory).buffer, 16, length);
      expect(() => target.good(out as never)).toThrow(RangeError);
      expect(untouched(memory)).toBe(true);
    }
  });
});
