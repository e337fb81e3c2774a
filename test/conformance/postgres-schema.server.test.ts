import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreCorruptError, StoreUnavailableError } from '../../src/errors.js';
import type { Store } from '../../src/registry/store.js';
import {
  type PostgresOptions,
  postgresDdl,
  postgresStore,
  type SqlClient,
} from '../../src/registry/stores/postgres/store.js';
import { connectPg, sharedPostgres } from '../support/postgres.js';
import { wrong } from '../support/wrong-argument.js';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let admin: postgres.Sql;

beforeAll(async () => {
  server = await sharedPostgres();
  admin = postgres(server.url, { onnotice: () => {} });
});

afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

const BLOCK = { prefix: 1, base: 1n << 32n, max: 1000n };

async function open(client: Parameters<typeof postgresStore>[0], options?: PostgresOptions): Promise<Store> {
  const store = await postgresStore(client, options);
  onTestFinished(() => store.close());
  return store;
}

/** A URL with another user, who may do what some SQL grants them. */
async function userOf(url: string, grants: (user: string, schema: string) => string[]): Promise<string> {
  const name = `user_${randomUUID().replaceAll('-', '')}`;
  const schema = new URL(url).searchParams.get('search_path') ?? 'public';
  await admin.unsafe(`create user ${name} password '${name}'`);
  for (const grant of grants(name, schema)) await admin.unsafe(grant);
  const theirs = new URL(url);
  theirs.username = theirs.password = name;
  return theirs.href;
}

const readers = (user: string, schema: string) => [
  `grant usage on schema ${schema} to ${user}`,
  `grant select on all tables in schema ${schema} to ${user}`,
];

async function tablesIn(schema: string): Promise<string[]> {
  const rows = await admin`select tablename from pg_tables where schemaname = ${schema} order by 1`;
  return rows.map(({ tablename }) => tablename);
}

const ALL = ['counters', 'settings', 'shards', 'strings', 'types'].map((table) => `shardbits_${table}`);

describe('the schema of a PostgreSQL store', () => {
  it('is the one that is given, made if it is missing, whatever its name', async () => {
    const name = `My "ids" at $0 ${randomUUID()}`;
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(server.url, { schema: name })));
    const ids = await Promise.all(stores.map((store) => store.assign('strings', BLOCK, ['a']).catch(() => undefined)));
    expect(ids.some((id) => id?.[0] === BLOCK.base + 1n)).toBe(true);
    expect(await tablesIn(name)).toEqual(ALL);
  });

  it('stays the one in which the tables were found, when the search path changes', async () => {
    const [one, two] = [await server.newSchema(), await server.newSchema()].map(
      (url) => new URL(url).searchParams.get('search_path') as string,
    );
    const sql = postgres(server.url, { max: 1 });
    onTestFinished(() => sql.end());
    await sql.unsafe(`set search_path = ${one}`);
    const store = await open(sql as SqlClient);
    const ids = await store.assign('strings', BLOCK, ['a']);
    await sql.unsafe(`set search_path = ${two}`);
    expect(await store.lookup('strings', ['a'])).toEqual(ids);
    await store.assign('strings', BLOCK, ['b']);
    expect(await tablesIn(two)).toEqual([]);
    // Tables further back in the search path are used too, rather than others made before them.
    await sql.unsafe(`set search_path = ${two}, ${one}`);
    const again = await open(sql as SqlClient);
    expect(await again.lookup('strings', ['a'])).toEqual(ids);
    expect(await tablesIn(two)).toEqual([]);
    // A schema that is given is used, whatever is found along the search path.
    const third = await open(sql as SqlClient, { schema: two });
    expect(await third.lookup('strings', ['a'])).toEqual(BigUint64Array.of(0n));
    expect(await tablesIn(two)).toEqual(ALL);
  });

  it('must be one: no schema in the search path, or a name that cannot be', async () => {
    const nowhere = await postgresStore(`${server.url}?search_path=no_such_schema`).catch((error) => error);
    expect(nowhere).toBeInstanceOf(StoreUnavailableError);
    expect(nowhere).toMatchObject({ isTransient: false });
    expect(nowhere.message).toMatch(/^the search path has no schema that exists; give the option "schema"/);
    for (const schema of ['', 'a\0b']) await expect(postgresStore(server.url, { schema })).rejects.toThrow(RangeError);
    await expect(postgresStore(server.url, { schema: 5 as never })).rejects.toThrow(wrong('schema'));
    expect(() => postgresDdl('')).toThrow(RangeError);
  });

  it('is refused when it has lost tables: new ones would give ids twice', async () => {
    const empty = new URL(await server.newSchema()).searchParams.get('search_path') as string;
    for (const lost of [['shards'], ['strings'], ['types', 'counters', 'settings', 'shards']]) {
      const url = await server.newSchema();
      const schema = new URL(url).searchParams.get('search_path') as string;
      await open(url);
      for (const table of lost) await admin.unsafe(`drop table ${schema}.shardbits_${table}`);
      const kept = await tablesIn(schema);
      const inSecondPlace = Object.assign(new URL(url), { search: `?search_path=${empty},${schema}` }).href;
      for (const [client, options] of [
        [url, {}],
        [url, { mustExist: true }],
        [server.url, { schema }],
        [inSecondPlace, {}],
      ] as const) {
        const error = await postgresStore(client, options).catch((thrown) => thrown);
        expect(error).toBeInstanceOf(StoreCorruptError);
        const names = lost.map((table) => `shardbits_${table}`).join(', ');
        expect(error.message).toBe(
          `the schema "${schema}" has some tables of shardbits, but no ${names}; restore the missing tables from a ` +
            'backup, because empty ones would give ids twice',
        );
        expect([await tablesIn(schema), await tablesIn(empty)]).toEqual([kept, []]);
      }
    }
  });

  it('is refused if its tables are those of another version', async () => {
    const url = await server.newSchema();
    const schema = new URL(url).searchParams.get('search_path') as string;
    await open(url);
    await admin.unsafe(`alter table ${schema}.shardbits_strings rename hash to digest`);
    await admin.unsafe(`alter table ${schema}.shardbits_shards drop minted_until, add marked double precision`);
    const error = await postgresStore(url, { mustExist: true }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoreCorruptError);
    expect(error.message).toContain(
      `the tables in the schema "${schema}" are not those that "shardbits store ddl" makes: shardbits_strings has no column hash`,
    );
    expect(error.message).toContain('shardbits_shards has no column minted_until');
    await admin.unsafe(`alter table ${schema}.shardbits_strings rename digest to hash`);
    await admin.unsafe(`alter table ${schema}.shardbits_strings add note text`);
    await admin.unsafe(`alter table ${schema}.shardbits_shards add minted_until double precision not null`);
    expect(await (await open(url)).shards()).toEqual([]); // columns of others do no harm
  });

  it('gets all tables or none', async () => {
    const url = await server.newSchema();
    const schema = new URL(url).searchParams.get('search_path') as string;
    await admin.unsafe(`create sequence ${schema}.shardbits_shards`); // so the last table cannot be made
    for (const client of [url, await connectPg(url, 'Client')]) {
      const error = await postgresStore(client).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({ isTransient: false, cause: { code: '42P07' } });
      expect(await tablesIn(schema)).toEqual([]);
      if (typeof client !== 'string') await client.end();
    }
  });
});

