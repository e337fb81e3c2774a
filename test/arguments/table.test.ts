import { stringify } from 'fast-check';
import { expect, test } from 'vitest';
import * as api from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

const { fastRange, fastRangeMany, groupByShard, jumpHash, jumpHashMany, layouts, planReshard, xxh64, xxh64Many } = api;
const { formatId, formatIdColumn, formatIds, parseId, parseIds } = api;
const { defineLayout, Layout, loadBackend, parseLayout, Router, setBackend, SnowflakeGenerator, typedKey, Xxh64 } = api;

/** A call with one argument to fill in, that argument as messages name it, values of the wrong kind, and wrong values. */
type Entry = readonly [where: string, call: (v: never) => unknown, kinds: Values, values?: Values];
type Values = readonly unknown[];

const detached = <T extends { buffer: ArrayBufferLike }>(array: T): T => {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
};
const mint = (options: object) => new SnowflakeGenerator({ shard: 1, clock: () => 2e12, ...options });
const sparse = ['a', 'b', 'c'];
delete sparse[1];
const outside = (min: number, max: number): Values => [
  ...[min - 1, max + 1, -1, min + 0.5, Number.NaN, 2 ** 53, 2 ** 64, min === 0 ? -2 : -0],
  ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MIN_VALUE],
];

const THINGS = [null, {}, [], true, Symbol('s'), () => 1, new Date(0), new Map()];
const NO_SEED = [...THINGS, 1, 0, -0, 1.5, Number.NaN, 2 ** 53, 2 ** 64, '1', Object(1n), [1n]];
const NO_BIGINT = [...NO_SEED, undefined];
const NO_U64 = [-1n, 2n ** 64n, -(2n ** 63n), 2n ** 70n];
const NO_NUMBER = [...THINGS, undefined, 1n, '1', Object(1), [1]];
const NO_STRING = [...THINGS, undefined, 1, 1n, Object('a'), ['a'], new Uint8Array(1)];
const NO_OPTIONS = [null, 5, 5n, 'x', true, Symbol('s'), () => 1, [], [1, 2, 3], new BigUint64Array(2)];
const NO_OBJECT = [...NO_OPTIONS, undefined];
const NO_ROUTER = [...NO_OBJECT, {}, { shards: 4 }, Router];
const NO_BYTES = [undefined, null, 5, 1.5, 0, true, {}, [1, 2], ['a'], Object('a'), new Set(), new Date(0), () => 'a'];
const VIEW = new DataView(new ArrayBuffer(8));
const ARRAYS = [new Uint8Array(8), new Uint32Array(2), new Float64Array(2), new Int16Array(2), VIEW.buffer, VIEW];
const NO_COLUMN = [undefined, null, 5, 5n, 'ab', {}, { length: 2 }, [1n, 2n], [1, 2], new Set([1n]), new Array(2)];
const NO_U64S = [...NO_COLUMN, ...ARRAYS, detached(new BigUint64Array(2)), detached(new BigInt64Array(2))];
const NO_SHARDS = [...NO_COLUMN, new Int32Array(2), VIEW, detached(new Uint32Array(2))];
const NO_KEYS = [undefined, null, 5, 5n, 'ab', {}, { offsets: new Uint32Array(1) }, new Set(['a']), ...ARRAYS];
const NO_TEXTS = [['a', 5, 'b'], ['a', undefined], ['a', null], ['a', 1n], ['a', ['b']], sparse];
const NO_DATA = [undefined, null, 'ab', [1, 2], VIEW.buffer, new Int8Array(2), detached(new Uint8Array(2))];
const NO_OFFSETS = [undefined, null, [0, 1], new Int32Array(2), new BigUint64Array(2), detached(new Uint32Array(2))];
const BAD_OFFSETS = [[0, 5], [0, 3, 2], [5], [0, 2 ** 32 - 1, 4]].map((offsets) => Uint32Array.from(offsets));
const NO_OUT = [5, null, [], {}, [1, 2], new Uint8Array(8), VIEW.buffer, VIEW, new BigInt64Array(2), new Int32Array(2)];
const NO_ID = [...THINGS, undefined, 5, 2 ** 53, Number.NaN, Object(5n), [5n], new BigUint64Array(1)];
const NO_DECIMAL = ['', ' 5', '5 ', '-1', '+1', '5n', '0x5', '5.0', '1e3', '5\n', '٣', '1_0', '18446744073709551616'];
const NO_FORMAT = ['', 'decimal', 'DEC', 'base32', 'base64', 'toString', '__proto__'];
const BAD_ID = [...NO_U64, 2n ** 63n, '9223372036854775808', ...NO_DECIMAL];
const NO_DATE = [undefined, null, 0, 5n, '2024-01-01', {}, []];
const BAD_DATE = [Number.NaN, 0, '2022-12-31T23:59:59.999Z', '2092-09-06T15:47:35.552Z'].map((date) => new Date(date));
const BAD_SHARD = [...outside(0, 1023), -1n, 1024n];
const NO_FIELD = [undefined, null, '5', true, {}, [1, 2], new Array(2), new Set([1]), VIEW.buffer, VIEW, new Date(0)];
const BAD_ROW = [Uint16Array.of(1, 1024), Int8Array.of(1, -1), Float64Array.of(1, 0.5), BigInt64Array.of(1n, -1n)];
const BAD_IDS = [BigUint64Array.of(0n, 2n ** 63n), BigInt64Array.of(0n, -1n)];
const NO_EPOCH = [null, '2023-01-01', 5n, {}, true, []];
const BAD_EPOCH = [Number.NaN, 0.5, Number.POSITIVE_INFINITY, 8.64e15 + 1, -8.64e15 - 1, 2 ** 53, new Date(Number.NaN)];
const BAD_FIELDS = [{}, { a: 33, b: 32 }, { 1: 5 }, { 'a b': 5 }, { a: { bits: 5, unit: 's' }, timestamp: 5 }];
const BAD_SPEC = [
  ...['', 'nope', 'Snowflake', 'toString', '__proto__', 'a', 'a:', ':5', 'a:5,', ',a:5', 'a:5,,b:5', 'a:5;b:5', 'a=5'],
  ...['a:0', 'a:65', 'a:99', 'a:100', 'a:-1', 'a:1.5', 'a:5n', 'a:0x5', 'a:40,b:40', 'a:5,a:6', '1:5', '_a:5', 'a b:5'],
];
const NO_DOWN = [null, 5, 5n, {}, '12', true, () => 1, ['1'], [1n], [null], [undefined], new Set(['1'])];
const BAD_DOWN = [[4], [-1], [0.5], [Number.NaN], [0, 1, 2, 3], new Set([9]), Uint8Array.of(0, 4)];
const EMPTY_WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
const STRANGER = new WebAssembly.Module(EMPTY_WASM);
const RESPONSES = [() => new Response(EMPTY_WASM), async () => new Response('<html>', { status: 404 })];
const NO_SOURCE = [null, 5, 5n, 'core.wasm', true, {}, [], () => 1, new URL('file:///core.wasm')];
const BAD_SOURCE = [STRANGER, EMPTY_WASM, EMPTY_WASM.buffer, new Uint8Array(0), new Uint8Array(100)];

