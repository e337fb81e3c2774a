import * as root from '../../../src/index.js';
import type { IdsApi } from '../../layout/entries.js';
import { type Entry, each, integer, type Room, type Table } from '../../support/argument-table.js';
import { TYPED_ARRAYS } from '../../support/typed-arrays.js';
import {
  lost,
  NO_BIGINT,
  NO_BOOLEAN,
  NO_CHOICE,
  NO_DATE,
  NO_DECIMAL,
  NO_FIELD,
  NO_OBJECT,
  NO_OPTIONS,
  NO_STRING,
  NO_U64,
  NO_U64S,
  outside,
  VIEW,
} from '../../support/wrong-values.js';
import { ofOut } from './columns.js';

const { defineLayout, Layout } = root;
const { snowflake, ragedb } = root.layouts;
const fine = defineLayout({ timestamp: { bits: 64, unit: 'us' } });
const ids = BigUint64Array.of(4097n, 8194n, 2n ** 63n - 1n);
const FIRST = 1672531200000; // of snowflake
const LAST = 3871554455551;
const one = { timestamp: FIRST, shard: 2, sequence: 3 };
const three = { timestamp: FIRST, shard: Uint16Array.of(1, 2, 3), sequence: Uint16Array.of(4, 5, 6) };
const withoutSequence = { timestamp: FIRST, shard: three.shard } as unknown as typeof three;
const none = { timestamp: FIRST, shard: new Uint16Array(0), sequence: new Uint8Array(0) };
const NAMES = 'only timestamp, shard, sequence';

const NO_NAMES = ['1', '10', '0', '4294967294', '2a', '', ' a', 'a b', 'a-b', 'a.b', '_a', '$a', 'ä', '__proto__'];
const TOO_WIDE = [
  { a: 33, b: 32 },
  { a: 32, b: 33 },
  { a: 64, b: 1 },
];
const TWO_TIMES = [{ epoch: 5 }, { epoch: new Date(0) }, { unit: 's' }].flatMap((time) => [
  { a: { bits: 8, epoch: 0 }, b: { bits: 8, ...time } },
  { a: { bits: 8, ...time }, timestamp: 8 },
]);

function ofFields(call: (fields: never) => unknown): readonly Entry[] {
  const ofA = (a: unknown) => call({ a } as never);
  return [
    ['fields', call, NO_OBJECT, [], 'an object'],
    ['fields', call, [], [{}], 'at least one field'],
    ['fields', call, [], TOO_WIDE, 'at most 64 bits in all'],
    ['fields', call, [], TWO_TIMES, 'at most one timestamp field'],
    ['fields', (name) => call({ first: 8, [name]: 8 } as never), [], NO_NAMES, NAME],
    ['fields.a', ofA, [null, '5', 5n, true, [], [5], () => 1], [], 'an object'],
    ['fields.a', (name) => ofA({ bits: 5, [name]: 3 }), [], ['width', 'Bits'], 'only bits, epoch, unit, min'],
    integer('fields.a.bits', (bits) => ofA({ bits }), 1, 64),
    integer('fields.a.min', (min) => ofA({ bits: 5, min }), 0, 31, [null, '1', 1n, {}, [1]]),
    integer('fields.a.epoch', (epoch) => ofA({ bits: 5, epoch }), -8.64e15, 8.64e15, [null, '1', 5n, {}, true, []]),
    ['fields.a.epoch', ([ms]: [number]) => ofA({ bits: 5, epoch: new Date(ms) }), [], [[Number.NaN]]],
    ['fields.a.unit', (unit) => ofA({ bits: 5, unit }), [null, 5, {}, ['s']], ['100us', 'MS', '', 'at'], UNITS],
  ];
}
const NAME = 'names of letters, digits and _ that start with a letter';
const UNITS = "one of 's', '10ms', 'ms', '10us', 'us'";

/** A field that takes 0 to 1023. */
const ofShard = (where: string, call: (shard: never, room: Room) => unknown): readonly Entry[] => [
  [where, call, NO_FIELD, [], 'a number or a bigint'],
  [where, call, [], [...outside(0, 1023).filter(canBeExact), -1n, 1024n], UP_TO_1023],
  [where, call, [], [2 ** 53, 2 ** 64], 'a safe integer or a bigint'],
];
const canBeExact = (value: unknown) => !Number.isInteger(value) || Number.isSafeInteger(value);
const UP_TO_1023 = 'an integer from 0 to 1023';
const UP_TO_4095 = 'an integer from 0 to 4095';

