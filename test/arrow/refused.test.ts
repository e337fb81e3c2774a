import { LargeUtf8, makeData, makeVector, Uint64, Utf8, Vector } from 'apache-arrow';
import { expect, it } from 'vitest';
import { chunksOf, routeVector, unpackVector, xxh64Vector } from '../../src/arrow/index.js';
import { layouts, Router } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { chunked } from './samples.js';

const router = new Router({ shards: 10 });

const KEY_USES = [
  ['chunksOf', (vector: Vector) => chunksOf(vector)],
  ['routeVector', (vector: Vector) => routeVector(router, vector)],
  ['xxh64Vector', (vector: Vector) => xxh64Vector(vector)],
] as const;

/** A column of Utf8 with these offsets over 9 bytes. */
const corrupt = (...offsets: number[]) =>
  makeData({ type: new Utf8(), data: new Uint8Array(9), valueOffsets: Int32Array.from(offsets) });

onBothBackends('rows that are refused', () => {
  it.each(KEY_USES)('%s: a null, by its row of the whole vector, unless it is cut off', (_, use) => {
    for (const type of [new Utf8(), new LargeUtf8()]) {
      const chunks = [['a', 'b', 'c'], [], ['d', 'e', null, ...new Array(20).fill('f'), null]];
      const vector = chunked(chunks, type);
      const refused = (at: Vector, row: number) => {
        expect(() => use(at)).toThrow(RangeError);
        expect(() => use(at)).toThrow(new RegExp(`^"vector" row ${row}: expected a value, got null`));
        expect(() => use(at)).toThrow(expect.objectContaining({ row }));
      };
      refused(vector, 5);
      refused(vector.slice(1), 4);
      refused(vector.slice(4), 1);
      refused(vector.slice(6), 20);
      refused(vector.slice(7).slice(3, 20), 16);
      expect(() => use(vector.slice(0, 5))).not.toThrow();
      expect(() => use(vector.slice(6, 26))).not.toThrow();
    }
  });

  it('the first one, be it a null or an offset or an id that does not fit', () => {
    const early = makeData({
      type: new Utf8(),
      data: new Uint8Array(9),
      valueOffsets: Int32Array.of(0, 3, 10, 10),
      nullBitmap: Uint8Array.of(0b011),
    });
    const late = makeData({
      type: new Utf8(),
      data: new Uint8Array(9),
      valueOffsets: Int32Array.of(0, 3, 3, 10),
      nullBitmap: Uint8Array.of(0b101),
    });
    const good = corrupt(0, 3, 6, 9);
    expect(() => routeVector(router, new Vector([good, early]))).toThrow(/^"vector\.offsets" row 5: /);
    expect(() => routeVector(router, new Vector([good, late]))).toThrow(wrong('vector', 4));
    const tooWide = [1n, 2n ** 63n, 2n, null];
    expect(() => unpackVector(layouts.pinterest, chunked([[1n], tooWide], new Uint64()))).toThrow(
      expect.objectContaining({ argument: 'vector', row: 2, got: 2n ** 63n }),
    );
    expect(() => unpackVector(layouts.pinterest, chunked([[1n, null], tooWide], new Uint64()))).toThrow(
      wrong('vector', 1),
    );
  });

  it('a null among ids', () => {
    const vector = chunked(
      [
        [1n, 2n],
        [3n, null],
      ],
      new Uint64(),
    );
    expect(() => unpackVector(layouts.pinterest, vector)).toThrow(wrong('vector', 3));
    expect(unpackVector(layouts.pinterest, vector.slice(0, 3)).local.toArray()).toEqual(Float64Array.of(1, 2, 3));
  });

  it('a bitmap without nulls is none', () => {
    const nullBitmap = Uint8Array.of(0b111);
    const vector = makeVector({ type: new Uint64(), data: BigUint64Array.of(1n, 2n, 3n), nullBitmap });
    expect(routeVector(router, vector).length).toBe(3);
  });

  it('offsets that descend or pass the data, by their row of the whole vector', () => {
    const good = corrupt(0, 3, 6, 9);
    for (const [bad, row] of [
      [corrupt(0, 3, 2), 5],
      [corrupt(0, 10), 4],
      [corrupt(-5, 3), 3],
    ] as const) {
      const use = () => routeVector(router, new Vector([good, bad]));
      expect(use).toThrow(RangeError);
      expect(use).toThrow(new RegExp(`^"vector\\.offsets" row ${row}: expected an offset from`));
    }
  });

  it('offsets of 64 bits that 32 bits do not hold', () => {
    const type = new LargeUtf8();
    for (const offset of [-1n, 2n ** 32n, 2n ** 62n]) {
      const data = makeData({ type, data: new Uint8Array(9), valueOffsets: BigInt64Array.of(0n, offset, 5n) });
      expect(() => chunksOf(new Vector([data]))).toThrow(/^"vector": expected an offset of 0 to 4294967295 in a chunk/);
    }
  });

  it('a chunk whose memory does not hold its rows', () => {
    const short = [
      makeData({ type: new Uint64(), data: BigUint64Array.of(1n), length: 2 }),
      makeData({ type: new Utf8(), data: new Uint8Array(9), valueOffsets: Int32Array.of(0, 1), length: 2 }),
    ];
    for (const data of short) {
      expect(() => chunksOf(new Vector([data as never]))).toThrow(/^"vector": expected [23] elements .* got [12]$/);
    }
  });
});
