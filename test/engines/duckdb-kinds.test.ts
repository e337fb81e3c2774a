import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../../src/engines/duckdb/index.js';
import { Router } from '../../src/index.js';
import { type KeyKind, partitioner, partitionerNamed, systems } from '../../src/partitioners/index.js';
import { KEY_KINDS } from '../../src/partitioners/keys.js';
import { abilitiesOf } from '../../src/routing/routing.js';
import vectors from '../vectors/key-kinds.json' with { type: 'json' };

/** Keys of each kind: an expression of SQL, and the same key for a partitioner. */
const KEYS: { readonly [kind in KeyKind]: readonly (readonly [sql: string, key: unknown])[] } = {
  text: [
    ["''", ''],
    ["'user:42'", 'user:42'],
    ["'\ufeffé😀'", '\ufeffé😀'],
  ],
  bytes: [["'\\x00\\xff'::blob", Uint8Array.of(0, 255)]],
  ...integers('int8', 'tinyint', -128, 127),
  ...integers('int16', 'smallint', -32768, 32767),
  ...integers('int32', 'integer', -(2 ** 31), 2 ** 31 - 1),
  ...integers('uint8', 'utinyint', 0, 255),
  ...integers('uint16', 'usmallint', 0, 65535),
  ...integers('uint32', 'uinteger', 0, 2 ** 32 - 1),
  ...integers('int64', 'bigint', -(2n ** 63n), 2n ** 63n - 1n),
  ...integers('u64', 'ubigint', 0n, 2n ** 64n - 1n),
  uuid: [["'F79C3E09-677C-4BBD-A479-3F349CB785E7'::uuid", 'f79c3e09-677c-4bbd-a479-3f349cb785e7']],
  objectid: [], // no type of its own
  decimal: [
    ['14.20::decimal(9, 2)', '14.20'],
    ['(-14.20)::decimal(38, 4)', '-14.2000'],
    ['128::decimal(4, 0)', '128'],
  ],
  date: [
    ["date '2017-11-16'", '2017-11-16'],
    ["date '1969-12-31'", -1],
  ],
  time: [["time '22:31:08.5'", '22:31:08.5']],
  timestamp: [
    ["timestamp '2017-11-16 22:31:08.000001'", '2017-11-16T22:31:08.000001'],
    ["timestamptz '2017-11-16 14:31:08-08'", '2017-11-16T22:31:08Z'],
    ["timestamp '1969-12-31 23:59:59.999999'", -1n],
  ],
};

function integers<K extends KeyKind>(kind: K, type: string, ...edges: readonly (number | bigint)[]) {
  const all = [...edges, typeof edges[0] === 'bigint' ? 42n : 42];
  return { [kind]: all.map((key) => [`(${key})::${type}`, key] as const) } as { [kind in K]: [string, unknown][] };
}

const ROUTERS = {
  router: new Router({ shards: 1000 }),
  cassandra: partitioner('cassandra', {
    tokens: BigInt64Array.from({ length: 64 }, (_, i) => BigInt(i - 32) << 58n),
    key: ['int64', 'text'],
  }),
  int16: partitioner('spark', { partitions: 1000, key: 'int16' }),
  date: partitioner('iceberg', { buckets: 1000, key: 'date' }),
  pair: partitioner('postgres', { modulus: 1000, key: ['int64', 'uuid'] }),
  enum: partitioner('postgres', { modulus: 1000 }),
  objectid: partitioner('mongodb', { shards: 1000, key: 'objectid' }),
};

let connection: DuckDBConnection;
let close: () => void;

beforeAll(async () => {
  const instance = await DuckDBInstance.create();
  connection = await instance.connect();
  close = () => {
    connection.closeSync();
    instance.closeSync();
  };
  await register(connection, { routers: ROUTERS });
});

afterAll(() => close());

const one = async (expression: string): Promise<unknown> =>
  (await connection.runAndReadAll(`select ${expression}`)).getRows()[0]?.[0];

