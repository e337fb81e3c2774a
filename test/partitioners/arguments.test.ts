import { describe, expect, it } from 'vitest';
import { texts as columnTexts, ofLength, ofTexts } from '../arguments/table/columns.js';
import { type Entry, type Room, type Table, testWrongArguments } from '../support/argument-table.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes } from '../support/random.js';
import {
  lost,
  NO_BIGINT,
  NO_BYTES,
  NO_CHOICE,
  NO_NUMBER,
  NO_OPTIONS,
  NO_OUT,
  NO_STRING,
  NO_TEXT,
  named,
} from '../support/wrong-values.js';
import { UUID, type VectorKind } from '../vectors/partitioner-vector.js';
import { bytesColumn, isUtf16, kindsOf, make, SYSTEMS, titleOf, uuidBytes } from './samples.js';

const KINDS: readonly VectorKind[] = ['text', 'bytes', 'int32', 'int64', 'uuid'];
const NO_COUNT = [0, -1, -0, 1.5, 2 ** 32, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const MISSPELT = ['Key', 'keys', 'partition', 'shard', 'buckets ', 'variants', 'seed', 'toString'];
const NO_NAME = ['', 'Kafka', 'kafka ', 'dynamodb', 'toString', 'constructor', '__proto__', 'hasOwnProperty'];
const NO_LIST = [null, 5, 'a', true, {}, new Set(), () => 1];

/** A number of a system that it has to have. */
const count = (system: string, name: string, others: object = {}, wrong: readonly unknown[] = NO_COUNT): Entry => [
  name,
  (v) => make(system, { ...others, [name]: v }),
  NO_NUMBER,
  wrong,
];

const multicol = (options: object) =>
  make('vitess', { shards: 4, vindex: 'multicol', key: ['int64', 'int64'], ...options });

const options = (system: string, rest: object = {}): readonly Entry[] => [
  ['options', (v) => make(system, v), NO_OPTIONS],
  ['options', (name) => make(system, { ...rest, [name]: 1 }), [], MISSPELT],
  [
    'key',
    (key) => make(system, { ...rest, key }),
    NO_CHOICE.filter((key) => !Array.isArray(key)),
    ['', 'Text', 'uint64', 'string'],
  ],
  ['key', (key) => make(system, { ...rest, key }), [[]], ['toString']],
];

const optional = (entry: Entry): Entry => [entry[0], entry[1], entry[2].filter((v) => v !== undefined), entry[3] ?? []];

/** Ranges of Vitess, with the row that is wrong. */
const ranges = (row: number, ...wrong: (readonly string[])[]): Entry => [
  `ranges row ${row}`,
  (list) => make('vitess', { ranges: list }),
  [],
  wrong,
];

/** Servers of a ring. */
const servers = (system: string, maxWeight: number): readonly Entry[] => [
  ['servers', (list) => make(system, { servers: list }), NO_LIST, [[]]],
  [
    'servers[1]',
    (server) => make(system, { servers: [{ name: 'a' }, server] }),
    [null, 5, 'b', []],
    [{ name: 'b', wait: 1 }],
  ],
  ['servers[1].name', (name) => make(system, { servers: [{ name: 'a' }, { name }] }), NO_STRING, ['', 'a']],
  [
    'servers[1].weight',
    (weight) => make(system, { servers: [{ name: 'a' }, { name: 'b', weight }] }),
    NO_NUMBER.filter((v) => v !== undefined),
    [0, -1, 1.5, maxWeight + 1, Number.NaN],
  ],
];

const hash = 'sipHash64';

const OPTIONS: Table = {
  'any system': [['system', (v) => make(v, { partitions: 1 }), NO_CHOICE, NO_NAME]],
  kafka: [
    ...options('kafka', { partitions: 1 }),
    count('kafka', 'partitions'),
    ['variant', (variant) => make('kafka', { partitions: 1, variant }), NO_CHOICE, ['', 'Unsigned', 'murmur2']],
  ],
  rdkafka: [
    ...options('rdkafka', { partitions: 1 }),
    count('rdkafka', 'partitions'),
    ['variant', (variant) => make('rdkafka', { partitions: 1, variant }), NO_CHOICE, ['', 'Murmur2', 'random', 'rdd']],
  ],
  bigquery: [
    ...options('bigquery', { shards: 1 }),
    count('bigquery', 'shards'),
    ['variant', (variant) => make('bigquery', { shards: 1, variant }), NO_CHOICE, ['', 'abs', 'Floored']],
  ],
  mysql: [...options('mysql', { partitions: 1 }), count('mysql', 'partitions', {}, [...NO_COUNT, 8193])],
  eventhubs: [...options('eventhubs', { partitions: 1 }), count('eventhubs', 'partitions', {}, [...NO_COUNT, 32768])],
  prometheus: [...options('prometheus', { modulus: 1 }), count('prometheus', 'modulus')],
  mongodb: [
    ['shards', (shards) => make('mongodb', { shards }), [null, '1', 1n], [0, -1, 1.5, 2 ** 31]],
    ['chunks', (chunks) => make('mongodb', { chunks }), [null, 5, 'a', [1n], new BigUint64Array(1)], []],
    ['chunks row 1', (v) => make('mongodb', { chunks: BigInt64Array.of(5n, v as bigint) }), [], [5n, 4n, -(2n ** 63n)]],
    ['chunks row 0', (v) => make('mongodb', { chunks: BigInt64Array.of(v as bigint) }), [], [-(2n ** 63n)]],
  ],
  'vitess:multicol': [
    ['vindex', (vindex) => make('vitess', { shards: 1, vindex }), NO_CHOICE, ['', 'Hash', 'numeric', 'md5']],
    ['vindex', (vindex) => make('vitess', { shards: 1, vindex, columnBytes: [8] }), [], ['xxhash', 'hash']],
    ['columnVindexes', (v) => multicol({ columnVindexes: v }), NO_LIST, [['hash', 'hash', 'hash']]],
    ['columnVindexes[1]', (v) => multicol({ columnVindexes: ['hash', v] }), [null, 5], ['multicol', '']],
    ['columnBytes', (v) => multicol({ columnBytes: v }), NO_LIST, [[1, 2, 3], [8], [4, 5]]],
    ['columnBytes[0]', (v) => multicol({ columnBytes: [v] }), [null, '5', 5n], [0, 9, 1.5, Number.NaN]],
  ],
  redis: [...options('redis'), ['options', (name) => make('redis', { [name]: 16384 }), [], ['shards', 'slots']]],
  ragedb: [...options('ragedb', { shards: 1 }), count('ragedb', 'shards')],
  spark: [
    ...options('spark', { partitions: 1 }),
    count('spark', 'partitions'),
    ['variant', (variant) => make('spark', { partitions: 1, variant }), NO_CHOICE, ['', 'HASH', 'xxhash64', 'murmur2']],
  ],
  iceberg: [...options('iceberg', { buckets: 1 }), count('iceberg', 'buckets')],
  postgres: [...options('postgres', { modulus: 1 }), count('postgres', 'modulus')],
  citus: [...options('citus', { shards: 1 }), count('citus', 'shards', {}, [...NO_COUNT, 64_001])],
  cassandra: [
    ...options('cassandra'),
    ['tokens', (tokens) => make('cassandra', { tokens }), [...NO_LIST, [], [1n], new BigUint64Array(1)]],
    ['tokens', (tokens) => make('cassandra', { tokens }), [new Int32Array(1), ...lost('BigInt64Array')]],
    ['tokens', (tokens) => make('cassandra', { tokens }), [], [new BigInt64Array()]],
    ...([
      [1, BigInt64Array.of(5n, 5n)],
      [1, BigInt64Array.of(5n, 4n, 6n)],
      [2, BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n, 0n)],
      [3, BigInt64Array.of(-2n, -1n, 0n, 0n)],
    ].map(([row, tokens]) => [`tokens row ${row}`, (v) => make('cassandra', { tokens: v }), [], [tokens]]) as Entry[]),
  ],
  vitess: [
    ...options('vitess', { shards: 1 }),
    count('vitess', 'shards', {}, [...NO_COUNT, 65_537]),
    ['ranges', (list) => make('vitess', { ranges: list }), NO_LIST, [[]]],
    ['ranges row 1', (range) => make('vitess', { ranges: ['-40', range, '80-'] }), NO_TEXT],
    ranges(0, ['40-80', '80-'], ['01-80', '80-'], ['80-'], ['40-', '-40']), // start late
    ranges(0, ['-40']), // ends early
    ranges(1, ['-40', '40-80'], ['-80', '80-ff']), // end early
    ranges(1, ['-80', '40-'], ['-40', '-80', '80-'], ['-40', '20-a0', 'a0-']), // overlap
    ranges(1, ['-40', '80-'], ['-40', '41-'], ['-40', '4001-']), // gaps
    ranges(1, ['-40', '40-40', '40-'], ['-40', '40-4000', '40-'], ['-80', '80-40', '40-'], ['-80', '80-', '-']),
    ranges(0, ['-4', '4-'], ['-400', '400-'], ['-4g', '4g-'], ['-zz', 'zz-'], ['40'], [''], ['-40-', '40-']),
    ranges(1, ['-40', '40-8', '8-'], ['-40', '40-0x', '0x-'], ['-40', ' 40-'], ['-40', '40'], ['-40', '']),
  ],
  elasticsearch: [
    ...options('elasticsearch', { shards: 1 }),
    count('elasticsearch', 'shards'),
    optional(count('elasticsearch', 'routingShards', { shards: 4 }, [...NO_COUNT, 1, 2, 3, 5, 6, 1023])),
    optional([
      'before',
      (before) => make('elasticsearch', { shards: 4, before }),
      [...NO_CHOICE, 9.4],
      ['', '9', '9.3', '9.4.0', '9.5', '8', 'before-9.4', 'toString'],
    ]),
  ],
  couchbase: [...options('couchbase'), optional(count('couchbase', 'vbuckets', {}, [...NO_COUNT, 65_537]))],
  flink: [
    ...options('flink', { maxParallelism: 128 }),
    count('flink', 'maxParallelism', {}, [...NO_COUNT, 32_769]),
    ['parallelism', (parallelism) => make('flink', { parallelism }), [], [...NO_COUNT, 32_769]],
  ],
  'flink with both': [
    optional(count('flink', 'maxParallelism', { parallelism: 2 })),
    optional(count('flink', 'parallelism', { maxParallelism: 128 }, [...NO_COUNT, 129])),
  ],
  clickhouse: [
    ...options('clickhouse', { hash, shards: 1 }),
    count('clickhouse', 'shards', { hash }),
    ['hash', (name) => make('clickhouse', { hash: name, shards: 1 }), [...NO_CHOICE, undefined], ['', 'siphash64']],
    ['weights', (weights) => make('clickhouse', { hash, weights }), NO_LIST, [[], [0], [0, 0]]],
    ['weights row 1', (w) => make('clickhouse', { hash, weights: [1, w] }), NO_NUMBER, [-1, 0.5, 2 ** 53, Number.NaN]],
  ],
  nats: [...options('nats', { partitions: 1 }), count('nats', 'partitions')],
  pulsar: [
    ...options('pulsar', { partitions: 1 }),
    count('pulsar', 'partitions'),
    ['variant', (variant) => make('pulsar', { partitions: 1, variant }), NO_CHOICE, ['', 'Java', 'murmur2', 'boost']],
  ],
  hive: [
    ...options('hive', { buckets: 1 }),
    count('hive', 'buckets'),
    optional(count('hive', 'version', { buckets: 1 }, [...NO_COUNT, 3])),
  ],
  discord: [...options('discord', { shards: 1 }), count('discord', 'shards')],
  kinesis: [
    ...options('kinesis', { shards: 1 }),
    optional(count('kinesis', 'shards', {}, [...NO_COUNT, 100_001])),
    ['startingHashKeys', (keys) => make('kinesis', { shards: 1, startingHashKeys: keys }), [['0'], ['0', '5']]],
    ['startingHashKeys', (keys) => make('kinesis', { startingHashKeys: keys }), NO_LIST, [[]]],
    [
      'startingHashKeys row 0',
      (v) => make('kinesis', { startingHashKeys: [v] }),
      [null, 5, 5n],
      ['1', '', '-0', '0x0', ' 0'],
    ],
    [
      'startingHashKeys row 1',
      (v) => make('kinesis', { startingHashKeys: ['0', v] }),
      [null, 5, 5n, undefined],
      ['0', '1.5', '1e3', '-1', '340282366920938463463374607431768211456'],
    ],
    ['startingHashKeys row 2', (v) => make('kinesis', { startingHashKeys: ['0', '9', v] }), [], ['9', '8']],
  ],
  ketama: [
    ...options('ketama', { servers: [{ name: 'a' }] }),
    ...servers('ketama', 2 ** 31 - 1),
    [
      'variant',
      (variant) => make('ketama', { servers: [{ name: 'a' }], variant }),
      NO_CHOICE,
      ['', 'Hashring', 'weighted', 'libmemcached'],
    ],
  ],
  nginx: [
    ...options('nginx', { servers: [{ name: 'a' }] }),
    ...servers('nginx', 65_536),
    [
      'servers',
      (list) => make('nginx', { servers: list }),
      [],
      [[{ name: 'a', weight: 65_536 }, { name: 'b' }]], // the sum of weights
    ],
  ],
};