const keys = BigUint64Array.of(1n, 2n);
const texts = ['a', 'b'];
const router = new Router({ shards: 4 });
const raw = new Router({ shards: 4, hash: 'none' });
const { snowflake } = layouts;
const one = { timestamp: 1, shard: 2, sequence: 3 };
const two = { timestamp: 1, shard: Uint16Array.of(2, 3), sequence: Uint16Array.of(4, 5) };

const ofKeys = (call: (keys: never) => unknown): readonly Entry[] => [
  ['keys', call, NO_KEYS],
  ['keys row 1', call, NO_TEXTS],
  ['keys.data', (data) => call({ data, offsets: Uint32Array.of(0, 1) } as never), NO_DATA],
  ['keys.offsets', (offsets) => call({ data: new Uint8Array(4), offsets } as never), NO_OFFSETS, BAD_OFFSETS],
];
const ofOut = (Out: { new (length: number): unknown }, call: (options: never) => unknown): readonly Entry[] => [
  ['options', call, NO_OPTIONS, [{ Out: undefined }, { outs: new Out(2) }, { out: new Out(2), length: 2 }]],
  ['out', (out) => call({ out } as never), NO_OUT, [new Out(0), new Out(1), new Out(3)]],
];
const ofFields = (call: (fields: never) => unknown): readonly Entry[] => [
  ['fields', call, NO_OBJECT, BAD_FIELDS],
  ['fields.a', (a) => call({ a } as never), [null, '5', 5n, true, [], [5], () => 1], [{ bits: 5, width: 3 }]],
  ['fields.a.bits', (a) => call({ a } as never), [{}, { bits: '5' }, { bits: 5n }, { bits: null }], outside(1, 64)],
  ['fields.a.min', (min) => call({ a: { bits: 5, min } } as never), [null, '1', 1n, {}, [1]], outside(0, 31)],
  ['fields.a.epoch', (epoch) => call({ a: { bits: 5, epoch } } as never), NO_EPOCH, BAD_EPOCH],
  ['fields.a.unit', (unit) => call({ a: { bits: 5, unit } } as never), [null, 5, {}, ['s']], ['us', 'MS', '', 'at']],
];

