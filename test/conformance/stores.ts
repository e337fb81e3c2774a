import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { Store } from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { Memory, MemoryStore } from '../../src/registry/stores/memory.js';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';
import { sharedPostgres } from '../support/postgres.js';
import { IS_FULL, IS_PART } from '../support/scale.js';
import { hasSqlite } from '../support/sqlite.js';

/** A kind of store under test. */
export interface StoreKind {
  readonly name: string;
  /** A lease that is short, and that it can time; and how late it may end. */
  readonly leases: { readonly ttlMs: number; readonly lateMs: number };
  /**
   * Opens a new, empty store; `again` opens the same one once more.
   * @param onFinished the one of the test's context, in tests that run concurrently
   */
  open(onFinished?: typeof onTestFinished): Promise<{ store: Store; again(): Promise<Store> }>;
}

// They can time 100 ms, but a busy machine holds up this process for longer than that.
const PROMPT = { ttlMs: 1000, lateMs: 100 };

const MEMORY: StoreKind = {
  name: 'memory',
  leases: PROMPT,
  async open() {
    const memory = new Memory();
    return { store: new MemoryStore(memory), again: async () => new MemoryStore(memory) };
  },
};

const SQLITE: StoreKind = {
  name: 'SQLite',
  leases: PROMPT,
  async open(onFinished = onTestFinished) {
    const path = join(temporaryFolder(onFinished), 'ids.db');
    const again = async () => {
      const store = await sqliteStore(path);
      onFinished(() => store.close());
      return store;
    };
    return { store: await again(), again };
  },
};

/** A database of the PostgreSQL that the run shares, in which every test has a schema. */
function postgresKind(): StoreKind {
  let server: ReturnType<typeof sharedPostgres> | undefined;
  afterAll(async () => (await server)?.stop());
  return {
    name: 'PostgreSQL',
    leases: PROMPT,
    async open(onFinished = onTestFinished) {
      server ??= sharedPostgres();
      const url = await (await server).newSchema();
      const again = async () => {
        const store = await postgresStore(url);
        onFinished(() => store.close());
        return store;
      };
      return { store: await again(), again };
    },
  };
}

/** An etcd, in which every test has a prefix; it ends with the file of tests that calls this. */
function etcdKind(): StoreKind {
  let cluster: Promise<EtcdCluster> | undefined;
  afterAll(async () => (await cluster)?.stop());
  return {
    name: 'etcd',
    leases: { ttlMs: 2000, lateMs: 1500 }, // it looks for what has ended twice a second
    async open(onFinished = onTestFinished) {
      cluster ??= startEtcd();
      const { hosts } = await cluster;
      const prefix = `${randomUUID()}/`;
      const again = async () => {
        // On a machine that has much else to do, a request takes more than the second that a try has.
        const store = await etcdStore(hosts, { prefix, timeoutMs: 60_000 });
        onFinished(() => store.close());
        return store;
      };
      return { store: await again(), again };
    },
  };
}

/**
 * Every store passes the same suites. A file of tests calls this once, as etcd ends with the file. The quick run tries them
 * on a store in memory, and leaves the others to the sweeps.
 */
export function everyStore(): readonly StoreKind[] {
  return [
    ...(IS_PART ? [] : [MEMORY]),
    ...(IS_FULL ? [postgresKind()] : []),
    ...(IS_FULL && hasSqlite() ? [SQLITE] : []),
    ...(IS_FULL && hasEtcd() ? [etcdKind()] : []),
  ];
}
