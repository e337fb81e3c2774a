import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { freePorts } from './free-ports.js';
import { installedPrograms, PostgresProcess, run } from './postgres-process.js';
import { shared } from './shared.js';

export interface PostgresServer {
  /** The URL for clients, with user, password and database. */
  url: string;
  /** The URL with a new and empty schema. */
  newSchema(): Promise<string>;
  /**
   * Ends the server like a crash: commits that were not on disk are lost. When it starts again, it has the same port.
   * @param signal to its first process; if that is SIGKILL, the others end a moment later
   */
  crash(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  start(): Promise<void>;
  /** Ends the connections, stops the server and removes its data. */
  stop(): Promise<void>;
}

/** Where new data directories are kept, to copy them: initdb takes 1 s of a core, a copy 0.2 s. */
const TEMPLATES = 'build/postgres';

/** Less than a hook of the quick run may take, so that the error is ours. */
const START_MS = 50_000;

/**
 * Starts a new PostgreSQL, which only this machine can reach, with its data in a temporary folder. Takes half a second, and
 * two the first time.
 * @param durable whether commits wait for the disk, which measurements need
 * @param files what is written beside the data before the server starts, by name
 * @param settings more settings, such as `ssl=on`
 * @throws Error with the server's log, if it has not started within `startMs`
 */
export async function startPostgres({
  durable = false,
  files = {} as Readonly<Record<string, string>>,
  settings: more = [] as readonly string[],
  programs = installedPrograms(),
  startMs = START_MS,
} = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-postgres-'));
  const stop = removedWithUs(folder);
  const [port = 0] = await freePorts(1);
  const settings = [
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories='],
    ...(durable ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']),
    ...more,
  ];
  let server: PostgresProcess;
  const start = () => server.serve(port, settings, AbortSignal.timeout(startMs));
  try {
    server = await PostgresProcess.in(folder, programs);
    const template = join(TEMPLATES, `${programs.version}-${process.getuid?.()}`);
    if (existsSync(template)) await copyFolder(template, folder);
    else {
      writeFileSync(join(folder, 'password'), randomUUID());
      await server.initialize(AbortSignal.timeout(startMs));
      await keepTemplate(template, folder);
    }
    for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents, { mode: 0o600 });
    await start();
  } catch (cause) {
    await stop();
    const why = `Removing ${TEMPLATES} may help. ${(cause as Error).message}`;
    throw new Error(`PostgreSQL did not start within ${startMs / 1000} s. ${why}`, { cause });
  }
  const url = `postgres://postgres:${readFileSync(join(folder, 'password'), 'utf8')}@127.0.0.1:${port}/postgres`;
  return {
    url,
    async newSchema() {
      const sql = postgres(url);
      const schema = await newSchema(url, sql);
      await sql.end();
      return schema;
    },
    crash: (signal = 'SIGQUIT') => crash(folder, signal),
    start,
    stop,
  };
}

/** A database of its own on the PostgreSQL that the run shares. `stop` removes it. */
export async function sharedPostgres(): Promise<Pick<PostgresServer, 'url' | 'newSchema' | 'stop'>> {
  const address = await shared('postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = postgres(address, { max: 1, onnotice: () => {} });
  await admin`create database ${admin(name)}`;
  const url = Object.assign(new URL(address), { pathname: `/${name}` }).href;
  const sql = postgres(url, { max: 1 });
  return {
    url,
    newSchema: () => newSchema(url, sql),
    async stop() {
      await sql.end();
      await admin`drop database ${admin(name)} with (force)`;
      await admin.end();
    },
  };
}

/** Makes an empty schema. @returns the URL with it */
async function newSchema(url: string, sql: postgres.Sql): Promise<string> {
  const name = `schema_${randomUUID().replaceAll('-', '')}`;
  await sql`create schema ${sql(name)}`;
  return `${url}?search_path=${name}`;
}

/** Keeps a new data directory as a template, unless another process was faster. */
async function keepTemplate(template: string, folder: string): Promise<void> {
  const unfinished = `${template}-${randomUUID()}`;
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  await copyFolder(folder, unfinished);
  try {
    renameSync(unfinished, template);
  } catch {
    rmSync(unfinished, { recursive: true });
  }
}

/** Copies the contents of a folder, with their owners, without blocking tests that wait for leases. */
async function copyFolder(from: string, to: string): Promise<void> {
  await run('cp', ['-a', `${from}/.`, to]);
}

/** The part of `pg` that is used, because it has no types. */
export interface PgClient {
  query(text: string, params?: readonly string[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

/** A pool of pg, or a connected client. pg takes a search path in another form than the URL. */
export async function connectPg(url: string, kind: 'Pool' | 'Client' = 'Pool'): Promise<PgClient> {
  const { searchParams } = new URL(url);
  const options = searchParams.has('search_path') ? `-c search_path=${searchParams.get('search_path')}` : undefined;
  const { [kind]: Kind } = createRequire(import.meta.url)('pg');
  const client = new Kind({ connectionString: url.replace(/\?.*/, ''), options });
  client.on('error', () => {}); // from connections that are lost while they are not in use
  if (kind === 'Client') await client.connect();
  return client;
}

export interface SilentProxy {
  /** The URL of the server, through the proxy. */
  url: string;
  /** From now on nothing comes through, and nothing is closed, as if every packet was lost. */
  silence(): void;
  /** New connections work again; those that were silent stay silent. */
  speak(): void;
  stop(): Promise<void>;
}

/** A proxy to a server, which can fall silent. */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const { port: targetPort, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const add = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  let isSilent = false;
  const links = new Set<{ isSilent: boolean }>();
  const server = createServer((near) => {
    const link = { isSilent };
    links.add(link);
    const far = add(connect(Number(targetPort), hostname));
    add(near);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => link.isSilent || to.write(bytes));
      from.on('close', () => link.isSilent || to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    silence() {
      isSilent = true;
      for (const link of links) link.isSilent = true;
    },
    speak() {
      isSilent = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function crash(folder: string, signal: NodeJS.Signals): Promise<void> {
  const pid = Number.parseInt(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8'), 10);
  process.kill(pid, signal);
  while (isRunning(pid)) await setTimeout(10);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Ends the server of a folder and removes the folder, on request or when this process ends in any way. */
function removedWithUs(folder: string): () => Promise<void> {
  const script = `
    cat
    pid=$(head -n 1 "$0/data/postmaster.pid") && while kill -INT "$pid"; do sleep 0.1; done
    rm -rf "$0"`;
  const watcher = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  return async () => {
    watcher.stdin.end();
    await once(watcher, 'exit');
  };
}
