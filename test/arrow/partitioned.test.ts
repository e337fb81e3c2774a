import {
  Binary,
  type DataType,
  Dictionary,
  FixedSizeBinary,
  Int8,
  Int16,
  Int32,
  Int64,
  LargeBinary,
  LargeUtf8,
  makeData,
  Uint32,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { routeVector } from '../../src/arrow/index.js';
import { Router, type Routing } from '../../src/index.js';
import { type Partitioner, type PartitionKeys, partitioner } from '../../src/partitioners/index.js';
import { uuidText } from '../partitioners/random-keys.js';
import { bytesColumn } from '../partitioners/samples.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 as bytesOf } from '../support/bytes.js';
import { randomBytes, randomU64s } from '../support/random.js';
import { chunked, lengths, texts, utf8, withNulls } from './samples.js';

const ROWS = 300;
const words = texts(ROWS);
const uuidRows = Array.from({ length: ROWS }, (_, i) => randomBytes(16, i));
const int32s = Int32Array.from(new Int32Array(randomU64s(ROWS).buffer).subarray(0, ROWS)).fill(-1, 7, 8);
const int64s = new BigInt64Array(randomU64s(ROWS).buffer).fill(-(2n ** 63n), 7, 8);

const kafka = partitioner('kafka', { partitions: 12 });
const kafkaOfBytes = partitioner('kafka', { partitions: 12, key: 'bytes' });
const byUnits = partitioner('elasticsearch', { shards: 5 });
const byUuid = partitioner('iceberg', { buckets: 10, key: 'uuid' });
const byInt32 = partitioner('iceberg', { buckets: 200, key: 'int32' });
const byInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });

/** A partitioner, the type of a vector for it, its values, and the same ones as keys. */
type Sample = readonly [
  kind: string,
  type: DataType,
  by: Partitioner,
  values: readonly unknown[],
  keysOf: (values: readonly unknown[]) => PartitionKeys,
];

const strings = (values: readonly unknown[]) => values as string[];
const bytes = (values: readonly unknown[]) => bytesColumn(values as Uint8Array[]);
const SAMPLES: readonly Sample[] = [
  ['text', new Utf8(), kafka, words, strings],
  ['text', new LargeUtf8(), kafka, words, strings],
  ['text', new Binary(), kafka, words.map(bytesOf), bytes],
  ['text in UTF-16', new Utf8(), byUnits, words, strings],
  ['bytes', new Binary(), kafkaOfBytes, uuidRows.map((row, i) => row.subarray(i % 17)), bytes],
  ['bytes', new LargeBinary(), kafkaOfBytes, uuidRows.map((row, i) => row.subarray(i % 17)), bytes],
  ['bytes', new FixedSizeBinary(16), kafkaOfBytes, uuidRows, bytes],
  ['bytes', new Utf8(), kafkaOfBytes, words, (values) => bytesColumn(strings(values).map(bytesOf))],
  ['uuid', new FixedSizeBinary(16), byUuid, uuidRows, bytes],
  ['uuid', new Binary(), byUuid, uuidRows, bytes],
  ['uuid', new Utf8(), byUuid, uuidRows.map(uuidText), strings],
  ['int32', new Int32(), byInt32, [...int32s], (values) => Int32Array.from(values as number[])],
  ['int64', new Int64(), byInt64, [...int64s], (values) => BigInt64Array.from(values as bigint[])],
];

/** A dictionary of these values, with a chunk for each array of indices. */
function indexed(dictionary: Vector, indexType: Int8 | Int16, ...chunks: readonly (readonly number[])[]): Vector {
  const type = new Dictionary(dictionary.type, indexType as Int8);
  const data = chunks.map((indices) =>
    makeData({ type, data: indexType.ArrayType.from(indices), dictionary } as never),
  );
  return new Vector(data as never);
}

