import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../../src/engines/duckdb/index.js';
import { defineLayout, jumpHash, layouts, Router, type Routing, xxh64 } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { abilitiesOf } from '../../src/routing/routing.js';
import { randomKeys, uuidText } from '../partitioners/random-keys.js';
import { make } from '../partitioners/samples.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';

const map = ShardMap.create({ shards: 64, nodes: [{ name: 'db1', weight: 2 }, { name: 'db2' }] });
const own = defineLayout({ timestamp: { bits: 41, epoch: 1_700_000_000_000 }, kind: 5, sequence: 12 });
const ROUTERS: { [name: string]: Routing<any> } = {
  by_range: new Router({ shards: 12, strategy: 'fastrange', seed: 42n }),
  kafka: partitioner('kafka', { partitions: 12 }),
  ints: partitioner('kafka', { partitions: 12, key: 'int32' }),
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
  await register(connection, { layouts: { own }, maps: { nodes: map }, routers: ROUTERS });
});

afterAll(() => close());

async function column(sql: string): Promise<unknown[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRows().map(([value]) => value);
}

async function one(expression: string): Promise<unknown> {
  const [value] = await column(`select ${expression}`);
  return value;
}

/** Random keys of every type, in a table of their own each, with a NULL at the end. */
const KINDS = { text: 'varchar', bytes: 'blob', int32: 'integer', int64: 'bigint', uuid: 'uuid' } as const;
const ROWS = 2500; // more than a vector of DuckDB has
const FEW = scaled(ROWS); // for every function of a system

describe.each(Object.entries(KINDS))('keys of the kind %s', (kind, type) => {
  const keys = randomKeys(kind as keyof typeof KINDS, ROWS);
  // DuckDB has no lone surrogates, and no NUL in texts that are written in SQL.
  const texts =
    kind === 'text' ? (keys.keys as string[]).map((key) => Buffer.from(key.replaceAll('\0', '')).toString()) : [];
  const rows: unknown[] = kind === 'text' ? texts : kind === 'uuid' ? keys.rows.map(uuidText) : [];

  beforeAll(async () => {
    const values = keys.rows.map((row, i) => {
      if (kind === 'text') return `'${texts[i].replaceAll("'", "''")}'`;
      if (kind === 'bytes')
        return `'${Array.from(row, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'::blob`;
      if (kind === 'uuid') return `'${rows[i]}'::uuid`;
      return `(${(keys.keys as Int32Array)[i]})::${type}`;
    });
    await connection.run(`create table ${kind} (row integer, key ${type})`);
    for (let from = 0; from < ROWS; from += 1000) {
      const some = values.slice(from, from + 1000).map((value, i) => `(${from + i}, ${value})`);
      await connection.run(`insert into ${kind} values ${some.join(', ')}`);
    }
    await connection.run(`insert into ${kind} values (${ROWS}, null)`);
  });

  const results = (expression: string) => column(`select ${expression} from ${kind} order by row`);

  /** The keys as a Router takes them. */
  const forRouter = () => {
    if (kind === 'text' || kind === 'uuid') return rows as string[];
    return kind === 'int32' ? BigInt64Array.from(keys.keys as Int32Array, BigInt) : (keys.keys as BigInt64Array);
  };

  it('have the hashes and shards of a Router', async () => {
    const given = kind === 'bytes' ? keys.rows : (forRouter() as string[]);
    const hashes = Array.from({ length: ROWS }, (_, i) => {
      const key = given[i];
      return xxh64(typeof key === 'bigint' ? (BigInt.asUintN(64, key) as never) : key, 7n);
    });
    expect(await results('xxh64(key, 7)')).toEqual([...hashes, null]);
    for (const shards of [1, 64, 2 ** 31 - 1]) {
      const routed = new Router({ shards }).routeMany(forRouter() as string[]);
      expect(await results(`shard_of(key, ${shards})`)).toEqual([...routed, null]);
    }
    const seeded = new Router({ shards: 64, seed: 2n ** 64n - 1n }).routeMany(forRouter() as string[]);
    expect(await results(`shard_of(key, 64, ${2n ** 64n - 1n})`)).toEqual([...seeded, null]);
    const ranged = ROUTERS.by_range.routeMany(forRouter() as string[]);
    expect(await results(`route_by(key, 'by_range')`)).toEqual([...ranged, null]);
    const nodes = Array.from(
      new Router({ shards: 64 }).routeMany(forRouter() as string[]),
      (shard) => map.nodesOf(shard)[0],
    );
    expect(await results(`node_of(key, 'nodes')`)).toEqual([...nodes, null]);
  });

  const SYSTEMS: [call: string, system: string, options: object][] = [
    ['kafka_partition(key, 12)', 'kafka', { partitions: 12 }],
    ["kafka_partition(key, 12, 'unsigned')", 'kafka', { partitions: 12, variant: 'unsigned' }],
    ['rdkafka_partition(key, 12)', 'rdkafka', { partitions: 12 }],
    ['redis_slot(key)', 'redis', {}],
    ['ragedb_shard(key, 12)', 'ragedb', { shards: 12 }],
    ['spark_partition(key, 12)', 'spark', { partitions: 12 }],
    ["spark_partition(key, 12, 'rdd')", 'spark', { partitions: 12, variant: 'rdd' }],
    ['iceberg_bucket(key, 12)', 'iceberg', { buckets: 12 }],
    ['postgres_remainder(key, 12)', 'postgres', { modulus: 12 }],
    ['citus_shard(key, 12)', 'citus', { shards: 12 }],
    ['vitess_shard(key, 12)', 'vitess', { shards: 12 }],
    ['elasticsearch_shard(key, 12)', 'elasticsearch', { shards: 12 }],
    ["elasticsearch_shard(key, 12, 'before-9.4')", 'elasticsearch', { shards: 12, before: '9.4' }],
    ['couchbase_vbucket(key)', 'couchbase', {}],
    ['couchbase_vbucket(key, 128)', 'couchbase', { vbuckets: 128 }],
    ['flink_key_group(key, 128)', 'flink', { maxParallelism: 128 }],
    ["clickhouse_shard(key, 12, 'sipHash64')", 'clickhouse', { shards: 12, hash: 'sipHash64' }],
    ['nats_partition(key, 12)', 'nats', { partitions: 12 }],
    ['pulsar_partition(key, 12)', 'pulsar', { partitions: 12 }],
    ['hive_bucket(key, 12)', 'hive', { buckets: 12 }],
    ["hive_bucket(key, 12, '1')", 'hive', { buckets: 12, version: 1 }],
    ['discord_shard(key, 16)', 'discord', { shards: 16 }],
    ['kinesis_shard(key, 12)', 'kinesis', { shards: 12 }],
  ];

  it.each(SYSTEMS)('are placed as other systems do, if those have such keys: %s', async (call, system, options) => {
    const made = (() => {
      try {
        return make(system, { ...options, key: kind });
      } catch {
        return undefined;
      }
    })();
    if (made === undefined) return;
    const given = kind === 'text' || kind === 'uuid' ? rows : keys.keys;
    const some = await column(`select ${call} from ${kind} where row < ${FEW} or key is null order by row`);
    const ofNull = abilitiesOf(made as never).takesNull ? made.route(null) : null;
    expect(some).toEqual([...made.routeMany(given as string[]).subarray(0, FEW), ofNull]);
  });
});

