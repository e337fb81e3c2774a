import { afterEach, describe, expect, it } from 'vitest';
import { jumpHashMany, layouts, Router, xxh64Many } from '../../src/index.js';
import { type Column, type ColumnType, wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

onBothBackends('resident columns', (kernels) => {
  const columns: Column<ColumnType>[] = [];
  function column<T extends ColumnType>(type: T, length: number): Column<T> {
    const made = kernels.column(type, length);
    columns.push(made);
    return made;
  }
  afterEach(() => {
    for (const made of columns.splice(0)) made.free();
  });

  it('begin as zeros, also where a freed column has been', () => {
    const first = column('u32', 1000);
    first.array.fill(7);
    first.free();
    expect(column('u32', 1000).array).toEqual(new Uint32Array(1000));
  });

  it.each(['u8', 'u16', 'u32', 'f64', 'u64'] as const)('have the type and length asked for: %s', (type) => {
    for (const length of [0, 1, 3, 1000]) {
      const made = column(type, length);
      expect([made.type, made.length, made.array.length]).toEqual([type, length, length]);
    }
  });

  it.each([
    ['i8', 1, RangeError],
    [5, 1, TypeError],
    ['u8', -1, RangeError],
    ['u8', 1.5, RangeError],
    ['u8', Number.NaN, RangeError],
    ['u8', '1', TypeError],
  ])('are refused of type %s and length %s', (type, length, error) => {
    expect(() => kernels.column(type as 'u8', length as number)).toThrow(error);
  });

  it('do not overlap', () => {
    const made = Array.from({ length: 50 }, (_, i) => column('u8', 1 + 7 * i));
    for (const [i, { array }] of made.entries()) array.fill(i);
    for (const [i, { array }] of made.entries()) expect(array.every((value) => value === i)).toBe(true);
  });

  it('keep their contents when memory grows, and give arrays that work after it', () => {
    const keys = column('u64', 1000);
    keys.array.set(randomU64s(1000));
    const before = keys.array.slice();
    column('u8', 64 * 1024 * 1024);
    expect(keys.array).toEqual(before);
    expect(xxh64Many(keys.array)).toEqual(xxh64Many(before));
  });

  it('are worked on in place by the public functions', () => {
    const rows = 40_000;
    const source = randomU64s(rows);
    const keys = column('u64', rows);
    const hashes = column('u64', rows);
    const shards = column('u32', rows);
    keys.array.set(source);
    xxh64Many(keys.array, { out: hashes.array });
    jumpHashMany(hashes.array, 1024, { out: shards.array });
    const expected = new Router({ shards: 1024 }).routeMany(source);
    expect(shards.array).toEqual(expected);
    expect(new Router({ shards: 1024 }).routeMany(keys.array, { out: shards.array })).toEqual(expected);
    expect(keys.array).toEqual(source);
  });

  it('are packed from and unpacked to in place', () => {
    const rows = 20_001;
    const source = randomU64s(rows).map((id) => id & layouts.snowflake.mask);
    const ids = column('u64', rows);
    ids.array.set(source);
    const out = { timestamp: column('f64', rows), shard: column('u16', rows), sequence: column('u64', rows) };
    const arrays = { timestamp: out.timestamp.array, shard: out.shard.array, sequence: out.sequence.array };
    layouts.snowflake.unpackMany(ids.array, { out: arrays });
    expect(arrays).toEqual(layouts.snowflake.unpackMany(source, { out: { sequence: new BigUint64Array(rows) } }));
    expect(layouts.snowflake.packMany(arrays, { out: ids.array })).toEqual(source);
  });

  it('are hashed in place as bytes, at every offset and length', () => {
    const bytes = column('u8', 400);
    bytes.array.set(new Uint8Array(randomU64s(50).buffer));
    for (let start = 0; start < 20; start++) {
      for (const length of [0, 1, 31, 32, 33, 300]) {
        const view = bytes.array.subarray(start, start + length);
        expect(kernels.xxh64(view, 1n)).toBe(kernels.xxh64(view.slice(), 1n));
      }
    }
  });

  it('cannot be used once freed, and can be freed twice', () => {
    const made = column('u64', 10);
    made.free();
    made.free();
    expect(() => made.array).toThrow(new TypeError('this column has been freed'));
  });

  it('are freed by Symbol.dispose', () => {
    const made = column('u64', 10);
    made[Symbol.dispose]();
    expect(() => made.array).toThrow(TypeError);
  });
});

describe('WebAssembly memory', () => {
  const bytes = () => wasm.scratch.buffer.byteLength;

  it('does not grow with the input', () => {
    xxh64Many(randomU64s(10));
    const before = bytes();
    const keys = randomU64s(1_000_000);
    new Router({ shards: 100, down: [3] }).routeMany(keys);
    new Router({ shards: 100 }).routeMany(Array.from(keys.subarray(0, 100_000), String));
    xxh64Many({ data: new Uint8Array(keys.buffer), offsets: Uint32Array.of(0, 8_000_000) });
    layouts.mastodon.packMany(layouts.mastodon.unpackMany(keys));
    expect(bytes()).toBe(before);
  });

  it('is used again after columns are freed, in whatever order', () => {
    const use = (order: number[]) => {
      const made = [1, 2, 3, 4].map((megabytes) => wasm.column('u8', megabytes << 20));
      for (const i of order) made[i]?.free();
    };
    use([0, 1, 2, 3]);
    const before = bytes();
    use([3, 2, 1, 0]);
    use([1, 3, 0, 2]);
    use([2, 0, 3, 1]);
    wasm.column('u8', 10 << 20).free();
    expect(bytes()).toBe(before);
  });

  it('says how much was asked for when there is no more', () => {
    expect(() => wasm.column('u64', 2 ** 31)).toThrow(/^no room for 17179869184 more bytes in WebAssembly memory/);
    expect(wasm.column('u64', 10).array.length).toBe(10);
  });

  it('an array left over from before it grew is refused, not taken for an empty one', () => {
    const column = wasm.column('u64', 10);
    const stale = column.array;
    wasm.column('u8', bytes()).free();
    expect(stale.length).toBe(0);
    expect(() => xxh64Many(stale)).toThrow(TypeError);
    column.free();
  });
});
