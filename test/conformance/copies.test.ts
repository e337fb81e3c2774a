import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClockBackwardsError, SnowflakeGenerator } from '../../src/index.js';
import { publishMap, ShardMap } from '../../src/map/index.js';
import {
  checkStore,
  copyStore,
  Interner,
  leaseShard,
  leases,
  memoryStore,
  mintFloor,
  type Store,
  StoreConflictError,
  StoreCorruptError,
  skipAhead,
  TypeRegistry,
} from '../../src/registry/index.js';
import { FLOOR_SETTING } from '../../src/registry/store.js';
import { overriding } from '../support/overriding.js';
import { wrong } from '../support/wrong-argument.js';
import { everyStore } from './stores.js';

const STORES = everyStore();

const keys = Array.from({ length: 500 }, (_, i) => `key ${i}\0é`);

async function fill(store: Store, prefixBits = 16) {
  const ids = await new Interner({ store, prefixBits }).internMany(keys);
  const types = new TypeRegistry({ store });
  for (const name of ['User', 'Post']) await types.idOf(name);
  const lease = await leaseShard({ store, shards: 3, owner: 'web', ttlMs: 60_000 });
  await lease.release();
  return ids;
}

describe.each(STORES)('a copy to $name', ({ open }) => {
  it('has all strings and types with their ids, and goes on from there', async () => {
    const { store, again } = await open();
    const from = memoryStore();
    const ids = await fill(from);
    const progress: number[] = [];
    const counts = { strings: 500, types: 2, shards: 1 };
    const copying = copyStore(from, store, { onProgress: (copied) => progress.push(copied) });
    expect(await copying).toEqual({ outcome: 'copied', ...counts });
    expect(progress.at(-1)).toBe(502);
    expect(await copyStore(from, store)).toEqual({ outcome: 'copied', ...counts }); // again changes nothing
    const other = await again();
    const strings = new Interner({ store: other, prefixBits: 16 });
    expect(await other.setting(FLOOR_SETTING)).toBeUndefined(); // as in the first one
    expect(await strings.lookupMany(keys)).toEqual(ids);
    expect(await strings.resolveMany(ids)).toEqual(keys);
    expect(await checkStore(other)).toMatchObject({ strings: 500, types: 2, shards: 1, prefixBits: 16 });
    const types = new TypeRegistry({ store: other });
    expect([await types.idOf('Post'), await types.idOf('New')]).toEqual([2, 3]);
    expect(ids).not.toContain(await strings.intern('new'));
    expect(await leases(other)).toEqual(await leases(from));
    const next = await leaseShard({ store: other, shards: 1 });
    expect(next.token).toBe(2n);
    await next.release();
  });

  it('is refused, before anything is copied, while somebody uses the other store', async () => {
    const { store } = await open();
    const from = memoryStore();
    await fill(from);
    await copyStore(from, store);
    const lease = await leaseShard({ store, shards: 1, owner: 'moved' });
    const late = await new Interner({ store: from, prefixBits: 16 }).intern('late');
    await expect(copyStore(from, store)).rejects.toMatchObject({
      code: 'ERR_STORE_CONFLICT',
      isTransient: false,
      message: expect.stringMatching(
        /^the second store is in use already: it has a live lease: shard 0 is held by moved until 20..-.*Z$/,
      ),
    });
    const strings = new Interner({ store, prefixBits: 16 });
    expect(await strings.resolve(late)).toBeUndefined();
    await lease.release();
    await copyStore(from, store); // the lease has ended, and nothing else is new
    expect(await strings.resolve(late)).toBe('late');
  });

  it.each([
    ['a string', (store: Store) => new Interner({ store, prefixBits: 16 }).intern('new')],
    ['a type', (store: Store) => new TypeRegistry({ store }).idOf('New')],
    ['a mark', async (store: Store) => (await leaseShard({ store, shards: 2, ttlMs: 100 })).release()],
    ['a map', (store: Store) => publishMap(store, ShardMap.create({ shards: 8, nodes: [{ name: 'a' }] }))],
  ])('is refused if the other store has %s that the first one lacks', async (_, add) => {
    const { store } = await open();
    const from = memoryStore();
    await fill(from);
    await copyStore(from, store);
    const held = await leaseShard({ store: from, shards: 1 }); // so that the next lease is of another shard
    await copyStore(from, store);
    await add(store);
    await held.release();
    const late = await new Interner({ store: from, prefixBits: 16 }).intern('late');
    await expect(copyStore(from, store)).rejects.toThrow(/^the second store is in use already: it has /);
    expect(await new Interner({ store, prefixBits: 16 }).resolve(late)).toBeUndefined();
  });

  it('keeps the later mark of a shard, and the later instant before which nobody may mint', async () => {
    const { store } = await open();
    const from = memoryStore();
    const free = { shard: 0, owner: 'a', expires: 0, strayUntil: 0, ttlMs: 1000 };
    await from.restoreShards([{ ...free, token: 5n, mintedUntil: 1000 }]);
    await store.restoreShards([{ ...free, token: 1n, mintedUntil: 2000 }]);
    await from.replaceSetting(FLOOR_SETTING, undefined, '500');
    await copyStore(from, store);
    expect(await store.shards()).toMatchObject([{ token: 5n, mintedUntil: 2000 }]);
    expect(await mintFloor(store)).toBe(500);
    await store.replaceSetting(FLOOR_SETTING, '500', '700');
    await copyStore(from, store);
    expect(await mintFloor(store)).toBe(700);
  });

  it('is refused where it would change an id', async () => {
    const { store } = await open();
    const from = memoryStore();
    await fill(from);
    await new Interner({ store, prefixBits: 16 }).intern(keys[7]);
    await expect(copyStore(from, store)).rejects.toThrow(StoreConflictError);
  }, 20_000);

  it('is refused where the prefix bits are others', async () => {
    const { store } = await open();
    const from = memoryStore();
    await fill(from);
    await new Interner({ store, prefixBits: 8 }).intern('a');
    await expect(copyStore(from, store)).rejects.toThrow('the two stores differ in prefixBits: 16 and 8');
  }, 20_000);
});

