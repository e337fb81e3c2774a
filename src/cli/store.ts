import type { Store } from '../registry/index.js';
import { UsageError } from './usage.js';

interface Engine {
  readonly prefix: RegExp;
  /** What has to be installed beside shardbits. */
  readonly client: string;
  open(where: string): Promise<Store>;
}

const ENGINES: readonly Engine[] = [
  {
    prefix: /^postgres(ql)?:\/\//,
    client: 'postgres',
    open: async (url) => (await import('../registry/stores/postgres.js')).postgresStore(url),
  },
  {
    prefix: /^etcd:\/\/./,
    client: 'etcd3',
    open: async (url) => {
      const hosts = url.slice('etcd://'.length).split(',');
      return (await import('../registry/stores/etcd.js')).etcdStore(hosts.map((host) => `http://${host}`));
    },
  },
  {
    prefix: /^(?![a-z][a-z0-9+.-]*:\/\/)./i,
    client: 'lmdb',
    open: async (path) => (await import('../registry/stores/lmdb.js')).lmdbStore(path),
  },
];

/** What a store may be named by, as help has it. */
export const STORES =
  'a file of LMDB, made if there is none, postgres://user:password@host/database, or etcd://host:port,host:port';

/** Opens the store that an option names. */
export async function openStore(where: string): Promise<Store> {
  const engine = ENGINES.find(({ prefix }) => prefix.test(where));
  if (engine === undefined) throw new UsageError(`--store: expected ${STORES}, got "${where}"`);
  try {
    return await engine.open(where);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`${engine.client} is not installed: npm install ${engine.client}`, { cause: error });
  }
}