/** The function of a system, and a call of it with its variant. */
function callOf(word: string, shards: number): (key: string) => string {
  const { system, noun, count } = systems[word] ?? expect.fail(word);
  const [, variant] = word.split(':');
  const further = count === undefined ? '' : `, ${shards}${variant === undefined ? '' : `, '${variant}'`}`;
  return (key) => `${system}_${noun.toLowerCase().replace(' ', '_')}(${key}${further})`;
}

const WORDS = Object.keys(systems).filter((word) => word !== 'cassandra' && !systems[word]?.hasServers);

describe.each(WORDS)('the function of %s', (word) => {
  const { keys, columns, most } = systems[word] ?? expect.fail(word);
  const shards = Math.min(1000, most);
  const call = callOf(word, shards);
  const make = (key: KeyKind | readonly KeyKind[]) => partitionerNamed(word, { shards, key });

  it.each(
    KEY_KINDS.filter((kind) => KEYS[kind].length > 0),
  )('places keys of the kind %s, or refuses them by name', async (kind) => {
    for (const [sql, key] of KEYS[kind]) {
      const expected = systems[word]?.system === 'kinesis' && key === '' ? undefined : key;
      if (!keys.includes(kind)) {
        await expect(one(call(sql)), sql).rejects.toThrow(
          /: key: expected one of .*, which are the keys of [\w:-]+, got/,
        );
      } else if (expected !== undefined) expect(await one(call(sql)), sql).toBe(make(kind).route(expected as string));
    }
  });

  it('places NULL by the rule of the system, or gives NULL', async () => {
    const [kind] = keys;
    const made = make(kind as KeyKind);
    const { takesNull } = abilitiesOf(made);
    const [[sql] = ['']] = KEYS[kind as KeyKind];
    expect(await one(call(`case when random() < 2 then null else ${sql} end`))).toBe(
      takesNull ? made.route(null) : null,
    );
    const inRow = await connection.runAndReadAll(`select ${call('k')} from (values (null), (${sql}), (null)) r(k)`);
    const own = await one(call(sql));
    const ofNull = takesNull ? made.route(null) : null;
    expect(inRow.getRows().flat()).toEqual([ofNull, own, ofNull]);
  });

  it('places keys of several columns, or refuses them', async () => {
    if (columns < 2) {
      await expect(
        one(call(`{a: ${KEYS[keys[0] as KeyKind][0]?.[0]}, b: ${KEYS[keys[0] as KeyKind][0]?.[0]}}`)),
      ).rejects.toThrow('key: expected one kind, because ');
      return;
    }
    for (const [i, first] of keys.entries()) {
      const kinds = [first, keys[(i + 3) % keys.length], keys[(i + 5) % keys.length]] as const;
      const made = make(kinds as readonly KeyKind[]);
      const { takesNull } = abilitiesOf(made);
      for (let nulls = 0; nulls < 8; nulls++) {
        const parts = kinds.map((kind, column) => {
          const [sql, key] = KEYS[kind as KeyKind].at(-1) ?? [];
          return nulls & (1 << column)
            ? ([`case when random() < 2 then null else ${sql} end`, null] as const)
            : [sql, key];
        });
        const expected = takesNull || nulls === 0 ? made.route(parts.map(([, key]) => key) as never) : null;
        expect(await one(call(`{a: ${parts[0]?.[0]}, b: ${parts[1]?.[0]}, c: ${parts[2]?.[0]}}`))).toBe(expected);
      }
    }
    if (keys.includes('int64'))
      expect(await one(call('[42::bigint, -1]'))).toBe(make(['int64', 'int64']).route([42n, -1n]));
    expect(await one(call('null::struct(a bigint, b varchar)'))).toBe(null);
  });
});

