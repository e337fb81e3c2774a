import { namesIn, wrongValue } from '../../../arguments.js';
import { qualified } from '../../../engines/qualified.js';
import { StoreCorruptError } from '../../../errors.js';
import { STATE_SETTING } from '../../identity.js';
import { type Space, unavailable } from '../../store.js';
import type { Connection } from './connection.js';
import { block, dollarQuoted, literal, placeOf, reading, selectAnswer } from './guarded-statements.js';

/** The names of the tables for use in statements, with their schema. */
export type Tables = { readonly [table in TableName]: string };

type TableName = Space | 'counters' | 'settings' | 'shards';

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

const DEFINITIONS: { readonly [table in TableName]: Definition } = {
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
    columns: { name: ['text'], value: ['text', 'in ASCII; other characters as \\u and four hexadecimal digits'] },
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

const TABLES = namesIn(DEFINITIONS);

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
  const place = placeOf(`to_regclass(${literal(settings)})::oid`);
  const state = `json_build_object('identity', gen_random_uuid(), 'generation', gen_random_uuid(), 'place', ${place})::text`;
  const into = `insert into ${settings} (name, value)`;
  return `${into} values ('${STATE_SETTING}', ${state}) on conflict (name) do nothing`;
}

/** The same, but not into a table that another role had made before: a trigger on it would run as whoever runs this. */
function insertStateIfOurs(schema: string | undefined): string {
  const table = literal(tablesIn(schema).settings);
  const isOurs = `pg_get_userbyid((select relowner from pg_catalog.pg_class where oid = to_regclass(${table}))) = current_user`;
  const body = `begin\n  if ${qualified(isOurs)} then\n    ${qualified(insertState(schema))};\n  end if;\nend`;
  return `do ${dollarQuoted(`\n${body}\n`)}`;
}

/**
 * Finds the tables, or makes them if there are none. Without a schema it looks along the search path, and makes tables in
 * the first schema of the path. From then on tables are named with their schema, so that a changed search path cannot
 * lead to other tables, which would give the same ids to other strings.
 * @returns the schema
 * @throws StoreCorruptError if they are not those that {@link createTables} makes, or belong to others
 */
export async function openTables(connection: Connection, schema: string | undefined, mustExist: boolean) {
  let found = await find(connection, schema);
  found = await find(connection, schema); // twice: a client inside a transaction is noticed before anything is done
  if (connection.isDeaf && found.waitsForStandbys) {
    throw unavailable(
      'the server has synchronous standbys, and this client does not pass on the warnings that it gives when it stops ' +
        'waiting for one; give postgresStore a URL',
    );
  }
  if (hasNone(found) && !mustExist) {
    checkSchema(found);
    const failure = await connection.run(createTables(found.schema, found.hasSchema)).catch((error) => error);
    found = await find(connection, found.schema);
    // If others have made them at the same time, it does not matter how making them failed here.
    if (hasNone(found) && failure !== undefined) throw failure;
  }
  check(found);
  return found.schema;
}

export async function checkTables(connection: Connection, schema: string): Promise<void> {
  check(await find(connection, schema));
}

interface FoundTables {
  readonly schema: string;
  readonly hasSchema: boolean;
  readonly waitsForStandbys: boolean;
  readonly schemaOwner: string | null;
  /** Whether the owner of the schema may own tables. */
  readonly isTrusted: boolean;
  readonly tables: { readonly [name: string]: FoundTable };
}

interface FoundTable {
  /** As in pg_class. */
  readonly kind: string;
  readonly persistence: string;
  readonly owner: string;
  readonly isTrusted: boolean;
  readonly columns: { readonly [name: string]: FoundColumn } | null;
  readonly indexes: readonly FoundIndex[] | null;
  /** Triggers and the like. */
  readonly others: readonly string[] | null;
}

/** A default or an expression is a value. Domains have defaults and checks, which run for every row. */
type FoundColumn = { readonly type: string } & {
  readonly [is in 'isNotNull' | 'hasValue' | 'hasCollation' | 'isOfDomain']: boolean;
};

/**
 * A valid index is not the rest of one that could not be built, and is checked at once; a plain one has columns only, and
 * all rows; a usual one compares and sorts as one does by default.
 */
type FoundIndex = { readonly name: string; readonly columns: readonly string[] } & {
  readonly [is in 'isPrimary' | 'isUnique' | 'isValid' | 'isPlain' | 'isUsual']: boolean;
};

async function find(connection: Connection, given = ''): Promise<FoundTables> {
  const found = await connection.askAlways(FIND, given);
  if (found.schema !== null) return found;
  throw unavailable('the search path has no schema that exists; give the option "schema"');
}

const IS_TABLE = `relname = any (array[${TABLES.map((table) => `'shardbits_${table}'`)}]) and relkind = any (array['r', 'p', 'f', 'v', 'm'])`;

