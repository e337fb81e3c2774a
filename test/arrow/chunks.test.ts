import {
  Binary,
  FixedSizeBinary,
  Int64,
  LargeBinary,
  LargeUtf8,
  makeData,
  makeVector,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { type ArrowVector, chunksOf } from '../../src/arrow/index.js';
import type { BytesColumn } from '../../src/index.js';
import { chunked, texts, utf8 } from './samples.js';

/** The bytes of every row, by chunk. */
function rowsOf(vector: ArrowVector): Uint8Array[][] {
  return chunksOf(vector).map((keys) => {
    const { data, offsets } = keys as BytesColumn;
    return Array.from({ length: Math.max(0, offsets.length - 1) }, (_, row) =>
      data.slice(offsets[row], offsets[row + 1]),
    );
  });
}

const bytes = (values: readonly string[]) => values.map((text) => new TextEncoder().encode(text));
const some = texts(20);

describe('chunksOf', () => {
  it.each([
    ['Utf8', new Utf8(), some],
    ['LargeUtf8', new LargeUtf8(), some],
    ['Binary', new Binary(), bytes(some)],
    ['LargeBinary', new LargeBinary(), bytes(some)],
  ])('%s: its rows, of chunks and slices and slices of slices', (_, type, values) => {
    const vector = chunked([values, [], values.slice(5)], type);
    const expected = bytes(some);
    expect(rowsOf(vector)).toEqual([expected, [], expected.slice(5)]);
    expect(rowsOf(vector.slice(3, 11))).toEqual([expected.slice(3, 11)]);
    expect(rowsOf(vector.slice(2).slice(3, 30))).toEqual([expected.slice(5), [], expected.slice(5, 17)]);
    expect(rowsOf(vector.slice(4, 4))).toEqual([[]]);
    expect(rowsOf(chunked([[]], type))).toEqual([[]]);
  });

  it('FixedSizeBinary', () => {
    const values = [1, 2, 3].map((n) => new Uint8Array(16).fill(n));
    const vector = chunked([values, [], values], new FixedSizeBinary(16));
    expect(rowsOf(vector)).toEqual([values, [], values]);
    expect(rowsOf(vector.slice(1, 5))).toEqual([values.slice(1), [], values.slice(0, 2)]);
  });

  it.each([
    ['Uint64', new Uint64(), BigUint64Array.of(0n, 1n, 2n ** 64n - 1n, 5n)],
    ['Int64', new Int64(), BigInt64Array.of(0n, 1n, -1n, 5n)],
  ])('%s, as the same bits', (_, type, values) => {
    const vector = new Vector([makeData({ type, data: values }), makeData({ type, data: values.slice(0, 0) })]);
    const expected = BigUint64Array.of(0n, 1n, 2n ** 64n - 1n, 5n);
    expect(chunksOf(vector)).toEqual([expected, new BigUint64Array(0)]);
    expect(chunksOf(vector.slice(1, 4))).toEqual([expected.slice(1)]);
    expect(chunksOf(vector.slice(1, 4).slice(1, 2))).toEqual([expected.slice(2, 3)]);
  });

  it('leaves the padding behind the rows', () => {
    const built = vectorFromArray([1n, 2n, 3n], new Uint64());
    expect(built.data[0]?.values.length).toBeGreaterThan(3);
    expect(chunksOf(built)).toEqual([BigUint64Array.of(1n, 2n, 3n)]);
  });

  it('copies nothing', () => {
    const vector = utf8(some).slice(3, 9);
    const { data, offsets } = chunksOf(vector)[0] as BytesColumn;
    expect(data).toBe(vector.data[0]?.values);
    expect(offsets.buffer).toBe(vector.data[0]?.valueOffsets.buffer);
    expect(offsets[0]).toBeGreaterThan(0);

    const ids = BigUint64Array.of(1n, 2n, 3n);
    const [keys] = chunksOf(makeVector(ids).slice(1)) as [BigUint64Array];
    expect([keys.buffer, keys.byteOffset]).toEqual([ids.buffer, 8]);
    expect(keys.buffer).toBe(ids.buffer);

    const signed = BigInt64Array.of(1n, 2n);
    expect((chunksOf(makeVector(signed))[0] as BigUint64Array).buffer).toBe(signed.buffer);

    const large = vectorFromArray(some, new LargeUtf8());
    expect((chunksOf(large)[0] as BytesColumn).data.buffer).toBe(large.data[0]?.values.buffer);
  });

  it('counts 64-bit offsets from the first of the chunk', () => {
    const { values, valueOffsets } = vectorFromArray(['abc', 'de', 'f'], new LargeUtf8()).data[0] as never;
    const slice = {
      length: 2,
      offset: 1,
      nullCount: 0,
      values,
      valueOffsets: (valueOffsets as BigInt64Array).slice(1),
    };
    expect(rowsOf({ type: new LargeUtf8(), data: [slice] })).toEqual([bytes(['de', 'f'])]);
  });
});
