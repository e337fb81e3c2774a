import { wrongValue } from '../../../arguments.js';
import { qualified } from '../../../engines/qualified.js';
import { STATE_SETTING } from '../../identity.js';
import type { Space } from '../../store.js';

/**
 * One statement, which is a transaction of its own, and in which all names are {@link qualified}: the search path is that
 * of the client, and others may create in its schemas. All parameters are text: clients differ in other types.
 */
export interface PostgresStatement<T> {
  readonly text: string;
  /** Whether it changes nothing, so that it can be run again. */
  readonly isRead: boolean;
  /** Absent: the type of the value that it selects. */
  readonly value?: T;
}

/** The largest bigint of the database. */
export const MAX_SIGNED = 2n ** 63n - 1n;

/** Stands for the SQL of the store's state, which depends on the schema; see `Connection.use`. */
export const STATE = '/* state */ null';

/**
 * What every statement selects: one row with one text, which is the JSON of a value, of the state of the store, and of the
 * transaction in which it was read. This shows whether an answer is complete: postgres.js 3.4.9 returns answers with holes
 * after it has reconnected. The column's name is one word, so that clients that convert names do not change it.
 * @param value SQL of a json value
 */
export function selectAnswer(value: string): string {
  return `
    select json_build_object(
      'pid', pg_backend_pid(),
      'began', extract(epoch from now())::text,
      'state', ${STATE},
      'value', ${value}
    )::text as answer`;
}

/**
 * SQL of where a table is: the oids of its database and of the table. `pg_restore` makes another table, and a database that
 * is made from a template has another oid. Both stay on a physical standby, and after `truncate`, `vacuum full` and
 * `pg_upgrade` to PostgreSQL 15 or later: before, it gave the database another oid. The path has the oid of the database
 * before the number of the file, which does not stay.
 * @param table SQL of the oid of the table
 */
export const placeOf = (table: string): string =>
  `substring(pg_relation_filepath(${table}) from '([0-9]+)/[0-9]+$') || '.' || ${table}::text`;

/**
 * SQL of the number that a setting holds, 0 if it is not set. If it is not a number, the statement fails, and the error has
 * the name of the setting.
 */
export const numberIn = (settings: string, name: string, type: string): string => `coalesce((
    select (case when value ~ '^[0-9]{1,19}$' then value else 'the setting ' || name end)::${type}
    from ${settings} where name = '${name}'), 0)`;

/** One statement that runs several, in one transaction that waits for the disk. It has no parameters and no answer. */
export function block(statements: readonly string[]): string {
  const body = [`perform ${DURABLY}`, ...statements].map((sql) => `${qualified(sql)};\n`).join('');
  return `do ${dollarQuoted(`begin\n${body}end`)}`;
}

/** Text as a literal between dollar signs, as they are not in it. */
function dollarQuoted(text: string): string {
  let tag = '$$';
  while (text.includes(tag)) tag = `${tag.slice(0, -1)}x$`;
  return `${tag}${text}${tag}`;
}

export const reading = <T>(text: string): PostgresStatement<T> => ({ text: qualified(text), isRead: true });
export const writing = <T>(text: string): PostgresStatement<T> => ({ text: qualified(text), isRead: false });

/**
 * Makes the server answer only when the commit is on disk, and on the synchronous standbys if there are any, whatever
 * its settings say. With the setting `remote_apply`, the standbys must have applied it, too. If the wait for the
 * standbys is cut off, the server says so only in a warning, which the settings must not suppress.
 */
export const DURABLY = `set_config('synchronous_commit',
  case when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on' end, true)
  || set_config('client_min_messages', 'warning', true)`;

/** A write that answers whether it changed any rows. @param change without its `returning` */
export const changing = (change: string): PostgresStatement<boolean> =>
  writing(`
    with done as (
      ${change}
      returning ${DURABLY} as durably
    )
    ${selectAnswer('to_json(exists (select from done))')}`);

/**
 * Text as it is stored: in ASCII without NUL, so that it can be read with any client and fits into a database of any
 * encoding.
 */
export function toAscii(text: string): string {
  return text.replace(/[^ -~]|\\/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromAscii(kept: string): string {
  return kept.replace(/\\u([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));
}

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
  const tables = tablesMade(schema, false, 'create table if not exists');
  return [...tables.map((sql) => qualified(sql)), insertStateIfOurs(schema)].map((sql) => `${sql};\n`).join('\n');
}

/** One statement, which makes all tables or none, with every client. It fails if one of them exists. */
export function createTables(schema: string, hasSchema: boolean): string {
  return block([...tablesMade(schema, hasSchema, 'create table'), insertState(schema)]);
}

/** Statements that make the tables, after the schema unless it exists. */
function tablesMade(schema: string | undefined, hasSchema: boolean, create: string): string[] {
  const names = tablesIn(schema);
  const tables = TABLES.map((table) => {
    const { columns, keys } = DEFINITIONS[table];
    const lines = Object.entries(columns).map(
      ([name, [type, comment]]) => `\n  ${name} ${type} not null,${comment === undefined ? '' : ` -- ${comment}`}`,
    );
    const unique = keys.map((key, i) => `\n  ${i === 0 ? 'primary key' : 'unique'} (${key.join(', ')})`);
    return `${create} ${names[table]} (${lines.join('')}${unique}\n)`;
  });
  return hasSchema || schema === undefined ? tables : [`create schema if not exists ${quoted(schema)}`, ...tables];
}

export function quoted(schema: string): string {
  if (schema === '' || schema.includes('\0')) throw wrongValue('schema', 'the name of a schema', schema);
  return `"${schema.replaceAll('"', '""')}"`;
}

export function tablesIn(schema: string | undefined): Tables {
  const prefix = schema === undefined ? '' : `${quoted(schema)}.`;
  return Object.fromEntries(TABLES.map((table) => [table, `${prefix}shardbits_${table}`])) as Tables;
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
  const body = `begin\n  if ${qualified(isOurs)} then\n    ${qualified(insertState(schema))};\n  end if;\nend`;
  return `do ${dollarQuoted(`\n${body}\n`)}`;
}
