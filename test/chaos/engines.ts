// Where the stores of a run are, what brings their servers down, and how they are backed up by the tools of each engine.
import { setTimeout } from 'node:timers/promises';
import { Etcd3, Range } from 'etcd3';
import postgres from 'postgres';
import type { Store } from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { type EtcdCluster, startEtcd } from '../support/etcd.js';
import { type Outcome, startProgram } from '../support/operator.js';
import { Databases, Files } from '../support/places.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { dumpablePrograms } from '../support/postgres-process.js';

/** Starts the command line. */
export function startShardbits(...args: readonly string[]) {
  return startProgram(process.execPath, ['dist/cli.js', ...args]);
}

type Started = ReturnType<typeof startProgram>;

/** Where a backup was put, and what `store restore` is told then. */
export interface PutBack {
  readonly name: string;
  readonly args: readonly string[];
}

export interface Engine {
  /** How many strings a process interns in a call. */
  readonly strings: number;
  /** A name under which there is no store yet. */
  newName(): Promise<string>;
  open(name: string): Promise<Store>;
  remove(name: string): Promise<void>;
  /** Starts to write a store to a new file. */
  startBackup(name: string, file: string): Started;
  /**
   * Puts a backup where the store is to be, with the tools of the engine.
   * @param was the name of the store of which it is
   * @param at the name of the store that it replaces, if that is in the same engine
   */
  putBack(file: string, was: string, at: string | undefined): Promise<PutBack>;
  /** Brings a server down with SIGKILL, and starts it again. */
  readonly crash?: () => Promise<void>;
  stop(): Promise<void>;
}

export const ENGINES: { readonly [name: string]: (folder: string) => Promise<Engine> } = {
  sqlite: async (folder) => new Sqlite(folder),
  postgres: async () => new Postgres(await startPostgres({ programs: dumpablePrograms() ?? missing('pg_dump') })),
  // Moves leave many keys behind, of which the last revision is enough.
  etcd: async () =>
    new Etcd(
      await startEtcd([
        ...['--quota-backend-bytes', String(8 * 2 ** 30)],
        ...['--auto-compaction-mode', 'revision', '--auto-compaction-retention', '1000'],
      ]),
    ),
};

function missing(program: string): never {
  throw new Error(`there is no ${program} for the server`);
}

class Sqlite extends Files implements Engine {
  readonly strings = 2000;

  startBackup(name: string, file: string): Started {
    return startShardbits('store', 'backup', name, file);
  }

  async putBack(file: string, _was: string, at: string | undefined): Promise<PutBack> {
    const name = at ?? (await this.newName());
    return { name, args: ['store', 'restore', file, '--store', name] };
  }

  async stop(): Promise<void> {}
}

/** Names are databases and, every second one, schemas of a database. */
class Postgres implements Engine {
  readonly strings = 2000;
  readonly #server: PostgresServer;
  readonly #databases: Databases;
  #last = '';
  #made = 0;

  constructor(server: PostgresServer) {
    this.#server = server;
    this.#databases = new Databases(server, async () => server, 'chaos');
  }

  async newName(): Promise<string> {
    if (this.#made++ % 2 === 0) {
      this.#last = await this.#databases.newName();
      return this.#last;
    }
    const name = `${this.#last}?search_path=schema${this.#made}`;
    await this.#withSchema(name, async (sql, schema) => sql.unsafe(`create schema ${schema}`));
    return name;
  }

  open(name: string): Promise<Store> {
    return this.#databases.open(name);
  }

