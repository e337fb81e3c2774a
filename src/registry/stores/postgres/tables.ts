import { wrongValue } from '../../../arguments.js';
import { qualified } from '../../../engines/qualified.js';
import { STATE_SETTING } from '../../identity.js';
import type { Space } from '../../store.js';
import { block, dollarQuoted, placeOf } from './statements.js';

/** The names of the tables for use in statements, with their schema. */
export type Tables = { readonly [table in TableName]: string };

export type TableName = Space | 'counters' | 'settings' | 'shards';

/** What a table is made of, and compared with whenever a store is opened. */
interface Definition {
  /** The type of each column, and what is in it. No column may be null. */
  readonly columns: { readonly [name: string]: readonly [type: string, comment?: string] };
  /** The columns of the primary key, and of further unique ones. */
  readonly keys: readonly (readonly string[])[];
}

// Strings are found by their hash: an index of hashes is a fifth of an index of strings of 70 characters. Hashes are
// unique, so that the second writer of a string finds the first; a key that is found is compared in full.
const KEYS: Definition = {
  columns: {
    id: ['bigint', 'the same 64 bits: ids from 2^63 on are negative'],
    hash: ['uuid', 'SipHash-2-4 of the key in 128 bits, with the hashKey in shardbits_settings'],
    key: ['bytea', 'UTF-8'],
  },
  keys: [['id'], ['hash']],
};

export const DEFINITIONS: { readonly [table in TableName]: Definition } = {
  strings: KEYS,
  types: KEYS,
  counters: {
    columns: {
      space: ['text'],
      prefix: ['bigint'],
      last: ['bigint', 'the last number given, without those that are skipped'],
    },
    keys: [['space', 'prefix']],
  },
  settings: {
    columns: {
      name: ['text'],
      value: ['text', 'in ASCII; other characters as \\u and four hexadecimal digits'],
    },
    keys: [['name']],
  },
  // A row is never deleted: its token counts for ever.
  shards: {
    columns: {
      shard: ['integer'],
      owner: ['text', 'as values of settings'],
      token: ['bigint'],
      expires: ['double precision', "by the server's clock, in Unix milliseconds; 0 if it has been ended"],
      stray_until: ['double precision', 'until when holders may mint whose lease an operator ended; 0 if none'],
      ttl_ms: ['double precision', 'of the last lease, or of such a holder'],
      minted_until: ['double precision', "by the holders' clocks, in Unix milliseconds"],
    },
    keys: [['shard']],
  },
};

export const TABLES = Object.keys(DEFINITIONS) as TableName[];

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
  return [...[...makeSchema, ...tables].map((sql) => qualified(sql)), insertStateIfOurs(schema)]
    .map((sql) => `${sql};\n`)
    .join('\n');
}

/** One statement, which makes all tables or none, with every client. It fails if one of them exists. */
export function createTables(schema: string, hasSchema: boolean): string {
  const makeSchema = hasSchema ? [] : [createSchema(schema)];
  const makeTables = TABLES.map((table) => `create table ${definition(table, schema)}`);
  return block([...makeSchema, ...makeTables, insertState(schema)]);
}

/** The name of a schema for use in statements. */
export function quoted(schema: string): string {
  if (schema === '' || schema.includes('\0')) throw wrongValue('schema', 'the name of a schema', schema);
  return `"${schema.replaceAll('"', '""')}"`;
}

export function tablesIn(schema: string | undefined): Tables {
  const prefix = schema === undefined ? '' : `${quoted(schema)}.`;
  return Object.fromEntries(TABLES.map((table) => [table, `${prefix}shardbits_${table}`])) as Tables;
}

function createSchema(schema: string): string {
  return `create schema if not exists ${quoted(schema)}`;
}

function definition(table: TableName, schema: string | undefined): string {
  const { columns, keys } = DEFINITIONS[table];
  const lines = Object.entries(columns).map(
    ([name, [type, comment]]) => `\n  ${name} ${type} not null,${comment === undefined ? '' : ` -- ${comment}`}`,
  );
  const unique = keys.map((key, i) => `\n  ${i === 0 ? 'primary key' : 'unique'} (${key.join(', ')})`);
  return `${tablesIn(schema)[table]} (${lines.join('')}${unique}\n)`;
}

/** Gives a new store its state; see `newState`. */
function insertState(schema: string | undefined): string {
  const { settings } = tablesIn(schema);
  const place = placeOf(`to_regclass('${settings.replaceAll("'", "''")}')::oid`);
  const state = `json_build_object('identity', gen_random_uuid(), 'generation', gen_random_uuid(), 'place', ${place})::text`;
  const into = `insert into ${settings} (name, value)`;
  return `${into} values ('${STATE_SETTING}', ${state}) on conflict (name) do nothing`;
}

/** The same, but not into a table that another role had made before: a trigger on it would run as whoever runs this. */
function insertStateIfOurs(schema: string | undefined): string {
  const table = `'${tablesIn(schema).settings.replaceAll("'", "''")}'`;
  const isOurs = `pg_get_userbyid((select relowner from pg_catalog.pg_class where oid = to_regclass(${table}))) = current_user`;
  const lines = [
    'begin',
    `  if ${qualified(isOurs)} then`,
    `    ${qualified(insertState(schema))};`,
    '  end if;',
    'end',
  ];
  return `do ${dollarQuoted(`\n${lines.join('\n')}\n`)}`;
}
