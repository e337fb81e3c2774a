// Every kind of key, keys of several columns and NULL, against what the systems themselves give, where they could be run:
// `RUN` is from PostgreSQL 18.4, Citus' rule in it, ClickHouse (chdb 26.7) and Java 17; `LIB` from npm cassandra-driver 4.10.0,
// python3-cassandra 3.25 and kafkajs; `published` from tests or documents of the system (apache/spark and rapidsai/cudf, whose
// values were made in Spark; apache/hive and trinodb/trino; apache/iceberg; vitessio/vitess); `SRC` by independent programs after
// the sources of the system.
import { describe, expect, it } from 'vitest';
import { type KeyKind, partitionerNamed, systems } from '../../src/partitioners/index.js';
import { abilitiesOf } from '../../src/routing/routing.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import vectors from '../vectors/key-kinds.json' with { type: 'json' };
import { bytesColumn } from './samples.js';

interface KindVector {
  readonly as: string;
  readonly kinds: readonly KeyKind[];
  /** Values as text: integers in decimal, bytes in hex. */
  readonly key: readonly (string | null)[];
  readonly types?: readonly string[];
  readonly shards?: number;
  readonly shard?: number | null;
  readonly token?: string;
}

const ALL = vectors as unknown as readonly KindVector[];

/** Kinds that other systems hash by more than the value, such as the scale or the type of a column. */
const isRefused = ({ as, kinds }: KindVector) => kinds.some((kind) => !systems[as].keys.includes(kind));

const isBig = (kind: KeyKind) => ['int64', 'u64', 'time', 'timestamp'].includes(kind);

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/** A value as `route` takes it. */
function keyOf(kind: KeyKind, text: string | null) {
  if (text === null || ['text', 'uuid', 'decimal', 'date', 'time', 'timestamp'].includes(kind)) return text;
  if (kind === 'bytes') return bytesOf(text);
  return isBig(kind) ? BigInt(text) : Number(text);
}

const madeOf = ({ as, kinds, shards = 12 }: KindVector) =>
  partitionerNamed(as, { shards, key: kinds.length === 1 ? kinds[0] : kinds });

const titled = ALL.map((one) => {
  const values = one.key.map((value, i) => `${one.kinds[i]} ${value}`).join(', ');
  return [`${one.as}: ${values}${one.types ? ` (${one.types.join(', ')})` : ''}`, one] as const;
});

onBothBackends('keys of every kind', () => {
  it('are placed as the systems do', () => {
    let checked = 0;
    for (const [title, one] of titled) {
      if (isRefused(one) || one.shard === null) continue;
      const { kinds, key, shard, token } = one;
      const made = madeOf(one);
      const values = key.map((text, i) => keyOf(kinds[i], text));
      const isOne = kinds.length === 1;
      const column = isOne ? values : values.map((value) => [value]);
      const needsColumn = isOne && !('charAt' in Object(values[0])) && !abilitiesOf(made).takesNull;
      const keys = needsColumn ? typedColumn(kinds[0], values[0]) : column;
      if (token !== undefined) {
        const expected = one.as === 'vitess' ? BigInt(`0x${token}`) : BigInt(token);
        expect(BigInt(made.tokens(keys as never)[0]), title).toBe(expected);
      }
      if (shard === undefined || one.as === 'cassandra') continue;
      expect(made.route((isOne ? values[0] : values) as never), title).toBe(shard);
      expect([...made.routeMany(keys as never)], title).toEqual([shard]);
      const rows = key.map((text, i) => rowOf(kinds[i], text));
      const out = new Uint32Array(1);
      abilitiesOf(made).routeRows?.(rows, out);
      expect([...out], `${title}, as text`).toEqual([shard]);
      checked++;
    }
    expect(checked).toBeGreaterThan(350);
  });
});

