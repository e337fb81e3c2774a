import { wrongKind } from '../../arguments.js';
import { StoreConflictError, StoreUnavailableError } from '../store.js';

/** A pool or client of `pg`, or all that answers `query` as it does. */
export interface QueryClient {
  query(text: string, params: string[]): PromiseLike<Rows | { readonly rows: Rows }>;
}

/** What `postgres(url)` gives. */
export interface SqlClient {
  unsafe(text: string, params: string[]): PromiseLike<Rows>;
}

type Rows = ArrayLike<unknown>;

/** A statement's answer; all columns are asked for as text, which all clients read alike. */
export type Row = { readonly [column: string]: string | null };

export interface Connection {
  /**
   * Runs one statement, a transaction of its own.
   * @throws StoreConflictError if the server had to undo it for others' sake
   * @throws StoreUnavailableError if the server cannot be reached, or was lost before it answered
   */
  query(text: string, params?: readonly string[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** @param server a URL, or a client that stays its owner's: it is not closed with the connection */
export async function connect(server: string | QueryClient | SqlClient): Promise<Connection> {
  if (typeof server === 'string') return connectTo(server);
  const isClient = (typeof server === 'object' && server !== null) || typeof server === 'function';
  if (!isClient || !('query' in server || 'unsafe' in server)) {
    throw wrongKind('server', 'a URL, or a client with query(text, params)', server);
  }
  return { query: (text, params) => query(server, text, params), close: async () => {} };
}

async function connectTo(url: string): Promise<Connection> {
  const postgres = await importPostgres();
  const sql = postgres(url, {
    onnotice: () => {},
    fetch_types: false,
    // Callers wait as well, ever longer; by default ten connections that fail once make the next wait 20 s.
    backoff: () => 0.1,
  });
  const running = new Set<PromiseLike<unknown>>();
  return {
    async query(text, params) {
      const answer = query(sql, text, params);
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
    async close() {
      // After a lost connection end() would wait for its query for ever (porsager/postgres#1097): we wait ourselves.
      await Promise.allSettled(running);
      await sql.end({ timeout: 0 });
    },
  };
}

async function importPostgres(): Promise<typeof import('postgres')> {
  try {
    return (await import('postgres')).default;
  } catch (cause) {
    throw new Error('postgresStore needs the package "postgres" for a URL: npm install postgres', { cause });
  }
}

async function query(client: QueryClient | SqlClient, text: string, params: readonly string[] = []): Promise<Row[]> {
  try {
    const answer = await ('unsafe' in client ? client.unsafe(text, [...params]) : client.query(text, [...params]));
    return Array.from('rows' in answer ? answer.rows : answer) as Row[];
  } catch (error) {
    if (isUndone(error)) throw new StoreConflictError('the server has undone a statement', { cause: error });
    if (isUnreachable(error))
      throw new StoreUnavailableError(`no answer of the server: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The SQLSTATE of a server's error, or what Node or the client calls it. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

function isUndone(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error)); // serialization_failure, deadlock_detected
}

// SQLSTATE class 08, and those of a server that stops or starts; Node's; the package postgres's. Those of
// pg have no code.
const UNREACHABLE =
  /^(08...|57P0[123]|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN)|CONNECTION_(CLOSED|DESTROYED)|CONNECT_TIMEOUT)$/;

function isUnreachable(error: unknown): error is Error {
  return error instanceof Error && (UNREACHABLE.test(codeOf(error)) || /^Connection terminated/.test(error.message));
}