describe.each(STORES)('a copy from $name', ({ open }) => {
  it('has all of it', async () => {
    const { store } = await open();
    const ids = await fill(store);
    const to = memoryStore();
    expect(await copyStore(store, to)).toMatchObject({ outcome: 'copied', strings: 500, types: 2 });
    expect(await new Interner({ store: to, prefixBits: 16 }).lookupMany(keys)).toEqual(ids);
    expect(await leases(to)).toEqual(await leases(store));
    for (const space of ['strings', 'types'] as const) {
      expect(await to.counters(space)).toEqual(await store.counters(space));
    }
  });
});

describe.each(STORES)('after a backup of $name was restored', ({ open }) => {
  it('skipping ahead keeps numbers, types and tokens from being given again', async () => {
    const { store, again } = await open();
    const backup = memoryStore();
    await fill(store);
    await copyStore(store, backup);
    // What is given after the backup, and lost with the store.
    const strings = new Interner({ store, prefixBits: 16 });
    const lost = new Set<bigint>();
    for (let round = 0; round < 10; round++) {
      for (const id of await strings.internMany(keys.map((key) => `${round} ${key}`))) lost.add(id);
    }
    const types = new TypeRegistry({ store });
    const lostTypes = new Set([await types.idOf('lost'), await types.idOf('lost, too')]);
    const lease = await leaseShard({ store, shards: 1 });
    await lease.release();

    const restored = (await open()).store;
    await copyStore(backup, restored);
    const began = Date.now();
    for (let times = 0; times < 2; times++) {
      const { resumes } = await skipAhead(restored, { strings: 10_000, types: 10, tokens: 100, leadMs: 60_000 });
      expect(resumes.getTime()).toBeGreaterThan(began + 55_000);
      expect(await mintFloor(restored)).toBe(resumes.getTime());
    }
    const after = new Interner({ store: restored, prefixBits: 16 });
    for (const [i, id] of (await after.internMany(keys.map((key) => `after ${key}`))).entries()) {
      expect(lost.has(id), `row ${i}`).toBe(false);
    }
    expect(lostTypes).not.toContain(await new TypeRegistry({ store: restored }).idOf('after'));
    // A shard that the backup does not know has had holders, too, whose clocks may have been ahead.
    for (const shards of [1, 2]) {
      const next = await leaseShard({ store: restored, shards });
      onTestFinished(() => void next.release().catch(() => {}));
      expect(next.token).toBeGreaterThan(lease.token);
      expect(next.notBefore).toBe(await mintFloor(restored));
      expect(() => new SnowflakeGenerator({ shard: next }).next()).toThrow(ClockBackwardsError);
    }
    expect(await checkStore(restored)).toMatchObject({ strings: 1000, types: 3 });
    await skipAhead(await again());
  });

  it('skipping ahead never leads to the same numbers and tokens, however often one backup is restored', async () => {
    const backup = memoryStore();
    await new Interner({ store: backup, prefixBits: 1 }).internMany(keys);
    const given = new Set<bigint>(await new Interner({ store: backup, prefixBits: 1 }).internMany(keys));
    let token = 0n;
    for (let restores = 1; restores <= 3; restores++) {
      const { store } = await open();
      await copyStore(backup, store);
      await setTimeout(2);
      await skipAhead(store, { leadMs: 0 });
      const strings = new Interner({ store, prefixBits: 1 });
      for (const id of await strings.internMany(keys.map((key) => `${key} after ${restores}`))) given.add(id);
      expect(given.size).toBe((restores + 1) * keys.length);
      const lease = await leaseShard({ store, shards: 1 });
      expect(lease.token).toBeGreaterThan(token);
      token = lease.token;
      await lease.release();
    }
  });
});

