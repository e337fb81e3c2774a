// What belongs to a store in etcd: nothing is missing, nothing is foreign, and every value is what it has to be.
import { randomUUID } from 'node:crypto';
import { Etcd3 } from 'etcd3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { currentMap, publishMap, ShardMap } from '../../src/map/index.js';
import {
  checkStore,
  Interner,
  journal,
  leaseShard,
  leases,
  type Store,
  TypeRegistry,
} from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { type EtcdCluster, hasEtcd, startEtcd } from '../support/etcd.js';

describe.skipIf(!hasEtcd())('a store in etcd', () => {
  let cluster: EtcdCluster;
  let client: Etcd3;

  beforeAll(async () => {
    cluster = await startEtcd();
    client = new Etcd3({ hosts: [...cluster.hosts] });
  });

  afterAll(async () => {
    client?.close();
    await cluster?.stop();
  });

  async function open(prefix: string, mustExist = false): Promise<Store> {
    const store = await etcdStore(cluster.hosts, { prefix, mustExist });
    onTestFinished(() => store.close());
    return store;
  }

  const LONG = 'x'.repeat(2000);

  /** A store that has a key of every kind. @returns its prefix */
  async function newStore(prefix = `${randomUUID()}/`): Promise<string> {
    const store = await open(prefix);
    await new Interner({ store }).internMany(['a', 'b', LONG]);
    await new TypeRegistry({ store }).idOf('t');
    await leaseShard({ store, shards: 4, ttlMs: 600_000 });
    for (const name of ['skipped:strings', 'skipped:types', 'tokens', 'floor']) {
      await store.replaceSetting(name, undefined, '0');
    }
    await store.replaceSetting('journal', undefined, '[]');
    return prefix;
  }

  const keysOf = async (prefix: string) => (await client.getAll().prefix(`${prefix}#`).keys()).sort();

  async function expectCorrupt(call: () => Promise<unknown>, message: RegExp): Promise<void> {
    await expect(call()).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT', message: expect.stringMatching(message) });
  }

  /** Opening it, and the first call of a store that was opened without asking. */
  async function expectNotWhole(prefix: string, message: RegExp): Promise<void> {
    await expectCorrupt(() => open(prefix, true), message);
    const store = await open(prefix);
    await expectCorrupt(() => store.lookup('strings', ['a']), message);
    await expectCorrupt(() => store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['new']), message);
    await expectCorrupt(() => checkStore(store), message);
  }

  it.each([
    ['a/', 'a/b/'],
    ['ids', 'ids2'],
    ['s/', 's/strings/key/'],
    ['t/', 't/settings/'],
    ['u', 'u/types/counter/'],
    ['', 'shards/mark/'],
    ['ä/', 'ä/ä'],
  ])('is independent of others, whichever was made first: %o and %o', async (outer, inner) => {
    const test = `${randomUUID()}/`;
    for (const [first, second] of [
      [`${test}1${outer}`, `${test}1${inner}`],
      [`${test}2${inner}`, `${test}2${outer}`],
    ] as const) {
      await newStore(first);
      await newStore(second);
      for (const prefix of [first, second]) {
        const store = await open(prefix, true);
        expect(await checkStore(store)).toMatchObject({ strings: 3, types: 1, shards: 1 });
        await new Interner({ store }).intern('c');
        expect(await store.count('strings')).toBe(4);
      }
    }
  });

  it('has a prefix without the character that ends it in keys', async () => {
    await expect(open('a#b')).rejects.toThrow(/^"prefix": expected text without "#", got "a#b"$/);
  });

  it('names each part that it lacks', async () => {
    const folders = [
      ['settings/store', /lacks settings\/store/],
      ['settings/prefixBits', /lacks settings\/prefixBits/],
      ['settings/tokens', /lacks settings\/tokens/],
      ['setters/floor', /lacks setters\/floor/],
      ['strings/id/', /lacks 3 of 3 keys in strings\/id;/],
      ['strings/id/key/a', /lacks 1 of 3 keys in strings\/id;/],
      ['strings/id/sha256/', /lacks 1 of 3 keys in strings\/id;/],
      ['strings/key/', /lacks 3 of 3 keys in strings\/key;/],
      ['strings/counter/', /lacks strings\/counter;/],
      ['types/counter/', /lacks types\/counter;/],
      ['types/key/', /lacks 1 of 1 keys in types\/key;/],
      ['shards/mark/', /lacks 1 of 1 keys in shards\/mark;/],
    ] as const;
    for (const [folder, message] of folders) {
      const prefix = await newStore();
      await client.delete().prefix(`${prefix}#${folder}`);
      await expectNotWhole(prefix, message);
    }
    const prefix = await newStore();
    for (const part of ['settings/', 'strings/key/']) await client.delete().prefix(`${prefix}#${part}`);
    await expectNotWhole(
      prefix,
      /it lacks settings\/store, .*settings\/tokens, 3 of 3 keys in strings\/key; restore a backup$/,
    );
  });

  it('names keys that are not its own', async () => {
    for (const name of ['x', 'a/b', 'settings', 'strings/other/1', 'zz', 'strings/id/other/1', 'shards/mark']) {
      const prefix = await newStore();
      await client.put(`${prefix}#${name}`).value('1');
      await expectNotWhole(prefix, new RegExp(`keys that are not those of a store: "${name}"; restore`));
    }
    const prefix = `${randomUUID()}/`;
    await client.put(`${prefix}#foreign`).value('1');
    await expectNotWhole(prefix, /not those of a store: "foreign"/);
    expect(await keysOf(prefix)).toEqual([`${prefix}#foreign`]);
  });

  it('names a value or a key that is damaged, whatever reads it, and throws no other error', async () => {
    const prefix = await newStore();
    const map = ShardMap.create({ shards: 4, nodes: [{ name: 'a' }] });
    await publishMap(await open(prefix), map);
    const keys = await keysOf(prefix);
    expect(keys.length).toBeGreaterThan(25);
    const GARBAGE = ['', 'garbage', '{}', '[1]', 'null', '-1', '1.5', '99999999999999999999999', Buffer.of(0xff, 0xfe)];
    let named = 0;
    for (const key of keys) {
      const kept = (await client.get(key).buffer()) as Buffer;
      const lease = (await client.get(key).exec()).kvs[0]?.lease ?? '0';
      for (const garbage of GARBAGE) {
        await client.put(key).value(garbage);
        for (const call of readers(await open(prefix))) {
          const error = await call().catch((thrown: unknown) => thrown);
          if (!(error instanceof Error)) continue;
          const { code } = error as { code?: string };
          expect([key, garbage, code, code === undefined ? error.stack : '']).toEqual([
            key,
            garbage,
            expect.stringMatching(/^ERR_(STORE_(CORRUPT|CONFLICT)|MAP_CONFLICT)$/),
            '',
          ]);
          if (code === 'ERR_STORE_CORRUPT') named++;
        }
      }
      expect(lease).toBeDefined();
      await client.put(key).value(kept);
    }
    expect(named).toBeGreaterThan(keys.length);
    for (const name of [
      'strings/counter/x',
      'strings/key/01',
      'types/counter/4294967296',
      'shards/mark/9',
      'strings/key/x',
    ]) {
      await client.put(`${prefix}#${name}`).value('1');
      await expectCorrupt(async () => checkStore(await open(prefix)), /./);
      await client.delete().key(`${prefix}#${name}`);
    }
  });

  it('lets a holder go that has lost its lease, although the mark of the shard is damaged', async () => {
    const prefix = `${randomUUID()}/`;
    const store = await open(prefix);
    const now = Date.now();
    const request = { owner: 'a', ttlMs: 60_000, mintUntil: now + 60_000 };
    const granted = await store.acquireLease({ ...request, shards: 1, mintFrom: now });
    const lease = { shard: 0, token: granted?.token ?? 0n };
    expect(await store.freeShard(0)).toBe(true);
    for (const key of await keysOf(prefix)) if (key.includes('shards/mark')) await client.put(key).value('garbage');
    expect(await store.renewLease({ ...request, ...lease })).toBe(false);
    await store.releaseLease({ ...lease, owner: 'a', mintedUntil: now });
    expect(await store.freeShard(0)).toBe(false);
    await expectCorrupt(() => store.resetMark(0), /./);
  });

  const readers = (store: Store): readonly (() => Promise<unknown>)[] => [
    () => checkStore(store),
    () => journal(store),
    () => leases(store),
    () => currentMap(store),
    () => new Interner({ store }).internMany(['a', 'b', LONG]),
    () => new TypeRegistry({ store }).idOf('t'),
    () => store.counter('strings', 0),
    () => store.counters('types'),
    () => store.acquireLease({ owner: 'o', ttlMs: 2000, shards: 1, mintFrom: Date.now(), mintUntil: Date.now() }),
    async () => {
      for await (const _ of store.entries('strings'));
    },
  ];
});