/**
 * Whether a role is this one, one that this one was made a member of, or one that the whole database trusts. Code of the
 * owner of a table can run with the rights of this role. Membership does not limit that: whoever granted it trusts the
 * owner. A superuser counts as a member of all roles, which says nothing.
 */
const isTrusted = (owner: string) => `(${owner} = me.oid
    or (not me.rolsuper and pg_has_role(me.oid, ${owner}, 'member'))
    or exists (select from pg_catalog.pg_roles as role
      where role.oid = ${owner} and (role.rolsuper or role.rolname = 'pg_database_owner'))
    or exists (select from pg_catalog.pg_database where datname = current_database() and datdba = ${owner}))`;

const COLUMNS = `
  select json_object_agg(attname, json_build_object(
    'type', case when nspname = 'pg_catalog' then replace(format_type(atttypid, atttypmod), 'pg_catalog.', '')
      else nspname::text || '.' || typname::text end,
    'isNotNull', attnotnull,
    'hasValue', atthasdef or attidentity <> '' or attgenerated <> '',
    'hasCollation', attcollation <> typcollation,
    'isOfDomain', typtype = 'd'))
  from pg_catalog.pg_attribute join pg_catalog.pg_type as kind on kind.oid = atttypid
    join pg_catalog.pg_namespace as space on space.oid = typnamespace
  where attrelid = class.oid and attnum > 0 and not attisdropped`;

const INDEXES = `
  select json_agg(json_build_object(
    'name', index.relname,
    'columns', (select json_agg(attname order by n) from unnest(indkey) with ordinality as part (number, n)
      join pg_catalog.pg_attribute on attrelid = indrelid and attnum = number),
    'isPrimary', indisprimary,
    'isUnique', indisunique or indisexclusion,
    'isValid', indisvalid and indisready and indislive and indimmediate,
    'isPlain', indexprs is null and indpred is null,
    'isUsual', not exists (
      select from rows from (unnest(indkey), unnest(indclass), unnest(indcollation), unnest(indoption))
        as part (number, class, collating, sorting)
      join pg_catalog.pg_attribute on attrelid = indrelid and attnum = number
      join pg_catalog.pg_opclass on pg_opclass.oid = part.class
      where not opcdefault or collating <> attcollation or sorting <> 0)))
  from pg_catalog.pg_index join pg_catalog.pg_class as index on index.oid = indexrelid
  where indrelid = class.oid`;

const named = (kind: string, name: string) => `select '${kind} ' || to_json(${name}::text)::text as what`;

const OTHERS = `
  select json_agg(what) from (
    ${named('trigger', 'tgname')} from pg_catalog.pg_trigger where tgrelid = class.oid and not tgisinternal
    union all ${named('rule', 'rulename')} from pg_catalog.pg_rewrite where ev_class = class.oid
    union all ${named('policy', 'polname')} from pg_catalog.pg_policy where polrelid = class.oid
    union all select 'row-level security' where class.relrowsecurity
    union all ${named('constraint', 'conname')} from pg_catalog.pg_constraint
      where conrelid = class.oid and (contype = any (array['c', 'f', 'x']) or not convalidated)
    union all ${named('parent', 'relname')} from pg_catalog.pg_inherits
      join pg_catalog.pg_class as parent on parent.oid = inhparent where inhrelid = class.oid
    union all ${named('child', 'relname')} from pg_catalog.pg_inherits
      join pg_catalog.pg_class as child on child.oid = inhrelid where inhparent = class.oid
  ) as other`;

// If a schema is named, it is that one. Otherwise it is the first one of the search path that has any of the tables, or else
// the one in which they would be made. The owner of a schema may have put anything into it, so whoever names one trusts its
// owner. But "$user" in the search path names none: anybody who may make schemas can make one with the name of a role.
// It does not ask for the state, because there may be no table that has one.
const FIND = reading<FoundTables | { readonly schema: null }>(`
  with me as materialized (
    select oid, rolname, rolsuper from pg_catalog.pg_roles where rolname = current_user
  ), chosen as materialized (
    select case when $1::text <> '' then $1::text else coalesce(
      (select nspname::text from pg_catalog.pg_class
        join pg_catalog.pg_namespace on pg_namespace.oid = relnamespace
        where ${IS_TABLE} and nspname = any (current_schemas(false))
        order by array_position(current_schemas(false), nspname) limit 1),
      current_schema()::text) end as name
  ), place as materialized (
    select name, pg_namespace.oid, nspowner,
      $1::text <> '' or name <> me.rolname or ${isTrusted('nspowner')} as is_trusted
    from chosen cross join me left join pg_catalog.pg_namespace on nspname = name
  )
  ${selectAnswer(
    `json_build_object(
    'schema', name,
    'hasSchema', oid is not null,
    'waitsForStandbys', coalesce(current_setting('synchronous_standby_names', true), '') <> '' and not pg_is_in_recovery(),
    'schemaOwner', case when oid is not null then pg_get_userbyid(nspowner) end,
    'isTrusted', is_trusted,
    'tables', coalesce((
      select json_object_agg(relname, json_build_object(
        'kind', relkind,
        'persistence', relpersistence,
        'owner', pg_get_userbyid(relowner),
        'isTrusted', (is_trusted and relowner = nspowner) or ${isTrusted('relowner')},
        'columns', (${COLUMNS}),
        'indexes', (${INDEXES}),
        'others', (${OTHERS})))
      from pg_catalog.pg_class as class cross join me where relnamespace = place.oid and ${IS_TABLE}), '{}'))`,
    'null',
  )}
  from place`);