  remove(name: string): Promise<void> {
    return this.#withSchema(name, async (sql, schema) => {
      await sql.unsafe(`drop schema ${schema} cascade`);
      if (schema === 'public') await sql.unsafe('create schema public');
    });
  }

  startBackup(name: string, file: string): Started {
    const { database, schema } = partsOf(name);
    const table = `--table=${schema}.shardbits_*`;
    return startProgram('pg_dump', ['--format=custom', '--compress=0', table, `--file=${file}`, database]);
  }

  async putBack(file: string, was: string, at: string | undefined): Promise<PutBack> {
    const { schema } = partsOf(was);
    const database = at === undefined ? await this.#databases.newName() : partsOf(at).database;
    const name = schema === 'public' ? database : `${database}?search_path=${schema}`;
    await this.#withSchema(name, (sql) => sql.unsafe(`create schema if not exists ${schema}`));
    const durable = `${database}?options=-csynchronous_commit%3Don`;
    const options = ['--clean', '--if-exists', '--single-transaction', `--dbname=${durable}`];
    await succeeds(startProgram('pg_restore', [...options, file]).outcome);
    return { name, args: ['store', 'restore', '--store', name] };
  }

  readonly crash = async (): Promise<void> => {
    await this.#server.crash('SIGKILL');
    // Until the last of its processes has noticed, the server does not start.
    for (let tries = 1; ; tries++) {
      try {
        return await this.#server.start();
      } catch (error) {
        if (tries === 20) throw error;
        await setTimeout(200);
      }
    }
  };

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #withSchema(name: string, work: (sql: postgres.Sql, schema: string) => Promise<unknown>): Promise<void> {
    const { database, schema } = partsOf(name);
    const sql = postgres(database, { max: 1, onnotice() {} });
    try {
      await sql`set synchronous_commit = on`; // the server is killed soon
      await work(sql, schema);
    } finally {
      await sql.end();
    }
  }
}

function partsOf(name: string): { readonly database: string; readonly schema: string } {
  const [database = '', schema = 'public'] = name.split('?search_path=');
  return { database, schema };
}

/** Names are prefixes. */
const KEYS_A_PIECE = 5000;

class Etcd implements Engine {
  readonly strings = 630; // ten commits
  readonly #cluster: EtcdCluster;
  #made = 0;
  #crashes = 0;

  constructor(cluster: EtcdCluster) {
    this.#cluster = cluster;
  }

  async newName(): Promise<string> {
    const hosts = this.#cluster.hosts.map((host) => new URL(host).host);
    return `etcd://${hosts}/chaos-${this.#made++}/`;
  }

  open(name: string): Promise<Store> {
    return etcdStore(this.#cluster.hosts, { prefix: prefixOf(name) });
  }

  /** In pieces, because etcd gives up a request after 7 s, and to delete a million keys takes longer. */
  async remove(name: string): Promise<void> {
    const client = new Etcd3({ hosts: [...this.#cluster.hosts] });
    try {
      for (;;) {
        const keys = await client.getAll().prefix(prefixOf(name)).limit(KEYS_A_PIECE).keyBuffers();
        const [start, last] = [keys[0], keys.at(-1)];
        if (start === undefined || last === undefined) return;
        await client.delete().range(new Range(start, Buffer.concat([last, Buffer.of(0)])));
      }
    } finally {
      client.close();
    }
  }

  startBackup(_name: string, file: string): Started {
    const saved = this.#cluster.save(file).then(
      () => ({ code: 0, stdout: '', stderr: '' }),
      (error: Error) => ({ code: 1, stdout: '', stderr: error.message }),
    );
    return { outcome: saved, kill: () => false };
  }

  async putBack(file: string, was: string): Promise<PutBack> {
    await this.#cluster.restore(file);
    return { name: was, args: ['store', 'restore', '--store', was] };
  }

  readonly crash = async (): Promise<void> => {
    const member = this.#crashes++ % this.#cluster.hosts.length;
    await this.#cluster.signal(member, 'SIGKILL');
    await setTimeout(1000);
    await this.#cluster.restart(member);
    await this.#cluster.leader(3);
  };

  stop(): Promise<void> {
    return this.#cluster.stop();
  }
}

function prefixOf(name: string): string {
  return name.replace(/^etcd:\/\/[^/]*\//, '');
}

/** @throws Error if a program fails */
export async function succeeds(outcome: Promise<Outcome>): Promise<void> {
  const { code, stderr } = await outcome;
  if (code !== 0) throw new Error(`a program ended with ${code}: ${stderr}`);
}