function failure(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

onBothBackends('routeVector takes a partitioner', () => {
  it.each(SAMPLES)('of %s over %s, in chunks', (_, type, by, values, keysOf) => {
    const vector = chunked([values.slice(0, 99), [], values.slice(99, 100), values.slice(100)], type);
    const shards = routeVector(by, vector);
    expect(String(shards.type)).toBe('Uint32');
    expect(lengths(shards)).toEqual([99, 0, 1, ROWS - 100]);
    expect(shards.toArray()).toEqual(by.routeMany(keysOf(values)));
  });

  it.each(SAMPLES)('of %s over %s, in slices', (_, type, by, values, keysOf) => {
    const vector = chunked([values.slice(0, 99), values.slice(99)], type);
    for (const [from, to] of [
      [0, 0],
      [7, 8],
      [90, 130],
      [99, ROWS],
    ] as const) {
      const shards = routeVector(by, vector.slice(from, to));
      expect(Array.from(shards)).toEqual(Array.from(by.routeMany(keysOf(values.slice(from, to)))));
    }
    expect(routeVector(by, vector.slice(5).slice(3, 50)).toArray()).toEqual(by.routeMany(keysOf(values.slice(8, 55))));
  });

  it.each(SAMPLES)('of %s over a dictionary of %s', (_, type, by, values, keysOf) => {
    const rows = [[0, 9, 9, 3], [], [5, 0, 1, 7]];
    const plain = by.routeMany(keysOf(rows.flat().map((row) => values[row])));
    const some = values.slice(0, 10);
    for (const dictionary of [chunked([some], type), chunked([some.slice(0, 4), some.slice(4)], type)]) {
      for (const indexType of [new Int8(), new Int16()]) {
        const vector = indexed(dictionary, indexType, ...rows);
        expect(lengths(routeVector(by, vector))).toEqual([4, 0, 4]);
        expect(routeVector(by, vector).toArray()).toEqual(plain);
        expect(routeVector(by, vector.slice(2, 6)).toArray()).toEqual(plain.slice(2, 6));
      }
    }
  });

  it('of text over a dictionary that apache-arrow makes of strings', () => {
    expect(routeVector(kafka, vectorFromArray(['a', 'b', 'a'])).toArray()).toEqual(kafka.routeMany(['a', 'b', 'a']));
  });

  it('of uuids over their text in a dictionary with a null that no row has', () => {
    const [uuid] = uuidRows.map(uuidText) as [string];
    const vector = indexed(utf8([null, uuid]), new Int8(), [1, 1]);
    expect(routeVector(byUuid, vector).toArray()).toEqual(byUuid.routeMany([uuid, uuid]));
  });
});

onBothBackends('routeVector names the row that a partitioner refuses', () => {
  it.each(SAMPLES)('a null: %s over %s', (_, type, by, values) => {
    const vector = chunked([values.slice(0, 5), [...values.slice(5, 7), null, ...values.slice(7, 20)]], type);
    const refused = { name: 'RangeError', argument: 'vector', message: expect.stringContaining('got null') };
    expect(failure(() => routeVector(by, vector))).toMatchObject({ ...refused, row: 7 });
    expect(failure(() => routeVector(by, vector.slice(6)))).toMatchObject({ ...refused, row: 1 });
    expect(routeVector(by, vector.slice(0, 7)).length).toBe(7);
    expect(routeVector(by, vector.slice(8)).length).toBe(13);
    const dictionary = chunked([[values[0], null, values[1]]], type);
    const indices = indexed(dictionary, new Int8(), [0, 2], [2, 1]);
    expect(failure(() => routeVector(by, indices))).toMatchObject({ ...refused, row: 3 });
  });

  it('a text that is not a UUID, or has a byte too many', () => {
    const [a = '', b = '', c = ''] = uuidRows.map(uuidText);
    const refused = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE', argument: 'vector', row: 3 };
    const vector = utf8([a, b], [c, `${a}0`]);
    expect(failure(() => routeVector(byUuid, vector))).toMatchObject({ ...refused, got: `${a}0` });
    expect(failure(() => routeVector(byUuid, vector.slice(1)))).toMatchObject({ ...refused, row: 2 });
    const wide = chunked(
      [[new Uint8Array(16)], [new Uint8Array(16), new Uint8Array(16), new Uint8Array(17)]],
      new Binary(),
    );
    expect(failure(() => routeVector(byUuid, wide))).toMatchObject(refused);
    const fixed = chunked([[new Uint8Array(8)]], new FixedSizeBinary(8));
    expect(failure(() => routeVector(byUuid, fixed))).toMatchObject({ ...refused, row: 0 });
  });

  it('bytes that are not UTF-8 where UTF-16 is hashed', () => {
    const vector = chunked([[bytesOf('a')], [bytesOf('é'), Uint8Array.of(0xff)]], new Binary());
    const refused = { name: 'RangeError', argument: 'vector', row: 2, expected: 'text in UTF-8' };
    expect(failure(() => routeVector(byUnits, vector))).toMatchObject(refused);
    expect(routeVector(kafka, vector).length).toBe(3);
  });
});

onBothBackends('routeVector names the first wrong row, whatever is wrong with it', () => {
  const [a, b] = uuidRows as [Uint8Array, Uint8Array];
  const short = Uint8Array.of(1, 2, 3);
  const NULL = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE', argument: 'vector', got: null };
  const SHORT = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE', argument: 'vector', expected: /UUID/ };
  const expectRefused = (vector: Vector, row: number, { expected, ...refused }: { expected?: RegExp }) => {
    const error = failure(() => routeVector(byUuid, vector));
    expect(error).toMatchObject({ ...refused, row, ...(expected && { expected: expect.stringMatching(expected) }) });
    expect((error as Error).message).toMatch(new RegExp(`^"vector" row ${row}: `));
  };

  it.each<[what: string, chunks: (Uint8Array | null)[][], row: number, refused: object]>([
    ['a value before a null', [[a, short, b, a, b, null]], 1, SHORT],
    ['a value before a null of a later chunk', [[a, b], [a, short], [null]], 3, SHORT],
    ['a null before a value', [[a, null, short]], 1, NULL],
    ['a null before a value of a later chunk', [[a, b], [null], [short]], 2, NULL],
    ['a null that is first', [[null, short]], 0, NULL],
  ])('%s', (_, chunks, row, refused) => {
    expectRefused(chunked(chunks, new Binary()), row, refused);
  });

  const values = chunked([[a, null, short], [b]], new Binary());

  it.each<[what: string, chunks: (number | null)[][], row: number, refused: object]>([
    ['a value before a null', [[0, 2, 3, 0, 3, null]], 1, SHORT],
    ['a value before a null of a later chunk', [[0, 3], [0, 2], [null]], 3, SHORT],
    ['a value before a null of the dictionary', [[0, 2, 1]], 1, SHORT],
    ['a value before an index', [[3, 3, 2, 7]], 2, SHORT],
    ['a null before a value', [[0, null, 2]], 1, NULL],
    [
      'a null of the dictionary before a value',
      [
        [0, 3],
        [1, 2],
      ],
      2,
      NULL,
    ],
    ['an index before a value', [[0, 7, 2]], 1, { ...NULL, got: 7 }],
    [
      'a null, where no row has the wrong value',
      [
        [0, 3],
        [3, null],
      ],
      3,
      NULL,
    ],
    [
      'a null of the dictionary, where no row has the wrong value',
      [
        [0, 3],
        [3, 1],
      ],
      3,
      NULL,
    ],
  ])('of a dictionary: %s', (_, chunks, row, refused) => {
    expectRefused(withNulls(values, new Int8(), ...chunks), row, refused);
  });

  it('of a dictionary, or the place of a wrong value in it that no row has', () => {
    const error = failure(() => routeVector(byUuid, withNulls(values, new Int8(), [0, 3], [3, 0])));
    expect(error).toMatchObject({ ...NULL, argument: 'vector.dictionary', row: 2, got: expect.anything() });
    const cause = { argument: 'vector.dictionary', row: 2 };
    expect(failure(() => routeVector(byUuid, withNulls(values, new Int8(), [0, 2])))).toMatchObject({ row: 1, cause });
  });

  it('of a dictionary of bytes that are not UTF-8 where UTF-16 is hashed', () => {
    const texts = chunked([[bytesOf('a'), null, Uint8Array.of(0xff)]], new Binary());
    const refused = { argument: 'vector', row: 2, expected: 'text in UTF-8' };
    expect(failure(() => routeVector(byUnits, withNulls(texts, new Int8(), [0], [0, 2, null])))).toMatchObject(refused);
  });
});

describe('routeVector refuses vectors of types that are not the keys of a partitioner', () => {
  const BYTES = 'Utf8, LargeUtf8, Binary, LargeBinary or FixedSizeBinary';
  const vectors: readonly Vector[] = [
    vectorFromArray(['a'], new Utf8()),
    vectorFromArray([new Uint8Array(16)], new FixedSizeBinary(16)),
    vectorFromArray([1], new Int16()),
    vectorFromArray([1], new Int32()),
    vectorFromArray([1], new Uint32()),
    vectorFromArray([1n], new Int64()),
    vectorFromArray([1n], new Uint64()),
  ];

  it.each<[by: Partitioner, kind: string, accepted: readonly string[], expected: string]>([
    [kafka, 'text', ['Utf8', 'FixedSizeBinary[16]'], BYTES],
    [kafkaOfBytes, 'bytes', ['Utf8', 'FixedSizeBinary[16]'], BYTES],
    [byInt32, 'int32', ['Int32'], 'Int32'],
    [byInt64, 'int64', ['Int64'], 'Int64'],
  ])('%o: %s', (by, _, accepted, expected) => {
    for (const vector of vectors) {
      const type = String(vector.type);
      for (const given of [vector, indexed(vector, new Int8(), [0, 0])]) {
        if (accepted.includes(type)) expect(routeVector(by, given).length).toBe(given.length);
        else {
          expect(failure(() => routeVector(by, given))).toMatchObject({
            name: 'TypeError',
            code: 'ERR_INVALID_ARG_TYPE',
            argument: 'vector',
            expected: `${expected}, or a dictionary`,
            message: expect.stringContaining(String(given.type)),
          });
        }
      }
    }
  });

  it('uuid: integers', () => {
    for (const vector of vectors.slice(2)) {
      expect(failure(() => routeVector(byUuid, vector))).toMatchObject({ name: 'TypeError', argument: 'vector' });
    }
  });
});

onBothBackends('routeVector takes a Routing of your own', () => {
  const router = new Router({ shards: 1000 });
  const own = (more: object = {}): Routing => ({
    shards: 1000,
    route: (key) => router.route(key),
    routeMany: (keys) => router.routeMany(keys),
    toJSON: () => ({}),
    ...more,
  });

  it('over vectors of every type of key', () => {
    expect(routeVector(own(), utf8(words.slice(0, 9), words.slice(9))).toArray()).toEqual(router.routeMany(words));
    expect(routeVector(own(), vectorFromArray([...int64s], new Int64())).toArray()).toEqual(router.routeMany(int64s));
    const vector = indexed(utf8(words.slice(0, 10)), new Int8(), [3, 3], [9]);
    expect(Array.from(routeVector(own(), vector))).toEqual([3, 3, 9].map((row) => router.route(words[row])));
    expect(failure(() => routeVector(own(), vectorFromArray([1], new Int32())))).toMatchObject({ argument: 'vector' });
  });

  it('whatever other properties it has', () => {
    expect(routeVector(own({ key: 'int64' }), utf8(words)).toArray()).toEqual(router.routeMany(words));
  });

  it('and refuses its wrong results', () => {
    for (const [result, name] of [
      [[0, 1], 'TypeError'],
      [new Uint32Array(3), 'RangeError'],
      [Uint32Array.of(0, 1000), 'RangeError'],
    ] as const) {
      const error = failure(() => routeVector(own({ routeMany: () => result }), utf8(['a', 'b'])));
      expect(error).toMatchObject({ name, argument: 'router', expected: expect.stringContaining('from routeMany') });
    }
  });
});