/** The field `timestamp`. */
const ofTime = (where: string, call: (timestamp: never, room: Room) => unknown): readonly Entry[] => [
  [where, call, [null, '1', [], {}, true], [], 'a Date, a number or a bigint'],
  [where, call, [], BAD_DATE, DATES],
  [where, call, [], BAD_MS, MS],
  [where, call, [], [-1n, 2n ** 41n, 2n ** 64n], 'an integer from 0 to 2199023255551'],
];
const ofDate = (call: (date: never) => unknown): readonly Entry[] => [
  ['date', call, NO_DATE, [], 'a Date or a number'],
  ['date', call, [], BAD_DATE, DATES],
  ['date', call, [], BAD_MS, MS],
];
const BAD_DATE = [Number.NaN, 0, '2022-12-31T23:59:59.999Z', '2092-09-06T15:47:35.552Z'].map((date) => new Date(date));
const BAD_MS = [FIRST - 1, FIRST - 0.001, LAST + 1, 0, -0, -1, 1, 2 ** 53, -(2 ** 53), 1e300, Number.NaN].concat([
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]);
const MS = `Unix milliseconds from ${FIRST} to ${LAST} (2023-01-01T00:00:00.000Z to 2092-09-06T15:47:35.551Z)`;
const DATES = 'a date from 2023-01-01T00:00:00.000Z to 2092-09-06T15:47:35.551Z';

const ofId = (call: (id: never) => unknown): readonly Entry[] => [
  ['id', call, NO_ID, NO_U64],
  ['id', call, [], NO_DECIMAL, 'a decimal integer from 0 to 2^64 - 1'],
  ['id', call, [], [2n ** 63n, 2n ** 64n - 1n, '9223372036854775808'], 'an id of at most 63 bits'],
];
const NO_ID = [...NO_BIGINT.filter((value) => typeof value !== 'string'), new BigUint64Array(1)];

const pack = (changes: object, room: Room) =>
  snowflake.packMany({ ...three, ...changes }, { out: room(BigUint64Array) });

type ColumnClass = new (length: number) => { [row: number]: number | bigint };

/** The types of columns of times, and all others. */
const TIMES = ['Float64Array', 'BigUint64Array', 'BigInt64Array'];
const NO_TIMES = Object.entries(TYPED_ARRAYS).flatMap(([name, Type]) => (TIMES.includes(name) ? [] : [new Type(3)]));

function columnWith(Type: ColumnClass, row: number, value: number | bigint) {
  const values = new Type(3);
  values[row] = value;
  return values;
}

/** Elements that the fields `shard` and `sequence` do not take, by type. */
const ELEMENTS: Record<string, [type: ColumnClass, shard: number | bigint, sequence: number | bigint]> = {
  Int8Array: [Int8Array, -1, -1],
  Uint16Array: [Uint16Array, 1024, 4096],
  Int16Array: [Int16Array, -7, -7],
  Float32Array: [Float32Array, 0.5, 0.5],
  Float64Array: [Float64Array, 0.5, 0.5],
  BigInt64Array: [BigInt64Array, -1n, -1n],
};

const unpack = (out: object, some = ids, fields?: readonly string[]) =>
  snowflake.unpackMany(some, { out, fields } as object);
const shard = (room: Room) => ({ shard: room(Uint32Array) });

const TOO_LARGE = [2n ** 63n, 2n ** 64n - 1n];
const NO_LIST = [null, 5, 'shard', {}, true, new Set(['shard'])];
const NO_ARRAY = [null, 5, [], {}, [1, 2], VIEW, new Int16Array(3), new Float32Array(3), new BigInt64Array(3)];
const NO_TIME_OUT = [...NO_ARRAY, new Uint8Array(3), new Uint16Array(3), new Uint32Array(3)];
const UNSIGNED = 'a Uint8Array, Uint16Array, Uint32Array, Float64Array or BigUint64Array';
const DIALECTS = "one of 'postgres', 'mysql', 'clickhouse'";
const NO_DIALECT = ['', 'mariadb', 'Postgres', 'toString', '__proto__'];
const NO_SPEC = [
  ...['', 'nope', 'Snowflake', 'toString', '__proto__', 'a', 'a:', ':5', 'a:5,', ',a:5', 'a:5,,b:5', 'a:5;b:5', 'a=5'],
  ...['a:100', 'a:-1', 'a:1.5', 'a:5n', 'a:0x5', '1:5', '_a:5', 'a b:5'],
];

