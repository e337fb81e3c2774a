import { wrongValue } from '../../../arguments.js';
import { StoreCorruptError, StoreUnavailableError } from '../../../errors.js';
import { STATE_SETTING } from '../../identity.js';
import type { Space } from '../../store.js';
import type { Connection } from './connection.js';
import { block, reading, selectAnswer } from './statements.js';

/** The names of the tables for use in statements, with their schema. */
export type Tables = { readonly [table in TableName]: string };

type TableName = Space | 'counters' | 'settings' | 'shards';

const TABLES: readonly TableName[] = ['strings', 'types', 'counters', 'settings', 'shards'];

/**
 * The SQL that makes the tables of a store, if you want to make them yourself. `postgresStore` makes the same.
 * @param schema the schema of the tables; by default, the first one of the search path when the SQL is run
 * @returns statements that end with semicolons; tables that exist stay as they are
 * @throws TypeError or RangeError if `schema` is not a possible name
 * @example
 * postgresDdl('ids'); // create schema if not exists "ids"; create table if not exists "ids".shardbits_strings ( …
 */
export function postgresDdl(schema?: string): string {
  const makeSchema = schema === undefined ? [] : [createSchema(schema)];
  const tables = TABLES.map((table) => `create table if not exists ${definition(table, schema)}`);
  return [...makeSchema, ...tables, insertState(schema)].map((sql) => `${sql};\n`).join('\n');
}

/** The name of a schema for use in statements. */
export function quoted(schema: string): string {
  if (schema === '' || schema.includes('\0')) throw wrongValue('schema', 'the name of a schema', schema);
  return `"${schema.replaceAll('"', '""')}"`;
}

/**
 * Finds the tables, or makes them if there are none. Without a schema it looks along the search path, and makes tables in
 * the first schema of the path. From then on tables are named with their schema, so that a changed search path cannot
 * lead to other tables, which would give the same ids to other strings.
 * @throws StoreCorruptError if some of the tables are missing, or are those of another version
 */
export async function openTables(
  connection: Connection,
  { schema, mustExist }: { readonly schema: string | undefined; readonly mustExist: boolean },
): Promise<Tables> {
  let found = await find(connection, schema);
  found = await find(connection, schema); // twice: a client inside a transaction is noticed before anything is done
  if (connection.isDeaf && found.waitsForStandbys) {
    const message =
      'the server has synchronous standbys, and this client does not pass on the warnings that it gives when it stops ' +
      'waiting for one; give postgresStore a URL';
    throw new StoreUnavailableError(message, { isTransient: false });
  }
  if (hasNone(found) && !mustExist) {
    const failure = await connection.run(createTables(found)).catch((error) => error);
    found = await find(connection, found.schema);
    // If others have made them at the same time, it does not matter how making them failed here.
    if (hasNone(found) && failure !== undefined) throw failure;
  }
  checkTables(found);
  return tablesIn(found.schema);
}

function tablesIn(schema: string | undefined): Tables {
  const prefix = schema === undefined ? '' : `${quoted(schema)}.`;
  return Object.fromEntries(TABLES.map((table) => [table, `${prefix}shardbits_${table}`])) as Tables;
}

function createSchema(schema: string): string {
  return `create schema if not exists ${quoted(schema)}`;
}

function definition(table: TableName, schema: string | undefined): string {
  return `${tablesIn(schema)[table]} (${COLUMNS[table]}\n)`;
}

/** One statement, which makes all tables or none, with every client. It fails if one of them exists. */
function createTables({ schema, hasSchema }: FoundTables): string {
  const makeSchema = hasSchema ? [] : [createSchema(schema)];
  const makeTables = TABLES.map((table) => `create table ${definition(table, schema)}`);
  return block([...makeSchema, ...makeTables, insertState(schema)]);
}

/** Gives a new store its state; see `newState`. */
function insertState(schema: string | undefined): string {
  const state = `json_build_object('identity', gen_random_uuid(), 'generation', gen_random_uuid())::text`;
  const into = `insert into ${tablesIn(schema).settings} (name, value)`;
  return `${into} values ('${STATE_SETTING}', ${state}) on conflict (name) do nothing`;
}