describe('keys', () => {
  it.each([
    ['spark_partition(42::smallint, 1000)', 773],
    ['hive_bucket(42::tinyint, 1000)', 42],
    ['hive_bucket(42::smallint, 1000)', 815],
    ['hive_bucket(42::integer, 1000)', 659],
    ['hive_bucket(42::bigint, 1000)', 178],
    ["postgres_remainder({a: 1::bigint, b: 'a'}, 1000)", 317],
    ['postgres_remainder({a: 1::bigint, b: null::varchar}, 1000)', 40],
    ["postgres_remainder({a: null::bigint, b: 'a'}, 1000)", 342],
    ['postgres_remainder({a: null::bigint, b: null::varchar}, 1000)', 0],
    ["postgres_remainder({a: 42::bigint, b: 'a'}, 1000)", 192],
    ["clickhouse_shard({a: 'a', b: 1::bigint}, 1000, 'sipHash64')", 739],
    ["clickhouse_shard({a: 'a', b: 1::bigint}, 1000, 'cityHash64')", 174],
    ["clickhouse_shard({a: 'a', b: 1::utinyint}, 1000, 'murmurHash3_64')", 655],
    ["clickhouse_shard({a: 'a', b: 1::bigint}, 1000, 'xxHash64')", 633],
  ])('%s is %i, as in the system itself', async (call, expected) => {
    expect(await one(call)).toBe(expected);
  });

  it('of route_by are read by the kinds of the router', async () => {
    expect(await one(`route_by(42::bigint, 'int16')`)).toBe(773);
    expect(await one(`route_by('42', 'int16')`)).toBe(773);
    const id = '507f1f77bcf86cd799439011';
    expect(await one(`route_by('${id}', 'objectid')`)).toBe(ROUTERS.objectid.route(id));
    expect(await one(`route_by('2017-11-16', 'date')`)).toBe(ROUTERS.date.route('2017-11-16'));
    const uuid = 'f79c3e09-677c-4bbd-a479-3f349cb785e7';
    const pair = ROUTERS.pair.route([42n, uuid]);
    expect(await one(`route_by({a: 42::utinyint, b: '${uuid}'::uuid}, 'pair')`)).toBe(pair);
    expect(await one(`route_by({a: 42, b: '${uuid}'}, 'pair')`)).toBe(pair);
    expect(await one(`route_by({a: 42, b: unhex('${uuid.replaceAll('-', '')}')}, 'pair')`)).toBe(pair);
    expect(await one(`route_by({a: 42::bigint, b: 'é'}, 'cassandra')`)).toBe(ROUTERS.cassandra.route([42n, 'é']));
    expect(await one(`route_by({a: 42::bigint, b: null::varchar}, 'cassandra')`)).toBe(null);
    expect(await one(`route_by(null::smallint, 'int16')`)).toBe(ROUTERS.int16.route(null as never));
    for (const type of ['tinyint', 'smallint', 'utinyint', 'usmallint', 'uinteger', 'integer', 'bigint', 'ubigint']) {
      expect(await one(`route_by(42::${type}, 'router')`), type).toBe(ROUTERS.router.route(42n));
      expect(await one(`shard_of(42::${type}, 1000)`), type).toBe(ROUTERS.router.route(42n));
    }
  });

  it('may lie in lists of different lengths, and in columns with NULLs', async () => {
    const rows = await connection.runAndReadAll(`select postgres_remainder(k, 1000) from (values
      ([1::bigint, null]), ([2]), (null), ([1, 2, 3])) r(k)`);
    const expected = [[1n, null], [2n], null, [1n, 2n, 3n]].map(
      (key) =>
        key && partitioner('postgres', { modulus: 1000, key: key.map(() => 'int64' as const) }).route(key as never),
    );
    expect(rows.getRows().flat()).toEqual(expected);
  });

  it.each([
    ["route_by(40000, 'int16')", 'route_by: keys: expected a decimal integer from -2^15 to 2^15 - 1, got "40000"'],
    ["route_by('x', 'int16')", 'route_by: keys: expected a decimal integer'],
    ["route_by(42, 'date')", 'route_by: key: expected a key of the kind date, got "INTEGER"'],
    ["route_by(42, 'pair')", 'route_by: key: expected 2 columns, got 1'],
    ["route_by({a: 1, b: 2}, 'router')", 'route_by: key: expected one column, got 2'],
    ["route_by(1.5, 'router')", 'route_by: key: expected a text, bytes, a UUID or an integer, got "DECIMAL"'],
    [
      "postgres_remainder('a'::enum('a'), 8)",
      'key: expected VARCHAR, because postgres hashes an enumeration in another way',
    ],
    ["clickhouse_shard({a: 1, b: 'a'::enum('a')}, 8, 'sipHash64')", 'key: expected VARCHAR, because clickhouse'],
    ["route_by('a'::enum('a'), 'enum')", 'key: expected VARCHAR, because postgres'],
    ['postgres_remainder(true, 8)', 'key: expected one of VARCHAR, JSON, BLOB'],
    ['postgres_remainder({a: 1, b: null}, 8)', 'key: expected a type for each NULL, such as NULL::BIGINT, got null'],
    ['kafka_partition([], 8)', 'kafka_partition: key: expected'],
  ])('%s is refused', async (call, message) => {
    await expect(one(call)).rejects.toThrow(message);
  });

  it('of an enumeration are its texts for systems that do not hash its number', async () => {
    expect(await one("kafka_partition('abc'::enum('abc'), 12)")).toBe(3);
    expect(await one("shard_of('abc'::enum('abc'), 12)")).toBe(new Router({ shards: 12 }).route('abc'));
  });
});

