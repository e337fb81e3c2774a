import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layoutSql, routingSql } from '../../../src/engines/sql/index.js';
import { type Layout, layouts, Router } from '../../../src/index.js';
import { sharedPostgres } from '../../support/postgres.js';
import { scaled } from '../../support/scale.js';
import { LAYOUTS, loadKeys, type SqlEngine, wrongFields, wrongHashes, wrongNodes, wrongShards } from './engine.js';

const KEYS = scaled(10_000, 10);
const IDS = scaled(1000);

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let sql: postgres.Sql;
let keys: Awaited<ReturnType<typeof loadKeys>>;

const engine: SqlEngine = {
  dialect: 'postgres',
  strategies: ['jump', 'fastrange', 'modulo'],
  seeds: [0n, 42n, 2n ** 64n - 1n],
  execute: async (statements) => {
    await sql.unsafe(statements).simple();
  },
  column: async (query) => (await sql.unsafe(query).values()).map(([value]) => String(value ?? '')),
  types: { text: 'text', bytes: 'bytea', u64: 'bigint' },
  text: (hex) => `convert_from('\\x${hex}', 'UTF8')`,
  bytes: (hex) => `'\\x${hex}'`,
  u64: (value) => `'${BigInt.asIntN(64, value)}'::bigint`,
  us: (time) => `(extract(epoch from ${time}) * 1000000)::bigint`,
  before: "timestamptz '1800-01-01 00:00:00Z'",
};

beforeAll(async () => {
  server = await sharedPostgres();
  sql = postgres(server.url, { onnotice: () => {}, max: 1 });
  keys = await loadKeys(engine, KEYS);
});

afterAll(async () => {
  await sql?.end();
  await server?.stop();
});

describe('PostgreSQL', () => {
  it.each(engine.strategies)('routes as a Router: %s', async (strategy) => {
    expect(await wrongShards(engine, keys, strategy, 0n, [1, 2, 1000, 65536, 2 ** 31 - 1])).toEqual([]);
  });

  it('hashes as xxh64 with any seed, and routes by the seed that it is told', async () => {
    expect(await wrongHashes(engine, keys, engine.seeds)).toEqual([]);
    expect(await wrongShards(engine, keys, 'jump', 2n ** 64n - 1n, [1000])).toEqual([]);
  });

  it.each(LAYOUTS)('reads the ids of %s, and finds those of a time', async (name, layout) => {
    expect(await wrongFields(engine, name, layout, IDS)).toEqual([]);
  });

  it('has the nodes of a map', async () => {
    expect(await wrongNodes(engine)).toEqual([]);
  });

  it('makes generated columns and indexes of its functions, in parallel, and with another search path', async () => {
    await engine.execute(routingSql('postgres', { shards: 10 }));
    await engine.execute(`create table users (email text, shard integer generated always as (shard_of(email, 10)) stored);
      create index on users (shard_of(email, 12));
      insert into users values ('user:42'), (null)`);
    expect(await engine.column('select shard from users')).toEqual(['5', '']);
    const unsafe = await engine.column(`select proname from pg_proc
      where pronamespace = 'public'::regnamespace and prolang <> 13 and not (provolatile = 'i' and proparallel = 's' and proisstrict)`);
    expect(unsafe).toEqual([]);
    await engine.execute(`begin; set local search_path = ''; select public.shard_of('user:42', 10); commit`);
  });

  it('finds the ids of a time by their index', async () => {
    await engine.execute(layoutSql('postgres', layouts.discord as unknown as Layout, 'discord'));
    await engine.execute(`create table posts (id bigint primary key);
      insert into posts select n * 1000000000000::bigint from generate_series(1, 100000) n; analyze posts`);
    const range = "id >= discord_min_id_at('2015-03-01Z') and id < discord_min_id_at('2015-03-02Z')";
    const plan = (await engine.column(`explain select * from posts where ${range}`)).join('\n');
    const first = layouts.discord.minIdAt(Date.UTC(2015, 2));
    expect(plan).toMatch(/Index Only Scan/);
    expect(plan).toContain(`id >= '${first}'::bigint`);
  });

  it('refuses numbers of shards that no router has', async () => {
    for (const strategy of engine.strategies) {
      await engine.execute(routingSql('postgres', { strategy, shards: 10 }));
      for (const shards of [0, -1]) {
        const refused = engine.column(`select shard_of('user:42', ${shards})`);
        await expect(refused).rejects.toThrow(`shards: expected an integer from 1 to 2147483647, got ${shards}`);
      }
    }
  });

  it('gives NULL for NULL', async () => {
    await engine.execute(routingSql('postgres', { shards: 10 }) + layoutSql('postgres', LAYOUTS[0]?.[1] as never, 'x'));
    for (const call of ['xxh64(null::text)', "shard_of('a', null)", 'shard_of(null::bytea, 3)', 'jump_hash(null, 3)']) {
      expect(await engine.column(`select ${call}`), call).toEqual(['']);
    }
  });

  it('gives NULL for the times of infinity', async () => {
    await engine.execute(layoutSql('postgres', layouts.discord as unknown as Layout, 'discord'));
    for (const call of ["discord_min_id_at('infinity')", "discord_max_id_at('-infinity')"]) {
      expect(await engine.column(`select ${call}`), call).toEqual(['']);
    }
  });

  it('is what the example says', async () => {
    const text = routingSql('postgres', { shards: 1000 });
    await engine.execute(text);
    const [, query = '', shard] = /-- To check it: (.*); gives (\d+)\.\n$/.exec(text) ?? [];
    expect(await engine.column(query)).toEqual([shard]);
    expect(Number(shard)).toBe(new Router({ shards: 1000 }).route('user:42'));
  });
});
