import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { inShell, withoutPassword } from '../../arguments.js';
import { hasCode, type StoreRefusal } from '../../errors.js';
import type { Store } from '../../registry/index.js';
import { BadValue, inOwnWords, isRefusal, problemOf, shown, suggestion, UsageError } from './usage.js';

/**
 * What a command does with a store: `read` changes nothing, `change` needs a store that exists, `create` makes a store if
 * it is missing. The file of a new store appears at the first write.
 */
export type StoreAccess = 'read' | 'change' | 'create';

export interface Engine {
  readonly name: 'SQLite' | 'PostgreSQL' | 'etcd';
  /** @param like a file whose mode and owner the file of a new store gets */
  open(where: string, access: StoreAccess, like?: string): Promise<Store>;
}

const SQLITE: Engine = {
  name: 'SQLite',
  async open(path, access, like) {
    hideWarning('SQLite is an experimental feature'); // Node 22
    const { sqliteStore } = await import('../../registry/stores/sqlite/store.js');
    return sqliteStore(path, { readOnly: access === 'read', mustExist: access !== 'create', like });
  },
};

const POSTGRES: Engine = {
  name: 'PostgreSQL',
  async open(given, access) {
    const { url, schema } = withoutSchema(given);
    const { postgresStore } = await import('../../registry/stores/postgres/store.js');
    return postgresStore(url, { schema, mustExist: access !== 'create' });
  },
};

const ETCD: Engine = {
  name: 'etcd',
  async open(url, access) {
    const { etcdStore, parseEtcdUrl } = await import('../../registry/stores/etcd/store.js');
    hideWarning('Setting the TLS ServerName to an IP address'); // grpc-js does so
    const { hosts, options } = await parseEtcdUrl(url, process.env);
    return etcdStore(hosts, { ...options, mustExist: access !== 'create' });
  },
};

const ENGINE_OF_SCHEME = new Map([
  ['postgres', POSTGRES],
  ['postgresql', POSTGRES],
  ['etcd', ETCD],
  ['etcds', ETCD],
]);

/** How to name a store, for help and errors. */
export const STORES =
  'a path such as ids.db (SQLite), postgres://user:password@host/database, or etcd://host:port,host:port';

/** How to name a store, for the help of other commands than `store`. */
export const STORES_IN_SHORT = `${STORES}; with TLS: see shardbits help store`;

/** The rest about URLs, for the help of `store`. */
export const SECURED_STORES = `
PostgreSQL with TLS, in the words of libpq; files are in PEM:
  postgres://user@host/database?sslmode=verify-full&sslrootcert=ca.pem
  sslmode=verify-full      check the server's certificate and its host name
  sslmode=verify-ca        check the certificate, but not the host name
  sslmode=require          encrypt only; with sslrootcert the same as verify-ca
  sslmode=disable          do not encrypt (default)
  sslrootcert=FILE         who signs certificates (default: those Node trusts)
  sslcert=FILE sslkey=FILE your own certificate and its key
  schema=NAME              the schema of the tables
A password that is not in the URL comes from PGPASSWORD.

etcd with TLS, which checks the certificates and host names of the members:
  etcds://user@host:2379,host2:2379/PREFIX?ca=ca.pem&cert=my.pem&key=my.key
  PREFIX                   how all keys begin (default: shardbits/)
  ca=FILE                  who signs certificates (default: those Node trusts)
  cert=FILE key=FILE       your own certificate and its key
A password that is not in the URL comes from ETCDCTL_USER=user:password or
ETCDCTL_PASSWORD; a user, from ETCDCTL_USER.
`.trimEnd();

/** Parses the path or URL of a store. */
export function storeName(given: string): string {
  if (engineNamed(given) !== undefined) return given;
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(given)?.[1] ?? '';
  throw new BadValue(STORES, hintFor(given, scheme), shown(given));
}

function hintFor(given: string, scheme: string): string {
  if (scheme === '') return withoutPassword(given) === given ? '' : '; write ./ before the name of a file with : and @';
  return ENGINE_OF_SCHEME.has(scheme) ? '' : suggestion(scheme, [...ENGINE_OF_SCHEME.keys()]);
}

export function engineOf(where: string): Engine {
  return engineNamed(where) as Engine;
}

/** Whether a store is a file on this machine. */
export const isFile = (where: string): boolean => engineOf(where) === SQLITE;

/** The files of a store, which no output may replace: its own, and what SQLite puts beside it. */
export function filesOfStore(where: string | undefined): string[] {
  if (where === undefined || !isFile(where)) return [];
  return ['', '-wal', '-shm', '-journal'].map((end) => where + end);
}

