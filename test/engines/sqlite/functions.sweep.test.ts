import { beforeAll, describe, expect, it } from 'vitest';
import { type FunctionsDatabase, registerSqlite } from '../../../src/engines/sqlite/functions.js';
import { defineLayout, fastRange, formatId, jumpHash, layouts, Router, xxh64 } from '../../../src/index.js';
import { ShardMap } from '../../../src/map/index.js';
import { type Partitioner, partitioner, partitionerNamed, systems } from '../../../src/partitioners/index.js';
import { KEY_KINDS } from '../../../src/partitioners/keys.js';
import { scaled, swept } from '../../support/scale.js';
import { hasSqlite, openSqlite, rowsOf } from '../../support/sqlite.js';
import { LAYOUTS, loadKeys, type SqlEngine, wrongFields, wrongHashes, wrongNodes, wrongShards } from '../sql/engine.js';

const KEYS = swept(100_000);
const MINE = defineLayout({ big: 60, small: 4 });

/** A partitioner of each kind of keys that some system has. */
const BY_KIND = Object.fromEntries(
  KEY_KINDS.map((key) => {
    const all = ['clickhouse:cityHash64', 'postgres', 'iceberg', 'mongodb'];
    const word = all.find((one) => systems[one].keys.includes(key)) ?? key;
    return [`by_${key}`, partitionerNamed(word, { shards: 1000, key })];
  }),
);
const PAIR = partitioner('postgres', { modulus: 1000, key: ['int64', 'text'] });
const CASSANDRA = partitioner('cassandra', {
  tokens: BigInt64Array.from({ length: 64 }, (_, i) => BigInt(i - 32) << 58n),
  key: ['int32', 'uuid'],
});

