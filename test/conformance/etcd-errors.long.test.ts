import { Etcd3 } from 'etcd3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import { type EtcdStoreOptions, etcdStore } from '../../src/registry/stores/etcd/store.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';
import { expectTime } from '../support/time.js';

// What etcd refuses comes as the store's own errors, and at once if another try would not help.

const TIMEOUT_MS = 10_000;
const block = { prefix: 0, base: 0n, max: 1_000_000n };

async function expectLasting(call: () => Promise<unknown>, message: RegExp): Promise<void> {
  const asked = performance.now();
  const error = (await call().catch((thrown) => thrown)) as Error;
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: false, cause: expect.any(Error) });
  expect(error.message).toMatch(message);
  expectTime(performance.now() - asked, TIMEOUT_MS / 2);
}

describe.skipIf(!hasEtcd())('etcd that asks for passwords', () => {
  let cluster: EtcdCluster;

  beforeAll(async () => {
    cluster = await startEtcd();
    const client = new Etcd3({ hosts: cluster.hosts[0] });
    await client.user('root').create('secret');
    await client.user('root').addRole('root');
    await client.user('reader').create('secret');
    await client.role('reads').create();
    await client.role('reads').grant({ permission: 'Read', range: client.range({ prefix: 'shardbits/' }) });
    await client.user('reader').addRole('reads');
    await client.auth.authEnable();
    client.close();
  });

  afterAll(async () => cluster?.stop());

  async function open(auth?: EtcdStoreOptions['auth']) {
    const store = await etcdStore(cluster.hosts, { auth, timeoutMs: TIMEOUT_MS });
    onTestFinished(() => store.close());
    return store;
  }

  it('takes those that are right', async () => {
    const store = await open({ username: 'root', password: 'secret' });
    expect(await store.replaceSetting('a', undefined, '1')).toBe(true);
  });

  it('refuses those that are wrong or missing, and that is not tried again', async () => {
    const wrong = await open({ username: 'root', password: 'wrong' });
    await expectLasting(() => wrong.setting('a'), /authentication failed/);
    const missing = await open();
    await expectLasting(() => missing.setting('a'), /user name is empty/);
    await expectLasting(
      () => missing.acquireLease({ owner: 'a', ttlMs: 2000, shards: 1, mintFrom: 1, mintUntil: 2 }),
      /./,
    );
  });

  it('refuses to write for a user who may only read', async () => {
    const reader = await open({ username: 'reader', password: 'secret' });
    expect(await reader.count('strings')).toBe(0);
    await expectLasting(() => reader.assign('strings', block, ['a']), /permission denied/);
    await expectLasting(() => reader.replaceSetting('b', undefined, '1'), /permission denied/);
  });
});

describe.skipIf(!hasEtcd())('etcd without space', () => {
  it('says what to do, and still reads', async () => {
    const cluster = await startEtcd(['--quota-backend-bytes', '2000000']);
    onTestFinished(() => cluster.stop());
    const store = await etcdStore(cluster.hosts, { timeoutMs: TIMEOUT_MS });
    onTestFinished(() => store.close());
    const fill = async () => {
      for (let n = 0; ; n++) await store.assign('strings', block, [`${n} ${'x'.repeat(200_000)}`]);
    };
    await expectLasting(fill, /^etcd has no space left\. Compact and defragment it/);
    expect(await store.count('strings')).toBeGreaterThan(1);
    await expectLasting(() => store.replaceSetting('a', undefined, 'b'), /^etcd has no space left/);
  });
});
