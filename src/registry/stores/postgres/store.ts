/**
 * A store in PostgreSQL.
 * @module shardbits/stores/postgres
 */

import { checkInteger, checkOptions, checkString, MAX_TIMER_MS } from '../../../arguments.js';
import { StoreCorruptError } from '../../../errors.js';
import { checkOpening, STATE_SETTING } from '../../identity.js';
import type { OpenOptions, Store } from '../../store.js';
import { clientOf, type QueryClient, type SqlClient } from './client.js';
import { Connection } from './connection.js';
import { block, changing, fromAscii, literal, reading, selectAnswer, toAscii } from './guarded-statements.js';
import { keysOf } from './keys.js';
import { leasesOf } from './leases.js';
import { checkTables, openTables, quoted, type Tables, tablesIn } from './schema.js';

export type { QueryClient, SqlClient } from './client.js';
export { postgresDdl } from './schema.js';

export interface PostgresOptions extends OpenOptions {
  /** How long to wait for each answer of the server, in milliseconds, 1 to 2147483647; 30,000 by default. */
  timeoutMs?: number | undefined;
  /**
   * The schema of the tables, made if it is missing. The default is the first one of the search path that has tables of
   * shardbits when the store is opened, otherwise the first one of the path.
   */
  schema?: string | undefined;
  /**
   * Whether opening fails if the schema has no tables; false by default: they are made. {@link postgresDdl} gives the SQL
   * to make them by hand.
   */
  mustExist?: boolean | undefined;
}

/**
 * A store in PostgreSQL, for many machines, in five tables whose names begin with `shardbits_`.
 *
 * Statements name the schema of everything, so nothing that others create in a schema of the search path is run.
 *
 * It is tested on PostgreSQL, and untested on CockroachDB, YugabyteDB and Citus.
 *
 * Every commit waits for the disk, whatever `synchronous_commit` says. If a standby may take over, replication must be
 * synchronous (`synchronous_standby_names`). After a failover to an asynchronous standby, ids that were given can be
 * lost and given again.
 *
 * If the wait for a synchronous standby is cut off, the call fails with a transient error, and the store gives no answers
 * until a later commit is on the standby. The server tells of this only in a warning, which the store receives with a
 * URL, and from a pool or client of `pg` (not of `pg.native`). A client made by `postgres(url)` hides these warnings, so
 * opening a store with it fails if the server has synchronous standbys: give the URL. An id that another process finds
 * may still be missing on the standby: see "Standbys" in docs/operating.md.
 *
 * Once the tables exist, everything that only reads works on a standby and for a role that may only read.
 *
 * Large calls are made of several statements. A statement that is not answered within `timeoutMs` fails with a
 * transient error. For a URL, the store then drops all connections and makes new ones for the next call; a client of
 * your own stays as it is, so give a pool its own limits.
 *
 * Every statement must be a transaction of its own. A client inside a transaction is rejected. If somebody begins a
 * transaction on the client later, the second statement inside it fails, and a rollback undoes the first one. So give
 * the store a pool, or a client that nobody else uses. Transaction pooling, as in PgBouncer, works.
 *
 * When two callers intern the same string at the same time, the server's log shows a unique_violation; the store
 * handles it.
 *
 * With a URL, the connections keep the process alive until the store is closed. The URL takes libpq's parameters for TLS:
 * `sslmode`, which is `disable` (the default), `prefer`, `require`, `verify-ca` or `verify-full`, and the paths
 * `sslrootcert`, `sslcert` and `sslkey`, whose files are read when the store is opened. A password that is not in the URL
 * comes from the environment variable `PGPASSWORD`.
 * @param server a URL, which needs the package `postgres`; or a client, which {@link Store.close} leaves open: a pool
 *   of `pg`, what `postgres(url)` gives, or anything with the same `query(text, params)`
 * @throws TypeError if `server` is neither, or an option is of the wrong kind; RangeError for one of the wrong value,
 *   and for a parameter of the URL that is wrong
 * @throws StoreUnavailableError if the server cannot be reached or refuses the user, if a certificate is refused, if there
 *   are no tables and they must exist or cannot be made, or if the client is inside a transaction
 * @throws StoreCorruptError if some of the tables are missing, are not those that {@link postgresDdl} makes, or belong to a
 *   role that has no business there: not this one, one that it is a member of, a superuser, or the owner of the database
 *   or the schema
 * @example
 * const store = await postgresStore('postgres://user:password@host/database', { schema: 'ids' });
 */