const TABLE: { readonly [name: string]: readonly Entry[] } = {
  xxh64: [
    ['data', (v) => xxh64(v), NO_BYTES, NO_U64],
    ['seed', (v) => xxh64('a', v), NO_SEED],
  ],
  xxh64Many: [
    ...ofKeys((v) => xxh64Many(v)),
    ...ofOut(BigUint64Array, (v) => xxh64Many(texts, v)),
    ['seed', (seed) => xxh64Many(texts, { seed }), NO_SEED],
  ],
  Xxh64: [['seed', (v) => new Xxh64(v), NO_SEED]],
  'Xxh64.update': [['data', (v) => new Xxh64().update(v), [...NO_BYTES, 5n]]],
  'Xxh64.reset': [['seed', (v) => new Xxh64().reset(v), NO_SEED]],
  jumpHash: [
    ['key', (v) => jumpHash(v, 10), NO_BIGINT, NO_U64],
    ['buckets', (v) => jumpHash(1n, v), NO_NUMBER, outside(1, 2 ** 31 - 1)],
  ],
  jumpHashMany: [
    ['keys', (v) => jumpHashMany(v, 10), NO_U64S],
    ['buckets', (v) => jumpHashMany(keys, v), NO_NUMBER, outside(1, 2 ** 31 - 1)],
    ...ofOut(Uint32Array, (v) => jumpHashMany(keys, 10, v)),
  ],
  fastRange: [
    ['hash', (v) => fastRange(v, 10), NO_BIGINT, NO_U64],
    ['n', (v) => fastRange(1n, v), NO_NUMBER, outside(1, 2 ** 32 - 1)],
  ],
  fastRangeMany: [
    ['hashes', (v) => fastRangeMany(v, 10), NO_U64S],
    ['n', (v) => fastRangeMany(keys, v), NO_NUMBER, outside(1, 2 ** 32 - 1)],
    ...ofOut(Uint32Array, (v) => fastRangeMany(keys, 10, v)),
  ],
  Router: [
    [
      'options',
      (v) => new Router(v),
      NO_OBJECT,
      [
        { shards: 4, shard: 1 },
        { shards: 4, Seed: 1n },
      ],
    ],
    ['shards', (shards) => new Router({ shards }), NO_NUMBER, outside(1, 2 ** 31 - 1)],
    ['strategy', (strategy) => new Router({ shards: 4, strategy }), [...THINGS, 5, ['jump']], ['', 'Jump', 'toString']],
    ['hash', (hash) => new Router({ shards: 4, hash }), [...THINGS, 5, ['none']], ['', 'xxh32', 'XXH64']],
    ['seed', (seed) => new Router({ shards: 4, seed }), NO_SEED],
    ['down', (down) => new Router({ shards: 4, down }), NO_DOWN, BAD_DOWN],
  ],
  'Router.route': [
    ['key', (v) => router.route(v), NO_BYTES, NO_U64],
    ['key', (v) => raw.route(v), [...NO_BIGINT, new Uint8Array(8)], NO_U64],
  ],
  'Router.routeMany': [
    ...ofKeys((v) => router.routeMany(v)),
    ['keys', (v) => raw.routeMany(v), [...NO_KEYS, texts, [1n]]],
    ...ofOut(Uint32Array, (v) => router.routeMany(texts, v)),
  ],
  'Router.with': [
    ['changes', (v) => router.with(v), NO_OBJECT, [{ shard: 5 }, { Down: [1] }]],
    ['shards', (shards) => router.with({ shards }), ['4', 4n, null], outside(1, 2 ** 31 - 1)],
    ['down', (shards) => new Router({ shards: 9, down: [8] }).with({ shards }), [], [8, 1]],
  ],
  typedKey: [
    ['type', (v) => typedKey(v, 'b'), NO_STRING],
    ['key', (v) => typedKey('a', v), NO_STRING],
  ],
  planReshard: [
    ...ofKeys((v) => planReshard(v, router, router)),
    ['from', (v) => planReshard(texts, v, router), NO_ROUTER],
    ['to', (v) => planReshard(texts, router, v), NO_ROUTER],
  ],
  formatId: [
    ['id', (v) => formatId(v, 'dec'), NO_BIGINT, NO_U64],
    ['format', (v) => formatId(1n, v), NO_STRING, NO_FORMAT],
  ],
  formatIds: [
    ['ids', (v) => formatIds(v, 'dec'), NO_U64S],
    ['format', (v) => formatIds(keys, v), NO_STRING, NO_FORMAT],
  ],
  formatIdColumn: [
    ['ids', (v) => formatIdColumn(v, 'dec'), NO_U64S],
    ['format', (v) => formatIdColumn(keys, v), NO_STRING, NO_FORMAT],
  ],
  parseId: [
    ['text', (v) => parseId(v, 'dec'), NO_STRING, NO_DECIMAL],
    ['format', (v) => parseId('1', v), NO_STRING, NO_FORMAT],
  ],
  parseIds: [
    ['texts', (v) => parseIds(v, 'dec'), [...NO_KEYS, keys, new BigInt64Array(2)]],
    [
      'texts row 1',
      (v) => parseIds(v, 'dec'),
      NO_TEXTS.map(([, ...rest]) => ['1', ...rest]),
      NO_DECIMAL.map((text) => ['1', text]),
    ],
    ['texts.data', (data) => parseIds({ data, offsets: Uint32Array.of(0, 1) }, 'dec'), NO_DATA],
    ['texts.offsets', (offsets) => parseIds({ data: new Uint8Array(4), offsets }, 'dec'), NO_OFFSETS, BAD_OFFSETS],
    ['format', (v) => parseIds(['1'], v), NO_STRING, NO_FORMAT],
  ],
  groupByShard: [
    ['shards', (v) => groupByShard(v, 4), NO_SHARDS],
    ['shards row 1', (v) => groupByShard(v, 4), [], [Uint32Array.of(3, 4), Uint32Array.of(0, 2 ** 32 - 1)]],
    ['count', (v) => groupByShard(Uint32Array.of(0), v), NO_NUMBER, outside(1, 2 ** 31 - 1)],
  ],
  defineLayout: ofFields((v) => defineLayout(v)),
  Layout: ofFields((v) => new Layout(v)),
  'Layout.pack': [
    ['values', (v) => snowflake.pack(v), NO_OBJECT, [{ ...one, extra: 1 }]],
    ['values.shard', (shard) => snowflake.pack({ ...one, shard }), NO_FIELD, BAD_SHARD],
    ['values.timestamp', (timestamp) => snowflake.pack({ ...one, timestamp }), [null, '1', [], {}], BAD_DATE],
  ],
  'Layout.unpack': [['id', (v) => snowflake.unpack(v), NO_ID, BAD_ID]],
  'Layout.shardOf': [['id', (v) => snowflake.shardOf(v), NO_ID, BAD_ID]],
  'Layout.dateOf': [['id', (v) => snowflake.dateOf(v), NO_ID, BAD_ID]],
  'Layout.minIdAt': [['date', (v) => snowflake.minIdAt(v), NO_DATE, BAD_DATE]],
  'Layout.maxIdAt': [['date', (v) => snowflake.maxIdAt(v), NO_DATE, BAD_DATE]],
  'Layout.packMany': [
    ['columns', (v) => snowflake.packMany(v), NO_OBJECT, [{ ...two, extra: 1 }]],
    ['columns.shard', (shard) => snowflake.packMany({ ...one, shard }), NO_FIELD, BAD_SHARD],
    ['columns.shard row 1', (shard) => snowflake.packMany({ ...two, shard }), [], BAD_ROW],
    [
      'columns.sequence',
      (sequence) => snowflake.packMany({ ...two, sequence }),
      [],
      [new Uint8Array(0), keys.slice(1)],
    ],
    ['columns.timestamp', (timestamp) => snowflake.packMany({ ...two, timestamp }), [null, '1', [], {}], BAD_DATE],
    ...ofOut(BigUint64Array, (v) => snowflake.packMany(two, v)),
  ],
  'Layout.unpackMany': [
    ['ids', (v) => snowflake.unpackMany(v), NO_U64S],
    ['ids row 1', (v) => snowflake.unpackMany(v), [], BAD_IDS],
    ['options', (v) => snowflake.unpackMany(keys, v), NO_OPTIONS, [{ field: ['shard'] }, { Wide: true }]],
    ['fields', (fields) => snowflake.unpackMany(keys, { fields }), [null, 5, 'shard', {}, true, new Set(['shard'])]],
    ['fields', (fields) => snowflake.unpackMany(keys, { fields }), [[5], [null], [undefined]], [['no'], ['toString']]],
    ['wide', (wide) => snowflake.unpackMany(keys, { wide }), [null, 0, 1, 'yes', '', {}, 1n]],
    ['out', (out) => snowflake.unpackMany(keys, { out }), NO_OPTIONS, [{ nope: new Uint16Array(2) }]],
    ['out.shard', (shard) => snowflake.unpackMany(keys, { out: { shard } }), [null, 5, [], {}, [1, 2], VIEW]],
    ['out.shard', (shard) => snowflake.unpackMany(keys, { out: { shard } }), [new Int16Array(2), new Float32Array(2)]],
    ['out.shard', (shard) => snowflake.unpackMany(keys, { out: { shard } }), [], [new Uint8Array(2), keys.slice(1)]],
  ],
  'Layout.toSql': [
    ['column', (v) => snowflake.toSql(v), NO_STRING, ['', 'a b', 'id;', '`id`', 'a.b.c.d']],
    ['dialect', (v) => snowflake.toSql('id', v), [...THINGS, 5], ['', 'mariadb', 'Postgres', 'toString', '__proto__']],
  ],
  SnowflakeGenerator: [
    ['options', (v) => new SnowflakeGenerator(v), NO_OBJECT, [{ shard: 1, nope: 1 }]],
    ['shard', (shard) => new SnowflakeGenerator({ shard }), [null, undefined, '1', 1n, true], outside(0, 1023)],
    [
      'layout',
      (layout) => mint({ layout }),
      [null, 5, 'snowflake', [], () => 1],
      [layouts.pinterest, layouts.mastodon],
    ],
    ['clock', (clock) => mint({ clock }), [null, 5, '5', {}, new Date()]],
    ['clock', (time) => mint({ clock: () => time }).next(), [undefined, null, '5', 5n, Number.NaN, new Date()]],
    ['onClockBackwards', (onClockBackwards) => mint({ onClockBackwards }), THINGS, ['', 'Throw', 'toString']],
    ['onSequenceExhausted', (onSequenceExhausted) => mint({ onSequenceExhausted }), THINGS, ['', 'Throw']],
    ['maxWaitMs', (maxWaitMs) => mint({ maxWaitMs }), [null, '5', 5n, {}], [-1, 1.5, Number.NaN, 2 ** 31]],
    ['highWater', (mark) => mint({ highWater: { load: () => mark, save() {} } }), ['5', 5n, Number.NaN, {}]],
  ],
  'SnowflakeGenerator.nextMany': [['n', (v) => mint({}).nextMany(v), NO_NUMBER, outside(0, 2 ** 32)]],
  'SnowflakeGenerator.nextManyAsync': [['n', (v) => mint({}).nextManyAsync(v), NO_NUMBER, outside(0, 2 ** 32)]],
  parseLayout: [['spec', (v) => parseLayout(v), NO_STRING, BAD_SPEC]],
  setBackend: [['which', (v) => setBackend(v), NO_STRING, ['', 'WASM', 'Auto', 'js', STRANGER]]],
  loadBackend: [
    ['source', (v) => loadBackend(v), NO_SOURCE, BAD_SOURCE],
    ['source', (respond: () => Response) => loadBackend(respond()), [], RESPONSES],
  ],
};

