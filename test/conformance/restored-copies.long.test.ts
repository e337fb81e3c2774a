// A process that was left alive, or started too early, between the restore of a backup and `store restore`.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  checkStore,
  Interner,
  leaseShard,
  memoryStore,
  moveStore,
  restoreStore,
  type Store,
  type StoreState,
  skipAhead,
  storeState,
} from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import { temporaryFolder } from '../support/cli.js';
import { type EtcdCluster, hasEtcd, hasEtcdctl, startEtcd } from '../support/etcd.js';
import { freePorts } from '../support/free-ports.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { dumpablePrograms, PostgresProcess, run } from '../support/postgres-process.js';

const REFUSED = {
  code: 'ERR_STORE_CONFLICT',
  isTransient: false,
  message: expect.stringMatching(/^this is a restored copy of the store, .* run: shardbits store restore$/s),
};
const NOTICED = { code: 'ERR_STORE_CONFLICT', message: expect.stringMatching(/restored or moved since it was opened/) };
const BLOCK = { prefix: 1, base: 1n << 50n, max: 1000n };
const LEASE = { owner: 'me', ttlMs: 60_000 };

const intern = (store: Store, key: string) => store.assign('strings', BLOCK, [key]);

/** Expects that a store gives nothing new, and still answers what it has. */
async function expectRefused(store: Store): Promise<void> {
  const mintUntil = Date.now() + 60_000;
  for (const write of [
    () => intern(store, 'new'),
    () => store.assign('types', BLOCK, ['new']),
    () => store.replaceSetting('map', undefined, '{}'),
    () => store.acquireLease({ ...LEASE, mintUntil, shards: 4, mintFrom: Date.now() }),
    () => store.renewLease({ ...LEASE, mintUntil, shard: 0, token: 1n }),
    () => new Interner({ store }).intern('new'),
    () => leaseShard({ store, shards: 8 }),
    () => skipAhead(store),
    () => moveStore(store, memoryStore()),
  ]) {
    await expect(write()).rejects.toMatchObject(REFUSED);
  }
  expect(await store.lookup('strings', ['first'])).toEqual(BigUint64Array.of(BLOCK.base + 1n));
  expect(await store.count('strings')).toBe(1);
}

/**
 * Restores a store that several processes have open, and expects that none of them gives a number that was given after the
 * backup.
 */
async function expectSafe(
  open: () => Promise<Store>,
  backUp: () => Promise<unknown>,
  restore: () => Promise<unknown>,
): Promise<void> {
  const [busy, idle] = [await open(), await open()];
  await busy.replaceSetting('prefixBits', undefined, '14');
  await intern(busy, 'first');
  await busy.acquireLease({ ...LEASE, mintUntil: Date.now() + 60_000, shards: 1, mintFrom: Date.now() });
  expect(await idle.lookup('strings', ['first'])).toEqual(BigUint64Array.of(BLOCK.base + 1n));
  await backUp();
  const [lost] = (await intern(busy, 'lost')) ?? [];
  expect(lost).toBe(BLOCK.base + 2n);
  await restore();

  const early = await open();
  for (const store of [busy, idle, early]) await expectRefused(store);
  expect(await checkStore(early)).toMatchObject({ strings: 1, shards: 1 });
  const { place, ...before } = (await storeState(early)) as StoreState;
  await restoreStore(early, { strings: 10, types: 10, tokens: 10, leadMs: 0 });
  const { place: now, ...after } = (await storeState(early)) as StoreState;
  expect(after).toEqual({ ...before, generation: expect.not.stringMatching(before.generation) });
  expect(now).not.toBe(place);
  for (const store of [busy, idle]) await expect(intern(store, 'new')).rejects.toMatchObject(NOTICED);
  for (const [n, store] of [early, await open()].entries()) {
    expect(await intern(store, `new ${n}`)).toEqual(BigUint64Array.of(BLOCK.base + 12n + BigInt(n)));
  }
}

function opener(open: () => Promise<Store>): () => Promise<Store> {
  return async () => {
    const store = await open();
    onTestFinished(() => store.close());
    return store;
  };
}

const programs = dumpablePrograms();

