import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { Interner } from 'shardbits/registry';
import { postgresStore } from 'shardbits/stores/postgres';
import { sqliteStore } from 'shardbits/stores/sqlite';
import { startPostgres } from '../../test/support/postgres.js';
import { hasSqlite } from '../../test/support/sqlite.js';
import { plainPostgres } from './plain-postgres.js';
import { plainSqlite } from './plain-sqlite.js';

/** A contender that gives strings ids, opened on an empty store. */
export interface Opened {
  intern(keys: readonly string[]): Promise<unknown>;
  /** The path or URL for other processes; undefined for rivals, which only one process uses. */
  readonly where?: string;
  /** Closes it. @returns how many bytes it has on disk */
  close(): Promise<number>;
}

export interface Contender {
  readonly name: string;
  /** The name of the rival with the same engine that it is compared with. */
  readonly rival?: string;
  open(): Promise<Opened>;
}

const PLAIN_SQLITE = 'SQLite, plain table with a text index';
// The settings of the store: more pages in memory, and more in the log before they are written back.
const OUR_SETTINGS = 'pragma cache_size = -65536; pragma wal_autocheckpoint = 8000';
const PLAIN_POSTGRES = 'PostgreSQL, plain table with a text index';

export function contenders(): readonly Contender[] {
  if (!hasSqlite()) return SERVERS;
  return [
    { name: 'SQLite', rival: PLAIN_SQLITE, open: () => inFile('ids.db', sqlite) },
    { name: PLAIN_SQLITE, open: () => inFile('ids.db', plainSqlite) },
    { name: `${PLAIN_SQLITE}, our settings`, open: () => inFile('ids.db', (path) => plainSqlite(path, OUR_SETTINGS)) },
    ...SERVERS,
  ];
}

const SERVERS: readonly Contender[] = [
  {
    name: 'PostgreSQL',
    rival: PLAIN_POSTGRES,
    open: () => onServer(async (url) => new Interner({ store: await postgresStore(url) })),
  },
  { name: PLAIN_POSTGRES, open: () => onServer(plainPostgres) },
];

/** An interner, or a rival. */
interface Strings {
  internMany(keys: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

async function inFile(name: string, open: (path: string) => Promise<Strings>): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-bench-'));
  const path = join(folder, name);
  const strings = await open(path);
  return {
    intern: (keys) => strings.internMany(keys),
    ...(strings instanceof Interner && { where: path }),
    close: async () => {
      await strings.close();
      const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).blocks * 512, 0);
      rmSync(folder, { recursive: true });
      return bytes;
    },
  };
}

const sqlite = async (path: string) => new Interner({ store: await sqliteStore(path) });

async function onServer(open: (url: string) => Promise<Strings>): Promise<Opened> {
  const { url, stop } = await startPostgres({ durable: true });
  const strings = await open(url);
  return {
    intern: (keys) => strings.internMany(keys),
    ...(strings instanceof Interner && { where: url }),
    close: async () => {
      await strings.close();
      const bytes = await tableBytes(url);
      await stop();
      return bytes;
    },
  };
}

/** The bytes of all tables and their indexes. */
async function tableBytes(url: string): Promise<number> {
  const sql = postgres(url);
  const [row] = await sql`
    select sum(pg_total_relation_size(oid)) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  await sql.end();
  return Number(row?.bytes);
}