/** What takes one id or gives one, of either entry. */
export function ofSingleIds({ defineLayout, layouts, parseLayout }: Omit<IdsApi, 'formatId' | 'parseId'>): Table {
  const { snowflake, ragedb } = layouts;
  return {
    defineLayout: ofFields((v) => defineLayout(v)),
    'defineLayout of bits': [integer('fields.a.bits', (a) => defineLayout({ a }), 1, 64, [])],
    'Layout.pack': [
      ['values', (v) => snowflake.pack(v), NO_OBJECT, [], 'an object'],
      ['values', (name) => snowflake.pack({ ...one, [name]: 1 }), [], ['extra', 'shrad', 'toString'], NAMES],
      ...ofShard('values.shard', (v) => snowflake.pack({ ...one, shard: v })),
      ['values.shard', (v) => snowflake.pack({ ...one, shard: v }), [VIEW, new Uint16Array(3)]],
      ['values.sequence', () => snowflake.pack({ timestamp: FIRST, shard: 1 } as never), [undefined]],
      ...ofTime('values.timestamp', (timestamp) => snowflake.pack({ ...one, timestamp })),
    ],
    'Layout.pack of ragedb': [
      [
        'values.type',
        (type) => ragedb.pack({ local: 1, type, shard: 1 }),
        [],
        [0, 0n, 65536],
        'an integer from 1 to 65535',
      ],
    ],
    'Layout.unpack': ofId((v) => snowflake.unpack(v)),
    'Layout.shardOf': ofId((v) => snowflake.shardOf(v)),
    'Layout.dateOf': ofId((v) => snowflake.dateOf(v)),
    'Layout.minIdAt': ofDate((v) => snowflake.minIdAt(v)),
    'Layout.maxIdAt': ofDate((v) => snowflake.maxIdAt(v)),
    parseLayout: [
      ['spec', (v) => parseLayout(v), NO_STRING, [], 'a string'],
      ['spec', (v) => parseLayout(v), [], NO_SPEC],
      ['spec', (v) => parseLayout(v), [], ['a:0', 'a:65', 'a:99'], 'from 1 to 64 bits a field'],
      ['spec', (fields: []) => parseLayout(fields.join()), [], [['a:40', 'b:40']], 'at most 64 bits in all'],
      ['spec', (fields: []) => parseLayout(fields.join()), [], [['a:5', 'a:6']], 'each field once'],
    ],
  };
}

