import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StateGuard } from '../../src/registry/identity.js';
import { Interner, StoreConflictError } from '../../src/registry/index.js';
import { keysUnder } from '../../src/registry/stores/etcd/keys.js';
import { leasesOf } from '../../src/registry/stores/etcd/leases.js';
import { EtcdMembers, importEtcd3 } from '../../src/registry/stores/etcd/members.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
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

  // Ahead, so that the marks stay in the future however long it takes to start etcd.
  const now = Date.now() + 600_000;
  const request = { ttlMs: 5000, mintFrom: now, mintUntil: now + 5000, shards: 1 };
  const ours = { ...request, owner: 'ours', shard: 0, token: 1n, mintedUntil: now + 5000 };
  const theirs = { ...request, owner: 'theirs', mintedUntil: now + 5000 };

  async function open<T extends EtcdMembers>(Members: new (...given: ConstructorParameters<typeof EtcdMembers>) => T) {
    const prefix = `${randomUUID()}/`;
    const store = await etcdStore(cluster.hosts, { prefix });
    const keys = keysUnder(prefix);
    const members = new Members(await importEtcd3(), cluster.hosts, { timeoutMs: 5000, keys, guard: new StateGuard() });
    onTestFinished(() => {
      members.close();
      return store.close();
    });
    return { store, members, leases: leasesOf(members, keys) };
  }

  it('are not renewed when another has come between', async () => {
    const { store, members, leases } = await open(Interrupted);
    await store.acquireLease(ours);
    members.interruption = async () => {
      await store.releaseLease(ours);
      expect(await store.acquireLease(theirs)).toMatchObject({ token: 2n });
    };
    expect(await leases.renewLease({ ...ours, mintUntil: now + 60_000 })).toBe(false);
    expect(await store.renewLease({ ...theirs, shard: 0, token: 2n })).toBe(true);
  });

  it('are not renewed when they have been given back in between', async () => {
    const { store, members, leases } = await open(Interrupted);
    await store.acquireLease(ours);
    members.interruption = () => store.releaseLease(ours);
    expect(await leases.renewLease(ours)).toBe(false);
    expect(await store.acquireLease(theirs)).toMatchObject({ token: 2n });
  });

  it('do not set the mark back when another try to renew them has come between', async () => {
    const { store, members, leases } = await open(Interrupted);
    await store.acquireLease(ours);
    members.interruption = () => store.renewLease({ ...ours, mintUntil: now + 60_000 });
    expect(await leases.renewLease({ ...ours, mintUntil: now + 6000 })).toBe(true);
    await store.freeShard(0);
    expect(await store.acquireLease(theirs)).toEqual({ shard: 0, token: 2n, mintedUntil: now + 60_000 });
  });

  it('are not given when another has come between, nor with the same token when that is gone again', async () => {
    const { store, members, leases } = await open(Interrupted);
    members.interruption = () => store.acquireLease(theirs);
    expect(await leases.acquireLease(ours)).toBeUndefined();
    await store.releaseLease({ ...theirs, shard: 0, token: 1n });
    members.interruption = async () => {
      await store.acquireLease({ ...theirs, mintUntil: now + 60_000 });
      await store.freeShard(0);
    };
    expect(await leases.acquireLease(ours)).toEqual({ shard: 0, token: 3n, mintedUntil: now + 60_000 });
  });

  it('are given and renewed once, and not refused, when answers are lost', async () => {
    const { store, leases } = await open(Repeating);
    expect(await leases.acquireLease(ours)).toEqual({ shard: 0, token: 1n, mintedUntil: 0 });
    expect(await leases.renewLease(ours)).toBe(true);
    await store.releaseLease(ours);
    expect(await store.acquireLease(theirs)).toMatchObject({ token: 2n });
  });

  it('are freed and reset once, and given back, when answers are lost', async () => {
    const { store, leases } = await open(Repeating);
    await store.acquireLease(ours);
    expect(await leases.freeShard(0)).toBe(true);
    expect(await leases.freeShard(0)).toBe(false);
    expect(await leases.resetMark(0)).toBe('near');
    const far = { expires: 0, strayUntil: 0, ttlMs: ours.ttlMs, mintedUntil: Date.now() + 3 * 3_600_000 };
    await store.restoreShards([{ shard: 1, owner: 'far', token: 1n, ...far }]);
    expect(await leases.resetMark(1)).toBe('reset');
    const [freed, record] = await store.shards();
    expect(record).toMatchObject({ owner: 'far', token: 1n, expires: 0 });
    expect(Math.abs((record?.mintedUntil ?? 0) - Date.now())).toBeLessThan(5000);
    await store.acquireLease(theirs);
    await leases.releaseLease({ ...theirs, shard: 0, token: 2n, mintedUntil: 5 });
    const given = { shard: 0, owner: 'theirs', token: 2n, expires: 0, strayUntil: freed?.strayUntil, mintedUntil: 5 };
    expect((await store.shards())[0]).toEqual({ ...given, ttlMs: Math.max(ours.ttlMs, theirs.ttlMs) });
  });

  it('are given back by their holder alone, also when a late try of it comes after the next holder', async () => {
    const { store } = await open(EtcdMembers);
    await store.acquireLease(ours);
    await store.releaseLease({ ...ours, mintedUntil: 5 });
    expect(await store.acquireLease(theirs)).toEqual({ shard: 0, token: 2n, mintedUntil: 5 });
    await store.releaseLease({ ...ours, mintedUntil: 6 });
    expect(await store.shards()).toMatchObject([{ owner: 'theirs', token: 2n, mintedUntil: theirs.mintUntil }]);
    expect(await store.renewLease({ ...theirs, shard: 0, token: 2n })).toBe(true);
  });

  it('do not get tokens that others have said may have been given, just before', async () => {
    const { store, members, leases } = await open(Interrupted);
    members.interruption = () => store.replaceSetting('tokens', undefined, '70');
    expect(await leases.acquireLease(ours)).toEqual({ shard: 0, token: 71n, mintedUntil: 0 });
  });

  it('end at about the time that is listed', async () => {
    const { store } = await open(EtcdMembers);
    await store.acquireLease({ ...ours, ttlMs: 20_000 });
    const [record] = await store.shards();
    expect(record?.expires).toBeGreaterThan(Date.now() + 15_000);
    expect(record?.expires).toBeLessThan(Date.now() + 21_000);
  });

  it('are copied as they are: those that are held for the time that is left to them', async () => {
    const { store } = await open(EtcdMembers);
    const free = Array.from({ length: 150 }, (_, shard) => ({
      ...{ shard, owner: `owner ${shard}`, token: BigInt(shard), expires: 0, mintedUntil: 1000 + shard },
      ...{ strayUntil: 0, ttlMs: 2 ** 30 },
    }));
    await store.restoreShards(free);
    expect(await store.shards()).toEqual(free);
    const until = Date.now() + 3000;
    const held = { ...theirs, shard: 149, token: 2n ** 60n, expires: until, strayUntil: until, mintedUntil: now };
    await store.restoreShards([held]);
    expect((await store.shards())[149]).toMatchObject({ owner: 'theirs', token: 2n ** 60n, mintedUntil: now });
    expect(await store.freeShard(149)).toBe(true);
    await store.restoreShards([held]);
    expect(await store.resetMark(149)).toBe('held');
    expect(await store.renewLease({ ...theirs, shard: 149, token: 2n ** 60n })).toBe(true);
    await store.restoreShards([{ ...held, expires: 0 }]);
    expect(await store.renewLease({ ...theirs, shard: 149, token: 2n ** 60n })).toBe(false);
  });
});

