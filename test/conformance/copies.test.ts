import { describe, expect, it } from 'vitest';
import {
  checkStore,
  copyStore,
  Interner,
  leaseShard,
  leases,
  memoryStore,
  type Store,
  StoreConflictError,
  StoreCorruptError,
  skipAhead,
  TypeRegistry,
} from '../../src/registry/index.js';
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
    expect(await copyStore(from, store, { onProgress: (copied) => progress.push(copied) })).toBe(502);
    expect(progress.at(-1)).toBe(502);
    expect(await copyStore(from, store)).toBe(502); // again changes nothing
    const other = await again();
    const strings = new Interner({ store: other, prefixBits: 16 });
    expect(await strings.lookupMany(keys)).toEqual(ids);
    expect(await strings.resolveMany(ids)).toEqual(keys);
    expect(await checkStore(other)).toEqual({ strings: 500, types: 2, shards: 1, prefixBits: 16 });
    const types = new TypeRegistry({ store: other });
    expect([await types.idOf('Post'), await types.idOf('New')]).toEqual([2, 3]);
    expect(ids).not.toContain(await strings.intern('new'));
    expect(await leases(other)).toEqual(await leases(from));
    const next = await leaseShard({ store: other, shards: 1 });
    expect(next.token).toBe(2n);
    // A copy that is made again leaves leases alone that were taken since.
    await copyStore(from, store);
    expect(await leases(other)).toMatchObject([{ shard: 0, token: 2n, owner: 'shardbits' }]);
    await next.release();
  });

  it('is refused where it would change an id', async () => {
    const { store } = await open();
    const from = memoryStore();
    await fill(from);
    await new Interner({ store, prefixBits: 16 }).intern(keys[7] as string);
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
    expect(await copyStore(store, to)).toBe(502);
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
    for (let times = 0; times < 2; times++) await skipAhead(restored, { strings: 10_000, types: 10, tokens: 100 });
    const after = new Interner({ store: restored, prefixBits: 16 });
    for (const [i, id] of (await after.internMany(keys.map((key) => `after ${key}`))).entries()) {
      expect(lost.has(id), `row ${i}`).toBe(false);
    }
    expect(lostTypes).not.toContain(await new TypeRegistry({ store: restored }).idOf('after'));
    const next = await leaseShard({ store: restored, shards: 1 });
    expect(next.token).toBeGreaterThan(lease.token);
    await next.release();
    expect(await checkStore(restored)).toMatchObject({ strings: 1000, types: 3 });
    await skipAhead(await again());
  });
});

describe('a check', () => {
  it('finds ids that do not lead back, and numbers beyond their counters', async () => {
    const store = memoryStore();
    await fill(store);
    expect(await checkStore(store)).toEqual({ strings: 500, types: 2, shards: 1, prefixBits: 16 });
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
    expect(await store.setting('skipped:strings')).toBeUndefined();
  });
});
