import { expect, test } from 'vitest';
import { defineLayout } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { onBothEntries } from './entries.js';

const WIDTHS = [1, 5, 31, 32, 33, 52, 53, 54, 63];
const NO_VALUES = [-1n, 2n ** 64n, 2n ** 64n + 1n, -(2n ** 64n)];
const NOT_EXACT = [2 ** 53, 2 ** 60, 2 ** 63];

onBothEntries('single values', ({ defineLayout, layouts }) => {
  test('numbers and bigints mean the same', () => {
    const layout = defineLayout({ a: 10, b: 54 });
    expect(layout.pack({ a: 1023n, b: 7n })).toBe(layout.pack({ a: 1023, b: 7 }));
  });

  test('minus zero is zero', () => {
    const layout = defineLayout({ a: 4, b: 4 });
    expect(layout.pack({ a: -0, b: 1 })).toBe(1n);
  });

  test.each([1, 8, 31, 32, 33, 52, 53])('a field of %i bits unpacks to a number', (bits) => {
    const layout = defineLayout({ a: bits, b: 64 - bits });
    const largest = (1n << BigInt(bits)) - 1n;
    expect(layout.unpack(2n ** 64n - 1n).a).toBe(Number(largest));
    expect(layout.pack({ a: Number(largest), b: 0 })).toBe(largest << BigInt(64 - bits));
  });

  test.each([54, 63, 64])('a field of %i bits unpacks to a bigint, also for small values', (bits) => {
    const layout = defineLayout({ a: bits });
    expect(layout.unpack(5n).a).toBe(5n);
    expect(layout.unpack((1n << BigInt(bits)) - 1n).a).toBe((1n << BigInt(bits)) - 1n);
  });

  test.each(WIDTHS)('%i bits: the largest value fits, one more is refused', (bits) => {
    const layout = defineLayout({ pad: 1, a: bits });
    const largest = (1n << BigInt(bits)) - 1n;
    expect(layout.pack({ pad: 0, a: largest })).toBe(largest);
    for (const a of [largest + 1n, ...NO_VALUES]) {
      expect(() => layout.pack({ pad: 0, a })).toThrow(wrong('values.a'));
    }
  });

  test('a number beyond 2^53 - 1 may have been rounded, and is refused where its bigint is taken', () => {
    const layout = defineLayout({ a: 64 });
    expect(layout.pack({ a: Number.MAX_SAFE_INTEGER })).toBe(2n ** 53n - 1n);
    expect(layout.pack({ a: 2n ** 53n })).toBe(2n ** 53n);
    for (const a of NOT_EXACT) expect(() => layout.pack({ a })).toThrow(RangeError);
  });

  test('what was unpacked can be packed', () => {
    for (const id of [0n, 1n, 0x0123456789abcdefn, 2n ** 62n - 1n]) {
      expect(layouts.pinterest.pack(layouts.pinterest.unpack(id))).toBe(id);
    }
  });

  test('are refused alike in any order of the fields', () => {
    class Later extends Date {
      override getTime(): number {
        return super.getTime() + 1000;
      }
    }
    const { snowflake } = layouts;
    const timestamp = new Later('2024-03-01T10:30:15.500Z');
    expect(snowflake.pack({ timestamp, shard: 5, sequence: 123 })).toBe(154173452582932603n);
    expect(snowflake.pack({ sequence: 123, timestamp, shard: 5 })).toBe(154173452582932603n);
    const wrong = { argument: 'values', code: 'ERR_INVALID_ARG_TYPE' };
    const values = { timestamp: 1740822615500, shard: 5, sequence: 1 };
    for (const given of [Object.assign(() => {}, values), Object.assign([], values)]) {
      expect(() => snowflake.pack(given)).toThrow(expect.objectContaining(wrong));
    }
    const fake = Object.create(Date.prototype);
    expect(() => snowflake.pack({ timestamp: fake, shard: 5, sequence: 1 })).toThrow(
      expect.objectContaining({ argument: 'values.timestamp', code: 'ERR_INVALID_ARG_TYPE' }),
    );
  });

  test('shardOf is the plain field where no field has a smallest value', () => {
    expect(layouts.snowflake.shardOf(5n << 12n)).toBe(5);
    expect(layouts.pinterest.shardOf(3429n << 46n)).toBe(3429);
    const layout = defineLayout({ shard: 64 });
    expect(layout.shardOf(2n ** 53n - 1n)).toBe(2 ** 53 - 1);
  });

  test('a shard that no number holds exactly is refused, and not rounded', () => {
    const layout = defineLayout({ shard: 64 });
    expect(() => layout.shardOf(2n ** 53n + 1n)).toThrow(RangeError);
  });
});

onBothBackends('single values for a column', () => {
  test('numbers and bigints mean the same as for one id', () => {
    const layout = defineLayout({ a: 10, b: 54 });
    expect(layout.packMany({ a: 1023n, b: 7 })).toEqual(BigUint64Array.of(layout.pack({ a: 1023, b: 7 })));
  });

  test('minus zero is zero', () => {
    const layout = defineLayout({ a: 4, b: 4 });
    expect(layout.packMany({ a: -0, b: 1 })[0]).toBe(1n);
    expect(layout.packMany({ a: Float64Array.of(-0, 1), b: Float32Array.of(1, -0) })).toEqual(
      BigUint64Array.of(1n, 16n),
    );
  });

  test.each(WIDTHS)('%i bits: what does not fit is refused', (bits) => {
    const layout = defineLayout({ pad: 1, a: bits });
    for (const a of [1n << BigInt(bits), ...NO_VALUES]) {
      expect(() => layout.packMany({ pad: Uint8Array.of(0, 0), a })).toThrow(RangeError);
    }
  });

  test('a number beyond 2^53 - 1 may have been rounded, and is refused', () => {
    const layout = defineLayout({ a: 64 });
    for (const a of NOT_EXACT) expect(() => layout.packMany({ a })).toThrow(RangeError);
  });
});
