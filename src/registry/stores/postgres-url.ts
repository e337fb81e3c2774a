import { connect, type Socket } from 'node:net';
import type postgres from 'postgres';
import { wrongValue } from '../../arguments.js';
import { StoreUnavailableError } from '../../errors.js';
import type { PostgresClient, Sent, StandbyWarnings } from './postgres-client.js';

// How long to wait for the server to close its connections.
const GOODBYE_MS = 1000;

/**
 * A client of the package postgres, replaced by a new one when one of its connections is silent.
 * @param warnings where it counts them
 */
export async function urlClient(url: string, warnings: StandbyWarnings): Promise<PostgresClient> {
  const open = await importPostgres();
  let current = new Pool(open, url, warnings);
  return {
    isDeaf: false,
    warnings,
    send(text, params): Sent {
      const used = current;
      return {
        rows: used.sql.unsafe(text, [...params]),
        giveUp() {
          used.destroy();
          if (used === current) current = new Pool(open, url, warnings);
        },
      };
    },
    close: () => current.close(),
  };
}

async function importPostgres(): Promise<typeof postgres> {
  try {
    return (await import('postgres')).default;
  } catch (cause) {
    const message = 'postgresStore needs the package "postgres" for a URL: npm install postgres';
    throw new StoreUnavailableError(message, { isTransient: false, cause });
  }
}

/** What postgres.js passes to its option `socket`: the hosts and ports of the URL, or the path of a socket file. */
interface ServerAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/** A client of postgres.js that keeps its own sockets, because postgres.js cannot leave a silent server. */
class Pool {
  readonly sql: postgres.Sql;
  readonly #sockets = new Set<Socket>();
  #connects = 0;
  #isOver = false;

  constructor(open: typeof postgres, url: string, warnings: StandbyWarnings) {
    const options = {
      onnotice: warnings.hear,
      fetch_types: false,
      // Callers pause between tries themselves. By default, after ten connections that fail once the next waits 20 s.
      backoff: () => 0.1,
      // On Cloudflare postgres.js makes its own sockets, which end with the request.
      ...('Cloudflare' in globalThis ? {} : { socket: (address: ServerAddress) => this.#connect(address) }),
    };
    try {
      this.sql = open(url, options as postgres.Options<Record<string, never>>) as postgres.Sql;
    } catch {
      // The error must not have the text: there may be a password in it.
      throw wrongValue(
        'server',
        'a URL like postgres://user:password@host/database',
        undefined,
        undefined,
        'text that is not such a URL',
      );
    }
  }

  /** Closes the connections politely if the server answers. All statements have been answered before. */
  async close(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GOODBYE_MS);
    });
    const closed = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    this.#isOver = true;
    await Promise.race([this.sql.end({ timeout: 0 }).then(() => Promise.all(closed)), late]);
    clearTimeout(timer);
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
  #connect({ host, port, path }: ServerAddress): Socket {
    if (this.#isOver) throw new Error('Connection terminated'); // otherwise postgres.js would retry for ever
    const turn = this.#connects++ % host.length;
    const to = { host: host[turn] as string, port: port[turn % port.length] as number };
    // postgres.js checks certificates against the host of the socket.
    const socket = path ? connect(path) : Object.assign(connect(to), to);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