describe.skipIf(programs === undefined)('a store in PostgreSQL that was restored', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ programs });
  });

  afterAll(async () => server?.stop());

  const asAdmin = async (...statements: string[]) => {
    const sql = postgres(server.url, { max: 1, onnotice() {} });
    for (const statement of statements) await sql.unsafe(statement);
    await sql.end();
  };

  async function newDatabase(name: string): Promise<string> {
    await asAdmin(`create database "${name}"`);
    return Object.assign(new URL(server.url), { pathname: name }).href;
  }

  const dump = (url: string, file: string) =>
    run('pg_dump', ['--format=custom', '--table=shardbits_*', `--file=${file}`, url]);
  const load = (url: string, file: string, ...options: string[]) =>
    run('pg_restore', [...options, '--single-transaction', `--dbname=${url}`, file]);

  it('gives nothing new before "store restore" when its tables were replaced', async () => {
    const url = await newDatabase('replaced');
    const file = join(temporaryFolder(), 'backup.dump');
    await expectSafe(
      opener(() => postgresStore(url)),
      () => dump(url, file),
      () => load(url, file, '--clean', '--if-exists'),
    );
  });

  it('nor when its database was dropped and made again', async () => {
    const url = await newDatabase('dropped');
    const file = join(temporaryFolder(), 'backup.dump');
    await expectSafe(
      opener(() => postgresStore(url)),
      () => dump(url, file),
      async () => {
        await asAdmin('drop database dropped with (force)', 'create database dropped');
        await load(url, file);
      },
    );
  });

  it('nor in a database that was made from it as a template; and the first one goes on', async () => {
    const url = await newDatabase('template');
    const first = await postgresStore(url);
    await first.replaceSetting('prefixBits', undefined, '14');
    await intern(first, 'first');
    await first.close();
    await asAdmin('create database copy template template');
    const open = opener(() => postgresStore(Object.assign(new URL(url), { pathname: 'copy' }).href));
    await expectRefused(await open());
    expect(await intern(await opener(() => postgresStore(url))(), 'second')).toEqual(
      BigUint64Array.of(BLOCK.base + 2n),
    );
  });

  it('is not mistaken for one after maintenance, under another name, or after a failover to a physical copy', async () => {
    const url = await newDatabase('kept');
    const open = opener(() => postgresStore(url));
    const store = await open();
    await intern(store, 'first');
    const sql = postgres(url, { max: 1, onnotice() {} });
    for (const statement of [
      'vacuum full shardbits_settings',
      'cluster shardbits_settings using shardbits_settings_pkey',
      'truncate shardbits_shards',
      'reindex table shardbits_settings',
    ]) {
      await sql.unsafe(statement);
      await intern(store, statement);
    }
    await sql.end();
    const count = await store.count('strings');
    await store.close();
    await asAdmin('alter database kept rename to renamed');
    const renamed = Object.assign(new URL(url), { pathname: 'renamed' }).href;
    expect(await intern(await opener(() => postgresStore(renamed))(), 'renamed')).toHaveLength(1);

    const folder = temporaryFolder();
    const [port = 0] = await freePorts(1);
    const [, command] = await Promise.all([
      PostgresProcess.in(folder, programs as NonNullable<typeof programs>),
      run('pg_basebackup', [`--dbname=${renamed}`, '--pgdata', join(folder, 'data'), '--checkpoint=fast']),
    ]);
    expect(command.stderr).not.toMatch(/error/);
    const standby = await PostgresProcess.in(folder, programs as NonNullable<typeof programs>);
    await run('chown', ['-R', 'postgres', folder]);
    await standby.serve(port, ['listen_addresses=127.0.0.1', 'unix_socket_directories='], AbortSignal.timeout(50_000));
    onTestFinished(async () => {
      const { stdout } = await run('head', ['-n', '1', join(folder, 'data', 'postmaster.pid')]);
      process.kill(Number(stdout), 'SIGINT');
      await setTimeout(500);
    });
    const promoted = await opener(() => postgresStore(Object.assign(new URL(renamed), { port: String(port) }).href))();
    expect(await promoted.count('strings')).toBe(count + 1);
    expect(await intern(promoted, 'promoted')).toHaveLength(1);
  });
});

describe.skipIf(!hasEtcd() || !hasEtcdctl())('a store in etcd that was restored', () => {
  /** Clients look at the cluster again after this time. */
  const LOOK_MS = 300;

  async function start(): Promise<EtcdCluster> {
    const cluster = await startEtcd();
    onTestFinished(() => cluster.stop());
    return cluster;
  }

  it.each([
    ['the token of the old cluster', undefined],
    ['another token', 'restored'],
  ])('gives nothing new before "store restore", with %s', async (_, token) => {
    const cluster = await start();
    const file = join(temporaryFolder(), 'snapshot');
    await expectSafe(
      opener(() => etcdStore(cluster.hosts, { mustExist: false })),
      () => cluster.save(file),
      () => cluster.restore(file, token),
    );
  });

  it('nor when other keys have been written since, more than were lost', async () => {
    const cluster = await start();
    const open = opener(() => etcdStore(cluster.hosts));
    const others = await opener(() => etcdStore(cluster.hosts, { prefix: 'others/' }))();
    const write = async (times: number, value: string) => {
      for (let n = 0; n < times; n++) await others.replaceSetting(`${value} ${n}`, undefined, value);
    };
    await write(500, 'before');
    const file = join(temporaryFolder(), 'snapshot');
    await expectSafe(
      open,
      () => cluster.save(file),
      async () => {
        await cluster.restore(file);
        await restoreStore(others);
        await write(100, 'after');
      },
    );
  });

  it('is not mistaken for one when members are killed, restarted or asked in turn', async () => {
    const cluster = await start();
    const open = opener(() => etcdStore(cluster.hosts));
    const stores = [await open(), await open(), await open()];
    for (const round of [0, 1, 2]) {
      const leader = await cluster.leader();
      await cluster.signal(leader, 'SIGKILL');
      for (const [n, store] of stores.entries()) await new Interner({ store }).intern(`${round} ${n}`);
      await cluster.restart(leader);
      await cluster.leader(3);
      await setTimeout(LOOK_MS);
      await Promise.all(stores.map((store, n) => new Interner({ store }).intern(`again ${round} ${n}`)));
    }
    for (const member of [0, 1, 2]) await cluster.signal(member, 'SIGKILL');
    for (const member of [0, 1, 2]) await cluster.restart(member);
    await cluster.leader(3);
    for (const store of [...stores, await open()]) await new Interner({ store }).intern('after all were killed');
  });
});