describe('postgresDdl', () => {
  it('makes by hand what the store makes', async () => {
    const shapeOf = async (schema: string) => {
      const columns = await admin`
        select table_name, column_name, data_type, is_nullable from information_schema.columns
        where table_schema = ${schema} order by table_name, ordinal_position`;
      const indexes = await admin`select indexdef from pg_indexes where schemaname = ${schema} order by 1`;
      return { columns: [...columns], indexes: indexes.map(({ indexdef }) => indexdef.replaceAll(schema, '')) };
    };
    const [made, byHand, byPath] = ['made', 'by_hand', 'by_path'].map((name) => `${name}_${Date.now()}`) as [
      string,
      string,
      string,
    ];
    await open(server.url, { schema: made });
    await admin.unsafe(postgresDdl(byHand));
    await admin.unsafe(postgresDdl(byHand)); // what exists stays
    await admin.unsafe(`create schema ${byPath}; set search_path = ${byPath}; ${postgresDdl()} reset search_path`);
    expect(await shapeOf(byHand)).toEqual(await shapeOf(made));
    expect(await shapeOf(byPath)).toEqual(await shapeOf(made));
    const store = await open(server.url, { schema: byHand, mustExist: true });
    expect(await store.assign('strings', BLOCK, ['a'])).toEqual(BigUint64Array.of(BLOCK.base + 1n));
  });

  it('is pointed out where there are no tables and none are to be made', async () => {
    const url = await server.newSchema();
    const schema = new URL(url).searchParams.get('search_path') as string;
    for (const [client, place] of [
      [url, schema],
      [server.url, `no_${schema}`],
    ] as const) {
      const error = await postgresStore(client, { schema: place, mustExist: true }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error.isTransient).toBe(false);
      expect(error.message).toBe(
        `the schema "${place}" has no tables of shardbits; postgresDdl() and "shardbits store ddl" say how to make them`,
      );
    }
    expect(await tablesIn(schema)).toEqual([]);
    expect(await admin`select from pg_namespace where nspname = ${`no_${schema}`}`).toHaveLength(0);
    await expect(postgresStore(url, { mustExist: 'no' as never })).rejects.toThrow(wrong('mustExist'));
    await expect(postgresStore(url, { mustexist: true } as never)).rejects.toThrow(RangeError);
  });

  it('says what privilege a user lacks who is to make tables', async () => {
    const url = await userOf(await server.newSchema(), readers);
    const error = await postgresStore(url).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toMatch(/^this user lacks a privilege: permission denied for schema/);
    expect(error).toMatchObject({ isTransient: false, cause: { code: '42501' } });
  });
});

