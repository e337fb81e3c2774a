import { Dictionary, Int8, Int64, makeData, Uint16, Uint32, Uint64, Utf8, Vector, vectorFromArray } from 'apache-arrow';
import { expect, it } from 'vitest';
import { routeVector, xxh64Vector } from '../../src/arrow/index.js';
import { Router, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { lengths, texts, utf8, withNulls } from './samples.js';

const router = new Router({ shards: 1000 });
const values = texts(10);

/** A vector of these values by index, with a chunk for each array of indices. */
function indexed(dictionary: Vector, indexType: Int8 | Uint16 | Uint32 | Int64, ...chunks: number[][]): Vector {
  const type = new Dictionary(dictionary.type, indexType as Int8);
  const toIndex = indexType instanceof Int64 ? BigInt : Number;
  const data = chunks.map((indices) => (indexType.ArrayType as Uint16ArrayConstructor).from(indices, toIndex as never));
  return new Vector(data.map((data) => makeData({ type, data, dictionary })));
}

/** A chunk of text with two bytes. */
const passing = (valueOffsets: Int32Array, nullBitmap?: Uint8Array) =>
  makeData({ type: new Utf8(), data: Uint8Array.of(0x61, 0x62), valueOffsets, ...(nullBitmap && { nullBitmap }) });

onBothBackends('a dictionary', () => {
  it.each([new Int8(), new Uint16(), new Uint32(), new Int64()])('indexed by %s: as its plain column', (indexType) => {
    const rows = [[0, 9, 9, 3], [], [5, 0, 1]];
    const plain = rows.flat().map((index) => values[index]);
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
    const rows = BigUint64Array.from([1, 0, 1], (index) => ids[index]);
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

  it('with offsets that pass its data: refused where a row has them, or else by their place in the dictionary', () => {
    const dictionary = new Vector([...utf8(['a', 'b']).data, passing(Int32Array.of(0, 9))]);
    const problem = '"vector.dictionary.offsets" row 3: expected an offset from 0 to 2, got 9';
    expect(() => xxh64Vector(indexed(dictionary, new Int8(), [0]))).toThrow(problem);
    const vector = indexed(dictionary, new Int8(), [0, 1], [1, 2, 0, 2]);
    expect(() => xxh64Vector(vector)).toThrow('"vector" row 3: expected an offset from 0 to 2, got 9');
    expect(() => xxh64Vector(vector)).toThrow(
      expect.objectContaining({ row: 3, cause: expect.objectContaining({ message: problem }) }),
    );
  });

  it('with a null and offsets that pass its data or descend: refused', () => {
    for (const [offsets, row] of [
      [Int32Array.of(0, 1, 1, 9), 3],
      [Int32Array.of(0, 9, 9, 2), 1],
      [Int32Array.of(0, 2, 1, 2), 2],
    ] as const) {
      const bad = passing(offsets, Uint8Array.of(0b101)); // the second of three is null
      const vector = indexed(new Vector([bad]), new Int8(), [0]);
      expect(() => xxh64Vector(vector)).toThrow(RangeError);
      if (row === 3) expect(() => xxh64Vector(vector)).toThrow('"vector.dictionary.offsets" row 3');
      expect(() => xxh64Vector(indexed(new Vector([bad]), new Int8(), [1, 0]))).toThrow(/^"vector" row 0: .* got null/);
    }
  });

  it('of values that are no keys: refused', () => {
    const vector = indexed(vectorFromArray([1, 2], new Uint16()), new Int8(), [0]);
    expect(() => routeVector(router, vector)).toThrow(/^"vector": expected Utf8.* got Dictionary<Int8, Uint16>$/);
  });
});

onBothBackends('the first wrong row of a dictionary vector is named, whatever is wrong with it', () => {
  const dictionary = utf8(['a', null, 'b']);
  const withPassing = new Vector([...dictionary.data, passing(Int32Array.of(0, 9))]);
  const NULL = /^"vector" row \d+: expected a value, got null, which is not a key$/;
  const INDEX = /^"vector" row \d+: expected an index from 0 to \d into the dictionary, got 7$/;
  const OFFSET = /^"vector" row \d+: expected an offset from [01] to 2, got 9$/;

  it.each<[what: string, dictionary: Vector, chunks: (number | null)[][], row: number, message: RegExp]>([
    ['an index before a null', dictionary, [[0, 7, 0, 2, 0, null]], 1, INDEX],
    ['an index before a null of a later chunk', dictionary, [[0, 2], [2, 7], [], [null]], 3, INDEX],
    ['an index before a null of the dictionary', dictionary, [[0, 7, 1]], 1, INDEX],
    ['a null before an index', dictionary, [[0, null, 0, 7]], 1, NULL],
    ['a null before an index of a later chunk', dictionary, [[0, 2], [null], [7]], 2, NULL],
    ['a null of the dictionary before one of the vector', dictionary, [[0, 2, 1, 0, null]], 2, NULL],
    ['a null of the vector before one of the dictionary', dictionary, [[0, null, 1]], 1, NULL],
    ['a null of the dictionary before one of a later chunk', dictionary, [[0], [2, 1, 2], [null]], 2, NULL],
    ['an offset before a null', withPassing, [[0, 3, null]], 1, OFFSET],
    ['an offset before a null of a later chunk', withPassing, [[0], [2, 3], [null]], 2, OFFSET],
    ['an offset before a null of the dictionary', withPassing, [[0, 3, 1]], 1, OFFSET],
    ['a null of the dictionary before an offset', withPassing, [[2, 1, 3]], 1, NULL],
    ['a null before an offset', withPassing, [[2, null, 3]], 1, NULL],
    ['a null, where an offset is wrong that no row has', withPassing, [[2], [0, null]], 2, NULL],
    ['an index, where an offset is wrong that no row has', withPassing, [[2], [0, 7]], 2, INDEX],
  ])('%s', (_, values, chunks, row, message) => {
    const vector = withNulls(values, new Int8(), ...chunks);
    for (const use of [(at: Vector) => routeVector(router, at), (at: Vector) => xxh64Vector(at)]) {
      expect(() => use(vector)).toThrow(message);
      expect(() => use(vector)).toThrow(expect.objectContaining({ name: 'RangeError', row, code: 'ERR_OUT_OF_RANGE' }));
      expect(() => use(vector.slice(1))).toThrow(expect.objectContaining({ row: row - 1 }));
      const good = vector.slice(0, row);
      if (values === dictionary) expect(use(good).length).toBe(row);
    }
  });

  it('where each chunk has a dictionary of its own', () => {
    const [a, b] = [utf8(['a', 'b']), new Vector([passing(Int32Array.of(0, 1, 9))])];
    const refused = (row: number, message: RegExp, dictionaries: Vector[], ...chunks: (number | null)[][]) => {
      const vector = withNulls(dictionaries, new Int8(), ...chunks);
      expect(() => xxh64Vector(vector)).toThrow(message);
      expect(() => xxh64Vector(vector)).toThrow(expect.objectContaining({ row }));
    };
    refused(1, INDEX, [a, b], [0, 7], [1]);
    refused(2, OFFSET, [a, b], [0, 1], [1, 7]);
    refused(3, INDEX, [b, a], [0, 0], [1, 7]);
    refused(3, NULL, [b, a], [0, 0], [1, null]);
    refused(2, /^"vector\.dictionary\.offsets" row 2: /, [b, a], [0, 0], [1, 0]);
  });
});
