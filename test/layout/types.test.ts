import { describe, expectTypeOf, it } from 'vitest';
import { defineLayout, type Layout, layouts, parseLayout, SnowflakeGenerator } from '../../src/index.js';
import type { ColumnArray } from '../../src/kernels/index.js';

// What the compiler knows: checked by `npm run lint`. None of it runs.

const own = defineLayout({ timestamp: { bits: 42, epoch: 0 }, shard: 8, sequence: 14 });
const mixed = defineLayout({ a: 8, b: 9, c: 16, d: 17, e: 32, f: 33 - 0 ? 53 : 53, g: 1 });
const plain = defineLayout({ client: 10, entity: 54 });
const ids = new BigUint64Array(1);
declare const some: Layout;
declare const spec: string;

const unchecked = (_: () => unknown): void => {};

describe('types of layouts', () => {
  it('single values: a number up to 53 bits and for times, a bigint above', () => {
    unchecked(() => {
      expectTypeOf(own.unpack(1n)).toEqualTypeOf<{ timestamp: number; shard: number; sequence: number }>();
      expectTypeOf(plain.unpack(1n)).toEqualTypeOf<{ client: number; entity: bigint }>();
      expectTypeOf(layouts.pinterest.unpack('1').local).toBeNumber();
      expectTypeOf(some.unpack(1n).anything).toEqualTypeOf<number | bigint | undefined>();
    });
  });

  it('columns: the narrowest that holds the field', () => {
    unchecked(() => {
      const columns = own.unpackMany(ids);
      expectTypeOf(columns).toEqualTypeOf<{ timestamp: Float64Array; shard: Uint8Array; sequence: Uint16Array }>();
      expectTypeOf(mixed.unpackMany(ids).d).toEqualTypeOf<Uint32Array>();
      expectTypeOf(plain.unpackMany(ids).entity).toEqualTypeOf<BigUint64Array>();
      expectTypeOf(some.unpackMany(ids).anything).toEqualTypeOf<ColumnArray | undefined>();
    });
  });
});