describe('wrong options of a partitioner', () => {
  testWrongArguments(OPTIONS);

  it.each([
    ['vitess', 'ranges', { ranges: Object.assign(['-40'], { 2: '40-' }) }],
    ['clickhouse', 'weights', { hash, weights: Object.assign([1], { 2: 1 }) }],
  ])('%s: a row that is missing from %s', (system, argument, given) => {
    const problem = { name: 'TypeError', argument, row: 1, got: undefined };
    expect(errorOf(() => make(system, given))).toMatchObject(problem);
  });

  it.each([
    ['vitess', {}, 'ranges', ['-80', '80-']],
    ['clickhouse', { hash }, 'weights', [1, 1]],
    ['kinesis', {}, 'startingHashKeys', ['0', '9']],
  ] as const)('%s: both or neither of two that exclude each other', (system, given, argument, value) => {
    const neither = { name: 'TypeError', argument: 'shards', got: undefined };
    expect(errorOf(() => make(system, given))).toMatchObject(neither);
    const both = { name: 'TypeError', argument, got: value };
    expect(errorOf(() => make(system, { ...given, shards: 2, [argument]: value }))).toMatchObject(both);
  });

  it('flink without a number of key groups', () => {
    expect(errorOf(() => make('flink', {}))).toMatchObject({ name: 'TypeError', argument: 'maxParallelism' });
  });

  it('none, where there has to be one', () => {
    for (const { system, options: given } of SYSTEMS) {
      if (!['redis', 'couchbase', 'cassandra', 'mongodb'].includes(system))
        expect(() => make(system)).toThrow(TypeError);
      expect(make(system, { ...given, key: undefined }).key).toBe(kindsOf(system, given)[0]);
    }
  });

  it.each(SYSTEMS.map((one) => [titleOf(one), one] as const))('a kind of key that %s does not have', (_, one) => {
    for (const key of KINDS) {
      const call = () => make(one.system, { ...one.options, key });
      if (kindsOf(one.system, one.options).includes(key)) expect(call().key).toBe(key);
      else expect(errorOf(call)).toMatchObject({ name: 'RangeError', argument: 'key', got: key });
    }
  });
});

