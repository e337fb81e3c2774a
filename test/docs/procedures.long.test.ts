// The procedures of docs/operating.md. While processes intern and mint, the commands of the page are run one after the
// other. In every round something else is killed: the processes, between two steps; or a command, which is then run again,
// as the page says.
import { afterAll, describe, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { notTested } from '../support/not-tested.js';
import { Databases, Files } from '../support/places.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { dumpablePrograms } from '../support/postgres-process.js';
import { hasSqlite } from '../support/sqlite.js';
import { type Engine, type Procedure, World } from './procedure-world.js';
import { PROCEDURES } from './procedures.js';

const TEST_MS = 1_200_000;

type OnFinished = (end: () => Promise<void>) => void;

async function perform(procedure: Procedure, engine: Engine, folder: string, onFinished: OnFinished) {
  const place = engine === 'SQLite' ? new Files(folder) : await databases(procedure.title);
  const done = await new World(procedure, engine, place, folder, onFinished).perform();
  console.log(`${procedure.title} in ${engine}: ${done}`);
}

const programs = dumpablePrograms();
if (programs === undefined) {
  notTested('backups of PostgreSQL, because no pg_dump is here with a server that it can dump');
}

const servers = new Map<string, Promise<PostgresServer>>();
afterAll(async () => {
  await Promise.all([...servers.values()].map(async (server) => (await server).stop()));
});

/** A server that is started when it is first needed. */
function server(name: 'dumpable' | 'new', start: () => Promise<PostgresServer>): Promise<PostgresServer> {
  const started = servers.get(name) ?? start();
  servers.set(name, started);
  return started;
}

async function databases(title: string): Promise<Databases> {
  const first = await server('dumpable', () => startPostgres({ programs }));
  return new Databases(first, () => server('new', startPostgres), title.replaceAll(' ', '-'));
}

const ENGINES: readonly Engine[] = [...(hasSqlite() ? (['SQLite'] as const) : []), 'PostgreSQL'];

describe.concurrent.each(ENGINES)('a procedure of docs/operating.md in %s', (engine) => {
  for (const procedure of PROCEDURES) {
    const isHere = engine === 'SQLite' || !procedure.needsDumps || programs !== undefined;
    it.skipIf(!isHere)(
      `leads on wherever something is killed, and nothing is given twice: ${procedure.title}`,
      ({ onTestFinished }) => perform(procedure, engine, temporaryFolder(onTestFinished), onTestFinished),
      TEST_MS,
    );
  }
});
