import { qualified } from '../../../engines/qualified.js';

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
export function dollarQuoted(text: string): string {
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