type WrongArgument = Error & { argument: string; row?: number; code: string };

function errorOf(call: () => unknown): WrongArgument {
  try {
    call();
  } catch (error) {
    return error as WrongArgument;
  }
  throw new Error('accepted');
}

const NO_INT32 = [2 ** 31, -(2 ** 31) - 1, 2 ** 32, 1.5, -0.5, Number.NaN, Number.POSITIVE_INFINITY];
const NO_INT64 = [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n, 2n ** 70n];
const NO_UUID = [
  ...['', 'a', UUID.slice(1), `${UUID}0`, ` ${UUID.slice(1)}`, UUID.replaceAll('-', ''), UUID.replace('-', '_')],
  ...[
    `{${UUID}}`,
    UUID.replace('f', 'g'),
    `f79c-3e09${UUID.slice(9)}`,
    `é${UUID.slice(1)}`,
    `\u{1d7ce}${UUID.slice(2)}`,
  ],
];
const NO_COLUMN = [null, undefined, 5, 5n, 'abc', UUID, {}, new Set(['a']), () => 1, new ArrayBuffer(16)];
const ARRAYS = [new Uint8Array(3), new Uint32Array(3), new Int32Array(3), new Float64Array(3)];
const LONGS = [new BigInt64Array(3), new BigUint64Array(3)];
const uuids = [UUID, UUID, UUID];
const bytes16 = uuidBytes(UUID);
const noUuidBytes = [0, 1, 15, 17, 32, 35, 37].map((length) => named(`${length} bytes`, randomBytes(length)));
const noText36 = named('36 bytes that are not a uuid', new Uint8Array(36).fill(0x2d));
const into = (room: Room, rows = 3) => ({ out: room(Uint32Array, rows) });