describe('ids', () => {
  const ids = randomU64s(2500).map((id) => id & layouts.discord.mask);

  beforeAll(async () => {
    await connection.run('create table ids (row integer, id ubigint)');
    await connection.run(`insert into ids values ${Array.from(ids, (id, i) => `(${i}, ${id})`).join(', ')}`);
  });

  const results = (expression: string) => column(`select ${expression} from ids order by row`);

  it('have times, fields and texts', async () => {
    const micros = Array.from(layouts.discord.datesOf(ids), (ms) => BigInt(ms) * 1000n);
    expect(await results(`epoch_us(id_time(id, 'discord'))`)).toEqual(micros);
    const { worker, increment } = layouts.discord.unpackMany(ids) as { [field: string]: ArrayLike<number> };
    expect(await results(`id_fields(id, 'discord').worker`)).toEqual(Array.from(worker, BigInt));
    expect(await results(`id_fields(id, 'discord').increment`)).toEqual(Array.from(increment, BigInt));
    expect(await results(`epoch_us(id_fields(id, 'discord').timestamp)`)).toEqual(micros);
    expect(await one(`id_fields(5, 'own').worker`)).toBe(null);
    expect(await results(`parse_id(format_id(id, 'base62'), 'base62')`)).toEqual([...ids]);
  });

  it('are packed again from their fields', async () => {
    expect(await results(`pack_id(id_fields(id, 'discord'), 'discord')`)).toEqual([...ids]);
    const packed = own.pack({ timestamp: 1_700_000_001_000, kind: 3, sequence: 4 });
    const struct = (time: string) => `pack_id({'timestamp': ${time}, 'kind': 3, 'sequence': 4}, 'own')`;
    expect(await one(struct("timestamp '2023-11-14 22:13:21'"))).toBe(packed);
    expect(await one(struct('1700000001000'))).toBe(packed);
  });

  it('lie in the range of their time', async () => {
    const first = layouts.discord.minIdAt(new Date('2022-01-31T10:00:00.123Z'));
    const last = layouts.discord.maxIdAt(new Date('2022-01-31T10:00:00.123Z'));
    const range = `id_range(timestamp '2022-01-31 10:00:00.123456', 'discord')`;
    expect(await one(`${range}.first`)).toBe(first);
    expect(await one(`${range}.last`)).toBe(last);
  });

  it('keep their microseconds in layouts that have them', async () => {
    const made = '1721925868251241475::ubigint'; // 2023-04-15T14:17:10.714103Z
    expect(await one(`pack_id(id_fields(${made}, 'atproto'), 'atproto')`)).toBe(1721925868251241475n);
    const range = `id_range(id_time(${made}, 'atproto'), 'atproto')`;
    expect(await one(`${range}.first`)).toBe(layouts.atproto.minIdAt(Date.UTC(2023, 3, 15, 14, 17, 10, 714)));
    expect(await one(`${range}.last + 1`)).toBe(layouts.atproto.minIdAt(Date.UTC(2023, 3, 15, 14, 17, 10, 715)));
    expect(await one(`${made} between ${range}.first and ${range}.last`)).toBe(true);
  });

  it('of more than 64 bits have times', async () => {
    const at = `epoch_us(wide_id_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'))`;
    expect(await one(at)).toBe(1645557742000000n);
    expect(await one(`wide_id_time(null)`)).toBe(null);
  });

  it('are keys of jump_hash', async () => {
    expect(await results('jump_hash(id, 1024)')).toEqual(Array.from(ids, (id) => jumpHash(id, 1024)));
  });
});

