import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreCorruptError } from '../../src/errors.js';
import { checkStore, type Store } from '../../src/registry/index.js';
import { type PostgresOptions, postgresDdl, postgresStore } from '../../src/registry/stores/postgres/store.js';
import { sharedPostgres } from '../support/postgres.js';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
let admin: postgres.Sql;

beforeAll(async () => {
  server = await sharedPostgres();
  admin = postgres(server.url, { onnotice: () => {}, max: 1 });
});

afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

async function open(url: string, options?: PostgresOptions): Promise<Store> {
  const store = await postgresStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

const named = (what: string) => `${what}_${randomUUID().replaceAll('-', '')}`;

/** A schema with the tables of a store. */
async function madeStore(): Promise<string> {
  const schema = named('whole');
  await admin.unsafe(postgresDdl(schema));
  return schema;
}

const FAULTS: readonly (readonly [change: string, ...faults: string[]])[] = [
  // What is missing after a pg_restore that did not come to its last part.
  [
    `alter table S.shardbits_strings drop constraint shardbits_strings_pkey;
     alter table S.shardbits_strings drop constraint shardbits_strings_hash_key;
     alter table S.shardbits_counters drop constraint shardbits_counters_pkey`,
    'shardbits_strings has no valid primary key (id)',
    'shardbits_strings has no valid unique index (hash)',
    'shardbits_counters has no valid primary key (space, prefix)',
  ],
  [
    'alter table S.shardbits_types drop constraint shardbits_types_hash_key',
    'shardbits_types has no valid unique index (hash)',
  ],
  [
    'alter table S.shardbits_types drop constraint shardbits_types_hash_key; create index on S.shardbits_types (hash)',
    'shardbits_types has no valid unique index (hash)',
  ],
  [
    `alter table S.shardbits_types drop constraint shardbits_types_hash_key;
     create unique index partial on S.shardbits_types (hash) where id > 0`,
    'shardbits_types has no valid unique index (hash)',
    'shardbits_types has the index "partial"',
  ],
  [
    `alter table S.shardbits_types drop constraint shardbits_types_hash_key;
     alter table S.shardbits_types add unique (hash) deferrable`,
    'shardbits_types has no valid unique index (hash)',
  ],
  [
    `alter table S.shardbits_counters drop constraint shardbits_counters_pkey;
     alter table S.shardbits_counters add primary key (prefix, space)`,
    'shardbits_counters has no valid primary key (space, prefix)',
    'shardbits_counters has the index "shardbits_counters_pkey"',
  ],
  [
    `alter table S.shardbits_settings drop constraint shardbits_settings_pkey;
     create unique index usual on S.shardbits_settings (name text_pattern_ops)`,
    'shardbits_settings has no valid primary key (name)',
  ],
  [
    `update pg_index set indisvalid = false where indexrelid = 'S.shardbits_strings_hash_key'::regclass`,
    'shardbits_strings has no valid unique index (hash)',
  ],
  ['alter table S.shardbits_strings alter id type numeric', 'shardbits_strings has id as numeric instead of bigint'],
  [
    'create domain S.text as pg_catalog.text; alter table S.shardbits_settings alter value type S.text',
    'shardbits_settings has value as S.text instead of text',
  ],
  ['alter table S.shardbits_strings alter key drop not null', 'shardbits_strings has key without "not null"'],
  [
    'alter table S.shardbits_shards alter owner set default 1',
    'shardbits_shards has a default or an expression for owner',
  ],
  ['alter table S.shardbits_settings alter name type text collate "C"', 'shardbits_settings has a collation for name'],
  [
    'alter table S.shardbits_strings drop hash',
    'shardbits_strings has no column hash',
    'shardbits_strings has no valid unique index (hash)',
  ],
  [
    'alter table S.shardbits_types add at timestamptz default now()',
    'shardbits_types has the column "at" with a default, "not null" or a domain',
  ],
  [
    'create domain S.flag as boolean; alter table S.shardbits_types add flag S.flag',
    'shardbits_types has the column "flag" with a default, "not null" or a domain',
  ],
  ['alter table S.shardbits_types add check (id > 0)', 'shardbits_types has the constraint "shardbits_types_id_check"'],
  ['create unique index "one" on S.shardbits_shards (owner)', 'shardbits_shards has the index "one"'],
  ['create index "lower" on S.shardbits_shards (lower(owner))', 'shardbits_shards has the index "lower"'],
  ['alter table S.shardbits_counters set unlogged', 'shardbits_counters is not kept in a crash (unlogged)'],
  ['create table S.part () inherits (S.shardbits_strings)', 'shardbits_strings has the child "part"'],
  [
    'create table S.all_types (id bigint not null); alter table S.shardbits_types inherit S.all_types',
    'shardbits_types has the parent "all_types"',
  ],
  ['alter table S.shardbits_strings enable row level security', 'shardbits_strings has the row-level security'],
  ['create policy "few" on S.shardbits_strings', 'shardbits_strings has the policy "few"'],
  ['create rule "no" as on insert to S.shardbits_types do instead nothing', 'shardbits_types has the rule "no"'],
  [
    `create trigger "t" before insert on S.shardbits_types for each row execute function suppress_redundant_updates_trigger()`,
    'shardbits_types has the trigger "t"',
  ],
  [
    'alter table S.shardbits_settings rename to kept; create view S.shardbits_settings as select * from S.kept',
    'shardbits_settings is a view',
  ],
  [
    'drop table S.shardbits_shards; create materialized view S.shardbits_shards as select 1 as shard',
    'shardbits_shards is a materialized view',
  ],
  [
    'drop table S.shardbits_types; alter table S.shardbits_strings drop constraint shardbits_strings_hash_key',
    'shardbits_types is missing',
    'shardbits_strings has no valid unique index (hash)',
  ],
];

describe('a store in PostgreSQL that is not whole', () => {
  it.each(FAULTS)('is refused with all that is missing or foreign: %s', async (change, ...faults) => {
    const schema = await madeStore();
    const before = await open(server.url, { schema });
    await checkStore(before);
    await admin.unsafe(change.replaceAll('S.', `${schema}.`));
    const message = `the tables in the schema "${schema}" are not those that "shardbits store ddl" makes: `;
    const expected = message + faults.join(', ').replaceAll('S.', `${schema}.`);
    for (const ask of [() => postgresStore(server.url, { schema }), () => checkStore(before)]) {
      const error = await ask().catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreCorruptError);
      expect(error.message).toBe(expected);
    }
  });

  it('may have more columns, indexes and foreign keys to it, if they can do no harm', async () => {
    const schema = await madeStore();
    await admin.unsafe(`
      alter table ${schema}.shardbits_strings add note text;
      create index on ${schema}.shardbits_shards (owner);
      create unique index on ${schema}.shardbits_strings (hash);
      create table ${schema}.users (id bigint references ${schema}.shardbits_strings (id));
      cluster ${schema}.shardbits_strings using shardbits_strings_pkey`);
    await checkStore(await open(server.url, { schema, mustExist: true }));
  });
});