/** Systems that hash UTF-8 to 32 bits, UTF-16, and UTF-8 to 64 bits. */
const SOME = SYSTEMS.filter(
  ({ system, options }) => system === 'kafka' || system === 'flink' || 'hash' in options,
).slice(0, 4);

/** Wrong columns of each kind of keys, for `routeMany` and `tokens`. */
function columns(kind: VectorKind, call: (keys: unknown, room: Room, rows?: number) => unknown): readonly Entry[] {
  switch (kind) {
    case 'text':
      return [
        ['keys', (v, room) => call(v, room), [...NO_COLUMN, ...ARRAYS, ...LONGS]],
        ...ofTexts('keys', call as Entry[1]),
      ];
    case 'bytes':
      return [
        ['keys', (v, room) => call(v, room), [...NO_COLUMN, ...ARRAYS, ...LONGS, [], columnTexts]],
        ['keys', (v, room) => call(v, room), [named('a list of bytes', [bytes16, bytes16, bytes16])]],
        ...ofTexts('keys', call as Entry[1]).filter(([where]) => where.startsWith('keys.')),
      ];
    case 'int32':
      return [
        ['keys', (v, room) => call(v, room), [...NO_COLUMN, [1, 2, 3], columnTexts, bytesColumn([bytes16])]],
        ['keys', (v, room) => call(v, room), [...ARRAYS.filter((a) => !(a instanceof Int32Array)), ...LONGS]],
        ['keys', (v, room) => call(v, room), lost('Int32Array')],
      ];
    case 'int64':
      return [
        ['keys', (v, room) => call(v, room), [...NO_COLUMN, [1n, 2n, 3n], columnTexts, bytesColumn([bytes16])]],
        ['keys', (v, room) => call(v, room), [...ARRAYS, new BigUint64Array(3), ...lost('BigInt64Array')]],
      ];
    case 'uuid':
      return [
        ['keys', (v, room) => call(v, room), [...NO_COLUMN, ...ARRAYS, ...LONGS]],
        ['keys row 1', (v, room) => call([UUID, v, UUID], room), NO_TEXT, NO_UUID],
        ['keys row 2', (v, room) => call([UUID, UUID, v], room), [], ['']],
        ['keys row 19999', (v, room) => call([...new Array(19_999).fill(UUID), v], room, 20_000), [null], ['', 'abc']],
        ['keys row 1', (v, room) => call(bytesColumn([bytes16, v, bytes16]), room), [], [...noUuidBytes, noText36]],
        ['keys row 0', (v, room) => call(bytesColumn([v, bytes16, bytes16]), room), [], noUuidBytes],
      ];
  }
}