export async function postgresStore(
  server: string | QueryClient | SqlClient,
  options?: PostgresOptions,
): Promise<Store> {
  const known = checkOptions(options, ['timeoutMs', 'schema', 'mustExist', 'expect']);
  const { timeoutMs = 30_000, schema } = known;
  checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  const { mustExist, guard } = checkOpening(known);
  if (schema !== undefined) quoted(checkString('schema', schema));
  const connection = new Connection(await clientOf(server), timeoutMs, guard);
  try {
    const place = await openTables(connection, schema, mustExist);
    const store = storeOver(connection, place);
    if ((await store.setting(STATE_SETTING)) === undefined) {
      throw new StoreCorruptError(`${tablesIn(place).settings} has lost "${STATE_SETTING}"; restore it from a backup`);
    }
    return store;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function storeOver(connection: Connection, schema: string): Store {
  const tables = tablesIn(schema);
  return {
    timeoutMs: connection.timeoutMs,
    ...settingsOf(connection, tables),
    ...keysOf(connection, tables),
    ...leasesOf(connection, tables),
    place: () => connection.place(),
    check: () => checkTables(connection, schema),
    close: () => connection.close(),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

function settingsOf(connection: Connection, tables: Tables) {
  const { settings } = tables;
  const statements = {
    /** $1 name */
    setting: reading<string | null>(selectAnswer(`to_json((select value from ${settings} where name = $1::text))`)),

    /** $1 name, $2 value. Whether it was inserted */
    insertSetting: changing(`
      insert into ${settings} (name, value) values ($1::text, $2::text)
      on conflict (name) do nothing`),

    /** $1 name, $2 value, $3 expected. Whether it was replaced */
    replaceSetting: changing(`
      update ${settings} set value = $2::text where name = $1::text and value = $3::text`),

    /**
     * A commit that changes nothing. When it is on the standbys, so is everything that was committed before it. The value
     * is written each time, even though it stays the same: a transaction that writes nothing does not wait.
     */
    barrier: changing(`
      insert into ${settings} (name, value) values ('barrier', '')
      on conflict (name) do update set value = excluded.value`),
  };
  connection.use(settings, statements.barrier);

  async function setting(name: string): Promise<string | undefined> {
    const value = await connection.askAlways(statements.setting, toAscii(name));
    return value === null ? undefined : fromAscii(value);
  }

  return {
    setting,

    replaceSetting(name, expected, value) {
      const params = [name, value].map(toAscii);
      if (expected === undefined) return connection.ask(statements.insertSetting, ...params);
      return connection.ask(statements.replaceSetting, ...params, toAscii(expected));
    },

    /**
     * Replaces the state, and then waits until every statement that writes and began before has ended: each of them locks
     * its tables before it reads the state. One table is locked at a time, because statements lock theirs in various orders.
     */
    async replaceState(expected, state) {
      const [from, to] = [expected ?? '', state].map((text) => literal(toAscii(text)));
      const replace = `update ${settings} set value = ${to} where name = '${STATE_SETTING}' and value = ${from}`;
      await connection.run(block([replace]));
      for (const table of Object.values(tables)) await connection.run(block([`lock table ${table} in share mode`]));
      const isReplaced = (await setting(STATE_SETTING)) === state;
      if (isReplaced) connection.guard.own(state);
      return isReplaced;
    },
  } satisfies Partial<Store>;
}
