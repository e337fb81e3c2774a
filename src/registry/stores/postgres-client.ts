import { wrongKind } from '../../arguments.js';
import { urlClient } from './postgres-url.js';

/** A pool or client of `pg`, or anything that answers `query` as it does. */
export interface QueryClient {
  query(text: string, params: string[]): PromiseLike<RowList | { readonly rows: RowList }>;
}

/** The result of `postgres(url)`. */
export interface SqlClient {
  unsafe(text: string, params: string[]): PromiseLike<RowList>;
}

/** @inline */
type RowList = ArrayLike<unknown>;

/** A client of any kind, as a connection uses it. */
export interface PostgresClient {
  send(text: string, params: readonly string[]): Sent;
  /** Ends within a second, even if the server is silent. */
  close(): Promise<void>;
}

/** A statement on its way. */
export interface Sent {
  readonly rows: PromiseLike<unknown>;
  /** Called when the answer is late: a connection that is silent must not be used again. */
  giveUp(): void;
}

/** @param server a URL, or a client, which its owner closes */
export async function clientOf(server: string | QueryClient | SqlClient): Promise<PostgresClient> {
  if (typeof server === 'string') return urlClient(server);
  const isClient = (typeof server === 'object' && server !== null) || typeof server === 'function';
  if (!isClient || !('query' in server || 'unsafe' in server)) {
    throw wrongKind('server', 'a URL, or a client with query(text, params)', server);
  }
  return {
    send: (text, params) => ({ rows: rowsOf(server, text, params), giveUp: () => {} }),
    close: async () => {},
  };
}

async function rowsOf(client: QueryClient | SqlClient, text: string, params: readonly string[]): Promise<unknown> {
  const answer = await ('unsafe' in client ? client.unsafe(text, [...params]) : client.query(text, [...params]));
  return 'rows' in answer ? answer.rows : answer;
}