const KEYS: { readonly [kind in VectorKind]: readonly [kinds: readonly unknown[], values: readonly unknown[]] } = {
  text: [[...NO_STRING, bytes16], []],
  bytes: [[...NO_BYTES, 'a', ''], []],
  int32: [NO_NUMBER, NO_INT32],
  int64: [NO_BIGINT, NO_INT64],
  uuid: [
    [null, undefined, 5, 5n, {}, [], [UUID], true, () => 1],
    [...NO_UUID, ...noUuidBytes],
  ],
};

onBothBackends('wrong keys of a partitioner', () => {
  for (const { system, options: given } of SOME) {
    const made = (key: VectorKind) => make(system, { ...given, key });
    testWrongArguments(
      Object.fromEntries(
        kindsOf(system, given).map((key) => [
          `${titleOf({ system, options: given })}, ${key}`,
          [
            ['key', (v: never) => made(key).route(v), ...KEYS[key]] as Entry,
            ...columns(key, (v, room, rows = 3) => made(key).routeMany(v, into(room, rows))),
          ],
        ]),
      ),
    );
  }

  describe('in tokens()', () => {
    const made = (key: VectorKind) => make('iceberg', { buckets: 16, key });
    testWrongArguments(Object.fromEntries(KINDS.map((key) => [key, columns(key, (v) => made(key).tokens(v))])));
  });
});