interface Vector {
  readonly as: string;
  readonly kinds: readonly KeyKind[];
  readonly key: readonly (string | null)[];
  readonly shards?: number;
  readonly shard?: number | null;
}

const TYPES: { readonly [kind in KeyKind]?: string } = {
  ...{ int8: 'tinyint', int16: 'smallint', int32: 'integer', int64: 'bigint' },
  ...{ uint8: 'utinyint', uint16: 'usmallint', uint32: 'uinteger', u64: 'ubigint' },
};

/** A value in SQL. */
function inSql(kind: KeyKind, text: string | null): string {
  const type = kind === 'text' ? 'varchar' : kind === 'bytes' ? 'blob' : (TYPES[kind] ?? kind);
  if (text === null) return `null::${type}`;
  if (kind === 'bytes') return `from_hex('${text}')`;
  if (kind === 'decimal') return `${text}::decimal(38, ${text.split('.')[1]?.length ?? 0})`;
  return `'${text.replaceAll("'", "''")}'::${type}`;
}

it('gives the shards that the systems themselves give', async () => {
  const known = (vectors as unknown as readonly Vector[]).filter(({ as, kinds, key, shard }) => {
    const { keys, hasServers, system } = systems[as] ?? expect.fail(as);
    const isHere = !hasServers && system !== 'cassandra' && kinds.every((kind) => keys.includes(kind));
    // SQL cannot have a zero in a text. DuckDB has no more digits in a decimal.
    return (
      isHere && typeof shard === 'number' && !key.some((text) => text?.includes('\0') || (text ?? '').length > 1000)
    );
  });
  expect(known.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  for (const { as, kinds, key, shards = 12, shard } of known) {
    const values = key.map((text, i) => inSql(kinds[i] as KeyKind, text));
    const struct = `{${values.map((value, i) => `c${i}: ${value}`).join(', ')}}`;
    const call = callOf(as, shards)(values.length === 1 ? (values[0] as string) : struct);
    const got = await one(call);
    if (got !== shard) wrong.push(`${call}: ${got} instead of ${shard}`);
  }
  expect(wrong).toEqual([]);
});

it('refuses infinite dates and timestamps, which systems have in other places', async () => {
  for (const value of ["date 'infinity'", "date '-infinity'", "timestamp 'infinity'", "timestamptz '-infinity'"]) {
    await expect(one(`spark_partition(${value}, 12)`)).rejects.toThrow(/expected a date .* got/);
  }
});
