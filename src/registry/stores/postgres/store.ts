/**
 * A store in PostgreSQL.
 * @module shardbits/stores/postgres
 */

import { checkBoolean, checkInteger, checkOptions, checkString, MAX_TIMER_MS } from '../../../arguments.js';
import type { Block, Entries, Space, Store } from '../../store.js';
import { clientOf, type QueryClient, type SqlClient } from './client.js';
import { Connection } from './connection.js';
import { StoreHashKey } from './hashes.js';
import { keyStatements } from './key-statements.js';
import { PostgresKeys } from './keys.js';
import { barrierStatement, openTables, PostgresSettings, quoted, type Tables } from './schema.js';
import { Shards } from './shards.js';

export type { QueryClient, SqlClient } from './client.js';
export { postgresDdl } from './schema.js';

export interface PostgresOptions {
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
 * Only PostgreSQL is tested. The SQL needs little that CockroachDB, YugabyteDB and Citus lack.
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
 * @throws StoreUnavailableError if the server cannot be reached or refuses the user, if a certificate is refused, if there are no tables and they
 *   must exist or cannot be made, or if the client is inside a transaction
 * @throws StoreCorruptError if some of the tables are missing, or are those of another version
 * @example
 * const store = await postgresStore('postgres://user:password@host/database', { schema: 'ids' });
 */
export async function postgresStore(
  server: string | QueryClient | SqlClient,
  options?: PostgresOptions,
): Promise<Store> {
  const { timeoutMs = 30_000, schema, mustExist = false } = checkOptions(options, ['timeoutMs', 'schema', 'mustExist']);
  checkInteger('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
  checkBoolean('mustExist', mustExist);
  if (schema !== undefined) quoted(checkString('schema', schema));
  const connection = new Connection(await clientOf(server), timeoutMs);
  try {
    const tables = await openTables(connection, { schema, mustExist });
    connection.settleWith(barrierStatement(tables));
    return new PostgresStore(connection, tables, timeoutMs);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class PostgresStore implements Store {
  readonly timeoutMs: number;
  readonly #connection: Connection;
  readonly #keys: { readonly [S in Space]: PostgresKeys };
  readonly #settings: PostgresSettings;
  readonly #shards: Shards;

  constructor(connection: Connection, tables: Tables, timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    const hashKey = new StoreHashKey(connection, tables);
    const keysOf = (space: Space) => new PostgresKeys(keyStatements(space, tables), connection, hashKey);
    this.#connection = connection;
    this.#keys = { strings: keysOf('strings'), types: keysOf('types') };
    this.#settings = new PostgresSettings(connection, tables);
    this.#shards = new Shards(connection, tables);
  }

  async now(): Promise<number> {
    return this.#shards.now();
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    return this.#open(this.#keys[space]).lookup(keys);
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    return this.#open(this.#keys[space]).resolve(ids);
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    return this.#open(this.#keys[space]).assign(block, keys);
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    return this.#keys[space].counter(prefix);
  }

  async setting(name: string): Promise<string | undefined> {
    return this.#settings.get(name);
  }

  async replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean> {
    return this.#settings.replace(name, expected, value);
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    return this.#shards.acquire(request);
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    return this.#shards.renew(request);
  }

  async releaseLease(holder: Parameters<Store['releaseLease']>[0]): Promise<void> {
    return this.#shards.release(holder);
  }

  async shards(): ReturnType<Store['shards']> {
    return this.#shards.all();
  }

  async freeShard(shard: number): Promise<boolean> {
    return this.#shards.free(shard);
  }

  async resetMark(shard: number): ReturnType<Store['resetMark']> {
    return this.#shards.resetMark(shard);
  }

  async count(space: Space): Promise<number> {
    return this.#keys[space].count();
  }

  entries(space: Space): AsyncIterable<Entries> {
    return this.#keys[space].entries();
  }

  async counters(space: Space): Promise<Map<number, bigint>> {
    return this.#keys[space].counters();
  }

  async restore(space: Space, entries: Entries): Promise<void> {
    return this.#open(this.#keys[space]).restore(entries);
  }

  async restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void> {
    return this.#open(this.#keys[space]).restoreCounters(counters);
  }

  async restoreShards(records: Parameters<Store['restoreShards']>[0]): Promise<void> {
    return this.#open(this.#shards).restore(records);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A call without rows runs no statement, but still needs an open store. */
  #open<T>(part: T): T {
    this.#connection.checkOpen();
    return part;
  }
}
