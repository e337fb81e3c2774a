// A table in several databases, programs that write to it all the time, and docs/examples/reshard-postgres/, which moves it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import postgres, { type Sql } from 'postgres';
import { Router } from 'shardbits';
import { ShardMap } from 'shardbits/map';

export const EXAMPLE = 'docs/examples/reshard-postgres';

/** A run of the program. */
export interface Mover {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly exit: Promise<number | string>;
  readonly child: ChildProcess;
}

export interface ReshardingOptions {
  readonly shards?: number;
  /** How many rows a statement takes. */
  readonly batch?: number;
  /** Where the program is. */
  readonly folder?: string;
  /** The columns of the table, its name and its key, as they are in SQL. */
  readonly columns?: string;
  readonly table?: string;
  readonly key?: string;
  /** What the configuration has instead. */
  readonly config?: object;
}

/** Three databases and two maps: the first one has two of them, the next one all. */
export class Resharding {
  readonly names = ['db1', 'db2', 'db3'];
  readonly map: ShardMap;
  readonly next: ShardMap;
  readonly router: Router;
  /** Clients of the test itself. */
  readonly sql: Readonly<Record<string, Sql>>;
  readonly urls: Readonly<Record<string, string>>;
  /** For files of the test. */
  readonly folder = mkdtempSync(join(tmpdir(), 'shardbits-reshard-'));
  readonly #ends: (() => unknown)[] = [];
  /** The program in JavaScript, which starts faster. It is inside the project, for what it imports. */
  readonly program = join('build/reshard', randomUUID());

  /** @param url of a server, in which it creates databases */
  static async on(url: string, options: ReshardingOptions = {}): Promise<Resharding> {
    const { columns = 'id bigint primary key, shard integer not null, value text', table = 'items' } = options;
    const { key = 'id' } = options;
    const server = postgres(url, { max: 1 });
    const suffix = randomUUID().slice(0, 8);
    const urls: Record<string, string> = {};
    for (const name of ['db1', 'db2', 'db3']) {
      await server.unsafe(`create database ${name}_${suffix}`);
      urls[name] = Object.assign(new URL(url), { pathname: `/${name}_${suffix}` }).href;
    }
    await server.end();
    const resharding = new Resharding(urls, { ...options, table, key });
    for (const sql of Object.values(resharding.sql)) {
      await sql.unsafe(`create table ${table} (${columns}); create index on ${table} (shard, ${key})`);
    }
    return resharding;
  }

  private constructor(urls: Readonly<Record<string, string>>, options: ReshardingOptions) {
    const { shards = 64, batch = 10, folder = EXAMPLE, table, key } = options;
    this.urls = urls;
    mkdirSync(this.program, { recursive: true });
    for (const name of readdirSync(folder)) {
      const [from, to] = [join(folder, name), join(this.program, name)];
      if (!name.endsWith('.ts')) copyFileSync(from, to);
      else writeFileSync(to.replace(/ts$/, 'js'), transformSync(readFileSync(from, 'utf8'), { loader: 'ts' }).code);
    }
    this.map = ShardMap.create({ shards, nodes: [{ name: 'db1' }, { name: 'db2' }] });
    this.next = this.map.with({ nodes: [...this.map.nodes, { name: 'db3' }] });
    this.router = new Router({ shards });
    const clients = Object.entries(urls).map(([name, url]) => [name, postgres(url, { max: 2, onnotice: () => {} })]);
    this.sql = Object.fromEntries(clients);
    const config = { databases: urls, table, key, shard: 'shard', batch, ...options.config };
    for (const [name, value] of Object.entries({ config, map: this.map, next: this.next })) this.save(name, value);
  }

  /** Writes JSON where the program finds it. */
  save(name: string, value: object): void {
    writeFileSync(join(this.folder, `${name}.json`), JSON.stringify(value));
  }

  start(command: 'init' | 'move', ...maps: string[]): Mover {
    const files = ['config', ...maps].map((name) => join(this.folder, `${name}.json`));
    const child = spawn(process.execPath, [join(this.program, 'reshard.js'), command, ...files]);
    const exit = once(child, 'close').then(([code, signal]) => code ?? signal);
    const mover = { lines: [] as string[], stderr: '', exit, child };
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      mover.lines = text.split('\n').slice(0, -1);
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      mover.stderr += piece;
    });
    this.onEnd(() => child.kill('SIGKILL') && exit);
    return mover;
  }

  /** Runs the program to its end. @returns its lines */
  async run(command: 'init' | 'move' = 'move', ...maps: string[]): Promise<readonly string[]> {
    const files = maps.length > 0 ? maps : command === 'init' ? ['map'] : ['map', 'next'];
    const mover = this.start(command, ...files);
    const code = await mover.exit;
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${mover.stderr}`);
    return mover.lines;
  }

  /** Resolves when no session of a killed program is left. */
  async gone(applicationName = 'reshard'): Promise<void> {
    const [sql] = Object.values(this.sql);
    const names = Object.values(this.urls).map((url) => new URL(url).pathname.slice(1));
    for (;;) {
      const [row] = await sql`
        select count(*)::int from pg_stat_activity where application_name = ${applicationName} and datname = any(${names})`;
      if (row?.count === 0) return;
      await setTimeout(5);
    }
  }

  /** The states of all shards: `db1 owned, db3 arriving`. */
  async states(): Promise<string[]> {
    const states: string[] = Array.from({ length: this.map.shards }, () => '');
    for (const [name, sql] of Object.entries(this.sql)) {
      for (const { shard, state } of await sql`select shard, state from shards_here order by shard`) {
        states[shard] += `${states[shard] && ', '}${name} ${state}`;
      }
    }
    return states;
  }

  /** What must not be: shards that are not where the next map wants them, or what the program has left behind. */
  async misplaced(): Promise<string[]> {
    const from = new Map(this.map.movesTo(this.next).map((move) => [move.shard, move.from]));
    const states = await this.states();
    const faults = states.flatMap((state, shard) => {
      const [owner] = this.next.nodesOf(shard);
      const left = from.get(shard);
      const expected = [`${owner} owned`, ...(left === undefined ? [] : [`${left} moved`])].sort().join(', ');
      return state === expected ? [] : [`shard ${shard}: ${state}; expected: ${expected}`];
    });
    for (const [name, sql] of Object.entries(this.sql)) {
      const [{ left }] = await sql`
        select concat_ws(', ', (select string_agg(tgname, ', ') from pg_trigger where tgname like 'reshard%'),
          to_regnamespace('reshard')) as left`;
      if (left !== '') faults.push(`${name} still has ${left}`);
    }
    return faults;
  }

  onEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Ends everything. */
  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    await Promise.all(Object.values(this.sql).map((sql) => sql.end({ timeout: 1 })));
    for (const folder of [this.folder, this.program]) rmSync(folder, { recursive: true, force: true });
  }
}
