import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ColumnsToPack, defineLayout, type FieldSpecs, type Layout } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';

/** Widths that add up to 64 at most: what does not fit is cut off. Often exactly 64. */
function fitting(widths: readonly number[]): number[] {
  let left = 64;
  return widths.flatMap((bits) => {
    const kept = Math.min(bits, left);
    left -= kept;
    return kept > 0 ? [kept] : [];
  });
}

const widths = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 8 }).map(fitting);
const layoutOf = (bits: readonly number[]): Layout =>
  defineLayout(Object.fromEntries(bits.map((width, i) => [`f${i}`, width])));
const anyValue = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const record = (row: readonly bigint[]) => Object.fromEntries(row.map((value, i) => [`f${i}`, value]));

/** A layout with rows of values that fit it. */
const filled = widths.chain((bits) =>
  fc.record({
    bits: fc.constant(bits),
    rows: fc.array(fc.tuple(...bits.map(anyValue)), { minLength: 1, maxLength: 20 }),
  }),
);

/** The id as a picture of its bits, most significant first. */
const drawn = (bits: readonly number[], row: readonly bigint[]): bigint =>
  BigInt(`0b${row.map((value, i) => value.toString(2).padStart(bits[i], '0')).join('')}`);

onBothBackends('any layout', () => {
  test('pack puts the fields side by side, most significant first', () => {
    fc.assert(
      fc.property(filled, ({ bits, rows }) => {
        const layout = layoutOf(bits);
        expect(rows.map((row) => layout.pack(record(row)))).toEqual(rows.map((row) => drawn(bits, row)));
      }),
    );
  });

  test('unpack gives back what was packed: numbers up to 53 bits, otherwise bigints', () => {
    fc.assert(
      fc.property(filled, ({ bits, rows }) => {
        const layout = layoutOf(bits);
        for (const row of rows) {
          const expected = row.map((value, i) => (bits[i] <= 53 ? Number(value) : value));
          expect(Object.values(layout.unpack(layout.pack(record(row))))).toEqual(expected);
        }
      }),
    );
  });

  test('pack gives back any id within the mask that was unpacked', () => {
    const ids = widths.chain((bits) =>
      fc.record({ bits: fc.constant(bits), id: anyValue(bits.reduce((sum, width) => sum + width, 0)) }),
    );
    fc.assert(
      fc.property(ids, ({ bits, id }) => {
        const layout = layoutOf(bits);
        expect(layout.mask).toBe(2n ** BigInt(layout.bits) - 1n);
        expect(layout.pack(layout.unpack(id))).toBe(id);
        expect(layout.pack(layout.unpack(String(id)))).toBe(id);
      }),
    );
  });

  test('an id with any bit above the mask is refused', () => {
    fc.assert(
      fc.property(
        widths.filter((bits) => bits.reduce((sum, width) => sum + width, 0) < 64),
        fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
        (bits, above) => {
          const layout = layoutOf(bits);
          const id = BigInt.asUintN(64, above << BigInt(layout.bits)) || 1n << 63n;
          expect(() => layout.unpack(id)).toThrow(RangeError);
          expect(() => layout.unpackMany(BigUint64Array.of(0n, 0n, id))).toThrow(wrong('ids', 2));
        },
      ),
    );
  });

  test('packMany does what pack does, row by row, from wide and from narrow columns', () => {
    fc.assert(
      fc.property(filled, ({ bits, rows }) => {
        const layout = layoutOf(bits);
        const expected = BigUint64Array.from(rows, (row) => layout.pack(record(row)));
        const wide = Object.fromEntries(bits.map((_, i) => [`f${i}`, BigUint64Array.from(rows, (row) => row[i])]));
        expect(layout.packMany(wide)).toEqual(expected);
        const narrow = Object.fromEntries(
          bits.map((width, i) => {
            const values = rows.map((row) => row[i]);
            return [`f${i}`, width <= 53 ? Float64Array.from(values, Number) : BigInt64Array.from(values)];
          }),
        );
        expect(layout.packMany(narrow)).toEqual(expected);
      }),
    );
  });

  test('a scalar does what a column of it does', () => {
    fc.assert(
      fc.property(filled, fc.nat(), ({ bits, rows }, pick) => {
        const layout = layoutOf(bits);
        const scalar = `f${pick % bits.length}`;
        const columns: Record<string, ColumnsToPack<FieldSpecs>[string]> = Object.fromEntries(
          bits.map((_, i) => [`f${i}`, BigUint64Array.from(rows, (row) => row[i])]),
        );
        const value = rows[0]?.[pick % bits.length];
        columns[scalar] = new BigUint64Array(rows.length).fill(value);
        const expected = layout.packMany(columns);
        columns[scalar] = value;
        expect(layout.packMany(columns)).toEqual(bits.length === 1 ? expected.subarray(0, 1) : expected);
      }),
    );
  });

  test('unpackMany does what unpack does, row by row, narrow and wide', () => {
    fc.assert(
      fc.property(filled, ({ bits, rows }) => {
        const layout = layoutOf(bits);
        const ids = BigUint64Array.from(rows, (row) => drawn(bits, row));
        const narrow = layout.unpackMany(ids);
        const wide = layout.unpackMany(ids, { wide: true });
        expect(Object.keys(narrow)).toEqual(Object.keys(layout.fields));
        bits.forEach((_, i) => {
          const expected = rows.map((row) => row[i]);
          expect(Array.from(narrow[`f${i}`] as Uint8Array, BigInt)).toEqual(expected);
          expect(wide[`f${i}`]).toBeInstanceOf(BigUint64Array);
          expect(Array.from(wide[`f${i}`])).toEqual(expected);
        });
      }),
    );
  });

  test('a smallest value divides ids into those that unpack and those that are refused', () => {
    const withMin = fc
      .integer({ min: 1, max: 30 })
      .chain((bits) =>
        fc.record({ bits: fc.constant(bits), min: fc.integer({ min: 1, max: 2 ** bits - 1 }), value: anyValue(bits) }),
      );
    fc.assert(
      fc.property(withMin, fc.bigInt({ min: 0n, max: 0xffffn }), ({ bits, min, value }, low) => {
        const layout = defineLayout({ a: { bits, min }, low: 16 });
        const id = (value << 16n) | low;
        if (value >= BigInt(min)) {
          expect(layout.pack({ a: value, low })).toBe(id);
          expect(layout.packMany({ a: Uint32Array.of(Number(value)), low })[0]).toBe(id);
          expect(layout.unpack(id)).toEqual({ a: Number(value), low: Number(low) });
          expect(layout.unpackMany(BigUint64Array.of(id)).a[0]).toBe(Number(value));
        } else {
          expect(() => layout.pack({ a: value, low })).toThrow(RangeError);
          expect(() => layout.packMany({ a: Uint32Array.of(Number(value)), low })).toThrow(wrong('columns.a', 0));
          expect(() => layout.unpack(id)).toThrow(RangeError);
          expect(() => layout.unpackMany(BigUint64Array.of(id), { fields: ['low'] })).toThrow(wrong('ids', 0));
        }
      }),
    );
  });
});
