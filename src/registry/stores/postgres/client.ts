import { connect, type Socket } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type postgres from 'postgres';
import { checkOneOf, unknownName, wrongKind, wrongValue } from '../../../arguments.js';
import { pause } from '../../calls.js';
import { unavailable } from '../../store.js';
import { parameterOf, readCertificates, splitQuery } from '../shared/certificates.js';
import { codeOf } from './errors.js';

// How long to wait for the server to close its connections.
const GOODBYE_MS = 1000;
const FIRST_TRIES = 3;

/** A client of the package postgres, replaced by a new one when one of its connections is silent. */
async function urlClient(url: string): Promise<PostgresClient> {
  const warnings = new StandbyWarnings();
  const secured = await securedUrl(url);
  const { default: open } = await import('postgres').catch((cause) => {
    throw unavailable('postgresStore needs the package "postgres" for a URL: npm install postgres', cause);
  });
  let current = new Pool(open, secured, warnings);
  let isFirst = typeof secured.ssl === 'object' && secured.ssl.cert !== undefined;
  return {
    isDeaf: false,
    warnings,
    send(text, params) {
      const used = current;
      const run = () => used.sql.unsafe(text, [...params]);
      const rows = isFirst ? withCertificate(run) : run();
      isFirst = false;
      return {
        rows,
        giveUp() {
          used.destroy();
          if (used === current) current = new Pool(open, secured, warnings);
        },
      };
    },
    close: () => current.close(),
  };
}

/**
 * Runs the first statement, which only reads, with a certificate of ours. A server that refuses it says so and closes the
 * connection. If Node writes before it reads, it notices only that, so this tries again to hear what the server says.
 */
async function withCertificate(run: () => PromiseLike<unknown>): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (cause) {
      if (!/^(ECONNRESET|EPIPE)$/.test(codeOf(cause))) throw cause;
      if (tries < FIRST_TRIES) continue;
      const message = 'the server closes connections at once. It may refuse the certificate of this client';
      throw unavailable(`${message}: ${codeOf(cause)}`, cause);
    }
  }
}

/** What postgres.js passes to its option `socket`: the hosts and ports of the URL, or the path of a socket file. */
interface ServerAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
  /** False for none. */
  readonly ssl: unknown;
}

const NO_TLS = 'N'.charCodeAt(0);

/** A client of postgres.js that keeps its own sockets, because postgres.js cannot leave a silent server. */
class Pool {
  readonly sql: postgres.Sql;
  readonly #sockets = new Set<Socket>();
  #connects = 0;
  #isOver = false;

