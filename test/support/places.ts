// Where the stores are on which operators run the commands of docs/operating.md.
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import type { Store } from '../../src/registry/index.js';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import type { PostgresServer } from './postgres.js';

export const HOURS_AHEAD = 5;
const MS_AHEAD = HOURS_AHEAD * 3_600_000;

/** A place for stores, by their names: paths of files, or URLs of databases. */
export interface Place {
  /** A name under which there is no store yet. */
  newName(): Promise<string>;
  /** Such a name on another disk, or another server. */
  elsewhere(): Promise<string>;
  open(name: string): Promise<Store>;
  remove(name: string): Promise<void>;
  /** From now on there is nothing under a name: a folder without its volume, or another database. */
  takeAway(name: string): Promise<void>;
  bringBack(name: string): Promise<void>;
  /** Whether there is nothing at all under a name. */
  isEmpty(name: string): Promise<boolean>;
  /** Puts a store in the place of another one, which is retired. @returns the name under which it is from then on */
  exchange(retired: string, name: string): Promise<string>;
  /** How a process has to be started, and with which name, so that the clock of the store is hours ahead for it. */
  withWrongClock(name: string): Promise<{ readonly store: string; readonly node: readonly string[] }>;
}

/** Has a process run a program first. */
const running = (program: string): string[] => ['--import', `data:text/javascript,${encodeURIComponent(program)}`];

/** For a process whose own clock is ahead. */
const AHEAD = running(`const { now } = Date; Date.now = () => now() + ${MS_AHEAD};`);

const SERVER_TIME = 'pg_catalog.clock_timestamp()';

/** For a process that asks for another time than the server's, in as many bytes, because messages have their lengths. */
const ASKS_AHEAD = running(`
  import net from 'node:net';
  const { write } = net.Socket.prototype;
  net.Socket.prototype.write = function (data, ...others) {
    const text = Buffer.isBuffer(data) ? data.toString('latin1') : '';
    const asked = text.replaceAll('${SERVER_TIME}', '${'wrong.clock_timestamp()'.padEnd(SERVER_TIME.length)}');
    return write.call(this, asked === text ? data : Buffer.from(asked, 'latin1'), ...others);
  };`);

/** Files of SQLite, each in a folder of its own that stands for a disk. */
export class Files implements Place {
  readonly #folder: string;
  #disks = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async newName(): Promise<string> {
    const disk = join(this.#folder, `disk-${this.#disks++}`);
    mkdirSync(disk);
    return join(disk, 'ids.db');
  }

  elsewhere(): Promise<string> {
    return this.newName();
  }

  open(name: string): Promise<Store> {
    return sqliteStore(name);
  }

  async remove(name: string): Promise<void> {
    rmSync(dirname(name), { recursive: true });
  }

  async takeAway(name: string): Promise<void> {
    renameSync(dirname(name), `${dirname(name)}-away`);
    mkdirSync(dirname(name));
  }

  async bringBack(name: string): Promise<void> {
    rmdirSync(dirname(name)); // fails if it is not empty
    renameSync(`${dirname(name)}-away`, dirname(name));
  }

  async isEmpty(name: string): Promise<boolean> {
    return readdirSync(dirname(name)).length === 0;
  }

  async exchange(retired: string, name: string): Promise<string> {
    renameSync(dirname(retired), `${dirname(name)}-retired`);
    renameSync(dirname(name), dirname(retired));
    return retired;
  }

  async withWrongClock(name: string) {
    return { store: name, node: AHEAD }; // SQLite stores use the clock of the process
  }
}

/** Databases of a server. */
export class Databases implements Place {
  readonly #server: PostgresServer;
  readonly #other: () => Promise<PostgresServer>;
  readonly #prefix: string;
  #made = 0;

  /**
   * @param other another server
   * @param prefix how the names of the databases begin
   */
  constructor(server: PostgresServer, other: () => Promise<PostgresServer>, prefix: string) {
    this.#server = server;
    this.#other = other;
    this.#prefix = prefix;
  }

  newName(): Promise<string> {
    return this.#newDatabase(this.#server);
  }

  async elsewhere(): Promise<string> {
    return this.#newDatabase(this.#made % 2 === 1 ? await this.#other() : this.#server);
  }

  open(name: string): Promise<Store> {
    return postgresStore(name);
  }

  async remove(name: string): Promise<void> {
    await asAdmin(name, (sql, database) => sql.unsafe(`drop database "${database}" with (force)`));
  }

  async takeAway(name: string): Promise<void> {
    await asAdmin(name, async (sql, database) => {
      await rename(sql, database, `${database}-away`);
      await sql.unsafe(`create database "${database}"`);
    });
  }

  async bringBack(name: string): Promise<void> {
    await asAdmin(name, async (sql, database) => {
      await sql.unsafe(`drop database "${database}" with (force)`);
      await rename(sql, `${database}-away`, database);
    });
  }

  async isEmpty(name: string): Promise<boolean> {
    return withSql(name, async (sql) => {
      const tables = await sql`select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
      return tables.length === 0;
    });
  }

  async exchange(retired: string, name: string): Promise<string> {
    await this.remove(retired);
    return name;
  }

  /** The server's clock counts. */
  async withWrongClock(name: string) {
    await withSql(name, (sql) =>
      sql.unsafe(`
        create schema if not exists wrong;
        create or replace function wrong.clock_timestamp() returns timestamptz language sql as
          $$ select pg_catalog.clock_timestamp() + interval '${HOURS_AHEAD} hours' $$`),
    );
    return { store: name, node: [...AHEAD, ...ASKS_AHEAD] };
  }

  async #newDatabase({ url }: PostgresServer): Promise<string> {
    const name = `${this.#prefix}${this.#made++}`;
    await withSql(url, (sql) => sql.unsafe(`create database "${name}"`));
    return Object.assign(new URL(url), { pathname: name }).href;
  }
}

async function withSql<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice() {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Works on a database from another one of its server. */
function asAdmin<T>(url: string, work: (sql: postgres.Sql, database: string) => Promise<T>): Promise<T> {
  const at = new URL(url);
  const database = at.pathname.slice(1);
  return withSql(Object.assign(at, { pathname: 'postgres' }).href, (sql) => work(sql, database));
}

/** Renames a database when the last session in it has ended: those of processes that were killed go on for a moment. */
async function rename(sql: postgres.Sql, from: string, to: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`;
      await sql.unsafe(`alter database "${from}" rename to "${to}"`);
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await setTimeout(50);
    }
  }
}