function typedColumn(kind: KeyKind, value: unknown) {
  const arrays = {
    int8: Int8Array,
    int16: Int16Array,
    int32: Int32Array,
    uint8: Uint8Array,
    uint16: Uint16Array,
    uint32: Uint32Array,
    int64: BigInt64Array,
    u64: BigUint64Array,
  } as const;
  if (kind === 'bytes') return bytesColumn([value as Uint8Array]);
  return arrays[kind as 'int8'].of(value as number);
}

/** A value in a row of text. */
function rowOf(kind: KeyKind, text: string | null) {
  const data = kind === 'bytes' ? bytesOf(text ?? '') : utf8(text ?? '');
  const values = { data, starts: Uint32Array.of(0), ends: Uint32Array.of(data.length) };
  return { values, ...(text === null && { nulls: Uint8Array.of(1) }) };
}

describe('what a system has no rule for', () => {
  it.each(titled.filter(([, one]) => isRefused(one)))('%s', (_, one) => {
    const kind = one.kinds.find((kind) => !systems[one.as].keys.includes(kind));
    expect(() => madeOf(one)).toThrow(expect.objectContaining({ name: 'RangeError', argument: 'key', got: kind }));
  });

  it.each(titled.filter(([, one]) => one.shard === null))('%s', (_, one) => {
    const values = one.key.map((text, i) => keyOf(one.kinds[i], text));
    expect(() => madeOf(one).route((values.length === 1 ? values[0] : values) as never)).toThrow(TypeError);
  });

  it.each([
    'kafka',
    'redis',
    'citus',
    'iceberg',
    'vitess',
    'elasticsearch',
    'spark:rdd',
  ])('several columns of %s', (as) => {
    const key = ['text', 'text'] as const;
    const make = () => partitionerNamed(as, { shards: as === 'redis' ? undefined : 4, key });
    expect(make).toThrow(expect.objectContaining({ name: 'TypeError', argument: 'key', got: key }));
    expect(make).toThrow(/expected one kind, because [\w:]+ hashes one column/);
  });
});

it('dates are read from the year 0 to 9999', () => {
  const dates = ['0000-02-29', '0001-01-01', '0099-12-31', '0100-01-01', '9999-12-31'];
  const days = dates.map((text) => Date.parse(text) / 86_400_000);
  const made = partitionerNamed('iceberg', { shards: 1000, key: 'date' });
  expect([...made.routeMany(dates)]).toEqual([...made.routeMany(Int32Array.from(days))]);
  const times = partitionerNamed('iceberg', { shards: 1000, key: 'timestamp' });
  const micros = days.map((day) => BigInt(day) * 86_400_000_000n + 1n);
  const texts = dates.map((text) => `${text} 00:00:00.000001`);
  expect([...times.routeMany(texts)]).toEqual([...times.routeMany(BigInt64Array.from(micros))]);
  expect(() => made.route('0001-02-29')).toThrow(RangeError);
});

const [LAST_DAY, LAST_MICRO] = [2 ** 31 - 2 ** 14, 2n ** 63n - 2n ** 50n];

it.each([
  ['date', Int32Array.of(LAST_DAY, -LAST_DAY), Int32Array.of(LAST_DAY + 1, -LAST_DAY - 1, 1 - 2 ** 31)],
  ['timestamp', BigInt64Array.of(LAST_MICRO, -LAST_MICRO), BigInt64Array.of(LAST_MICRO + 1n, -LAST_MICRO - 1n)],
] as const)('a %s is refused before it would wrap in a system that counts from 2000', (key, good, bad) => {
  const postgres = partitionerNamed('postgres', { shards: 12, key });
  const { routeRows } = abilitiesOf(postgres);
  expect([...postgres.routeMany(good)]).toEqual(Array.from(good as ArrayLike<number>, (one) => postgres.route(one)));
  for (const one of bad) {
    const column = (good as Int32Array).with(1, one as number);
    expect(() => postgres.route(one)).toThrow(RangeError);
    expect(() => postgres.routeMany(column)).toThrow(expect.objectContaining({ row: 1 }));
    expect(() => routeRows?.([{ values: column }], new Uint32Array(2))).toThrow(expect.objectContaining({ row: 1 }));
  }
});
