// Keys of several columns, and NULL: what columns may be, beyond the vectors of kinds.test.ts.
import { describe, expect, it } from 'vitest';
import { planReshard } from '../../src/index.js';
import { type KeyKind, partitioner, partitionerFrom, partitionerNamed, systems } from '../../src/partitioners/index.js';
import { abilitiesOf } from '../../src/routing/routing.js';
import { onBothBackends } from '../support/backends.js';
import { bytesColumn, make } from './samples.js';

const ROWS = 20_000; // more than a piece of the kernels
const texts = Array.from({ length: ROWS }, (_, i) => (i % 5 === 0 ? null : `user:${i} é`));
const ids = Array.from({ length: ROWS }, (_, i) => (i % 7 === 0 ? null : BigInt(i) * 0x9e3779b97f4a7c15n - 2n ** 62n));
const wrapped = ids.map((id) => id && BigInt.asIntN(64, id));

/** Systems that hash several columns, and those that take NULL. */
const SEVERAL = Object.values(systems).filter(({ columns, word }) => columns > 1 && word !== 'cassandra');
const NULLABLE = ['postgres', 'spark', 'hive', 'hive:1', 'mysql', 'prometheus'];

onBothBackends('columns', () => {
  it.each(SEVERAL.map(({ word }) => word))('of %s are routed as single keys are', (word) => {
    const { keys } = systems[word];
    const key = [keys.includes('int64') ? 'int64' : 'text', keys.includes('text') ? 'text' : 'int64'] as const;
    const made = partitionerNamed(word, { shards: 1000, key });
    const hasNull = NULLABLE.includes(word);
    const columns = key.map((kind) => {
      if (kind === 'text') return hasNull ? texts : texts.map((text) => text ?? '');
      return hasNull ? wrapped : wrapped.map((id) => id ?? 0n);
    });
    const shards = made.routeMany(columns);
    for (let row = 0; row < ROWS; row += 37) {
      expect(made.route([columns[0][row], columns[1][row]] as never)).toBe(shards[row]);
    }
    const again = new Uint32Array(ROWS);
    expect(partitionerFrom(JSON.parse(JSON.stringify(made))).routeMany(columns, { out: again })).toBe(again);
    expect(again).toEqual(shards);
    expect(made.tokens(columns)).toHaveLength(ROWS);
    expect(planReshard(columns as never, made, made).moved).toBe(0);
  });

  it('may be of every form of their kind', () => {
    const key = ['int64', 'text', 'uint8'] as const;
    const made = partitioner('postgres', { modulus: 1000, key });
    const expected = made.routeMany([
      [1n, -1n],
      ['a', 'é'],
      [0, 255],
    ]);
    const column = bytesColumn([Uint8Array.of(0x61), Uint8Array.of(0xc3, 0xa9)], 3);
    expect(made.routeMany([BigInt64Array.of(1n, -1n), column, Uint8Array.of(0, 255)])).toEqual(expected);
    expect(made.routeMany([[], [], []])).toEqual(new Uint32Array());
  });

  it('have UUIDs as text or as 16 bytes in a single key', () => {
    const made = partitioner('postgres', { modulus: 1000, key: ['uuid', 'text'] });
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i);
    expect(made.route([bytes, 'a'])).toBe(made.route(['00010203-0405-0607-0809-0a0b0c0d0e0f', 'a']));
    expect(() => made.route([bytes.subarray(1), 'a'])).toThrow(expect.objectContaining({ argument: 'key[0]' }));
  });

  it('are one column in a list, too', () => {
    const list = partitioner('cassandra', { key: ['text'] });
    expect(list.tokens([['abc']])).toEqual(partitioner('cassandra').tokens(['abc']));
    expect(partitioner('postgres', { modulus: 12, key: ['text'] }).route(['abc'])).toBe(1);
  });
});

onBothBackends('NULL', () => {
  it('may lie in a table of wider integers with any number in its place', () => {
    const { routeRows } = abilitiesOf(partitioner('postgres', { modulus: 12, key: 'uint32' }));
    const nulls = Uint8Array.of(0, 1, 0);
    const out = new Uint32Array(3);
    routeRows?.([{ values: BigInt64Array.of(1n, 2n ** 62n, 2n), nulls }], out);
    expect([...out]).toEqual([...partitioner('postgres', { modulus: 12, key: 'uint32' }).routeMany([1, null, 2])]);
    const wrong = { values: BigInt64Array.of(-1n, 2n ** 62n, 2n), nulls: Uint8Array.of(1, 0, 0) };
    expect(() => routeRows?.([wrong], out)).toThrow(expect.objectContaining({ name: 'RangeError', row: 1 }));
  });

  it.each([
    ['postgres', 0],
    ['spark', 42],
    ['spark:rdd', 0],
    ['hive', 0],
    ['hive:1', 0],
    ['vitess', 153],
    ['vitess:binary_md5', 212],
    ['mysql', 2],
    ['prometheus', 126],
  ])('in a column of %s has its shard', (word, shard) => {
    for (const key of systems[word].keys) {
      const made = partitionerNamed(word, { shards: 256, key });
      expect(made.route(null as never)).toBe(shard);
      expect([...made.routeMany([null, null])]).toEqual([shard, shard]);
    }
    const made = partitionerNamed(word, { shards: 256 });
    const rows = made.key === 'text' ? texts : wrapped;
    const shards = made.routeMany(rows);
    for (let row = 0; row < ROWS; row += 37) expect(made.route(rows[row] as never)).toBe(shards[row]);
  });
});

