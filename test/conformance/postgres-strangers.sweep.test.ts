import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { layoutSql, routingSql } from '../../src/engines/sql/index.js';
import { type Layout, layouts, Router } from '../../src/index.js';
import { Interner, leaseShard, restoreStore, type Store, storeState, TypeRegistry } from '../../src/registry/index.js';
import { postgresDdl, postgresStore, type QueryClient } from '../../src/registry/stores/postgres/store.js';
import { connectPg, type PostgresServer, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
let admin: postgres.Sql;

beforeAll(async () => {
  server = await startPostgres();
  admin = postgres(server.url, { onnotice: () => {}, max: 1 });
});

afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

/**
 * Makes everything that a name without a schema could mean: each operator of pg_catalog, and those of pairs of types that
 * pg_catalog has none for; its functions and types; and its tables, as views. All of them fail. Run by the stranger.
 */
const EVERYTHING = `
create function shared.boom() returns boolean language plpgsql as $$
begin raise exception 'foreign code ran as %', current_user; end $$;

create function shared.try_to(statement text) returns integer language plpgsql as $$
begin execute statement; return 1; exception when others then return 0; end $$;

with pair as (
  select oprname::text as name, oprleft as l, oprright as r from pg_operator where oprleft <> 0
  union
  select name, l.oid, r.oid
  from unnest(array['+', '-', '*', '/', '%', '=', '<>', '<', '>', '<=', '>=', '||', '&', '|', '#']) as name,
    pg_type as l, pg_type as r,
    (select array['int2', 'int4', 'int8', 'numeric', 'float8', 'text', 'name', 'bytea', 'uuid', 'bool', 'oid', 'interval',
      'timestamptz', 'char']::name[] as common) as c
  where l.typname = any (common) and r.typname = any (common)
), numbered as (
  select name, format_type(l, null) as l, format_type(r, null) as r, row_number() over () as n from pair
)
select sum(shared.try_to(format('create function shared.f%s(%s, %s) returns boolean language plpgsql as
    ''begin return shared.boom(); end''', n, l, r))
  + shared.try_to(format('create operator shared.%s (leftarg = %s, rightarg = %s, function = shared.f%s)', name, l, r, n)))
from numbered;

select sum(shared.try_to(format('create function shared.%I(%s) returns %s %s language plpgsql as
    ''begin perform shared.boom(); end''', proname, pg_get_function_identity_arguments(oid),
    case when proretset then 'setof' else '' end, format_type(prorettype, null))))
from pg_proc where pronamespace = 'pg_catalog'::regnamespace and prokind in ('f', 'a', 'w');

select sum(shared.try_to(format('create domain shared.%I as pg_catalog.%I check (shared.boom())', typname, typname)))
from pg_type where typnamespace = 'pg_catalog'::regnamespace and typtype = 'b' and typelem = 0;

select sum(shared.try_to(format('create view shared.%I as select * from pg_catalog.%I where shared.boom()', relname, relname)))
from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind in ('r', 'v')`;

/** A database in which the role of a service has a schema, and a stranger may create in another one of its search path. */
async function besideStranger(path: string): Promise<{ url: string; inside: postgres.Sql }> {
  const id = randomUUID().replaceAll('-', '');
  const [database, service, mallory] = [`db_${id}`, `service_${id}`, `mallory_${id}`];
  const urlOf = (user: string) =>
    Object.assign(new URL(server.url), { username: user, password: user, pathname: database }).href;
  for (const role of [service, mallory]) await admin.unsafe(`create role ${role} login password '${role}'`);
  await admin.unsafe(`create database ${database}`);
  const inside = postgres(server.url.replace(/postgres$/, database), { onnotice: () => {}, max: 1 });
  onTestFinished(() => inside.end());
  await inside.unsafe(`
    create schema ids authorization ${service};
    create schema shared;
    grant usage on schema shared to ${service};
    grant usage, create on schema shared to ${mallory};
    alter role ${service} in database ${database} set search_path = ${path}`);
  const stranger = postgres(urlOf(mallory), { onnotice: () => {}, max: 1 });
  onTestFinished(() => stranger.end());
  await stranger.unsafe(EVERYTHING);
  return { url: urlOf(service), inside };
}

/** A client that keeps the text of all statements. */
function keeping(client: QueryClient, texts: Set<string>): QueryClient {
  return {
    query(text, params) {
      texts.add(text);
      return client.query(text, params);
    },
  };
}

/** Notes in `called` which methods of a store are called. */
function watched(store: Store, called: Set<string | symbol>): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      called.add(name);
      return value.bind(target);
    },
  });
}

