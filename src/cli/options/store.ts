import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { extname } from 'node:path';
import type { Store } from '../../registry/index.js';
import { BadValue, suggestion, UsageError } from './usage.js';

/**
 * What a command does with a store: `read` changes nothing, `change` needs a store that exists, `create` makes a store if
 * it is missing. The file of a new store appears at the first write.
 */
type StoreAccess = 'read' | 'change' | 'create';

export interface Engine {
  readonly name: 'SQLite' | 'LMDB' | 'PostgreSQL' | 'etcd';
  /** Whether a store is a file on this machine. */
  readonly isFile: boolean;
  open(where: string, access: StoreAccess): Promise<Store>;
}

const SQLITE: Engine = {
  name: 'SQLite',
  isFile: true,
  async open(path, access) {
    hideSqliteWarning();
    const { sqliteStore } = await import('../../registry/stores/sqlite/store.js');
    return sqliteStore(path, { readOnly: access === 'read', mustExist: access !== 'create' });
  },
};

const LMDB: Engine = {
  name: 'LMDB',
  isFile: true,
  async open(path, access) {
    const { lmdbStore } = await import('../../registry/stores/lmdb/store.js');
    return lmdbStore(path, { readOnly: access === 'read', mustExist: access !== 'create' });
  },
};

const POSTGRES: Engine = {
  name: 'PostgreSQL',
  isFile: false,
  async open(given, access) {
    const { url, schema } = withoutSchema(given);
    const { postgresStore } = await import('../../registry/stores/postgres/store.js');
    return postgresStore(url, { schema, mustExist: access !== 'create' });
  },
};

const ETCD: Engine = {
  name: 'etcd',
  isFile: false,
  async open(url, access) {
    const { etcdStore } = await import('../../registry/stores/etcd/store.js');
    const hosts = hostsIn(url).map((host) => `http://${host}`);
    return etcdStore(hosts, { mustExist: access !== 'create' });
  },
};

const HOST = /^(\[[0-9a-f:.]+\]|[^\s,:/[\]]+)(:[0-9]+)?$/i;

function hostsIn(url: string): string[] {
  return url.slice('etcd://'.length).replace(/\/$/, '').split(',');
}

const ENGINE_OF_SCHEME = new Map([
  ['postgres', POSTGRES],
  ['postgresql', POSTGRES],
  ['etcd', ETCD],
]);

/** How to name a store, for help and errors. */
export const STORES =
  'a path such as ids.db (SQLite), a path that ends in .lmdb (LMDB), ' +
  'postgres://user:password@host/database, or etcd://host:port,host:port';

/** Parses the path or URL of a store. */
export function storeName(given: string): string {
  if (engineNamed(given) !== undefined) return given;
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(given)?.[1] ?? '';
  const hint = scheme === '' || ENGINE_OF_SCHEME.has(scheme) ? '' : suggestion(scheme, [...ENGINE_OF_SCHEME.keys()]);
  throw new BadValue(STORES, hint, `"${withoutPassword(given)}"`);
}

/** The engine of a store. */
export function engineOf(where: string): Engine {
  return engineNamed(where) as Engine;
}

function engineNamed(where: string): Engine | undefined {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(where) ?? [];
  if (scheme === 'etcd') return hostsIn(where).every((host) => HOST.test(host)) ? ETCD : undefined;
  if (scheme !== undefined) return rest === '' ? undefined : ENGINE_OF_SCHEME.get(scheme);
  if (where === '' || where === ':memory:') return undefined;
  return extname(where) === '.lmdb' ? LMDB : SQLITE;
}

async function openStore(where: string, access: StoreAccess): Promise<Store> {
  const engine = engineOf(where);
  if (engine.isFile && access !== 'create') statSync(where); // throws the same error as for other files
  try {
    return await engine.open(where, access);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    throw new UsageError(`expected ${STORES}, got "${withoutPassword(where)}"`, { cause: error });
  }
}

/**
 * Opens a store for as long as some work takes.
 * @throws Error for `read` and `change` if the store does not exist; UsageError if its URL is malformed
 */
export async function withStore<T>(where: string, access: StoreAccess, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(where, access);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Who runs the command, for the journal of a store. */
export function operator(): string {
  const name =
    process.env.SUDO_USER ?? process.env.USER ?? process.env.LOGNAME ?? String(process.getuid?.() ?? 'unknown');
  return `${name}@${hostname()}`;
}

/**
 * The name of a store in errors and questions: as it was given, but without its password. A malformed URL
 * may have a slash or an @ in its password, so everything up to the last @ is left out.
 */
export function withoutPassword(where: string): string {
  return where.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:]*):.*@/is, '$1@');
}

/** Takes `schema=NAME` out of the parameters of a URL, which the client would pass on to the server. */
function withoutSchema(url: string): { readonly url: string; readonly schema: string | undefined } {
  const [base = '', query] = url.split(/\?(.*)/s);
  if (query === undefined) return { url, schema: undefined };
  const rest = query.split('&').filter((parameter) => !parameter.startsWith('schema='));
  const schema = new URLSearchParams(query).get('schema') ?? undefined;
  if (schema === '') throw new UsageError('schema in the URL: expected the name of a schema, got ""');
  return { url: rest.length > 0 ? `${base}?${rest.join('&')}` : base, schema };
}

/** Hides the warning of Node 22 that its SQLite is experimental. All other warnings stay. */
function hideSqliteWarning(): void {
  const emit = process.emitWarning as (warning: string | Error, ...rest: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    const isOfSqlite = String(warning).startsWith('SQLite is an experimental feature');
    if (!isOfSqlite) emit.call(process, warning, ...rest);
  };
}