describe('what is not a column or a key of several columns', () => {
  const made = make('postgres', { modulus: 8, key: ['int64', 'text'] });
  const cassandra = make('cassandra', { key: ['text', 'text'] });

  it.each<[what: string, call: () => unknown, problem: object]>([
    ['one column', () => made.routeMany(['a']), { name: 'TypeError', argument: 'keys' }],
    ['a typed array', () => made.routeMany(BigInt64Array.of(1n)), { name: 'TypeError', argument: 'keys' }],
    ['three columns', () => made.routeMany([[1n], ['a'], ['b']]), { name: 'TypeError', argument: 'keys' }],
    ['another kind', () => made.routeMany([['a'], ['a']]), { name: 'TypeError', argument: 'keys[0]', row: 0 }],
    ['a number', () => made.routeMany([[1n], [5]]), { name: 'TypeError', argument: 'keys[1]', row: 0 }],
    [
      'out of range',
      () =>
        made.routeMany([
          [1n, 2n ** 63n],
          ['', ''],
        ]),
      { name: 'RangeError', argument: 'keys[0]', row: 1 },
    ],
    ['other lengths', () => made.routeMany([[1n, 2n], ['a']]), { name: 'RangeError', argument: 'keys[1]', got: 1 }],
    ['a text', () => made.route('a'), { name: 'TypeError', argument: 'key', got: 'a' }],
    ['null', () => made.route(null), { name: 'TypeError', argument: 'key', got: null }],
    ['one value', () => made.route([1n]), { name: 'RangeError', argument: 'key' }],
    ['the other kind', () => made.route([1n, 1n]), { name: 'TypeError', argument: 'key[1]', got: 1n }],
    ['undefined', () => made.route([1n, undefined]), { name: 'TypeError', argument: 'key[1]', got: undefined }],
    ['NULL in Cassandra', () => cassandra.tokens([['a'], [null]]), { name: 'TypeError', argument: 'keys[1]', row: 0 }],
    [
      'a long component in Cassandra',
      () =>
        cassandra.tokens([
          ['a', 'a'],
          ['', 'x'.repeat(65_536)],
        ]),
      { name: 'RangeError', argument: 'keys', row: 1, got: 65_536 },
    ],
    [
      '256 columns',
      () => make('postgres', { modulus: 8, key: Array<KeyKind>(256).fill('text') }),
      { name: 'RangeError', argument: 'key' },
    ],
  ])('%s', (_, call, problem) => {
    expect(call).toThrow(expect.objectContaining(problem));
  });

  it('is a time outside the day, or finer than a microsecond', () => {
    const iceberg = make('iceberg', { buckets: 16, key: 'time' });
    for (const us of [-1n, 86_400_000_000n]) {
      const problem = { name: 'RangeError', got: us };
      expect(() => iceberg.route(us)).toThrow(expect.objectContaining(problem));
      const column = { name: 'RangeError', row: 1, got: String(us) };
      expect(() => iceberg.routeMany(BigInt64Array.of(0n, us))).toThrow(expect.objectContaining(column));
    }
    for (const kind of ['time', 'timestamp'] as const) {
      const text = `${kind === 'time' ? '' : '2024-03-01T'}10:30:15.1234567`;
      const postgres = make('postgres', { modulus: 8, key: kind });
      expect(() => postgres.route(text)).toThrow(expect.objectContaining({ name: 'RangeError', got: text }));
      expect(postgres.route(text.slice(0, -1))).toBeLessThan(8);
    }
  });

  it('is not UTF-8 beside NULL', () => {
    const rdd = partitioner('spark', { partitions: 10, variant: 'rdd' });
    const data = Uint8Array.of(0x61, 0xff, 0xfe);
    const values = { data, starts: Uint32Array.of(0, 1, 3), ends: Uint32Array.of(1, 3, 3) };
    const routed = () => abilitiesOf(rdd).routeRows?.([{ values, nulls: Uint8Array.of(0, 0, 1) }], new Uint32Array(3));
    expect(routed).toThrow(expect.objectContaining({ name: 'RangeError', row: 1, expected: 'text in UTF-8' }));
  });

  it('is a decimal that ends wrong after many digits', () => {
    const iceberg = partitioner('iceberg', { buckets: 1000, key: 'decimal' });
    const digits = ['1'.repeat(256), '1'.repeat(300)];
    const column = bytesColumn(digits.map((text) => new TextEncoder().encode(text)));
    expect([...iceberg.routeMany(column)]).toEqual(digits.map((text) => iceberg.route(text)));
    const wrong = bytesColumn([new TextEncoder().encode(`${digits[0]}zzz`)]);
    expect(() => iceberg.routeMany(wrong)).toThrow(expect.objectContaining({ name: 'RangeError', row: 0 }));
  });

  it('leaves `out` as it was', () => {
    const out = new Uint32Array(2).fill(7);
    expect(() =>
      made.routeMany(
        [
          [1n, 2n],
          ['a', 5],
        ],
        { out },
      ),
    ).toThrow(TypeError);
    expect([...out]).toEqual([7, 7]);
  });
});