/** Roles in a database of their own, and a URL for each. */
async function rolesIn(...names: string[]): Promise<{ inside: postgres.Sql; roles: string[]; urls: string[] }> {
  const database = named('db');
  const roles = names.map(named);
  for (const role of roles) await admin.unsafe(`create role ${role} login password '${role}'`);
  await admin.unsafe(`create database ${database}`);
  const inside = postgres(Object.assign(new URL(server.url), { pathname: database }).href, {
    onnotice: () => {},
    max: 1,
  });
  onTestFinished(() => inside.end());
  const urls = roles.map(
    (user) => Object.assign(new URL(server.url), { username: user, password: user, pathname: database }).href,
  );
  return { inside, roles, urls };
}

const granted = (schema: string, role: string) => `
  grant usage on schema ${schema} to ${role};
  grant select, insert, update on all tables in schema ${schema} to ${role}`;

/** Making a schema, even one that exists, needs a right on the database. */
const tablesOnly = (schema: string) => postgresDdl(schema).replace(/^create schema .*\n/, '');

const as = (role: string, sql: string) => `set role ${role}; ${sql}; reset role`;

describe('the owner of the tables of a store in PostgreSQL', () => {
  it('is the role itself, one that it is a member of, a superuser, or the owner of the database or the named schema', async () => {
    const { inside, roles, urls } = await rolesIn('owner', 'service');
    const [owner, service] = roles as [string, string];
    const url = urls[1] as string;
    await inside.unsafe(`
      create schema own authorization ${service}; ${as(service, tablesOnly('own'))};
      create schema given authorization ${owner}; ${as(owner, tablesOnly('given'))}; ${granted('given', service)};
      ${postgresDdl('supers')} ${granted('supers', service)};
      create schema shared; grant create, usage on schema shared to ${owner};
      ${as(owner, tablesOnly('shared'))}; ${granted('shared', service)}`);
    for (const schema of ['own', 'given', 'supers']) {
      const store = await open(url, { schema, mustExist: true });
      expect(await store.replaceSetting('a', undefined, 'b')).toBe(true);
    }
    const refused = (await postgresStore(url, { schema: 'shared' }).catch((error) => error)) as Error;
    expect(refused).toBeInstanceOf(StoreCorruptError);
    expect(refused.message).toContain(`belongs to the role "${owner}", which could run code as this one`);
    await inside.unsafe(`grant ${owner} to ${service}`);
    await open(url, { schema: 'shared' });
    await inside.unsafe(
      `revoke ${owner} from ${service}; alter database ${new URL(url).pathname.slice(1)} owner to ${owner}`,
    );
    await open(url, { schema: 'shared' });
    await inside.unsafe(`alter database ${new URL(url).pathname.slice(1)} owner to current_user`);
    // A superuser is no member of it, though it may do what members may.
    const superuser = Object.assign(new URL(server.url), { pathname: new URL(url).pathname }).href;
    await expect(postgresStore(superuser, { schema: 'shared' })).rejects.toThrow(`belongs to the role "${owner}"`);
    await open(`${superuser}?role=${owner}`, { schema: 'shared' });
  });

  it('is no stranger who may create in the schema, or made one with the name of the role', async () => {
    const { inside, roles, urls } = await rolesIn('mallory', 'service');
    const [mallory, service] = roles as [string, string];
    const url = urls[1] as string;
    await inside.unsafe(`
      create schema open; grant create, usage on schema open to ${mallory}, ${service};
      create schema ${service} authorization ${mallory}; grant create, usage on schema ${service} to ${service}`);
    const byName = `the schema "${service}" has the name of this role, but belongs to the role "${mallory}"`;
    await expect(postgresStore(url)).rejects.toThrow(byName);
    const trap = `
      create function open.trap() returns trigger language plpgsql as 'begin raise exception ''ran as %'', current_user; end';
      create table open.shardbits_settings (name text primary key, value text not null);
      create trigger trap before insert on open.shardbits_settings execute function open.trap()`;
    await inside.unsafe(as(mallory, trap));
    for (const options of [{ schema: 'open' }, { schema: 'open', mustExist: true }]) {
      const refused = (await postgresStore(url, options).catch((error) => error)) as Error;
      expect(refused).toBeInstanceOf(StoreCorruptError);
      expect(refused.message).toContain(`shardbits_settings belongs to the role "${mallory}"`);
      expect(refused.message).toContain('shardbits_settings has the trigger "trap"');
    }
    await inside.unsafe(postgresDdl('open')); // as a superuser; it puts nothing into the stranger's table
    expect(await inside`select from open.shardbits_settings`).toHaveLength(0);
  });
});