describe('a user who may only read', () => {
  it('can do all that reads, and is refused the rest', async () => {
    const url = await server.newSchema();
    const owner = await open(url);
    const ids = (await owner.assign('strings', BLOCK, ['a', 'b'])) as BigUint64Array;
    await owner.replaceSetting('prefixBits', undefined, '14');
    await owner.acquireLease({ owner: 'x', ttlMs: 1000, mintUntil: Date.now(), mintFrom: Date.now(), shards: 1 });
    const store = await open(await userOf(url, readers));
    expect(await store.lookup('strings', ['b', 'c', 'a'])).toEqual(BigUint64Array.of(ids[1], 0n, ids[0]));
    expect(await store.resolve('strings', ids)).toEqual(['a', 'b']);
    expect(await store.setting('prefixBits')).toBe('14');
    expect(await store.shards()).toMatchObject([{ shard: 0, owner: 'x', token: 1n }]);
    expect([await store.count('strings'), await store.count('types')]).toEqual([2, 0]);
    expect(await store.counters('strings')).toEqual(new Map([[1, 2n]]));
    expect(await store.counter('strings', 1)).toBe(2n);
    for await (const entries of store.entries('strings')) expect(entries).toEqual({ keys: ['a', 'b'], ids });
    for (const write of [
      () => store.assign('strings', BLOCK, ['c']),
      () => store.replaceSetting('a', undefined, 'b'),
      () => store.freeShard(0),
    ]) {
      const error = await write().catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({
        isTransient: false,
        message: expect.stringMatching(/^this user lacks a privilege/),
      });
      expect(await store.resolve('strings', ids)).toEqual(['a', 'b']);
    }
  });

  it('finds nothing in a store that nobody has written to yet, and everything as soon as somebody has', async () => {
    const url = await server.newSchema();
    const owner = await open(url);
    const store = await open(await userOf(url, readers));
    expect(await store.lookup('strings', ['a'])).toEqual(BigUint64Array.of(0n));
    const ids = await owner.assign('strings', BLOCK, ['a']);
    expect(await store.lookup('strings', ['a'])).toEqual(ids);
  });

  it('may be on a server that is read-only: reads work, writes may work later', async () => {
    const url = await server.newSchema();
    const ids = (await (await open(url)).assign('strings', BLOCK, ['a'])) as BigUint64Array;
    const store = await open(`${url}&default_transaction_read_only=on`);
    expect(await store.resolve('strings', ids)).toEqual(['a']);
    const error = await store.assign('strings', BLOCK, ['b']).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ isTransient: true, cause: { code: '25006' } });
    expect(await store.resolve('strings', ids)).toEqual(['a']);
  });
});

describe('a client inside a transaction', () => {
  const refused = {
    name: 'StoreUnavailableError',
    isTransient: false,
    message: expect.stringMatching(/^the client is inside a transaction/),
  };

  it('is refused when it is given: pg', async () => {
    const url = await server.newSchema();
    const client = await connectPg(url, 'Client');
    onTestFinished(() => client.end());
    for (const begin of ['begin', 'begin isolation level serializable', 'begin read only']) {
      await client.query(begin);
      await expect(postgresStore(client)).rejects.toMatchObject(refused);
      await client.query('rollback');
    }
    expect(await tablesIn(new URL(url).searchParams.get('search_path') as string)).toEqual([]);
    const store = await open(client);
    await store.assign('strings', BLOCK, ['a']);
    await client.query('begin');
    await expect(postgresStore(client)).rejects.toMatchObject(refused); // also where all tables are made
    await client.query('rollback');
  });

  it('is refused when it is given: postgres.js', async () => {
    const url = await server.newSchema();
    const sql = postgres(url);
    onTestFinished(() => sql.end());
    await sql.begin((tx) => expect(postgresStore(tx as unknown as SqlClient)).rejects.toMatchObject(refused));
  });

  it('is refused when a transaction was begun later, at the second statement', async () => {
    const client = await connectPg(await server.newSchema(), 'Client');
    onTestFinished(() => client.end());
    const store = await open(client);
    for (let i = 0; i < 50; i++) await store.assign('strings', BLOCK, [`key ${i}`]);
    await client.query('begin');
    await store.lookup('strings', ['key 1']);
    await expect(store.assign('strings', BLOCK, ['b'])).rejects.toMatchObject(refused);
    await client.query('select 1 / 0').catch(() => {});
    await expect(store.lookup('strings', ['a'])).rejects.toMatchObject(refused); // a transaction that has failed
    await client.query('rollback');
    expect(await store.lookup('strings', ['b'])).toEqual(BigUint64Array.of(0n));
  });

  it('is never seen in a pool, however many statements run at once', async () => {
    const url = await server.newSchema();
    const pool = await connectPg(url);
    onTestFinished(() => pool.end());
    for (const client of [pool, url]) {
      const store = await open(client);
      await Promise.all(Array.from({ length: 500 }, (_, i) => store.setting(`${i}`)));
    }
  });
});
