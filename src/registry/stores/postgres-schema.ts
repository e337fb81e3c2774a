import { wrongValue } from '../../arguments.js';
import { StoreUnavailableError } from '../../errors.js';
import type { Space } from '../store.js';
import { type PostgresStatement, selectAnswer } from './postgres-answers.js';
import type { Connection } from './postgres-connection.js';
import { codeOf } from './postgres-errors.js';

/** The names of the tables for use in statements, with their schema. */
export type Tables = { readonly [table in TableName]: string };

type TableName = Space | 'counters' | 'settings' | 'shards';

const TABLES: readonly TableName[] = ['strings', 'types', 'counters', 'settings', 'shards'];

/**
 * The SQL that makes the tables of a store, if you want to make them yourself. `postgresStore` runs the same SQL.
 * @param schema the schema of the tables; by default, the first one of the search path when the SQL is run
 * @returns statements that end with semicolons; tables that exist stay as they are
 * @throws TypeError or RangeError if `schema` is not a possible name
 * @example
 * postgresDdl('ids'); // create schema if not exists "ids"; create table if not exists "ids".shardbits_strings ( …
 */
export function postgresDdl(schema?: string): string {
  const makeSchema = schema === undefined ? [] : [createSchema(schema)];
  return [...makeSchema, ...TABLES.map((table) => createTable(table, schema))].map((sql) => `${sql};\n`).join('\n');
}

/** The name of a schema for use in statements. */
export function quoted(schema: string): string {
  if (schema === '' || schema.includes('\0')) throw wrongValue('schema', 'the name of a schema', schema);
  return `"${schema.replaceAll('"', '""')}"`;
}

/**
 * Finds the tables, or makes those that are missing. Without a schema it looks along the search path, and makes tables
 * in the first schema of the path. From then on tables are named with their schema, so that a changed search path
 * cannot lead to other tables, which would give the same ids to other strings.
 */
export async function openTables(
  connection: Connection,
  { schema, create }: { readonly schema: string | undefined; readonly create: boolean },
): Promise<Tables> {
  let found = await find(connection, schema);
  found = await find(connection, schema); // twice: a client inside a transaction is noticed before anything is done
  if (create && found.missing.length > 0) {
    if (!found.hasSchema) await connection.run(createSchema(found.schema)).catch(unlessMade);
    for (const table of found.missing) await connection.run(createTable(table, found.schema)).catch(unlessMade);
    found = await find(connection, found.schema);
  }
  if (found.missing.length > 0) throw tablesAreMissing(found);
  return namesIn(found.schema);
}

function namesIn(schema: string | undefined): Tables {
  const prefix = schema === undefined ? '' : `${quoted(schema)}.`;
  return Object.fromEntries(TABLES.map((table) => [table, `${prefix}shardbits_${table}`])) as Tables;
}

function createSchema(schema: string): string {
  return `create schema if not exists ${quoted(schema)}`;
}

function createTable(table: TableName, schema: string | undefined): string {
  return `create table if not exists ${namesIn(schema)[table]} (${COLUMNS[table]}\n)`;
}

// Strings are found by their hash: an index of hashes is a fifth of an index of strings of 70 characters. Hashes are
// unique, so that the second writer of a string finds the first; a key that is found is compared in full.
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
  alive_until double precision not null, -- as expires, but 0 only if the holder gave the shard back
  ttl_ms double precision not null, -- of the last lease, in milliseconds
  minted_until double precision not null -- by the holders' clocks, in Unix milliseconds`,
};

interface FoundTables {
  readonly schema: string;
  readonly hasSchema: boolean;
  readonly missing: readonly TableName[];
}

async function find(connection: Connection, given = ''): Promise<FoundTables> {
  const found = await connection.ask<{ schema: string | null; hasSchema: boolean; tables: string[] | null }>(
    FIND,
    given,
  );
  const { schema, hasSchema } = found;
  if (schema === null) {
    const message = 'the search path has no schema that exists; give the option "schema"';
    throw new StoreUnavailableError(message, { isTransient: false });
  }
  const names = new Set(found.tables);
  return { schema, hasSchema, missing: TABLES.filter((table) => !names.has(`shardbits_${table}`)) };
}

// $1 schema; if empty, the one in which the search path finds the tables, otherwise the one in which it would make them
const FIND: PostgresStatement = {
  isRead: true,
  text: `
    with chosen as (
      select coalesce(
        nullif($1::text, ''),
        (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where pg_class.oid = to_regclass('shardbits_strings')),
        current_schema()
      )::text as name
    )
    ${selectAnswer(`json_build_object(
      'schema', name,
      'hasSchema', exists (select from pg_namespace where nspname = name),
      'tables', (
        select json_agg(relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where nspname = name and relkind in ('r', 'p', 'f', 'v')))`)}
    from chosen`,
};

// "if not exists" looks before it makes: in between others may have made the schema or the table (duplicate_schema,
// duplicate_table), its type (duplicate_object) or their entries in the catalogue (unique_violation).
function unlessMade(error: { readonly cause?: unknown }): void {
  if (!['42P06', '42P07', '42710', '23505'].includes(codeOf(error.cause))) throw error;
}

function tablesAreMissing({ schema, missing }: FoundTables): StoreUnavailableError {
  const names = missing.map((table) => `shardbits_${table}`).join(', ');
  const message = `the schema ${quoted(schema)} has no ${names}; postgresDdl() and "shardbits store ddl" say how to make them`;
  return new StoreUnavailableError(message, { isTransient: false });
}