// Strings are found by their hash: an index of hashes is a fifth of an index of strings of 70 characters. Hashes are
// unique, so that the second writer of a string finds the first; a key that is found is compared in full. Every line is a
// column, or the key of the table.
const KEYS = `
  id bigint primary key, -- the same 64 bits: ids from 2^63 on are negative
  hash uuid not null unique, -- SipHash-2-4 of the key in 128 bits, with the hashKey in shardbits_settings
  key bytea not null -- UTF-8`;

const COLUMNS: { readonly [table in TableName]: string } = {
  strings: KEYS,
  types: KEYS,
  counters: `
  space text not null,
  prefix bigint not null,
  last bigint not null, -- the last number given, without those that are skipped
  primary key (space, prefix)`,
  settings: `
  name text primary key,
  value text not null -- in ASCII; other characters as \\u and four hexadecimal digits`,
  // A row is never deleted: its token counts for ever.
  shards: `
  shard integer primary key,
  owner text not null, -- as values of settings
  token bigint not null,
  expires double precision not null, -- by the server's clock, in Unix milliseconds; 0 if it has been ended
  stray_until double precision not null, -- until when holders may mint whose lease an operator ended; 0 if none
  ttl_ms double precision not null, -- of the last lease, or of such a holder
  minted_until double precision not null -- by the holders' clocks, in Unix milliseconds`,
};

const columnsOf = (table: TableName): string[] =>
  Array.from(COLUMNS[table].matchAll(/^ +(?!primary key)(\w+)/gm), ([, name]) => name);

interface FoundTables {
  readonly schema: string;
  readonly hasSchema: boolean;
  readonly waitsForStandbys: boolean;
  /** The columns of the tables that exist. */
  readonly columns: { readonly [name: string]: readonly string[] };
}

async function find(connection: Connection, given = ''): Promise<FoundTables> {
  const found = await connection.ask<FoundTables | { readonly schema: null }>(FIND, given);
  if (found.schema !== null) return found;
  const message = 'the search path has no schema that exists; give the option "schema"';
  throw new StoreUnavailableError(message, { isTransient: false });
}

const TABLE_NAMES = TABLES.map((table) => `'shardbits_${table}'`);
const IS_TABLE = `relname in (${TABLE_NAMES}) and relkind in ('r', 'p', 'f', 'v')`;

// $1 schema; if empty, the first one of the search path that has any of the tables, otherwise the one in which they would
// be made
const FIND = reading(`
  with chosen as (
    select coalesce(
      nullif($1::text, ''),
      (select nspname::text from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where ${IS_TABLE} and nspname = any (current_schemas(false))
        order by array_position(current_schemas(false), nspname) limit 1),
      current_schema()::text
    ) as name
  )
  ${selectAnswer(`json_build_object(
    'schema', name,
    'hasSchema', exists (select from pg_namespace where nspname = name),
    'waitsForStandbys', coalesce(current_setting('synchronous_standby_names', true), '') <> '' and not pg_is_in_recovery(),
    'columns', coalesce((
      select json_object_agg(relname, (
        select json_agg(attname) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped))
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where ${IS_TABLE} and nspname = name), '{}'))`)}
  from chosen`);

const hasNone = ({ columns }: FoundTables): boolean => Object.keys(columns).length === 0;

function checkTables(found: FoundTables): void {
  const { schema, columns } = found;
  if (hasNone(found)) {
    const message = `the schema ${quoted(schema)} has no tables of shardbits; postgresDdl() and "shardbits store ddl" say how to make them`;
    throw new StoreUnavailableError(message, { isTransient: false });
  }
  const missing = TABLES.map((table) => `shardbits_${table}`).filter((name) => !(name in columns));
  if (missing.length > 0) {
    throw new StoreCorruptError(
      `the schema ${quoted(schema)} has some tables of shardbits, but no ${missing.join(', ')}; ` +
        'restore the missing tables from a backup, because empty ones would give ids twice',
    );
  }
  const lacking = TABLES.flatMap((table) =>
    columnsOf(table)
      .filter((column) => !columns[`shardbits_${table}`]?.includes(column))
      .map((column) => `shardbits_${table} has no column ${column}`),
  );
  if (lacking.length > 0) {
    throw new StoreCorruptError(
      `the tables in the schema ${quoted(schema)} are not those of this version of shardbits: ${lacking.join(', ')}`,
    );
  }
}
