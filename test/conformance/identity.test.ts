import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { STATE_SETTING } from '../../src/registry/identity.js';
import { Interner, leaseShard, type Store, storeState } from '../../src/registry/index.js';
import { everyStore, type StoreKind } from './stores.js';

const kinds = everyStore();
const LEASE = { owner: 'me', ttlMs: 60_000, mintUntil: Date.now() + 60_000 };
const BLOCK = { prefix: 1, base: 1n << 50n, max: 1000n };

/** A store with a string and a type, open twice. */
async function openTwice(kind: StoreKind): Promise<{ store: Store; other: Store; again(): Promise<Store> }> {
  const { store, again } = await kind.open();
  await store.assign('strings', BLOCK, ['known']);
  await store.acquireLease({ ...LEASE, shards: 1, mintFrom: Date.now() });
  const other = await again();
  await other.lookup('strings', ['known']);
  return { store, other, again };
}

async function change(store: Store, to: (state: object) => object): Promise<void> {
  const text = (await store.setting(STATE_SETTING)) ?? '';
  expect(await store.replaceState(text, JSON.stringify(to(JSON.parse(text))))).toBe(true);
}

/** Every call that gives something new. */
const writes = (store: Store): readonly (() => Promise<unknown>)[] => {
  return [
    () => store.assign('strings', BLOCK, ['new']),
    () => store.assign('types', BLOCK, ['new']),
    () => store.replaceSetting('map', undefined, '{}'),
    () => store.acquireLease({ ...LEASE, shards: 4, mintFrom: Date.now() }),
    () => store.renewLease({ ...LEASE, shard: 0, token: 1n }),
    () => store.restore('strings', { keys: ['x'], ids: BigUint64Array.of(5n) }),
    () => store.restoreCounters('strings', new Map([[2, 5n]])),
  ];
};

const reads = (store: Store): readonly (() => Promise<unknown>)[] => [
  () => store.lookup('strings', ['known']),
  () => store.lookup('strings', ['known', 'unknown']),
  () => store.resolve('strings', BigUint64Array.of(BLOCK.base + 1n)),
  () => store.shards(),
  () => store.count('strings'),
  () => store.counter('strings', 1),
];

// A write needs no lease of its own, and the first shard is held under `LEASE`.
describe.each(kinds)('the identity of a store in $name', (kind) => {
  it('is made with it and stays, while stores differ', async () => {
    const { store, again } = await openTwice(kind);
    const state = await storeState(store);
    const place = store.place === undefined ? undefined : expect.any(String);
    expect(state).toEqual({
      identity: expect.stringMatching(/^[0-9a-f-]{36}$/),
      generation: expect.any(String),
      place,
    });
    expect(await storeState(await again())).toEqual(state);
    const { store: another } = await openTwice(kind);
    expect((await storeState(another))?.identity).not.toBe(state?.identity);
  });

  it('fails every call when the generation has changed since the store was opened', async () => {
    const { store, other, again } = await openTwice(kind);
    await change(store, (state) => ({ ...state, generation: 'another' }));
    for (const call of [...writes(other), ...reads(other)]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_STORE_CONFLICT', isTransient: false });
    }
    await expect(new Interner({ store: other }).intern('new')).rejects.toThrow(/restored or moved since it was opened/);
    expect(await (await again()).lookup('strings', ['known'])).toEqual(BigUint64Array.of(BLOCK.base + 1n));
    expect(await store.lookup('strings', ['known', 'new'])).toEqual(BigUint64Array.of(BLOCK.base + 1n, 0n));
  });

  it('fails every call when another store has taken its place', async () => {
    const { store, other } = await openTwice(kind);
    await change(store, () => ({ identity: 'another', generation: 'another' }));
    for (const call of [...writes(other), ...reads(other)]) {
      await expect(call()).rejects.toThrow(/the store another has taken the place of the store/);
    }
  });

  it('gives nothing new when the store was moved away, names the other one, and still reads', async () => {
    const { store, other, again } = await openTwice(kind);
    const lease = await leaseShard({ store: other, shards: 4, ttlMs: 5000 });
    await change(store, (state) => ({ ...state, movedTo: 'postgres://new', next: 'x' }));
    for (const one of [other, await again()]) {
      for (const call of writes(one)) {
        await expect(call()).rejects.toMatchObject({
          code: 'ERR_STORE_CONFLICT',
          isTransient: false,
          message: 'the store was moved to postgres://new: use that one',
        });
      }
      for (const call of reads(one)) await call();
    }
    await lease.release();
  });

  it('lets only the one who works on it use an incomplete store', async () => {
    const { store, other, again } = await openTwice(kind);
    await change(store, (state) => ({ ...state, incomplete: 'a restore', worker: 'w' }));
    for (const one of [other, await again()]) {
      for (const call of [...writes(one), ...reads(one)]) {
        await expect(call()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: false });
      }
    }
    expect(await store.assign('strings', BLOCK, ['new'])).toEqual(BigUint64Array.of(BLOCK.base + 2n));
    const { incomplete, worker, ...state } = JSON.parse((await store.setting(STATE_SETTING)) ?? '');
    await change(store, () => state);
    expect(await other.lookup('strings', ['new'])).toEqual(BigUint64Array.of(BLOCK.base + 2n));
  });

  it('lets nobody use it who worked on it while it was incomplete, once another goes on with that', async () => {
    const { store, again } = await openTwice(kind);
    await change(store, (state) => ({ ...state, incomplete: 'a restore', worker: 'one' }));
    const second = await again();
    await change(second, (state) => ({ ...state, worker: 'two' }));
    await change(second, (state) => ({ ...state, incomplete: undefined, worker: undefined }));
    for (const call of [...writes(store), ...reads(store)]) {
      await expect(call()).rejects.toThrow('another process has changed the state of the store');
    }
    for (const call of reads(second)) await call();
  });

  it('is noted when a setting is read first: what follows cannot change a store that was restored since', async () => {
    const { store, again } = await openTwice(kind);
    const reader = await again();
    await reader.setting('map');
    await change(store, (state) => ({ ...state, generation: 'another' }));
    await expect(reader.replaceSetting('map', undefined, '{}')).rejects.toThrow(
      'restored or moved since it was opened',
    );
    expect(await store.setting('map')).toBe(undefined);
  });

  it('changes only from the state that is expected', async () => {
    const { store, other } = await openTwice(kind);
    expect(await other.replaceState('{}', '{"identity":"a","generation":"b"}')).toBe(false);
    await store.assign('strings', BLOCK, ['new']);
  });

  it('lets no call that began before a fence take effect after it', async () => {
    const { store, other } = await openTwice(kind);
    let isOver = false;
    const interning = Array.from({ length: 4 }, async (_, worker) => {
      const block = { prefix: worker + 2, base: BigInt(worker + 2) << 50n, max: 1_000_000n };
      for (let i = 0; !isOver; i++) {
        await other.assign('strings', block, [`${worker} ${i}`, `${worker} ${i} b`]);
        await setImmediate(); // memory answers at once
      }
    });
    const refused = Promise.all(interning.map((ended) => expect(ended).rejects.toThrow('moved to elsewhere')));
    try {
      while ((await store.count('strings')) < 20) await setTimeout(10);
      await change(store, (state) => ({ ...state, movedTo: 'elsewhere' }));
      const count = await store.count('strings');
      expect(count).toBeGreaterThan(1);
      await refused;
      expect(await store.count('strings')).toBe(count);
    } finally {
      isOver = true;
      await Promise.allSettled(interning);
    }
  });
});
