import { describe, expect, test } from 'vitest';
import { defineLayout, fastRangeMany, jumpHashMany, layouts, Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { TYPED_ARRAYS } from '../support/typed-arrays.js';

// `out` in the memory of an input. All calls below are on three rows.

const memoryOf = (...values: bigint[]): ArrayBuffer => BigUint64Array.from(values).buffer;
const MEMORY = [1n, 2n, 3n, 4n, 5n, 6n];

/** That a call is refused, and the memory left as it was. */
function refuses(memory: ArrayBufferLike, call: () => unknown, names: RegExp): void {
  const before = new Uint8Array(memory).slice();
  expect(call).toThrow(RangeError);
  expect(call).toThrow(names);
  expect(new Uint8Array(memory)).toEqual(before);
}

onBothBackends('u32 results in the memory of u64 keys', () => {
  const router = new Router({ shards: 100 });
  const raw = new Router({ shards: 100, hash: 'none', strategy: 'modulo' });
  describe.each([
    ['jumpHashMany', (keys: BigUint64Array, out?: Uint32Array) => jumpHashMany(keys, 100, out && { out })],
    ['fastRangeMany', (keys: BigUint64Array, out?: Uint32Array) => fastRangeMany(keys, 100, out && { out })],
    ['Router.routeMany', (keys: BigUint64Array, out?: Uint32Array) => router.routeMany(keys, out && { out })],
    ['Router.routeMany unhashed', (keys: BigUint64Array, out?: Uint32Array) => raw.routeMany(keys, out && { out })],
  ] as const)('%s', (_, call) => {
    test.each([0, 4, 8, 12, 16, 20])('at byte %i of the keys they are refused', (at) => {
      const memory = memoryOf(...MEMORY);
      refuses(memory, () => call(new BigUint64Array(memory, 0, 3), new Uint32Array(memory, at, 3)), /"out"/);
    });

    test('before the keys and reaching into them they are refused', () => {
      const memory = memoryOf(...MEMORY);
      refuses(memory, () => call(new BigUint64Array(memory, 16, 3), new Uint32Array(memory, 8, 3)), /"out"/);
    });

    test('right before and right after the keys they are fine', () => {
      for (const [keysAt, outAt] of [
        [0, 24],
        [16, 4],
        [24, 0],
      ] as const) {
        const memory = memoryOf(...MEMORY);
        const keys = new BigUint64Array(memory, keysAt, 3);
        const expected = call(keys.slice());
        expect([...call(keys, new Uint32Array(memory, outAt, 3))]).toEqual([...expected]);
      }
    });
  });
});

onBothBackends('hashes in the memory of keys', () => {
  test('in the very array of u64 keys they are fine', () => {
    const keys = BigUint64Array.of(1n, 2n, 3n);
    const expected = xxh64Many(keys.slice());
    expect(xxh64Many(keys, { out: keys })).toBe(keys);
    expect(keys).toEqual(expected);
  });

  test.each([8, 16])('%i bytes further on they are refused, and before as well', (at) => {
    const memory = memoryOf(...MEMORY);
    const [first, second] = [new BigUint64Array(memory, 0, 3), new BigUint64Array(memory, at, 3)];
    refuses(memory, () => xxh64Many(first, { out: second }), /"out"/);
    refuses(memory, () => xxh64Many(second, { out: first }), /"out"/);
  });

  // Rows of unequal length: each hash goes over bytes of rows that are still to come.
  test('in the bytes of keys they are refused, wholly or in part', () => {
    const memory = memoryOf(...MEMORY);
    const offsets = Uint32Array.of(0, 1, 5, 24);
    for (const at of [0, 8, 16]) {
      const out = new BigUint64Array(memory, at, 3);
      for (const data of [new Uint8Array(memory, 0, 24), new Uint8Array(memory, 4, 24), new Uint8Array(memory)]) {
        refuses(memory, () => xxh64Many({ data, offsets }, { out }), /"out"/);
      }
    }
  });

  test('in the offsets they are refused', () => {
    const memory = memoryOf(2n ** 32n, 3n * 2n ** 32n + 2n, 0n, 0n);
    const offsets = new Uint32Array(memory, 0, 4);
    refuses(
      memory,
      () => xxh64Many({ data: new Uint8Array(3), offsets }, { out: new BigUint64Array(memory, 0, 3) }),
      /"out"/,
    );
    refuses(
      memory,
      () => xxh64Many({ data: new Uint8Array(3), offsets }, { out: new BigUint64Array(memory, 8, 3) }),
      /"out"/,
    );
    const behind = memoryOf(0n, 2n ** 32n, 3n * 2n ** 32n + 2n);
    const out = new BigUint64Array(behind, 0, 3);
    const column = { data: new Uint8Array(3), offsets: new Uint32Array(behind, 8, 4) };
    refuses(behind, () => xxh64Many(column, { out }), /"out"/);
  });

  test('shards in the bytes or offsets of keys are refused', () => {
    const router = new Router({ shards: 100 });
    const memory = memoryOf(2n ** 32n, 3n * 2n ** 32n + 2n, 0n);
    const offsets = new Uint32Array(memory, 0, 4);
    refuses(
      memory,
      () => router.routeMany({ data: new Uint8Array(3), offsets }, { out: new Uint32Array(memory, 0, 3) }),
      /"out"/,
    );
    const data = new Uint8Array(memory, 0, 12);
    const out = new Uint32Array(memory, 0, 3);
    refuses(memory, () => router.routeMany({ data, offsets: Uint32Array.of(0, 1, 5, 12) }, { out }), /"out"/);
  });
});

onBothBackends('ids in the memory of columns', () => {
  const layout = defineLayout({ v: 20, low: 12 });
  const types = TYPED_ARRAYS;

  test.each(Object.entries(types))('in those of a %s they are refused, wholly or in part', (_, Type) => {
    const memory = new ArrayBuffer(64);
    for (const [columnAt, outAt] of [
      [16, 16],
      [16, 0],
      [16, 8],
      [0, 0],
      [32, 16],
    ] as const) {
      const v = new (Type as typeof Uint8Array)(memory, columnAt, 3);
      const out = new BigUint64Array(memory, outAt, 3);
      refuses(memory, () => layout.packMany({ v, low: 1 }, { out }), /"out"/);
      refuses(memory, () => layout.packMany({ v: new Uint8Array(3), low: v }, { out }), /"out"/);
    }
  });

  test.each(Object.entries(types))('right beside a %s they are fine', (_, Type) => {
    const memory = new ArrayBuffer(64);
    const v = new (Type as typeof Uint8Array)(memory, 0, 3);
    const out = new BigUint64Array(memory, 24, 3);
    expect([...layout.packMany({ v, low: 1 }, { out })]).toEqual([1n, 1n, 1n]);
  });
});

onBothBackends('columns in the memory of ids, or of each other', () => {
  const { snowflake } = layouts;

  test('a column in the memory of the ids is refused, also the very array', () => {
    const memory = memoryOf(...MEMORY);
    const ids = new BigUint64Array(memory, 16, 3);
    for (const shard of [
      ids,
      new BigUint64Array(memory, 8, 3),
      new Uint16Array(memory, 38, 3),
      new Uint32Array(memory, 16, 3),
    ]) {
      refuses(memory, () => snowflake.unpackMany(ids, { out: { shard } }), /"out.shard"/);
    }
  });

  test('two fields in the same memory are refused', () => {
    const memory = memoryOf(...MEMORY);
    const sequence = new Uint16Array(memory, 0, 3);
    for (const shard of [sequence, new Uint16Array(memory, 4, 3), new Float64Array(memory, 0, 3)]) {
      refuses(
        memory,
        () => snowflake.unpackMany(BigUint64Array.of(1n, 2n, 3n), { out: { shard, sequence } }),
        /"out\./,
      );
    }
  });

  test('side by side they are fine', () => {
    const memory = new ArrayBuffer(64);
    const ids = new BigUint64Array(memory, 16, 3);
    ids.set([4097n, 8194n, 12291n]);
    const out = { shard: new Uint16Array(memory, 10, 3), sequence: new Uint16Array(memory, 40, 3) };
    snowflake.unpackMany(ids, { out });
    expect([...out.shard, ...out.sequence]).toEqual([1, 2, 3, 1, 2, 3]);
    expect([...ids]).toEqual([4097n, 8194n, 12291n]);
  });
});