describe.skipIf(!hasEtcd())('an etcd store', () => {
  let cluster: EtcdCluster;

  beforeAll(async () => {
    cluster = await startEtcd();
  });

  afterAll(async () => cluster?.stop());

  async function open() {
    const store = await etcdStore(cluster.hosts, { prefix: `${randomUUID()}/` });
    onTestFinished(() => store.close());
    return store;
  }

  type Commit = EtcdMembers['commit'];

  /** Does something before each commit, which it can do once more. */
  function beforeEachCommit(
    act: (commit: () => ReturnType<Commit>, ...request: Parameters<Commit>) => Promise<unknown>,
  ) {
    const { commit } = EtcdMembers.prototype;
    const commits = vi.spyOn(EtcdMembers.prototype, 'commit').mockImplementation(async function (
      this: EtcdMembers,
      ...request
    ) {
      await act(() => commit.apply(this, request), ...request);
      return commit.apply(this, request);
    });
    onTestFinished(() => commits.mockRestore());
    return commits;
  }

  it('knows what it has done when answers are lost', async () => {
    const store = await open();
    beforeEachCommit((commit) => commit());
    expect(await store.replaceSetting('a', undefined, '1')).toBe(true);
    expect(await store.replaceSetting('a', undefined, '1')).toBe(false);
    expect(await store.replaceSetting('a', '1', '2')).toBe(true);
    expect(await store.replaceSetting('a', '1', '2')).toBe(false);
    const entries = { keys: ['a', 'b'], ids: BigUint64Array.of(1n, 2n) };
    await store.restore('types', entries);
    expect(await store.lookup('types', ['b', 'a'])).toEqual(BigUint64Array.of(2n, 1n));
    await store.restoreCounters('types', new Map([[0, 7n]]));
    expect(await store.counter('types', 0)).toBe(7n);
    const interner = new Interner({ store });
    const ids = await interner.internMany(['c', 'd']);
    expect(await interner.lookupMany(['c', 'd'])).toEqual(ids);
    expect(await store.count('strings')).toBe(2);
  });

  it('gives no number that others have said is skipped, just before', async () => {
    const store = await open();
    const commits = beforeEachCommit(async (_, { compare }) => {
      if (!compare?.length) return;
      commits.mockRestore();
      await store.replaceSetting('skipped:strings', undefined, '50');
    });
    const block = { prefix: 0, base: 0n, max: 100n };
    await expect(store.assign('strings', block, ['a'])).rejects.toThrow(StoreConflictError);
    expect(await store.assign('strings', block, ['a'])).toEqual(BigUint64Array.of(51n));
  });

  it('lists and copies entries and counters in pieces, long strings too', async () => {
    const store = await open();
    const keys = [
      ...Array.from({ length: 1500 }, (_, i) => `key ${i}`),
      ...Array.from({ length: 6 }, (_, i) => `${i}${'x'.repeat(700_000)}`),
      '',
      'é'.repeat(600),
    ];
    const ids = BigUint64Array.from(keys, (_, i) => BigInt(i) * 2n ** 50n + 1n);
    await store.restore('strings', { keys, ids });
    await store.restore('strings', {
      keys: ['alone', ...keys.slice(100)],
      ids: BigUint64Array.of(7n, ...ids.slice(100)),
    });
    const counters = new Map(Array.from({ length: 1300 }, (_, i) => [i * 3_000_000, BigInt(i + 1)] as const));
    await store.restoreCounters('strings', counters);
    const found = new Map<string, bigint>();
    for await (const piece of store.entries('strings')) {
      expect(piece.keys.reduce((sum, key) => sum + key.length, 0)).toBeLessThan(6_000_000);
      for (const [i, key] of piece.keys.entries()) {
        expect(found.has(key)).toBe(false);
        found.set(key, piece.ids[i]);
      }
    }
    expect(found).toEqual(new Map([['alone', 7n], ...keys.map((key, i) => [key, ids[i]] as const)]));
    expect(await store.count('strings')).toBe(keys.length + 1);
    expect(await store.counters('strings')).toEqual(counters);
    await expect(store.restore('strings', { keys: ['new', 'new'], ids: BigUint64Array.of(8n, 9n) })).rejects.toThrow(
      StoreConflictError,
    );
    await expect(store.restore('strings', { keys: ['new', 'other'], ids: BigUint64Array.of(8n, 8n) })).rejects.toThrow(
      StoreConflictError,
    );
    await expect(
      store.restore('strings', { keys: ['x'.repeat(1_500_001)], ids: BigUint64Array.of(8n) }),
    ).rejects.toThrow(RangeError);
    expect(await store.count('strings')).toBe(keys.length + 1);
  });
});
