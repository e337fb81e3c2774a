import {
  Float64,
  Int32,
  makeTable,
  makeVector,
  TimestampMillisecond,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import { expect, test } from 'vitest';
import * as api from '../../src/arrow/index.js';
import { layouts, Router } from '../../src/index.js';
import { callablesIn, callablesOf, type Entry, type Table, testWrongArguments } from '../support/argument-table.js';
import { onBothBackends } from '../support/backends.js';
import { NO_BOOLEAN, NO_OBJECT, NO_OPTIONS, NO_SEED, named } from '../support/wrong-values.js';
import { utf8 } from './samples.js';

const { chunksOf, routeVector, unpackVector, xxh64Vector } = api;

const router = new Router({ shards: 10 });
const raw = router.with({ hash: 'none' });
const { pinterest } = layouts;
const ids = makeVector(BigUint64Array.of(1n, 2n));
const [data] = ids.data;

const KEYS = 'Utf8, LargeUtf8, Binary, LargeBinary, FixedSizeBinary, Uint64 or Int64';
const U64S = 'Uint64 or Int64';

const NO_VECTOR = [
  ...[...NO_OBJECT, {}, 'ab', ['a'], BigUint64Array.of(1n), { type: ids.type }],
  ...[named('a table', makeTable({ n: Uint8Array.of(1) })), named('a chunk', data as object)],
];

/** Vectors that nothing takes, by their types. */
const VECTORS: readonly Vector[] = [
  vectorFromArray([1, 2], new Int32()),
  vectorFromArray([1, 2], new Float64()),
  vectorFromArray([true]),
  vectorFromArray([new Date(0)], new TimestampMillisecond()),
  vectorFromArray([null, null]),
  vectorFromArray([{ a: 1 }]),
];
const text = utf8(['1']);
const dictionary = vectorFromArray(['a']);

/** Types are what messages show of vectors. */
function ofVector(
  call: (vector: never) => unknown,
  expected: string,
  others: readonly Vector[] = [],
): readonly Entry[] {
  const byType = new Map([...VECTORS, ...others].map((vector) => [String(vector.type), vector]));
  return [
    ['vector', call, NO_VECTOR, [], 'an Arrow vector'],
    ['vector', (type) => call(byType.get(type) as never), [...byType.keys()], [], expected],
  ];
}

const TABLE: Table = {
  chunksOf: ofVector((v) => chunksOf(v), `${KEYS}; only routeVector and xxh64Vector take dictionaries`, [dictionary]),
  routeVector: [
    ...ofVector((v) => routeVector(router, v), `${KEYS}, or a dictionary`),
    [
      'router',
      (v) => routeVector(v, ids),
      [...NO_OBJECT, {}, named('the class', Router)],
      [],
      'a Router, a Partitioner or another Routing',
    ],
  ],
  'routeVector without a hash': ofVector(
    (v) => routeVector(raw, v),
    `${U64S}, because the router has hash 'none', or a dictionary`,
    [text, dictionary],
  ),
  xxh64Vector: [
    ...ofVector((v) => xxh64Vector(v), `${KEYS}, or a dictionary`),
    ['options', (v) => xxh64Vector(ids, v), NO_OPTIONS, [], 'an object'],
    ['options', (name) => xxh64Vector(ids, { [name]: 5n }), [], ['sede', 'out'], 'only seed'],
    ['seed', (seed) => xxh64Vector(ids, { seed }), NO_SEED, [], 'a bigint'],
  ],
  unpackVector: [
    ...ofVector((v) => unpackVector(pinterest, v), U64S, [text, dictionary]),
    ['layout', (v) => unpackVector(v, ids), [...NO_OBJECT, {}, named('the class', Router)], [], 'a Layout'],
    ['options', (v) => unpackVector(pinterest, ids, v), NO_OPTIONS, [], 'an object'],
    ['options', (name) => unpackVector(pinterest, ids, { [name]: {} }), [], ['out', 'field'], 'only fields, wide'],
    ['fields', (fields) => unpackVector(pinterest, ids, { fields }), [null, 5, 'shard', {}], [], 'an array of names'],
    ['fields', (name) => unpackVector(pinterest, ids, { fields: [name] }), [], ['shrd'], 'only shard, type, local'],
    ['wide', (wide) => unpackVector(pinterest, ids, { wide }), NO_BOOLEAN, [], 'a boolean'],
  ],
};

onBothBackends('a wrong argument', () => testWrongArguments(TABLE));

test('the table has every function of shardbits/arrow, and no others', () => {
  expect(callablesIn(TABLE).sort()).toEqual(callablesOf(api).sort());
});
