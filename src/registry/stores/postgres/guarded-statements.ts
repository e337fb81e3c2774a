import { qualified } from '../../../engines/qualified.js';
import { StoreUnavailableError } from '../../../errors.js';
import { STATE_SETTING } from '../../identity.js';

// A read answers with the state of the store that it found. A write fails as a whole unless it finds the state that it is
// given. Both read the state in the transaction that does the work.

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

export const reading = <T>(text: string): PostgresStatement<T> => ({ text: qualified(text), isRead: true });
export const writing = <T>(text: string): PostgresStatement<T> => ({ text: qualified(text), isRead: false });

/** A write that answers whether it changed any rows. @param change without its `returning` */
export const changing = (change: string): PostgresStatement<boolean> =>
  writing(`
    with done as (
      ${change}
      returning ${DURABLY} as durably
    )
    ${selectAnswer('to_json(exists (select from done))')}`);

/** One statement that runs several, in one transaction that waits for the disk. It has no parameters and no answer. */
export function block(statements: readonly string[]): string {
  const body = [`perform ${DURABLY}`, ...statements].map((sql) => `${qualified(sql)};\n`).join('');
  return `do ${dollarQuoted(`begin\n${body}end`)}`;
}

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Text as a literal between dollar signs, as they are not in it. */
export function dollarQuoted(text: string): string {
  let tag = '$$';
  while (text.includes(tag)) tag = `${tag.slice(0, -1)}x$`;
  return `${tag}${text}${tag}`;
}

/**
 * Makes the server answer only when the commit is on disk, and on the synchronous standbys if there are any, whatever
 * its settings say. With the setting `remote_apply`, the standbys must have applied it, too. If the wait for the
 * standbys is cut off, the server says so only in a warning, which the settings must not suppress.
 */
export const DURABLY = `set_config('synchronous_commit',
  case when current_setting('synchronous_commit') = 'remote_apply' then 'remote_apply' else 'on' end, true)
  || set_config('client_min_messages', 'warning', true)`;

/** Stands for the SQL of the store's state, which depends on the schema. */
const STATE = '/* state */ null';

/**
 * What every statement selects: one row with one text, which is the JSON of a value, of the state of the store, and of the
 * transaction in which it was read. This shows whether an answer is complete: postgres.js 3.4.9 returns answers with holes
 * after it has reconnected. The column's name is one word, so that clients that convert names do not change it.
 * @param value SQL of a json value
 */
export function selectAnswer(value: string, state = STATE): string {
  return `
    select json_build_object(
      'pid', pg_backend_pid(),
      'began', extract(epoch from now())::text,
      'state', ${state},
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

/** Stands for the last parameter of a write, whose number differs. No name of a schema has a NUL. */
const PARAMETER = `'\0'`;

/**
 * Makes what completes the texts of statements, for a store with this table of settings. The place of the store and its
 * state are in one text, so that a write compares both at once.
 */
export function guardedBy(settings: string) {
  const kept = `(select ${placeOf('tableoid')} || ' ' || value from ${settings} where name = '${STATE_SETTING}')`;
  // Not a constant, so the division is done only if the state differs.
  const failing = '(1 / (random() * 0)::integer)::text';
  const found = qualified(kept);
  const expected = qualified(
    `case when ${kept} = ${PARAMETER}::text then ${PARAMETER}::text else ${failing} end`,
  ).split(PARAMETER);
  return {
    reading: (text: string): string => text.replace(STATE, () => found),
    /** @param params how many parameters it has, before one with the {@link expectedState} */
    writing: (text: string, params: number): string => text.replace(STATE, () => expected.join(`$${params + 1}`)),
  };
}

/** The parameter of a write that is to find this state, and fails with {@link OTHER_STATE} if it finds another one. */
export function expectedState(text: string | undefined, place: string | undefined): string {
  return `${place} ${toAscii(text ?? '')}`;
}

/** The code of the error of such a write: division_by_zero. */
export const OTHER_STATE = '22012';

/** An answer, with the state of the store and its place if the statement asks for them. */
export interface PostgresAnswer<T> {
  readonly value: T;
  readonly text: string | undefined;
  readonly place: string | undefined;
  /** The process of the server that answered, and when the transaction began. */
  readonly pid: number;
  readonly began: string;
}

/** The answer in rows; see `selectAnswer`. @throws StoreUnavailableError if it is not a whole one */
export function answerIn<T>(rows: unknown): PostgresAnswer<T> {
  try {
    const { length, 0: row } = rows as { length: number; 0: { answer: string } };
    const { pid, began, state, value } = JSON.parse(row.answer);
    if (length === 1 && typeof pid === 'number' && typeof began === 'string') {
      const [place, text] = state?.split(/ (.*)/s) ?? [];
      return { value, text: text === undefined ? undefined : fromAscii(text), place, pid, began };
    }
  } catch {} // no rows, a hole, another column, or text that was cut off
  throw new StoreUnavailableError("the server's answer was incomplete");
}

/**
 * SQL of the number that a setting holds, 0 if it is not set. If it is not a number, the statement fails, and the error has
 * the name of the setting.
 */
export const numberIn = (settings: string, name: string, type: string): string => `coalesce((
    select (case when value ~ '^[0-9]{1,19}$' then value else 'the setting ' || name end)::${type}
    from ${settings} where name = '${name}'), 0)`;

/** Text as it is stored: in ASCII without NUL, for every client and a database of any encoding. */
export function toAscii(text: string): string {
  return text.replace(/[^ -~]|\\/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromAscii(kept: string): string {
  return kept.replace(/\\u([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));
}