/** How a path begins that cannot be a URL. */
const PATH = /^(\/(?!\/)|\.{1,2}[\\/]|[a-z]:[\\/])/i;

function engineNamed(where: string): Engine | undefined {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(where) ?? [];
  if (scheme !== undefined) return rest === '' ? undefined : ENGINE_OF_SCHEME.get(scheme);
  if (where === '' || where === ':memory:') return undefined;
  // A mistyped URL must not become the name of a file, which messages and the journals of stores show.
  return withoutPassword(where) === where || PATH.test(where) ? SQLITE : undefined;
}

async function openStore(where: string, access: StoreAccess, like: string | undefined): Promise<Store> {
  if (isFile(where) && access !== 'create') statSync(where); // throws the same error as for other files
  try {
    return await engineOf(where).open(where, access, like !== undefined && isFile(like) ? like : undefined);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    if (isRefusal(error) && error.argument !== 'server' && error.argument !== 'url') {
      const { argument, expected, got } = error;
      const came = got === undefined ? 'none' : shown(got);
      throw new UsageError(`${argument} in the URL: expected ${expected}, got ${came}`);
    }
    throw new UsageError(`expected ${STORES}, got ${shown(where)}`, { cause: error });
  }
}

/**
 * Opens a store for as long as some work takes. If the store refuses it, the error names the store.
 * @param like a store whose mode and owner the file of a new one gets, if both are files
 * @throws Error for `read` and `change` if the store does not exist; UsageError if its URL is malformed
 */
export async function withStore<T>(
  where: string,
  access: StoreAccess,
  work: (store: Store) => Promise<T>,
  like?: string,
): Promise<T> {
  return withStoreOnDemand(where, access, async (open) => work(await open()), like);
}

/** Like {@link withStore}, for work that opens the store itself, when the rest of what it needs has been checked. */
export async function withStoreOnDemand<T>(
  where: string,
  access: StoreAccess,
  work: (open: () => Promise<Store>) => Promise<T>,
  like?: string,
): Promise<T> {
  let store: Store | undefined;
  const open = async () => {
    store ??= await openStore(where, access, like);
    return store;
  };
  try {
    return await naming({ store: withoutPassword(where) }, () => work(open));
  } finally {
    await store?.close();
  }
}

/** What a step was about, as the operator calls it. */
export interface Names {
  readonly store: string;
  /** The second store, or the file. */
  readonly to?: string | undefined;
  readonly shard?: number | undefined;
}

/** What an operator can do when a step is refused. */
const ADVICE: { readonly [reason in StoreRefusal]?: (names: Names) => string | undefined } = {
  'in use': ({ to }) => (to === undefined ? undefined : 'Take a new store instead'),
  moved: ({ store }) =>
    `If that store is lost, take this one back: shardbits store restore --store ${inShell(store)} --lost`,
  complete: ({ store, to = '' }) => `The command is: shardbits store move ${inShell(to)} ${inShell(store)}`,
};

/**
 * Runs a step. If it is refused, the error names the store, and says what to do.
 * @throws what the step throws
 */
export async function naming<T>(names: Names, step: () => Promise<T>): Promise<T> {
  return step().catch((error: Error) => {
    throw refusalOf(error, names);
  });
}

function refusalOf(error: Error, names: Names): Error {
  const { store } = names;
  const isOfStore = isRefusal(error) && ['clock', 'strings', 'types', 'tokens'].includes(error.argument);
  if (isOfStore) {
    const problem = error.argument === 'clock' ? problemOf(error) : inOwnWords(error);
    return new Error(`${store}: ${problem}; nothing was changed`, { cause: error });
  }
  if (hasCode(error, 'ERR_MAP_CONFLICT')) return new Error(`${store}: ${error.message}`, { cause: error });
  if (!hasCode(error, 'ERR_STORE_CONFLICT', 'ERR_STORE_UNAVAILABLE') || error.reason === undefined) return error;
  const about = error.reason === 'in use' ? (names.to ?? store) : store;
  const advice = ADVICE[error.reason]?.(names);
  return new Error(`${about}: ${error.message}${advice === undefined ? '' : `. ${advice}`}`, { cause: error });
}

/** Who runs the command, for the journal of a store. */
export function operator(): string {
  const { SUDO_USER, USER, LOGNAME, USERNAME } = process.env;
  const name = SUDO_USER ?? USER ?? LOGNAME ?? USERNAME ?? String(process.getuid?.() ?? 'unknown');
  return `${name}@${hostname()}`;
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

/** Hides a warning of Node about what users cannot change. All other warnings stay. */
function hideWarning(beginning: string): void {
  const emit = process.emitWarning as (warning: string | Error, ...rest: unknown[]) => void;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith(beginning)) emit.call(process, warning, ...rest);
  };
}
