import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { etcdStore } from '../../src/registry/stores/etcd.js';
import { EtcdKeys } from '../../src/registry/stores/etcd-keys.js';
import { acquireLease, renewLease } from '../../src/registry/stores/etcd-leases.js';
import { EtcdMembers, importEtcd3 } from '../../src/registry/stores/etcd-members.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';

/** In which something happens between what is read of a shard and what is done about it: an etcd lease is had then. */
class Interrupted extends EtcdMembers {
  interruption: (() => Promise<unknown>) | undefined;

  override async grant(ttlMs: number): Promise<string> {
    const work = this.interruption;
    this.interruption = undefined;
    await work?.();
    return super.grant(ttlMs);
  }
}

/** In which every transaction is sent twice, as when the first answer was lost. */
class Repeating extends EtcdMembers {
  override async commit(...request: Parameters<EtcdMembers['commit']>) {
    await super.commit(...request);
    return super.commit(...request);
  }
}

describe.skipIf(!hasEtcd())('leases over etcd, at the worst moment', () => {
  let cluster: EtcdCluster;

  beforeAll(async () => {
    cluster = await startEtcd();
  });

  afterAll(async () => cluster?.stop());

  const now = Date.now();
  const request = { ttlMs: 5000, mintFrom: now, mintUntil: now + 5000, shards: 1 };
  const ours = { ...request, owner: 'ours', shard: 0, token: 1n, mintedUntil: now + 5000 };
  const theirs = { ...request, owner: 'theirs', mintedUntil: now + 5000 };

  async function open<T extends EtcdMembers>(Members: new (...given: ConstructorParameters<typeof EtcdMembers>) => T) {
    const prefix = `${randomUUID()}/`;
    const store = await etcdStore(cluster.hosts, { prefix });
    const members = new Members(await importEtcd3(), cluster.hosts, { timeoutMs: 5000 });
    onTestFinished(() => {
      members.close();
      return store.close();
    });
    return { store, members, keys: new EtcdKeys(prefix) };
  }

  it('are not prolonged when another has come between', async () => {
    const { store, members, keys } = await open(Interrupted);
    await store.acquireLease(ours);
    members.interruption = async () => {
      await store.releaseLease(ours);
      expect(await store.acquireLease(theirs)).toMatchObject({ token: 2n });
    };
    expect(await renewLease(members, keys, { ...ours, mintUntil: now + 60_000 })).toBe(false);
    expect(await store.renewLease({ ...theirs, shard: 0, token: 2n })).toBe(true);
  });

  it('are not prolonged when they have been given back in between', async () => {
    const { store, members, keys } = await open(Interrupted);
    await store.acquireLease(ours);
    members.interruption = () => store.releaseLease(ours);
    expect(await renewLease(members, keys, ours)).toBe(false);
    expect(await store.acquireLease(theirs)).toMatchObject({ token: 2n });
  });

  it('do not set the mark back when another try to prolong them has come between', async () => {
    const { store, members, keys } = await open(Interrupted);
    await store.acquireLease(ours);
    members.interruption = () => store.renewLease({ ...ours, mintUntil: now + 60_000 });
    expect(await renewLease(members, keys, { ...ours, mintUntil: now + 6000 })).toBe(true);
    await store.freeShard(0);
    expect(await store.acquireLease(theirs)).toEqual({ shard: 0, token: 2n, mintedUntil: now + 60_000 });
  });

  it('are not given when another has come between, nor with the same token when that is gone again', async () => {
    const { store, members, keys } = await open(Interrupted);
    members.interruption = () => store.acquireLease(theirs);
    expect(await acquireLease(members, keys, ours)).toBeUndefined();
    await store.releaseLease({ ...theirs, shard: 0, token: 1n });
    members.interruption = async () => {
      await store.acquireLease({ ...theirs, mintUntil: now + 60_000 });
      await store.freeShard(0);
    };
    expect(await acquireLease(members, keys, ours)).toEqual({ shard: 0, token: 3n, mintedUntil: now + 60_000 });
  });

  it('are given and prolonged once, and not refused, when answers are lost', async () => {
    const { store, members, keys } = await open(Repeating);
    expect(await acquireLease(members, keys, ours)).toEqual({ shard: 0, token: 1n, mintedUntil: 0 });
    expect(await renewLease(members, keys, ours)).toBe(true);
    await store.releaseLease(ours);
    expect(await store.acquireLease(theirs)).toMatchObject({ token: 2n });
  });
});