export const LAYOUT: Table = {
  ...ofSingleIds(root),
  Layout: ofFields((v) => new Layout(v)),
  'Layout.from': ofFields((v) => Layout.from(v)),
  'Layout.datesOf': [
    ['ids', (v) => snowflake.datesOf(v), NO_U64S, [], 'a BigUint64Array'],
    [
      'ids row 1',
      (id, room) => snowflake.datesOf(BigUint64Array.of(0n, id, 1n), { out: room(Float64Array) }),
      [],
      TOO_LARGE,
      'an id of at most 63 bits',
    ],
    ...ofOut(Float64Array, (v) => snowflake.datesOf(ids, v)),
  ],
  'Layout.datesOf beyond what numbers hold': [
    [
      'ids row 2',
      (id, room) => fine.datesOf(BigUint64Array.of(0n, 1n, id), { out: room(Float64Array) }),
      [],
      [2n ** 43n * 1000n + 1n, 2n ** 64n - 1n],
      'an id whose timestamp in milliseconds is exact as a number (wide columns hold units)',
    ],
  ],
  'Layout.packMany': [
    ['columns', (v) => snowflake.packMany(v), NO_OBJECT, [], 'an object'],
    ['columns', (name, room) => pack({ [name]: 1 }, room), [], ['extra', 'shrad', 'more', 'toString'], NAMES],
    ...ofShard('columns.shard', (v, room) => pack({ shard: v }, room)),
    ['columns.shard', (v, room) => pack({ shard: v }, room), [VIEW, ...lost(...Object.keys(TYPED_ARRAYS))]],
    ['columns.sequence', (sequence, room) => pack({ sequence }, room), [], [4096, -1, 0.5], UP_TO_4095],
    [
      'columns.sequence',
      (n, room) => pack({ sequence: new Uint16Array(n) }, room),
      [],
      [0, 1, 2, 4],
      '3 rows, as shard has',
    ],
    ['columns.sequence', (_, room) => snowflake.packMany(withoutSequence, { out: room(BigUint64Array) }), [undefined]],
    ...ofTime('columns.timestamp', (timestamp, room) => pack({ timestamp }, room)),
    [
      'columns.timestamp',
      (timestamp, room) => pack({ timestamp }, room),
      NO_TIMES,
      [],
      'a Float64Array of Unix milliseconds, u64s of its units, or one value',
    ],
    ['columns.timestamp', (timestamp, room) => pack({ timestamp }, room), [VIEW, ...lost(...TIMES)]],
    ['columns.timestamp row 1', (ms, room) => pack({ timestamp: Float64Array.of(FIRST, ms, 0) }, room), [], BAD_MS, MS],
    [
      'columns.timestamp row 1',
      (units, room) => pack({ timestamp: BigUint64Array.of(0n, units, 2n ** 63n) }, room),
      [],
      [2n ** 41n, 2n ** 64n - 1n],
      'an integer from 0 to 2199023255551',
    ],
    [
      'columns.timestamp row 2',
      (units, room) => pack({ timestamp: BigInt64Array.of(0n, 5n, units) }, room),
      [],
      [-1n],
      'an integer from 0 to 2199023255551',
    ],
    ...ofOut(BigUint64Array, (v) => snowflake.packMany(three, v)),
  ],
  ...each(ELEMENTS, (name, [Type, badShard, badSequence]) => [
    `Layout.packMany of a ${name}`,
    [
      ['columns.shard row 1', (v, room) => pack({ shard: columnWith(Type, 1, v) }, room), [], [badShard], UP_TO_1023],
      [
        'columns.sequence row 2',
        (v, room) => pack({ sequence: columnWith(Type, 2, v) }, room),
        [],
        [badSequence],
        UP_TO_4095,
      ],
    ],
  ]),
  'Layout.packMany of no rows': [
    ['columns.sequence', (sequence) => snowflake.packMany({ ...none, sequence }), [], [new Uint8Array(2)]],
    ['columns.shard', (v) => snowflake.packMany({ ...none, shard: v }), lost('Uint8Array')],
  ],
  'Layout.unpackMany': [
    ['ids', (v) => snowflake.unpackMany(v), NO_U64S, [], 'a BigUint64Array'],
    [
      'ids row 1',
      (id, room) => unpack(shard(room), BigUint64Array.of(0n, id, 1n)),
      [],
      TOO_LARGE,
      'an id of at most 63 bits',
    ],
    ['options', (v) => snowflake.unpackMany(ids, v), NO_OPTIONS, [], 'an object'],
    [
      'options',
      (name) => snowflake.unpackMany(ids, { [name]: ['shard'] }),
      [],
      ['field', 'Wide'],
      'only fields, wide, out',
    ],
    ['fields', (fields) => snowflake.unpackMany(ids, { fields }), NO_LIST, [], 'an array of names'],
    ['wide', (wide) => snowflake.unpackMany(ids, { wide }), NO_BOOLEAN, [], 'a boolean'],
    ['out', (out) => snowflake.unpackMany(ids, { out }), NO_OPTIONS, [], 'an object'],
    ['out', (name, room) => unpack({ ...shard(room), [name]: ids }), [], ['nope', 'nothing', 'toString'], NAMES],
    ['out.shard', (v) => unpack({ shard: v }), [...NO_ARRAY, ...lost('Uint16Array', 'Uint32Array')], [], UNSIGNED],
    ['out.timestamp', (timestamp) => unpack({ timestamp }), lost('Float64Array', 'BigUint64Array')],
    ['out.timestamp', (timestamp) => unpack({ timestamp }), NO_TIME_OUT, [], 'a Float64Array or BigUint64Array'],
    ['out.sequence', (sequence, room) => unpack({ ...shard(room), sequence }), lost('Uint16Array')],
    [
      'out.sequence',
      (Type, room) => unpack({ ...shard(room), sequence: room(Type) }),
      [],
      [Uint8Array],
      'elements of 12 bits or more',
    ],
    [
      'out.sequence',
      (n, room) => unpack({ ...shard(room), sequence: room(Uint16Array, n) }),
      [],
      [0, 1, 2, 4],
      'a length of 3',
    ],
  ],
  'Layout.unpackMany of some fields': [
    [
      'fields',
      (name, room) => unpack(shard(room), ids, ['shard', name]),
      [5, null, undefined],
      ['no', 'nothing', 'toString'],
    ],
    [
      'out',
      (name, room) => unpack({ [name]: room(Uint32Array) }, ids, ['sequence']),
      [],
      ['shard', 'nope'],
      'only sequence',
    ],
  ],
  'Layout.unpackMany of signed ids': [
    [
      'ids row 1',
      (id) => snowflake.unpackMany(new BigInt64Array(BigUint64Array.of(0n, id).buffer) as never),
      [],
      TOO_LARGE,
    ],
  ],
  'Layout.unpackMany of ragedb': [
    [
      'ids row 2',
      ([id]: [bigint], room) => ragedb.unpackMany(BigUint64Array.of(67109888n, 67109888n, id), { out: shard(room) }),
      [],
      [[5n]],
      'an id whose type is at least 1',
    ],
  ],
  'Layout.toSql': [
    ['column', (v) => snowflake.toSql(v), NO_STRING, [], 'a string'],
    ['column', (v) => snowflake.toSql(v), [], ['', 'a b', 'id;', '`id`', 'a.b.c.d'], 'a column name in postgres'],
    ['dialect', (v) => snowflake.toSql('id', v), NO_CHOICE, NO_DIALECT, DIALECTS],
  ],
};