/** Does all that can be done with an empty store. */
async function useAll(store: Store): Promise<void> {
  const interner = new Interner({ store, prefixBits: 2 });
  const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`);
  const ids = await interner.internMany(keys);
  expect(await interner.resolveMany(ids)).toEqual(keys);
  expect(await interner.count()).toBe(50);
  const types = new TypeRegistry({ store });
  for (const [i, name] of ['a', 'b', 'c'].entries()) expect(await types.idOf(name)).toBe(i + 1);
  const block = { prefix: 0, base: 0n, max: 65_535n };
  expect(await store.assign('types', block, ['a', 'd'])).toEqual(BigUint64Array.of(1n, 4n));
  expect((await types.all()).size).toBe(4);
  const lease = await leaseShard({ store, shards: 4 });
  const holder = { shard: lease.shard, token: lease.token, owner: 'x' };
  expect(await store.renewLease({ ...holder, ttlMs: 1000, mintUntil: Date.now() })).toBe(false);
  await lease.release();
  expect(await store.freeShard(0)).toBe(false);
  expect(await store.resetMark(3)).toBe('absent');
  await store.restoreCounters('strings', (await store.counters('strings')).set(0, 1000n));
  await store.restore('strings', { keys: ['restored', ...keys], ids: BigUint64Array.of(1000n, ...ids) });
  await store.restoreShards(await store.shards());
  await restoreStore(store, { leadMs: 0 });
  expect(await store.replaceSetting('barrier', undefined, 'x')).toBe(true);
  expect(await storeState(store)).toMatchObject({ identity: expect.any(String) });
}

/** Words before a parenthesis that name nothing, and what the grammar itself finds in pg_catalog. */
const GRAMMAR = new Set(
  `and any array as by case coalesce conflict else exists extract from greatest in into is join key lateral least
  materialized not on or over perform quoted returning select set substring then unique update values when where`.split(
    /\s+/,
  ),
);

/** The functions and operators of a statement that have no schema. */
function unqualifiedIn(text: string): string[] {
  const bare = text
    .replace(/'(?:[^']|'')*'|--.*|\/\*.*?\*\//g, '')
    .replace(/"(?:[^"]|"")*"\.\w+/g, ' quoted ')
    .replace(/operator\(pg_catalog\.[^)\s]+\)|::|\(\*\)|\.\*|\bselect \*|\bdo \$\$|\$\$/g, ' , ')
    .replace(/(?<=\bset\s+|,\s+)(\w+|\(owner, expires\)) = /g, ' , '); // assignments
  const names = [...bare.matchAll(/(?<!\b(?:as|into|table) )(?<![\w.])([a-z_]\w*)\s*\(/g)].map(([, name]) => name);
  return [
    ...names.filter((name) => !GRAMMAR.has(name as string)),
    ...(bare.match(/[-+*/<>=~!@#%^&|]+/g) ?? []),
  ] as string[];
}

describe.each(['shared, ids', 'shared, pg_catalog, ids'])('a stranger who may create in a schema of %s', (path) => {
  it('has nothing run as the role of a store, whatever is created there', async () => {
    const { url, inside } = await besideStranger(path);
    const [made] =
      await inside`select count(*)::integer as count from pg_proc where pronamespace = 'shared'::regnamespace`;
    expect(made?.count).toBeGreaterThan(4000);
    const pool = await connectPg(url);
    onTestFinished(() => pool.end());
    await expect(pool.query('select 1::numeric + 1::bigint')).rejects.toThrow('foreign code ran as service_');
    const texts = new Set<string>();
    const called = new Set<string | symbol>();
    const store = await postgresStore(keeping(pool, texts), { schema: 'ids' });
    await useAll(watched(store, called));
    await watched(store, called).check?.();
    await watched(store, called).close();
    const byUrl = await postgresStore(url, { schema: 'ids', mustExist: true });
    onTestFinished(() => byUrl.close());
    expect(await new Interner({ store: byUrl, prefixBits: 2 }).lookupMany(['none'])).toEqual(BigUint64Array.of(0n));
    await inside.unsafe(`set search_path = ${path}`);
    await inside.unsafe(postgresDdl());
    await inside.unsafe(postgresDdl('more'));
    for (let type = Object.getPrototypeOf(store); type !== Object.prototype; type = Object.getPrototypeOf(type)) {
      const methods = Object.getOwnPropertyNames(type).filter((name) => name !== 'constructor');
      for (const name of methods) expect(called, name).toContain(name);
    }
    expect([...texts].flatMap(unqualifiedIn)).toEqual([]);
  });

  it('has nothing run by the functions for keys and ids', async () => {
    const { url } = await besideStranger(path);
    const sql = postgres(url, { onnotice: () => {}, max: 1, fetch_types: false }); // which asks in SQL of its own
    onTestFinished(() => sql.end());
    await sql.unsafe(`set search_path = ids, ${path}`);
    for (const strategy of ['jump', 'fastrange', 'modulo'] as const) {
      await sql.unsafe(routingSql('postgres', { strategy, shards: 10, seed: 2n ** 64n - 5n })).simple();
      const router = new Router({ strategy, shards: 10, seed: 2n ** 64n - 5n });
      const [row] = await sql`select ids.shard_of(pg_catalog.concat('user:42'), 10) as text`;
      expect(row?.text).toBe(router.route('user:42'));
    }
    for (const name of ['discord', 'snowflake', 'instagram'] as const) {
      await sql.unsafe(layoutSql('postgres', layouts[name] as unknown as Layout, name)).simple();
      const [row] = await sql.unsafe(`select ids.${name}_min_id_at(ids.${name}_time(1116551844710330458)) as id`);
      expect(BigInt(row?.id)).toBeGreaterThan(0n);
    }
  });
});