  constructor(open: typeof postgres, { url, ssl }: Awaited<ReturnType<typeof securedUrl>>, warnings: StandbyWarnings) {
    const options = {
      onnotice: warnings.hear,
      fetch_types: false,
      // Callers pause between tries themselves. By default, after ten connections that fail once the next waits 20 s.
      backoff: () => 0.1,
      ...(ssl === undefined ? {} : { ssl }),
      // On Cloudflare postgres.js makes its own sockets, which end with the request.
      ...('Cloudflare' in globalThis ? {} : { socket: (address: ServerAddress) => this.#connect(address) }),
    };
    try {
      this.sql = open(url, options as postgres.Options<Record<string, never>>) as postgres.Sql;
    } catch {
      // The error must not have the text: there may be a password in it.
      const expected = 'a URL like postgres://user:password@host/database';
      throw wrongValue('server', expected, undefined, undefined, 'text that is not such a URL');
    }
  }

  /** Closes the connections politely if the server answers. All statements have been answered before. */
  async close(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    this.#isOver = true;
    const ended = this.sql.end({ timeout: 0 }).then(() => Promise.all(closed));
    const late = new AbortController();
    // The timer keeps the process: after TLS, an end of a socket may have gone unnoticed, and then `ended` never settles.
    await Promise.race([ended, pause(GOODBYE_MS, late.signal)]).catch(() => {});
    late.abort();
    this.#destroySockets();
  }

  /** Closes the connections at once; unanswered statements fail. */
  destroy(): void {
    this.#isOver = true;
    this.sql.end({ timeout: 0 }).catch(() => {});
    this.#destroySockets();
  }

  #destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  // Returns the socket before it has connected: postgres.js loses a connection if it never gets its socket.
  #connect({ host, port, path, ssl }: ServerAddress): Socket {
    if (this.#isOver) throw new Error('Connection terminated'); // otherwise postgres.js would retry for ever
    const turn = this.#connects++ % host.length;
    const to = { host: host[turn], port: port[turn % port.length] };
    // postgres.js checks certificates against the host of the socket.
    const socket = path ? connect(path) : Object.assign(connect(to), to);
    // With TLS, postgres.js removes the listener of 'close'.
    for (const ended of this.#sockets) if (ended.destroyed) this.#sockets.delete(ended);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // postgres.js would begin with TLS nevertheless, and then say only that the connection was lost.
    if (ssl && ssl !== 'prefer') {
      const error = unavailable('the server does not offer TLS: see sslmode in the URL');
      socket.once('data', (answer) => answer[0] === NO_TLS && socket.destroy(error));
    }
    return socket;
  }
}

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
  /** `giveUp` is called when the answer is late: a connection that is silent must not be used again. */
  send(text: string, params: readonly string[]): { readonly rows: PromiseLike<unknown>; giveUp(): void };
  /** Whether the client keeps the server's warnings to itself. */
  readonly isDeaf: boolean;
  /** Those of all its connections. One about a statement is counted before the statement's rows come. */
  readonly warnings: StandbyWarnings;
  /** Ends within a second, even if the server is silent. */
  close(): Promise<void>;
}

/**
 * Counts the warnings that a commit is on the server's own disk, but no longer waits for a synchronous standby: somebody
 * ended the wait (`pg_cancel_backend`), or the connection.
 */
class StandbyWarnings {
  count = 0;

  /** Counts a notice of the server if it is such a warning. Its text has many languages, the name of its C function one. */
  readonly hear = (notice: { readonly routine?: unknown } | undefined): void => {
    if (notice?.routine === 'SyncRepWaitForLSN') this.count++;
  };
}

/** @param server a URL, or a client, which its owner closes */
export async function clientOf(server: string | QueryClient | SqlClient): Promise<PostgresClient> {
  if (typeof server === 'string') return urlClient(server);
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
  if (!('on' in server) || typeof server.on !== 'function') return warnings;
  const pooled = new WeakSet();
  server.on('notice', warnings.hear);
  server.on('acquire', (client: { on(event: 'notice', listener: StandbyWarnings['hear']): void }) => {
    if (!pooled.has(client)) client.on('notice', warnings.hear);
    pooled.add(client);
  });
  return warnings;
}

// TLS, as the parameters of a URL say.

const TLS_PARAMETERS = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' };
const OURS = ['sslmode', ...Object.values(TLS_PARAMETERS)];
// Parameters of postgres.js itself.
const CLIENTS = ['ssl', 'sslnegotiation'];
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const MODES_OF_FILES = ['require', 'verify-ca', 'verify-full'] as const;

/**
 * Takes libpq's parameters for TLS out of a URL, and reads the files that they name. postgres.js takes `verify-ca` for
 * `verify-full`, and passes the others on to the server as settings.
 * @returns the URL without these parameters, and what postgres.js takes as its option `ssl`: undefined if the URL does not say
 * @throws RangeError, whose `argument` is the parameter, for one that is unknown or wrong
 * @see https://www.postgresql.org/docs/current/libpq-ssl.html
 */
async function securedUrl(given: string) {
  const { base, parameters } = splitQuery(given);
  const isOurs = (text: string) => text.startsWith('ssl') && !CLIENTS.includes(text.split('=')[0]);
  const ours = new Map(parameters.filter(isOurs).map(parameterOf));
  if (ours.size === 0) return { url: given, ssl: undefined };
  for (const name of ours.keys()) {
    if (!OURS.includes(name)) throw unknownName('parameters', name, [...OURS, ...CLIENTS]);
  }
  const others = parameters.filter((text) => !isOurs(text));
  return { url: others.length > 0 ? `${base}?${others.join('&')}` : base, ssl: await securityOf(ours) };
}

async function securityOf(parameters: ReadonlyMap<string, string>) {
  const files = new Map([...parameters].filter(([name]) => name !== 'sslmode'));
  const isSystem = files.get(TLS_PARAMETERS.ca) === 'system';
  const given = parameters.get('sslmode') ?? (isSystem ? 'verify-full' : undefined);
  const [first] = files.keys();
  // Without this, a certificate would be named for nothing.
  if (first !== undefined && !MODES_OF_FILES.some((mode) => mode === given)) {
    throw wrongValue('sslmode', `one of ${MODES_OF_FILES.join(', ')} with ${first}`, given, undefined, given ?? 'none');
  }
  const mode = checkOneOf('sslmode', given as (typeof MODES)[number], MODES);
  if (isSystem && mode !== 'verify-full') throw wrongValue('sslmode', 'verify-full with sslrootcert=system', mode);
  if (isSystem) files.delete(TLS_PARAMETERS.ca); // Node has the same authorities
  if (mode === 'disable') return false;
  if (mode === 'allow' || mode === 'prefer') return 'prefer';
  const certificates = await readCertificates(TLS_PARAMETERS, files);
  return {
    ...certificates,
    // With an authority, `require` is `verify-ca` in libpq, too.
    rejectUnauthorized: mode !== 'require' || certificates.ca !== undefined,
    checkServerIdentity: mode === 'verify-full' ? await hostCheck() : () => undefined,
  };
}

/**
 * Checks a certificate against the host of the socket, which the store has put there. The name that Node gives is
 * `localhost` instead of an address, as postgres.js does not pass it on.
 */
async function hostCheck() {
  const { checkServerIdentity } = await import('node:tls');
  type Checking = { readonly socket?: { readonly host?: string } } | undefined;
  return function (this: Checking, name: string, certificate: PeerCertificate) {
    return checkServerIdentity(this?.socket?.host ?? name, certificate);
  };
}