describe('a check', () => {
  it('finds ids that do not lead back, and numbers beyond their counters', async () => {
    const store = memoryStore();
    await fill(store);
    expect(await checkStore(store)).toMatchObject({ strings: 500, types: 2, shards: 1, prefixBits: 16 });
    const astray = overriding(store, {
      lookup: async (space, some) => (await store.lookup(space, some)).map((id, i) => (i === 3 ? id + 1n : id)),
    });
    await expect(checkStore(astray)).rejects.toThrow(/^types|strings: id \d+ belongs to "key 3/);
    const behind = overriding(store, { counter: async () => 1n });
    await expect(checkStore(behind)).rejects.toThrow(/^types: number 2 of prefix 0 is in use, its counter is at 1$/);
    const damaged = overriding(store, {
      check: async () => {
        throw new StoreCorruptError('damaged');
      },
    });
    await expect(checkStore(damaged)).rejects.toThrow('damaged');
    await expect(checkStore(5 as never)).rejects.toThrow(wrong('store'));
  });
});

describe('skipping ahead', () => {
  it('is refused for counts of the wrong kind or value', async () => {
    const store = memoryStore();
    await expect(skipAhead(store, { strings: -1 })).rejects.toThrow(wrong('strings'));
    await expect(skipAhead(store, { types: 65_536 })).rejects.toThrow(wrong('types'));
    await expect(skipAhead(store, { token: 5 } as never)).rejects.toThrow(wrong('options'));
    await expect(skipAhead(store, { leadMs: -1 })).rejects.toThrow(wrong('leadMs'));
    expect(await store.setting('skipped:strings')).toBeUndefined();
  });

  it('changes nothing in a damaged store', async () => {
    const store = memoryStore();
    await fill(store);
    const behind = overriding(store, { counter: async () => 1n });
    await expect(skipAhead(behind)).rejects.toThrow(StoreCorruptError);
    expect([await store.setting('skipped:strings'), await mintFloor(store)]).toEqual([undefined, 0]);
  });

  it('lets nobody mint for an hour unless it is told otherwise', async () => {
    const store = memoryStore();
    const began = Date.now();
    expect((await skipAhead(store)).resumes.getTime()).toBeGreaterThanOrEqual(began + 3_600_000);
    expect((await skipAhead(store, { leadMs: 0 })).resumes.getTime()).toBeGreaterThanOrEqual(began + 3_600_000); // never earlier
  });
});
