import { Dictionary, Int8, Int64, makeData, Uint16, Uint32, Uint64, Utf8, Vector, vectorFromArray } from 'apache-arrow';
import { expect, it } from 'vitest';
import { routeVector, xxh64Vector } from '../../src/arrow/index.js';
import { Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { lengths, texts, utf8 } from './samples.js';

const router = new Router({ shards: 1000 });
const values = texts(10);

/** A vector of these values by index, with a chunk for each array of indices. */
function indexed(dictionary: Vector, indexType: Int8 | Uint16 | Uint32 | Int64, ...chunks: number[][]): Vector {
  const type = new Dictionary(dictionary.type, indexType as Int8);
  const toIndex = indexType instanceof Int64 ? BigInt : Number;
  const data = chunks.map((indices) => (indexType.ArrayType as Uint16ArrayConstructor).from(indices, toIndex as never));
  return new Vector(data.map((data) => makeData({ type, data, dictionary })));
}

onBothBackends('a dictionary', () => {
  it.each([new Int8(), new Uint16(), new Uint32(), new Int64()])('indexed by %s: as its plain column', (indexType) => {
    const rows = [[0, 9, 9, 3], [], [5, 0, 1]];
    const plain = rows.flat().map((index) => values[index] as string);
    for (const dictionary of [utf8(values), utf8(values.slice(0, 4), values.slice(4))]) {
      const vector = indexed(dictionary, indexType, ...rows);
      expect(lengths(routeVector(router, vector))).toEqual([4, 0, 3]);
      expect(routeVector(router, vector).toArray()).toEqual(router.routeMany(plain));
      expect(xxh64Vector(vector, { seed: 9n }).toArray()).toEqual(xxh64Many(plain, { seed: 9n }));
      expect(xxh64Vector(vector.slice(2, 6)).toArray()).toEqual(xxh64Many(plain.slice(2, 6)));
    }
  });

  it('of u64s, which need not be hashed', () => {
    const ids = [5n, 2n ** 64n - 1n];
    const vector = indexed(vectorFromArray(ids, new Uint64()), new Int8(), [1, 0, 1]);
    const rows = BigUint64Array.from([1, 0, 1], (index) => ids[index] as bigint);
    const plain = router.with({ hash: 'none' });
    expect(routeVector(plain, vector).toArray()).toEqual(plain.routeMany(rows));
    expect(xxh64Vector(vector).toArray()).toEqual(xxh64Many(rows));
  });

  it('of each chunk its own', () => {
    const [a, b] = [indexed(utf8(['x', 'y']), new Int8(), [1, 0]), indexed(utf8(['z']), new Int8(), [0])];
    const vector = new Vector([...a.data, ...b.data]);
    expect(routeVector(router, vector).toArray()).toEqual(router.routeMany(['y', 'x', 'z']));
  });

  it('as apache-arrow makes of strings, memoized too', () => {
    const vector = vectorFromArray(['a', 'b', 'a']);
    expect(String(vector.type)).toBe('Dictionary<Int32, Utf8>');
    expect(routeVector(router, vector).toArray()).toEqual(router.routeMany(['a', 'b', 'a']));
    expect(routeVector(router, vector.memoize()).toArray()).toEqual(router.routeMany(['a', 'b', 'a']));
  });

  it('of nothing', () => {
    expect(routeVector(router, indexed(utf8([]), new Int8(), [])).length).toBe(0);
  });

  it('with a null: refused where a row has it', () => {
    expect(() => routeVector(router, vectorFromArray(['a', 'b', null, 'a']))).toThrow(wrong('vector', 2));
    const dictionary = utf8(['a', null, 'b']);
    expect(routeVector(router, indexed(dictionary, new Int8(), [2, 0])).toArray()).toEqual(
      router.routeMany(['b', 'a']),
    );
    expect(() => routeVector(router, indexed(dictionary, new Int8(), [2], [0, 1]))).toThrow(
      /^"vector" row 2: .* got null/,
    );
  });

  it.each([-1, 3])('with an index of %i into three values: refused', (index) => {
    const vector = indexed(utf8(['a', 'b', 'c']), new Int8(), [0, 1], [2, index]);
    expect(() => xxh64Vector(vector)).toThrow(RangeError);
    expect(() => xxh64Vector(vector)).toThrow(
      `"vector" row 3: expected an index from 0 to 2 into the dictionary, got ${index}`,
    );
  });

  it('with offsets that pass its data: refused', () => {
    const bad = makeData({ type: new Utf8(), data: new Uint8Array(2), valueOffsets: Int32Array.of(0, 9) });
    const dictionary = new Vector([...utf8(['a', 'b']).data, bad]);
    expect(() => xxh64Vector(indexed(dictionary, new Int8(), [0]))).toThrow(
      '"vector.dictionary.offsets" row 3: expected an offset from 0 to 2, got 9',
    );
  });

  it('of values that are no keys: refused', () => {
    const vector = indexed(vectorFromArray([1, 2], new Uint16()), new Int8(), [0]);
    expect(() => routeVector(router, vector)).toThrow(/^"vector": expected Utf8.* got Dictionary<Int8, Uint16>$/);
  });
});