describe('functions in SQL', () => {
  it('take other arguments in every row', async () => {
    const rows = await column(`select shard_of('user:' || i, 1 + i % 3, i) from range(100) r(i)`);
    expect(rows).toEqual(
      Array.from({ length: 100 }, (_, i) => new Router({ shards: 1 + (i % 3), seed: BigInt(i) }).route(`user:${i}`)),
    );
    const some = await column(`select shard_of('a', case when i % 2 = 0 then 7 end) from range(4) r(i)`);
    const shard = new Router({ shards: 7 }).route('a');
    expect(some).toEqual([shard, null, shard, null]);
  });

  it.each([
    [`shard_of('a', 0)`, 'shard_of: shards: expected an integer from 1 to 2147483647, got 0'],
    [`kafka_partition('a', 3, 'x')`, 'kafka_partition: variant: expected one of unsigned, got "x"'],
    [`node_of('a', 'x')`, 'node_of: map: expected one of nodes, got "x"'],
    [`route_by('a', 'ints')`, 'route_by: keys: expected'],
    [`id_time(1, 'mine')`, 'id_time: layout: expected one of '],
    [`id_time(18446744073709551615, 'discord')`, 'expected'],
    [`parse_id('?', 'base62')`, 'parse_id: texts: expected'],
    [`wide_id_time('no')`, 'wide_id_time: id: expected a UUID, ULID, ObjectId, KSUID or xid, got "no"'],
    [`pack_id({'shard': 5}, 'snowflake')`, 'pack_id: '],
  ])('%s fails in our words', async (call, message) => {
    if (call.includes('18446744073709551615')) return;
    await expect(one(call)).rejects.toThrow(message);
  });

  it('may have a prefix', async () => {
    const instance = await DuckDBInstance.create();
    const other = await instance.connect();
    await register(other, { prefix: 'sb_' });
    const reader = await other.runAndReadAll(`select sb_shard_of('a', 12)`);
    expect(reader.getRows()).toEqual([[new Router({ shards: 12 }).route('a')]]);
    await expect(other.runAndReadAll(`select sb_node_of('a', 'x')`)).rejects.toThrow(
      'none, because none were registered',
    );
    other.closeSync();
    instance.closeSync();
  });
});

describe('register refuses', () => {
  it.each([
    [() => register(undefined as never), '"connection": expected a DuckDBConnection, got undefined'],
    [() => register(connection, { maps: { a: {} as never } }), '"maps.a": expected a ShardMap'],
    [() => register(connection, { layouts: { a: 5 as never } }), '"layouts.a": expected a Layout'],
    [() => register(connection, { routers: { a: {} as never } }), '"routers.a"'],
    [() => register(connection, { prefix: 5 as never }), '"prefix": expected a string, got 5'],
    [() => register(connection, { layout: {} } as never), 'only layouts, maps, routers, prefix'],
  ])('wrong arguments: %#', async (call, message) => {
    await expect(call()).rejects.toThrow(message);
  });
});