const WITHOUT_ARGUMENTS = [
  'getBackend',
  'Xxh64.digest',
  'Xxh64.digestHex',
  'Xxh64.clone',
  'Layout.expiresAt',
  'SnowflakeGenerator.next',
  'SnowflakeGenerator.nextAsync',
  'SnowflakeGenerator.close',
];
const ANYTHING_GOES = Object.keys(api).filter((name) => name.endsWith('Error')); // causes and messages

// fast-check cannot show an array that has lost its memory.
const shown = (value: unknown): string => (ArrayBuffer.isView(value) ? value.constructor.name : stringify(value));

/** The name of the error that a call throws, if its message says where, what was expected and what came. */
async function outcome(call: Entry[1], where: string, value: unknown): Promise<string> {
  try {
    await call(value as never);
  } catch (error) {
    const { message } = error as Error;
    const good = message.startsWith(where) && /expected [\s\S]+, got /.test(message);
    return good ? (error as Error).constructor.name : `an error without ${where}, expected or got: ${message}`;
  }
  return 'accepted';
}

onBothBackends('arguments', (kernels) => {
  const cases = Object.entries(TABLE).flatMap(([name, entries]) =>
    entries.flatMap(([where, call, kinds, values = []]) => [
      { name, where: where.replace(/^\S+/, '"$&"'), call, error: 'TypeError', wrong: kinds },
      { name, where: where.replace(/^\S+/, '"$&"'), call, error: 'RangeError', wrong: values },
    ]),
  );
  const filled = cases.filter(({ wrong }) => wrong.length > 0);

  test.each(filled)('$name: a wrong $where is a $error', async ({ call, where, wrong, error }) => {
    const outcomes: string[] = [];
    for (const value of wrong) {
      outcomes.push(`${shown(value)}: ${await outcome(call, where, value)}`);
      expect(api.getBackend()).toBe(kernels.name);
    }
    expect(outcomes).toEqual(wrong.map((value) => `${shown(value)}: ${error}`));
  });
});

test('the table has every function, class and method of the package, and no others', () => {
  const callable = Object.entries(api).filter(([, value]) => typeof value === 'function');
  const names = callable.flatMap(([name, value]) => {
    const members = Object.getOwnPropertyDescriptors((value as { prototype?: object }).prototype ?? {});
    const methods = Object.entries(members).filter(([, { value: method }]) => typeof method === 'function');
    return [
      name,
      ...methods.map(([method]) => `${name}.${method}`).filter((method) => !method.endsWith('.constructor')),
    ];
  });
  expect([...Object.keys(TABLE), ...WITHOUT_ARGUMENTS, ...ANYTHING_GOES].sort()).toEqual(names.sort());
});
