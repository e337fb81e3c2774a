import { expect, test } from 'vitest';
import { defineLayout, layouts } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { TYPED_ARRAYS } from '../support/typed-arrays.js';
import { wrong } from '../support/wrong-argument.js';

type Column = Uint8Array | Float64Array | BigUint64Array;
type Fault = readonly [type: string, bits: number, value: number | bigint, min?: number];

const TYPES: Readonly<Record<string, { new (length: number): unknown }>> = TYPED_ARRAYS;

// Elements that an array can hold and its field cannot.
const FAULTS: readonly Fault[] = [
  ['Uint8Array', 4, 16],
  ['Uint8Array', 1, 255],
  ['Uint8ClampedArray', 7, 128],
  ['Uint16Array', 9, 512],
  ['Uint16Array', 8, 65535],
  ['Uint32Array', 31, 2 ** 31],
  ['Uint32Array', 16, 65536],
  ['BigUint64Array', 63, 2n ** 63n],
  ['BigUint64Array', 63, 2n ** 64n - 1n],
  ['BigUint64Array', 8, 2n ** 32n],
  ['Int8Array', 8, -1],
  ['Int8Array', 63, -128],
  ['Int8Array', 3, 8],
  ['Int16Array', 16, -1],
  ['Int16Array', 63, -32768],
  ['Int32Array', 32, -1],
  ['Int32Array', 63, -(2 ** 31)],
  ['BigInt64Array', 63, -1n],
  ['BigInt64Array', 40, 2n ** 40n],
  ['Float32Array', 20, 0.5],
  ['Float32Array', 20, -1],
  ['Float32Array', 20, 2 ** 20],
  ['Float32Array', 63, Number.NaN],
  ['Float32Array', 63, Number.POSITIVE_INFINITY],
  ['Float32Array', 63, 2 ** 60],
  ['Float64Array', 40, 0.5],
  ['Float64Array', 40, 2 ** 40 - 0.5],
  ['Float64Array', 40, -1],
  ['Float64Array', 40, 5e-324],
  ['Float64Array', 40, 2 ** 40],
  ['Float64Array', 63, Number.NaN],
  ['Float64Array', 63, Number.POSITIVE_INFINITY],
  ['Float64Array', 63, Number.NEGATIVE_INFINITY],
  ['Float64Array', 63, 2 ** 53],
  ['Float64Array', 63, -(2 ** 53)],
  ['Float64Array', 63, 2 ** 62],
  ['Float64Array', 63, 1e300],
  ['Uint8Array', 8, 4, 5],
  ['Int8Array', 8, 0, 5],
  ['Uint16Array', 16, 0, 1],
  ['Uint32Array', 32, 69999, 70000],
  ['Float64Array', 53, 2 ** 40 - 1, 2 ** 40],
  ['BigUint64Array', 63, 0n, 1],
];

const isWide = (type: string): boolean => type.startsWith('Big');

function columnOf(type: string, fill: number, rows: number): Column {
  const column = new (TYPES[type] as { new (length: number): Column })(rows);
  (column as Uint8Array).fill((isWide(type) ? BigInt(fill) : fill) as number);
  return column;
}

onBothBackends('a row that does not fit', (kernels) => {
  // One row too many for a piece of 16384 of WebAssembly, and then some; BigInt has none.
  const ROWS = kernels === wasm ? 16400 : 40;
  const PLACES = kernels === wasm ? [0, 1, 777, 16383, 16384, 16390, ROWS - 1] : [0, 1, 17, ROWS - 1];
  const SENTINELS = new BigUint64Array(ROWS).fill(0xababababababababn);

  const faults = FAULTS.map(([type, bits, value, min = 0]) => ({ type, bits, value, min }));

  test.each(faults)('$type, $bits bits: $value is refused at any row, and nothing is written', ({
    type,
    bits,
    value,
    min,
  }) => {
    const layout = defineLayout({ v: { bits, min }, low: 1 });
    for (const row of PLACES) {
      const v = columnOf(type, min, ROWS);
      (v as Uint8Array)[row] = value as number;
      const out = SENTINELS.slice();
      const call = () => layout.packMany({ v, low: 1 }, { out });
      const message = expect.stringMatching(`^"columns\\.v" row ${row}: expected .+, got .+`);
      expect(call).toThrow(expect.objectContaining({ name: 'RangeError', message }));
      expect(out).toEqual(SENTINELS);
    }
  });

  // No element of these arrays reaches the field's smallest value.
  test.each([
    ['Uint8Array', 16, 300],
    ['Uint8ClampedArray', 16, 256],
    ['Int8Array', 8, 128],
    ['Uint16Array', 32, 65536],
    ['Int16Array', 16, 40000],
    ['Uint32Array', 40, 2 ** 32],
    ['Int32Array', 40, 2 ** 33],
    ['Uint8Array', 53, 2 ** 52],
  ] as const)('%s with a smallest value of %i bits, %i: every row is refused', (type, bits, min) => {
    const layout = defineLayout({ v: { bits, min }, low: 1 });
    for (const value of [0, 1, 5, 127]) {
      const out = SENTINELS.slice(0, 3);
      expect(() => layout.packMany({ v: columnOf(type, value, 3), low: 1 }, { out })).toThrow(wrong('columns.v', 0));
      expect(out).toEqual(SENTINELS.slice(0, 3));
    }
  });

  test('the first of several is named', () => {
    const layout = defineLayout({ v: 4, low: 60 });
    const v = columnOf('Uint8Array', 1, ROWS);
    for (const row of [ROWS - 1, ROWS - 5, ROWS >> 1, 7]) {
      (v as Uint8Array)[row] = 16;
      expect(() => layout.packMany({ v, low: 1 })).toThrow(`"columns.v" row ${row}:`);
    }
  });

  test.each(PLACES)('an id with spare bits at row %i is refused, and nothing is written', (row) => {
    const ids = new BigUint64Array(ROWS).fill(5n);
    ids[row] = 2n ** 63n;
    const out = { timestamp: new Float64Array(ROWS).fill(7), sequence: new Uint16Array(ROWS).fill(7) };
    const call = () => layouts.snowflake.unpackMany(ids, { out });
    const message = expect.stringMatching(`^"ids" row ${row}: expected .+, got 9223372036854775808n`);
    expect(call).toThrow(expect.objectContaining({ name: 'RangeError', message }));
    expect(out.timestamp.every((value) => value === 7)).toBe(true);
    expect(out.sequence.every((value) => value === 7)).toBe(true);
  });

  test.each(PLACES)('an id with a field below its smallest value at row %i is refused, asked for or not', (row) => {
    const ids = new BigUint64Array(ROWS).fill(67109888n);
    ids[row] = 67108864n;
    const out = { shard: new Uint16Array(ROWS).fill(7) };
    for (const fields of [['shard'], ['shard', 'type'], ['local', 'type', 'shard']] as (
      | 'shard'
      | 'type'
      | 'local'
    )[][]) {
      const call = () => layouts.ragedb.unpackMany(ids, { out, fields });
      const expected = 'an id whose type is at least 1';
      expect(call).toThrow(
        expect.objectContaining({ name: 'RangeError', argument: 'ids', row, expected, got: 67108864n }),
      );
    }
    expect(() => layouts.ragedb.unpackMany(ids, { fields: [] })).toThrow(RangeError);
    expect(out.shard.every((value) => value === 7)).toBe(true);
  });
});
