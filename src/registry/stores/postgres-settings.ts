import { type PostgresStatement, selectAnswer } from './postgres-answers.js';
import type { Connection } from './postgres-connection.js';
import type { Tables } from './postgres-schema.js';

/**
 * Makes the server answer only when the commit is on disk, and on the synchronous standbys if there are any, whatever
 * its settings say. With the setting `remote_apply`, the standbys must have applied it, too. If the wait for the
 * standbys is cut off, the server says so only in a warning, which the settings must not suppress.
 */
export const DURABLY = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)
  || set_config('client_min_messages', 'warning', true)`;

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

/**
 * A commit that changes nothing. When it is on the standbys, so is everything that was committed before it. The value is
 * written each time, even though it stays the same: a transaction that writes nothing does not wait.
 */
export function barrierStatement({ settings }: Tables): PostgresStatement {
  return {
    isRead: false,
    text: `
      with done as (
        insert into ${settings} (name, value) values ('barrier', '')
        on conflict (name) do update set value = excluded.value
        returning ${DURABLY} as durably
      )
      ${selectAnswer('to_json((select count(*) from done))')}`,
  };
}

/** The settings of a store: names with values. */
export class PostgresSettings {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof settingStatements>;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#statements = settingStatements(tables);
  }

  async get(name: string): Promise<string | undefined> {
    const value = await this.#connection.ask<string | null>(this.#statements.get, toAscii(name));
    return value === null ? undefined : fromAscii(value);
  }

  replace(name: string, expected: string | undefined, value: string): Promise<boolean> {
    const { insert, replace } = this.#statements;
    if (expected === undefined) return this.#connection.ask(insert, toAscii(name), toAscii(value));
    return this.#connection.ask(replace, toAscii(name), toAscii(value), toAscii(expected));
  }
}

function settingStatements({ settings }: Tables) {
  const done = selectAnswer('to_json(exists (select from done))');
  return {
    /** $1 name */
    get: {
      isRead: true,
      text: selectAnswer(`to_json((select value from ${settings} where name = $1::text))`),
    },
    /** $1 name, $2 value. Whether it was inserted */
    insert: {
      isRead: false,
      text: `
        with done as (
          insert into ${settings} (name, value) values ($1::text, $2::text)
          on conflict (name) do nothing
          returning ${DURABLY} as durably
        )
        ${done}`,
    },
    /** $1 name, $2 value, $3 expected. Whether it was replaced */
    replace: {
      isRead: false,
      text: `
        with done as (
          update ${settings} set value = $2::text where name = $1::text and value = $3::text
          returning ${DURABLY} as durably
        )
        ${done}`,
    },
  } satisfies { readonly [name: string]: PostgresStatement };
}