const hasNone = ({ tables }: FoundTables): boolean => Object.keys(tables).length === 0;

function checkSchema({ schema, schemaOwner, isTrusted }: FoundTables): void {
  if (isTrusted || schemaOwner === null) return;
  throw new StoreCorruptError(
    `the schema ${quoted(schema)} has the name of this role, but belongs to the role ${quoted(schemaOwner)}; ` +
      'if it is meant, name it with the option "schema"',
  );
}

function check(found: FoundTables): void {
  const { schema, tables } = found;
  if (hasNone(found)) {
    throw unavailable(
      `the schema ${quoted(schema)} has no tables of shardbits; postgresDdl() and "shardbits store ddl" say how to make them`,
    );
  }
  checkSchema(found);
  const missing = TABLES.map((table) => `shardbits_${table}`).filter((name) => !(name in tables));
  const faults = TABLES.flatMap((table) => {
    const name = `shardbits_${table}`;
    return name in tables ? faultsOf(table, tables[name]).map((fault) => `${name} ${fault}`) : [];
  });
  if (faults.length > 0) {
    const all = [...missing.map((name) => `${name} is missing`), ...faults];
    throw new StoreCorruptError(
      `the tables in the schema ${quoted(schema)} are not those that "shardbits store ddl" makes: ${all.join(', ')}`,
    );
  }
  if (missing.length > 0) {
    throw new StoreCorruptError(
      `the schema ${quoted(schema)} has some tables of shardbits, but no ${missing.join(', ')}; ` +
        'restore the missing tables from a backup, because empty ones would give ids twice',
    );
  }
}

const KINDS: { readonly [kind: string]: string } = {
  p: 'a partitioned table',
  f: 'a foreign table',
  v: 'a view',
  m: 'a materialized view',
};

/** How a table differs from its definition. Further columns and indexes are fine if they cannot make a write fail or run code. */
function faultsOf(table: TableName, found: FoundTable): string[] {
  const { kind, persistence, owner, isTrusted } = found;
  const faults = isTrusted ? [] : [`belongs to the role ${quoted(owner)}, which could run code as this one`];
  if (kind in KINDS) return [...faults, `is ${KINDS[kind]}`];
  if (persistence !== 'p') faults.push('is not kept in a crash (unlogged)');
  const others = (found.others ?? []).map((what) => `has the ${what}`);
  return [...faults, ...columnFaults(table, found.columns ?? {}), ...keyFaults(table, found.indexes ?? []), ...others];
}

function columnFaults(table: TableName, found: { readonly [name: string]: FoundColumn }): string[] {
  const { columns } = DEFINITIONS[table];
  const faults = Object.entries(columns).flatMap(([name, [type]]) => {
    const column = found[name];
    if (column === undefined) return [`has no column ${name}`];
    return [
      ...(column.type === type ? [] : [`has ${name} as ${column.type} instead of ${type}`]),
      ...(column.isNotNull ? [] : [`has ${name} without "not null"`]),
      ...(column.hasValue ? [`has a default or an expression for ${name}`] : []),
      ...(column.hasCollation ? [`has a collation for ${name}`] : []),
    ];
  });
  const more = Object.entries(found).filter(
    ([name, { isNotNull, hasValue, isOfDomain }]) => !(name in columns) && (isNotNull || hasValue || isOfDomain),
  );
  return [...faults, ...more.map(([name]) => `has the column ${quoted(name)} with a default, "not null" or a domain`)];
}

function keyFaults(table: TableName, found: readonly FoundIndex[]): string[] {
  const { keys } = DEFINITIONS[table];
  const isOn = (key: readonly string[], { columns, isPlain }: FoundIndex) => isPlain && `${columns}` === `${key}`;
  const lacking = keys.flatMap((key, i) => {
    const isFound = found.some(
      (index) => isOn(key, index) && index.isUnique && index.isValid && index.isUsual && (i > 0 || index.isPrimary),
    );
    return isFound ? [] : [`has no valid ${i === 0 ? 'primary key' : 'unique index'} (${key.join(', ')})`];
  });
  const more = found.filter((index) => (index.isUnique || !index.isPlain) && !keys.some((key) => isOn(key, index)));
  return [...lacking, ...more.map(({ name }) => `has the index ${quoted(name)}`)];
}
