import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Interner, type Store } from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';
import { IS_FULL } from '../support/scale.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';
import { wrong } from '../support/wrong-argument.js';

async function expectMissing(opening: Promise<Store>): Promise<void> {
  await expect(opening).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: false });
}

/** With an id, so that it exists. */
async function make(store: Store): Promise<void> {
  await new Interner({ store }).intern('a');
  await store.close();
}

describe('a store that must exist', () => {
  it.skipIf(!hasSqlite())('is not made if its file is missing, and is written to if it is there', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ids');
    await expectMissing(sqliteStore(path, { mustExist: true }));
    expect(readdirSync(folder)).toEqual([]);
    await make(await sqliteStore(path, { mustExist: false }));
    const store = await sqliteStore(path, { mustExist: true });
    await make(store);
    await expect(sqliteStore(path, { mustExist: 1 as never })).rejects.toThrow(wrong('mustExist'));
  });

  it.skipIf(!hasSqlite())('is not made in a database that has none', async () => {
    const database = openSqlite(':memory:');
    await expectMissing(sqliteStore(database, { mustExist: true }));
    await make(await sqliteStore(database));
    await (await sqliteStore(database, { mustExist: true })).close();
    database.close();
  });

  describe.skipIf(!IS_FULL || !hasEtcd())('in etcd', () => {
    let cluster: EtcdCluster | undefined;
    afterAll(() => cluster?.stop());

    it('is not begun under a prefix that has none', async () => {
      cluster = await startEtcd();
      const prefix = randomUUID();
      for (const other of [`${prefix}-other/`, `${prefix}/deeper/`]) {
        await make(await etcdStore(cluster.hosts, { prefix: other }));
      }
      await expectMissing(etcdStore(cluster.hosts, { prefix: `${prefix}/`, mustExist: true }));
      await make(await etcdStore(cluster.hosts, { prefix: `${prefix}/` }));
      await make(await etcdStore(cluster.hosts, { prefix: `${prefix}/`, mustExist: true }));
      await expect(etcdStore(cluster.hosts, { mustExist: 1 as never })).rejects.toThrow(wrong('mustExist'));
    });
  });
});

describe.skipIf(!hasSqlite())('a store in SQLite that lacks a table', () => {
  it('is refused, and gets no empty table in its place', async () => {
    const path = join(temporaryFolder(), 'ids.db');
    await make(await sqliteStore(path));
    const database = openSqlite(path);
    database.exec('drop table shardbits_counters');
    const refused = {
      code: 'ERR_STORE_CORRUPT',
      message: /a part of the store is missing: shardbits_counters; restore/,
    };
    for (const where of [path, database]) {
      const error = await sqliteStore(where).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: refused.code });
      expect((error as Error).message).toMatch(refused.message);
    }
    database.exec('drop table shardbits_settings');
    await expect(sqliteStore(database)).rejects.toThrow('shardbits_settings, shardbits_counters');
    database.close();
  });
});