describe.skipIf(!hasSqlite())('SQLite', () => {
  const database = hasSqlite() ? openSqlite(':memory:') : (undefined as never);
  let keys: Awaited<ReturnType<typeof loadKeys>>;

  const engine: SqlEngine = {
    dialect: 'sqlite',
    strategies: ['jump'],
    seeds: [0n, 42n, 2n ** 64n - 1n],
    execute: (statements) => {
      database.exec(statements);
    },
    column: (query) =>
      rowsOf(database, `with q (v) as (${query}) select cast(v as text) as v from q`).map(({ v }) => `${v ?? ''}`),
    types: { text: 'text', bytes: 'blob', u64: 'integer' },
    text: (hex) => `cast(x'${hex}' as text)`,
    bytes: (hex) => `x'${hex}'`,
    u64: (value) => `${BigInt.asIntN(64, value)}`,
    us: (time) => `strftime('%s', ${time}) * 1000000 + substr(strftime('%f', ${time}), 4) * 1000`,
    before: "'1800-01-01'",
  };
  const one = async (expression: string) => (await engine.column(`select ${expression}`))[0];

  beforeAll(async () => {
    registerSqlite(database as unknown as FunctionsDatabase, {
      layouts: { mine: MINE as never },
      routers: {
        fast: new Router({ shards: 12, strategy: 'fastrange' }),
        int32: partitioner('kafka', { partitions: 12, key: 'int32' }),
        int64: partitioner('kafka', { partitions: 12, key: 'int64' }),
        discord: partitioner('discord', { shards: 16 }),
        ...BY_KIND,
        pair: PAIR,
        cassandra: CASSANDRA,
      },
      maps: { users: ShardMap.create({ shards: 64, nodes: [{ name: 'db1' }, { name: 'db2' }] }) },
    });
    keys = await loadKeys(engine, KEYS);
  });

  it('routes texts, blobs and integers as a Router', async () => {
    expect(await wrongShards(engine, keys, 'jump', 0n, [1, 2, 1000, 65536, 2 ** 31 - 1])).toEqual([]);
    expect(await wrongShards(engine, keys, 'jump', 2n ** 64n - 1n, [1000])).toEqual([]);
  });

  it('hashes as xxh64', async () => {
    expect(await wrongHashes(engine, keys, engine.seeds)).toEqual([]);
    expect(await one("xxh64('abc')")).toBe('4952883123889572249');
    expect(await one('xxh64(42)')).toBe(String(BigInt.asIntN(64, xxh64(42n))));
    expect(await one('jump_hash(-1, 1000)')).toBe(String(jumpHash(2n ** 64n - 1n, 1000)));
  });

  // SQLite's dates have milliseconds.
  const ofMilliseconds = LAYOUTS.filter(([, { time }]) => time === undefined || time.unitMs >= 1);
  it.each(ofMilliseconds)('reads the ids of %s by expressions', async (name, layout) => {
    expect(await wrongFields(engine, name, layout, scaled(1000))).toEqual([]);
  });

  it('has the nodes of a map', async () => {
    expect(await wrongNodes(engine)).toEqual([]);
  });

  it('reads ids by functions, and finds those of a time', async () => {
    const { snowflake } = layouts;
    const id = snowflake.pack({ timestamp: Date.UTC(2024, 2, 1, 10, 30, 15, 500), shard: 5, sequence: 123 });
    expect(await one(`id_time(${id}, 'snowflake')`)).toBe('2024-03-01 10:30:15.500');
    expect(await one(`id_fields(${id}, 'snowflake') ->> 'shard'`)).toBe('5');
    expect(await one(`id_fields(-1, 'mine')`)).toBe(`{"big":"${2n ** 60n - 1n}","small":15}`);
    for (const time of ["'2024-03-01'", "'2024-03-01 00:00:00'", "'2024-03-01T01:00:00+01:00'", Date.UTC(2024, 2)]) {
      expect(await one(`min_id_at(${time}, 'snowflake')`)).toBe(`${snowflake.minIdAt(Date.UTC(2024, 2))}`);
      expect(await one(`max_id_at(${time}, 'snowflake')`)).toBe(`${snowflake.maxIdAt(Date.UTC(2024, 2))}`);
    }
    const micros = "'2023-04-15T14:17:10.714103Z', 'atproto'";
    expect(await one(`max_id_at(${micros})`)).toBe(
      `${layouts.atproto.maxIdAt(Date.UTC(2023, 3, 15, 14, 17, 10, 714) + 0.103)}`,
    );
    expect(await one("format_id(-1, 'base62')")).toBe(formatId(2n ** 64n - 1n, 'base62'));
    expect(await one("parse_id(format_id(-1, 'hex'), 'hex')")).toBe('-1');
  });

  it('routes by routers and maps that it is given', async () => {
    expect(await one("route_by('user:42', 'fast')")).toBe(String(fastRange(xxh64('user:42'), 12)));
    const map = ShardMap.create({ shards: 64, nodes: [{ name: 'db1' }, { name: 'db2' }] });
    expect(await one("node_of('user:42', 'users')")).toBe(map.nodesOf(new Router({ shards: 64 }).route('user:42'))[0]);
  });

  it('routes integers by partitioners of integers, with their signs', async () => {
    const int32 = partitioner('kafka', { partitions: 12, key: 'int32' });
    const int64 = partitioner('kafka', { partitions: 12, key: 'int64' });
    for (const key of [5, -5, 2 ** 31 - 1, -(2 ** 31)]) {
      expect(await one(`route_by(${key}, 'int32')`), `${key}`).toBe(String(int32.route(key)));
      expect(await one(`route_by(${key}, 'int64')`), `${key}`).toBe(String(int64.route(BigInt(key))));
    }
    expect(await one(`route_by(${-(2n ** 62n)}, 'int64')`)).toBe(String(int64.route(-(2n ** 62n))));
    expect(await one("route_by(1116551844710330458, 'discord')")).toBe(
      String(partitioner('discord', { shards: 16 }).route(1116551844710330458n)),
    );
    expect(() => engine.column(`select route_by(${2 ** 31}, 'int32')`)).toThrow('"key": expected an integer from');
    expect(() => engine.column(`select route_by(${2n ** 62n}, 'int32')`)).toThrow('"key": expected an integer from');
  });

  it.each([
    ...(['int8', 'int16', 'int32', 'uint8', 'uint16', 'uint32'] as const).map((kind) => [kind, '42', 42] as const),
    ...([
      ['int64', '-42', -42n],
      ['u64', '-1', 2n ** 64n - 1n],
      ['text', "'é'", 'é'],
    ] as const),
    ['bytes', "x'00ff'", Uint8Array.of(0, 255)],
    ['uuid', "'f79c3e09-677c-4bbd-a479-3f349cb785e7'", 'f79c3e09-677c-4bbd-a479-3f349cb785e7'],
    ['objectid', "'507f1f77bcf86cd799439011'", '507f1f77bcf86cd799439011'],
    ['decimal', "'14.20'", '14.20'],
    ...([
      ['date', "'2017-11-16'", '2017-11-16'],
      ['date', '17486', 17486],
      ['time', "'22:31:08'", '22:31:08'],
    ] as const),
    ['timestamp', "'2017-11-16 22:31:08.5'", '2017-11-16T22:31:08.5'],
    ['timestamp', '1510871468000001', 1510871468000001n],
  ] as const)('routes keys of the kind %s: %s', async (kind, sql, key) => {
    expect(await one(`route_by(${sql}, 'by_${kind}')`)).toBe(String((BY_KIND[`by_${kind}`] as Partitioner).route(key)));
  });

  it('routes keys of several columns, and NULL by the rule of the system', async () => {
    expect(await one("route_by(1, 'a', 'pair')")).toBe('317');
    expect(await one("route_by(1, null, 'pair')")).toBe('40');
    expect(await one("route_by(null, 'a', 'pair')")).toBe('342');
    expect(await one("route_by(null, null, 'pair')")).toBe('0');
    expect(await one("route_by(null, 'by_date')")).toBe('0');
    const uuid = 'f79c3e09-677c-4bbd-a479-3f349cb785e7';
    expect(await one(`route_by(42, '${uuid}', 'cassandra')`)).toBe(String(CASSANDRA.route([42, uuid])));
    for (const call of ["route_by(42, null, 'cassandra')", "route_by(null, 'int32')", "route_by(1, 'a', null)"]) {
      expect(await one(call), call).toBe('');
    }
  });

  it('gives NULL for NULL', async () => {
    const calls = [
      'xxh64(null)',
      'shard_of(null, 3)',
      "shard_of('a', null)",
      "id_time(null, 'discord')",
      "parse_id(null, 'hex')",
    ];
    for (const call of calls) expect(await one(call), call).toBe('');
  });

  it('makes indexes and generated columns, because its functions are deterministic', async () => {
    await engine.execute(`create table users (email text, shard integer generated always as (shard_of(email, 10)));
      create index by_shard on users (shard_of(email, 10));
      insert into users (email) values ('user:42')`);
    expect(await engine.column('select shard from users where shard_of(email, 10) = 5')).toEqual(['5']);
  });

  it.each([
    ['shard_of(1.5, 3)', '"key": expected a text, a blob or an integer, got 1.5'],
    ["shard_of('a', 0)", '"shards": expected an integer from 1 to 2147483647, got 0'],
    ["shard_of('a', '3')", '"shards": expected an integer, got "3"'],
    ["id_time(5, 'nowhere')", '"layout": '],
    ["id_time(5, 'ragedb')", '"layout": expected a layout with a field that holds time, got "ragedb"'],
    [
      "min_id_at('2024-02-30', 'discord')",
      '"time": expected a date that exists, such as 2024-03-01 10:30:15.500, got "2024-02-30"',
    ],
    ["route_by('a', 'slow')", '"router": '],
    ["route_by(128, 'by_int8')", '"key": expected an integer from -128 to 127, got 128'],
    ["route_by(-1, 'by_uint32')", '"key": expected an integer from 0 to 4294967295, got -1'],
    ["route_by('a', 'by_int8')", '"key": expected an integer from -128 to 127, got "a"'],
    ["route_by(1.5, 'by_decimal')", '"key": expected a text, a blob or an integer, got 1.5'],
    ["route_by(1, 'pair')", '"key": expected 2 values, got 1'],
    ["route_by('a', 'b', 'fast')", '"key": expected one value, got 2'],
  ])('refuses %s', async (call, message) => {
    expect(() => engine.column(`select ${call}`)).toThrow(message);
  });

  it('begins names with a prefix', async () => {
    registerSqlite(database as unknown as FunctionsDatabase, { prefix: 'sb_' });
    expect(await one("sb_shard_of('user:42', 10)")).toBe('5');
  });
});

it('refuses what is not a database, and wrong options', () => {
  expect(() => registerSqlite({} as never)).toThrow('"database": expected a database of node:sqlite');
  const database = { function: () => {} };
  expect(() => registerSqlite(database, { prefix: 'a b' })).toThrow('"prefix": expected letters');
  expect(() => registerSqlite(database, { routes: {} } as never)).toThrow(RangeError);
  expect(() => registerSqlite(database, { routers: 5 as never })).toThrow(TypeError);
});