/** Systems that have a rule for NULL: see nulls.test.ts. */
const NULLABLE = ['postgres', 'spark', 'hive', 'vitess', 'mysql', 'prometheus'];

onBothBackends('null and undefined are not keys', () => {
  it.each(SYSTEMS.map((one) => [titleOf(one), one] as const))('of %s', (_, { system, options: given }) => {
    for (const key of kindsOf(system, given)) {
      const made = make(system, { ...given, key });
      for (const nothing of [null, undefined]) {
        if (nothing === null && NULLABLE.includes(system)) continue;
        expect(errorOf(() => made.route(nothing))).toMatchObject({ name: 'TypeError', argument: 'key', got: nothing });
        for (const call of [() => made.routeMany(nothing), () => made.tokens(nothing)]) {
          expect(errorOf(call)).toMatchObject({ name: 'TypeError', argument: 'keys', got: nothing });
        }
        if (key !== 'text' && key !== 'uuid') continue;
        const rows = [key === 'text' ? 'a' : UUID, nothing];
        const problem = { name: 'TypeError', argument: 'keys', row: 1, got: nothing };
        expect(errorOf(() => made.routeMany(rows))).toMatchObject(problem);
      }
    }
  });
});

onBothBackends('rows that are not UTF-8', () => {
  const wrong = [
    ...[[0x80], [0xff], [0xc3], [0xc3, 0x28], [0xc0, 0x80], [0xe4, 0xbd], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80]],
    ...[
      [0xf0, 0x9f, 0x98],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0x61, 0x80, 0x61],
    ],
  ].map((row) => Uint8Array.from(row));
  const right = Uint8Array.of(0x61);

  it.each(SYSTEMS.filter(isUtf16).map((one) => [titleOf(one), one] as const))('are refused by %s', (_, one) => {
    const made = make(one.system, one.options);
    for (const row of wrong) {
      const problem = { name: 'RangeError', argument: 'keys', row: 2, code: 'ERR_OUT_OF_RANGE' };
      const column = bytesColumn([right, right, row, right, row]);
      const out = new Uint32Array(5).fill(7);
      expect(errorOf(() => made.routeMany(column, { out }))).toMatchObject(problem);
      expect(out).toEqual(new Uint32Array(5).fill(7));
      expect(errorOf(() => made.tokens(column))).toMatchObject(problem);
    }
    // The two bytes of one character are two rows.
    const split = { data: Uint8Array.of(0x61, 0xc3, 0xa9), offsets: Uint32Array.of(0, 1, 2, 3) };
    expect(errorOf(() => made.routeMany(split))).toMatchObject({ name: 'RangeError', row: 1 });
  });

  it.each(SYSTEMS.filter(isUtf16).map((one) => [titleOf(one), one] as const))('far into a column: %s', (_, one) => {
    const rows = [...new Array<Uint8Array>(19_990).fill(right), ...wrong];
    const out = new Uint32Array(rows.length).fill(7);
    expect(errorOf(() => make(one.system, one.options).routeMany(bytesColumn(rows), { out })).row).toBe(19_990);
    expect(out.every((shard) => shard === 7)).toBe(true);
  });
});

