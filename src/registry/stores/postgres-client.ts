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
  /** Whether the client keeps the server's warnings to itself. */
  readonly isDeaf: boolean;
  /** Those of all its connections. One about a statement is counted before the statement's rows come. */
  readonly warnings: StandbyWarnings;
  /** Ends within a second, even if the server is silent. */
  close(): Promise<void>;
}

/** A statement on its way. */
export interface Sent {
  readonly rows: PromiseLike<unknown>;
  /** Called when the answer is late: a connection that is silent must not be used again. */
  giveUp(): void;
}

/**
 * Counts the warnings that a commit is on the server's own disk, but no longer waits for a synchronous standby: somebody
 * ended the wait (`pg_cancel_backend`), or the connection.
 */
export class StandbyWarnings {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts a notice of the server if it is such a warning. Its text has many languages, the name of its C function one. */
  readonly hear = (notice: unknown): void => {
    if ((notice as { routine?: unknown } | undefined)?.routine === 'SyncRepWaitForLSN') this.#count++;
  };
}

/** @param server a URL, or a client, which its owner closes */
export async function clientOf(server: string | QueryClient | SqlClient): Promise<PostgresClient> {
  if (typeof server === 'string') return urlClient(server, new StandbyWarnings());
  const isClient = (typeof server === 'object' && server !== null) || typeof server === 'function';
  if (!isClient || !('query' in server || 'unsafe' in server)) {
    throw wrongKind('server', 'a URL, or a client with query(text, params)', server);
  }
  return {
    isDeaf: 'unsafe' in server || !('on' in server),
    warnings: warningsOf(server),
    send: (text, params) => ({ rows: rowsOf(server, text, params), giveUp: () => {} }),
    close: async () => {},
  };
}

async function rowsOf(client: QueryClient | SqlClient, text: string, params: readonly string[]): Promise<unknown> {
  const answer = await ('unsafe' in client ? client.unsafe(text, [...params]) : client.query(text, [...params]));
  return 'rows' in answer ? answer.rows : answer;
}

// One listener for each client, however many stores use it. It counts, so it can stay when they are closed.
const HEARD = new WeakMap<object, StandbyWarnings>();

/** The warnings of a pool or client of `pg`. Other clients do not tell them to a listener that comes later. */
function warningsOf(server: QueryClient | SqlClient): StandbyWarnings {
  const heard = HEARD.get(server);
  if (heard !== undefined) return heard;
  const warnings = new StandbyWarnings();
  HEARD.set(server, warnings);
  const { on } = server as { on?: (event: string, listener: (of: never) => void) => void };
  if (typeof on !== 'function') return warnings;
  const pooled = new WeakSet<Notifier>();
  on.call(server, 'notice', warnings.hear);
  on.call(server, 'acquire', (client: Notifier) => {
    if (!pooled.has(client)) client.on('notice', warnings.hear);
    pooled.add(client);
  });
  return warnings;
}

/** A client in a pool of `pg`. */
interface Notifier {
  on(event: 'notice', listener: (notice: unknown) => void): void;
}
