// `shardbits/stores/postgres`
import { createHash } from 'node:crypto';
import { type Block, type Space, type Store, StoreConflictError } from '../store.js';
import { type Connection, connect, type QueryClient, type Row, type SqlClient } from './postgres-client.js';
import { createTables } from './postgres-schema.js';
import { ACQUIRE_LEASE, KEY_STATEMENTS, RELEASE_LEASE, REMEMBER, RENEW_LEASE } from './postgres-statements.js';

export type { QueryClient, SqlClient } from './postgres-client.js';

/**
 * A store in PostgreSQL, for many machines; in tables whose names begin with `shardbits_`, made on first use in
 * the first schema of the search path.
 *
 * Only PostgreSQL is tested. The SQL asks for little else than CockroachDB, YugabyteDB and Citus have.
 *
 * Every commit waits for the disk (`synchronous_commit` is on for it, whatever is set). Where a standby may take
 * over, replication must be synchronous (`synchronous_standby_names`): with an asynchronous one a failover can
 * lose ids that have been given, and give them again.
 *
 * The connections of a URL keep the process alive until the store is closed. Calls that meet a server that is away
 * are tried again for some seconds.
 * @param server a URL, for which npm `postgres` is to be installed beside shardbits; or a client: a pool of `pg`,
 *   what `postgres(url)` gives, or anything with such a `query(text, params)`, which {@link Store.close} leaves open
 * @throws TypeError if `server` is neither; StoreUnavailableError if it cannot be reached; the server's own errors
 * @example
 * const store = await postgresStore('postgres://user:password@host/database');
 */
export async function postgresStore(server: string | QueryClient | SqlClient): Promise<Store> {
  const connection = await connect(server);
  try {
    await createTables(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return new PostgresStore(connection);
}

// An entry of an index ends at 2,704 bytes: longer strings are found by their start and digest, which is longer
// than any short one, and compared in full.
const LONGEST_NAME = 1024;

class PostgresStore implements Store {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    const names = keys.map(nameOf);
    return idsOf(names, await this.#query(KEY_STATEMENTS[space].lookup, byteaArray(names)));
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const rows = await this.#query(KEY_STATEMENTS[space].resolve, `{${new BigInt64Array(ids)}}`);
    const keys = new Map(rows.map(({ id, key }) => [idOf(id), Buffer.from(key ?? '', 'hex').toString()]));
    return Array.from(ids, (id) => keys.get(id));
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const names = keys.map(nameOf);
    const from = [block.prefix, BigInt.asIntN(64, block.base), block.max].map(String);
    const rows = await this.#query(KEY_STATEMENTS[space].assign, byteaArray(names), wholeArray(names), ...from);
    const undone = rows.find(({ name }) => name === null);
    if (undone?.id === 'FULL') return undefined;
    if (undone !== undefined) throw new StoreConflictError('others have taken numbers of the prefix');
    let ids = idsOf(names, rows);
    if (ids.includes(0n)) ids = await this.lookup(space, keys); // others have inserted the rest
    if (ids.includes(0n)) throw new StoreConflictError('others are inserting the same keys');
    return ids;
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    const [row] = await this.#query(KEY_STATEMENTS[space].counter, String(prefix));
    return BigInt(row?.last ?? 0);
  }

  async remember(name: string, value: string): Promise<string> {
    const [row] = await this.#query(REMEMBER, name, value);
    return row?.value ?? value;
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    const { shards, owner, ttlMs, mintFrom, mintUntil } = request;
    const given = [String(shards), bytea(owner), ...[ttlMs, mintFrom, mintUntil].map(String)];
    const [lease] = await this.#query(ACQUIRE_LEASE, ...given);
    if (lease === undefined) return undefined;
    if (lease.shard === null) throw new StoreConflictError('another holder took the shard');
    return { shard: Number(lease.shard), token: BigInt(lease.token ?? 0), mintedUntil: Number(lease.minted) };
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    const { shard, token, owner, ttlMs, mintUntil } = request;
    const given = [String(shard), bytea(owner), ...[token, ttlMs, mintUntil].map(String)];
    return (await this.#query(RENEW_LEASE, ...given)).length === 1;
  }

  async releaseLease({ shard, token, owner }: Parameters<Store['releaseLease']>[0]): Promise<void> {
    await this.#query(RELEASE_LEASE, String(shard), bytea(owner), String(token));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #query(text: string, ...params: string[]): Promise<Row[]> {
    return this.#connection.query(text, params);
  }
}

/** What a key is found by, and itself if that is not the same; in hexadecimal, as keys may hold NUL. */
interface Name {
  readonly name: string;
  readonly whole: string | null;
}

function nameOf(key: string): Name {
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  if (bytes.length <= LONGEST_NAME) return { name: hex, whole: null };
  return { name: hex.slice(0, 2 * LONGEST_NAME) + createHash('sha256').update(bytes).digest('hex'), whole: hex };
}

function idsOf(names: readonly Name[], rows: readonly Row[]): BigUint64Array {
  const found = new Map(rows.map((row) => [row.name, row]));
  return BigUint64Array.from(names, ({ name, whole }) => {
    const row = found.get(name);
    if (row === undefined) return 0n;
    if (row.whole !== null && row.whole !== whole) throw new Error('two strings with one SHA-256');
    return idOf(row.id);
  });
}

function idOf(signed: string | null | undefined): bigint {
  return BigInt.asUintN(64, BigInt(signed ?? 0));
}

function byteaArray(names: readonly Name[]): string {
  return `{${names.map(({ name }) => `"\\\\x${name}"`)}}`;
}

function wholeArray(names: readonly Name[]): string {
  return `{${names.map(({ whole }) => (whole === null ? 'NULL' : `"\\\\x${whole}"`))}}`;
}

function bytea(text: string): string {
  return `\\x${Buffer.from(text).toString('hex')}`;
}