onBothBackends('`out` of a partitioner', () => {
  const keysOf: { readonly [kind in VectorKind]: unknown } = {
    text: columnTexts,
    bytes: bytesColumn([bytes16, bytes16, bytes16]),
    int32: new Int32Array(3),
    int64: new BigInt64Array(3),
    uuid: uuids,
  };
  testWrongArguments(
    Object.fromEntries(
      KINDS.map((key) => {
        const made = make('kafka', { partitions: 12, key });
        const call = (v: unknown) => made.routeMany(keysOf[key], v);
        return [
          key,
          [
            ['options', call, NO_OPTIONS],
            ['options', (name, room) => call({ ...into(room), [name]: 1 }), [], ['Out', 'key', 'seed']],
            [
              'out',
              (out) => call({ out }),
              [...NO_OUT.filter((v) => !(v instanceof Uint32Array)), ...lost('Uint32Array')],
            ],
            ofLength(3, (length, room) => call(into(room, length))),
          ],
        ];
      }),
    ),
  );

  it('may not overlap the keys, and is left as it is', () => {
    const memory = new ArrayBuffer(256);
    const content = new Uint8Array(memory).fill(1);
    const offsets = new Uint32Array(memory, 128, 4);
    offsets.set([0, 16, 32, 48]);
    const before = content.slice();
    const data = new Uint8Array(memory, 0, 48);
    for (const [key, keys, at] of [
      ['int32', new Int32Array(memory, 16, 3), 16],
      ['int32', new Int32Array(memory, 16, 3), 8],
      ['int64', new BigInt64Array(memory, 16, 3), 36],
      ['bytes', { data, offsets }, 44],
      ['bytes', { data, offsets }, 120],
      ['uuid', { data, offsets }, 0],
      ['text', { data, offsets }, 140],
    ] as const) {
      const out = new Uint32Array(memory, at, 3);
      const error = errorOf(() => make('kafka', { partitions: 12, key }).routeMany(keys, { out }));
      expect(error).toMatchObject({ name: 'RangeError', argument: 'out', code: 'ERR_OUT_OF_RANGE' });
      expect(content).toEqual(before);
    }
  });
});

onBothBackends('cassandra without a ring', () => {
  it('has tokens but no owners', () => {
    const made = make('cassandra');
    const out = new Uint32Array(1).fill(7);
    const problem = { name: 'TypeError', argument: 'tokens', code: 'ERR_INVALID_ARG_TYPE' };
    expect(errorOf(() => made.route('a'))).toMatchObject(problem);
    expect(errorOf(() => made.routeMany(['a'], { out }))).toMatchObject(problem);
    expect(errorOf(() => made.routeMany([]))).toMatchObject(problem);
    expect(out[0]).toBe(7);
    expect(made.tokens(['abc'])).toEqual(BigInt64Array.of(-5434086359492102041n));
  });
});
