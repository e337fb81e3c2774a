import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { memoryStore, type Store } from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd.js';
import { lmdbStore } from '../../src/registry/stores/lmdb.js';
import { postgresStore } from '../../src/registry/stores/postgres.js';
import { sqliteStore } from '../../src/registry/stores/sqlite.js';
import { temporaryFolder } from '../support/cli.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { IS_FULL } from '../support/scale.js';
import { hasSqlite } from '../support/sqlite.js';

/** A kind of store under test. */
export interface StoreKind {
  readonly name: string;
  /** The shortest lease that it can time, and how late that may end. */
  readonly leases: { readonly ttlMs: number; readonly lateMs: number };
  /** A new, empty one; all that is opened for one test is the same store when `again` is called. */
  open(): Promise<{ store: Store; again(): Promise<Store> }>;
}

let server: Promise<PostgresServer> | undefined; // one for each file of tests, in which every test has a schema

afterAll(async () => (await server)?.stop());
const PROMPT = { ttlMs: 300, lateMs: 100 };

let cluster: Promise<EtcdCluster> | undefined; // one a test file

afterAll(async () => (await cluster)?.stop());

const ETCD: StoreKind = {
  name: 'etcd',
  leases: { ttlMs: 2000, lateMs: 1500 }, // it looks for what has ended twice a second
  async open() {
    cluster ??= startEtcd();
    const { hosts } = await cluster;
    const prefix = `${randomUUID()}/`;
    const again = async () => {
      const store = await etcdStore(hosts, { prefix });
      onTestFinished(() => store.close());
      return store;
    };
    return { store: await again(), again };
  },
};

const SQLITE: StoreKind = {
  name: 'SQLite',
  leases: PROMPT,
  async open() {
    const path = join(temporaryFolder(), 'ids.db');
    const again = async () => {
      const store = await sqliteStore(path);
      onTestFinished(() => store.close());
      return store;
    };
    return { store: await again(), again };
  },
};

/** Every store passes the same suites. */
export const STORES: readonly StoreKind[] = [
  {
    name: 'memory',
    leases: PROMPT,
    async open() {
      const store = memoryStore();
      return { store, again: async () => store };
    },
  },
  {
    name: 'LMDB',
    leases: PROMPT,
    async open() {
      const path = join(temporaryFolder(), 'ids.lmdb');
      return { store: await lmdbStore(path), again: () => lmdbStore(path) };
    },
  },
  {
    name: 'PostgreSQL',
    leases: PROMPT,
    async open() {
      server ??= startPostgres();
      const url = await (await server).newSchema();
      const again = async () => {
        const store = await postgresStore(url);
        onTestFinished(() => store.close());
        return store;
      };
      return { store: await again(), again };
    },
  },
  ...(hasSqlite() ? [SQLITE] : []),
  ...(IS_FULL && hasEtcd() ? [ETCD] : []),
];
