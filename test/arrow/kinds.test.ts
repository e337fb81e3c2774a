import {
  Binary,
  type Data,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  TimestampMillisecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { routeVector } from '../../src/arrow/index.js';
import { type KeyKind, partitioner } from '../../src/partitioners/index.js';
import { uuidText } from '../partitioners/random-keys.js';
import { onBothBackends } from '../support/backends.js';
import { chunked, withNulls } from './samples.js';

type Integers = { readonly name: string; from(values: readonly any[]): ArrayBufferView & { length: number } };

/** A vector of integers as they lie in memory, with nulls by the bitmap, and another value in their place. */
function ofIntegers(type: DataType, array: Integers, ...chunks: readonly (readonly unknown[])[]): Vector {
  const data = chunks.map((values) => {
    const nullBitmap = new Uint8Array(Math.ceil(values.length / 8));
    for (const [row, value] of values.entries()) if (value !== null) nullBitmap[row >> 3] |= 1 << (row & 7);
    const filler = values.find((value) => value !== null) ?? (array.name.startsWith('Big') ? 0n : 0);
    const nullCount = values.filter((value) => value === null).length;
    const memory = array.from(values.map((value) => value ?? filler));
    return makeData({ type, length: values.length, nullCount, nullBitmap, data: memory } as never);
  });
  return new Vector(data as never);
}

const US = 1510871468000001n;

type Sample = readonly [
  kind: KeyKind,
  system: string,
  of: (...chunks: any[][]) => Vector,
  keys: readonly any[],
  keyOf?: (value: any) => any,
];

const same = (key: any) => key;

/** Vectors of each kind, and their keys. */
const VECTORS: readonly Sample[] = [
  ['int8', 'spark', (...chunks) => ofIntegers(new Int8(), Int8Array, ...chunks), [-128, 127, 42]],
  ['int16', 'postgres', (...chunks) => ofIntegers(new Int16(), Int16Array, ...chunks), [-32768, 32767, 42]],
  ['int32', 'hive', (...chunks) => ofIntegers(new Int32(), Int32Array, ...chunks), [-(2 ** 31), 2 ** 31 - 1, 42]],
  [
    'int64',
    'vitess',
    (...chunks) => ofIntegers(new Int64(), BigInt64Array, ...chunks),
    [-(2n ** 63n), 2n ** 63n - 1n, 42n],
  ],
  ['uint8', 'spark', (...chunks) => ofIntegers(new Uint8(), Uint8Array, ...chunks), [0, 255, 42]],
  ['uint16', 'postgres', (...chunks) => ofIntegers(new Uint16(), Uint16Array, ...chunks), [0, 65535, 42]],
  ['uint32', 'spark', (...chunks) => ofIntegers(new Uint32(), Uint32Array, ...chunks), [0, 2 ** 32 - 1, 42]],
  ['u64', 'vitess', (...chunks) => ofIntegers(new Uint64(), BigUint64Array, ...chunks), [0n, 2n ** 64n - 1n, 42n]],
  ['date', 'postgres', (...chunks) => ofIntegers(new DateDay(), Int32Array, ...chunks), [-1, 0, 17486]],
  [
    'time',
    'postgres',
    (...chunks) => ofIntegers(new TimeMicrosecond(), BigInt64Array, ...chunks),
    [0n, 81068000000n, 1n],
  ],
  [
    'timestamp',
    'spark',
    (...chunks) => ofIntegers(new TimestampMicrosecond(), BigInt64Array, ...chunks),
    [US, -US, 0n],
  ],
  [
    'timestamp',
    'postgres',
    (...chunks) => ofIntegers(new TimestampMillisecond(), BigInt64Array, ...chunks),
    [1510871468001n, -1n, 0n],
    (ms: bigint) => ms * 1000n,
  ],
  ['text', 'vitess', (...chunks) => chunked(chunks, new Utf8()), ['', 'é', '\ufeffuser:42']],
  [
    'bytes',
    'postgres',
    (...chunks) => chunked(chunks, new Binary()),
    [Uint8Array.of(), Uint8Array.of(0, 255), Uint8Array.of(1)],
  ],
  [
    'uuid',
    'postgres',
    (...chunks) => chunked(chunks, new FixedSizeBinary(16)),
    [1, 2, 3].map((n) => new Uint8Array(16).fill(n)),
  ],
];

const make = (system: string, key: unknown) => {
  const count = { postgres: 'modulus', spark: 'partitions', hive: 'buckets', vitess: 'shards', iceberg: 'buckets' }[
    system
  ];
  return partitioner(system as 'postgres', { [count ?? '']: 1000, key } as never);
};

onBothBackends('routeVector takes vectors of every kind of keys', () => {
  it.each(
    VECTORS.map(([kind, system, of, keys, keyOf]) => [kind, system, of, keys, keyOf ?? same] as const),
  )('%s, for %s, with nulls by the rule of the system', (kind, system, of, keys, keyOf = (key: unknown) => key) => {
    const by = make(system, kind);
    const [a, b, c] = keys.map((key) => by.route(keyOf(key) as never));
    const ofNull = by.route(null as never);
    expect(Array.from(routeVector(by, of([keys[0]], keys.slice(1))))).toEqual([a, b, c]);
    const vector = of([keys[0], null, keys[1]], [null, null], [null, keys[2]]);
    const expected = [a, ofNull, b, ofNull, ofNull, ofNull, c];
    expect(Array.from(routeVector(by, vector))).toEqual(expected);
    expect(Array.from(routeVector(by, vector.slice(2, 6)))).toEqual(expected.slice(2, 6));
    const dictionary = of([keys[0], null, keys[1], keys[2]]);
    const indexed = withNulls(dictionary, new Int8(), [0, 1, 2], [null, 3]);
    expect(String(indexed.type)).toContain('Dictionary');
    expect(Array.from(routeVector(by, indexed))).toEqual([a, ofNull, b, ofNull, c]);
  });

  it('decimals of 128 bits, with the decimals of their type', () => {
    const texts = ['14.20', '-14.20', '0.00', '-0.05', '170141183460469231731687303715884105.72'];
    const words = texts.flatMap((text) => {
      const value = BigInt.asUintN(128, BigInt(text.replace('.', '')));
      return [0n, 32n, 64n, 96n].map((shift) => Number((value >> shift) & 0xffffffffn));
    });
    const type = new Decimal(2, 38, 128);
    const vector = new Vector([makeData({ type, length: texts.length, data: Uint32Array.from(words) })] as never);
    const by = make('iceberg', 'decimal');
    expect(Array.from(routeVector(by, vector))).toEqual(texts.map((text) => by.route(text as never)));
    expect(Array.from(routeVector(by, vector.slice(1, 4)))).toEqual(
      texts.slice(1, 4).map((text) => by.route(text as never)),
    );
    expect(Array.from(routeVector(by, vectorFromArray(texts, new Utf8())))).toEqual(
      Array.from(routeVector(by, vector)),
    );
  });
});

/** A struct of vectors of one chunk each. */
function structOf(columns: readonly Vector[], nullBitmap?: Uint8Array): Vector {
  const type = new Struct(columns.map((column, i) => new Field(`c${i}`, column.type, true)));
  const children = columns.map(({ data }) => data[0]) as Data[];
  const length = columns[0]?.length ?? 0;
  return new Vector([makeData({ type, length, children, ...(nullBitmap && { nullCount: 1, nullBitmap }) })] as never);
}

onBothBackends('routeVector takes structs for keys of several columns', () => {
  const ids = [42n, -1n, null, 2n ** 63n - 1n];
  const texts = ['a', null, null, '\ufeffé'];
  const numbers = [1, 2, 255, null];

  it.each(['postgres', 'spark'])('%s, with nulls', (system) => {
    const by = make(system, ['int64', 'text', 'uint8']);
    const vector = structOf([
      ofIntegers(new Int64(), BigInt64Array, ids),
      chunked([texts], new Utf8()),
      ofIntegers(new Uint8(), Uint8Array, numbers),
    ]);
    const expected = Array.from(by.routeMany([ids, texts, numbers] as never));
    expect(Array.from(routeVector(by, vector))).toEqual(expected);
    expect(Array.from(routeVector(by, vector.slice(1, 3)))).toEqual(expected.slice(1, 3));
    expect(Array.from(routeVector(by, vector.concat(vector)))).toEqual([...expected, ...expected]);
  });

  it('with bytes and UUIDs among nulls', () => {
    const by = make('postgres', ['bytes', 'uuid']);
    const bytes = [Uint8Array.of(255), null, Uint8Array.of()];
    const uuids = [new Uint8Array(16).fill(1), new Uint8Array(16).fill(2), null];
    const vector = structOf([chunked([bytes], new Binary()), chunked([uuids], new FixedSizeBinary(16))]);
    const texts = uuids.map((uuid) => uuid && uuidText(uuid));
    expect(Array.from(routeVector(by, vector))).toEqual(Array.from(by.routeMany([bytes, texts] as never)));
  });

  it('of one column, and of systems without a rule for null', () => {
    const [one] = [make('postgres', ['int64'])];
    const column = ofIntegers(new Int64(), BigInt64Array, [5n, -5n]);
    expect(Array.from(routeVector(one, structOf([column])))).toEqual(Array.from(one.routeMany([[5n, -5n]] as never)));
    const tokens = BigInt64Array.of(-(2n ** 62n), 0n, 2n ** 62n);
    const cassandra = partitioner('cassandra', { tokens, key: ['int64', 'text'] });
    const texts = chunked([['a', 'b']], new Utf8());
    const expected = cassandra.routeMany([
      [5n, -5n],
      ['a', 'b'],
    ]);
    expect(routeVector(cassandra, structOf([column, texts])).toArray()).toEqual(expected);
    const withNull = structOf([column, chunked([['a', null]], new Utf8())]);
    const refused = '"vector" row 3: expected a value, got null, which is not a key';
    expect(() => routeVector(cassandra, structOf([column, texts]).concat(withNull))).toThrow(refused);
  });

  it('refuses a struct that is null, and fields of other types', () => {
    const pair = make('postgres', ['int64', 'text']);
    const columns = [ofIntegers(new Int64(), BigInt64Array, [5n, -5n]), chunked([['a', 'b']], new Utf8())];
    expect(() => routeVector(pair, structOf(columns, Uint8Array.of(1)))).toThrow(
      '"vector" row 1: expected a value, got null',
    );
    for (const wrong of [columns.slice(1), columns.slice().reverse(), [...columns, ...columns]]) {
      expect(() => routeVector(pair, structOf(wrong))).toThrow('"vector": expected a Struct of Int64; Utf8, LargeUtf8');
    }
    expect(() => routeVector(pair, columns[0] as Vector)).toThrow('"vector": expected a Struct of Int64');
  });
});

describe('routeVector refuses other types than that of the kind', () => {
  it.each<[KeyKind, DataType, string]>([
    ['int8', new Int16(), 'Int8, or a dictionary'],
    ['uint8', new Int8(), 'Uint8, or a dictionary'],
    ['date', new Int32(), 'Date<DAY>, or a dictionary'],
    ['timestamp', new TimeMicrosecond(), 'Timestamp<MICROSECOND> or Timestamp<MILLISECOND>, or a dictionary'],
    ['text', new Dictionary(new Int32(), new Int8()), 'Utf8, LargeUtf8'],
  ])('%s: %s', (kind, type, message) => {
    const vector = new Vector([makeData({ type, length: 0 } as never)] as never);
    expect(() => routeVector(make('postgres', kind), vector)).toThrow(`"vector": expected ${message}`);
  });
});
