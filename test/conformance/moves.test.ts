import { describe, expect, it, onTestFinished } from 'vitest';
import { publishMap, ShardMap } from '../../src/map/index.js';
import { STATE_SETTING } from '../../src/registry/identity.js';
import {
  checkStore,
  Interner,
  journal,
  leaseShard,
  leases,
  memoryStore,
  moveBack,
  moveStore,
  restoreStore,
  type Store,
  storeState,
  TypeRegistry,
} from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';
import { everyStore, type StoreKind } from './stores.js';

const kinds = everyStore();
const NAMES = { from: 'the first', to: 'the second', by: 'test' };
const STRINGS = Array.from({ length: 100 }, (_, i) => `string ${i}`);

async function filled(kind: StoreKind) {
  const opened = await kind.open();
  const { store } = opened;
  const ids = await new Interner({ store }).internMany(STRINGS);
  await new TypeRegistry({ store }).idOf('User');
  await publishMap(store, ShardMap.create({ shards: 8, nodes: [{ name: 'a' }, { name: 'b' }] }));
  const lease = await leaseShard({ store, shards: 4, ttlMs: kind.leases.ttlMs });
  onTestFinished(() => void lease.release().catch(() => {})); // so that no timer is left
  return { ...opened, ids, lease };
}

// How many more calls each round lets through: a move takes about 400, and those of files and servers take longer.
const STEPS: { readonly [name: string]: number } = { memory: 7, SQLite: 41, PostgreSQL: 83, etcd: 83 };

class Interrupted extends Error {}

/** A store whose calls fail from the `n`-th on, before or after they take effect. */
function failingAfter(n: { left: number }, store: Store, isAfter: boolean): Store {
  return new Proxy(store, {
    get(target, name) {
      const own = target[name as keyof Store];
      if (typeof own !== 'function') return own;
      const call = own.bind(target) as (...args: unknown[]) => unknown;
      if (name === 'entries') return call;
      return async (...args: unknown[]) => {
        if (n.left < 0 || (!isAfter && n.left === 0)) throw new Interrupted('killed');
        const result = await call(...args);
        if (n.left-- === 0) throw new Interrupted('killed');
        return result;
      };
    },
  });
}

describe.each(kinds)('moving a store from $name', (kind) => {
  it('takes everything along, fences the first store, and opens the second', async () => {
    const { store, ids, lease } = await filled(kind);
    const to = memoryStore();
    const before = await storeState(store);
    expect(await moveStore(store, to, NAMES)).toMatchObject({
      outcome: 'moved',
      strings: 100,
      types: 1,
      identity: before?.identity,
    });
    const after = await storeState(to);
    expect(after?.identity).toBe(before?.identity);
    expect(after?.generation).not.toBe(before?.generation);
    expect(await new Interner({ store: to }).internMany(STRINGS)).toEqual(ids);
    const [record] = await leases(to);
    expect(record.mintedUntil.getTime()).toBeGreaterThanOrEqual(lease.validUntil());
    await expect(new Interner({ store }).intern('new')).rejects.toThrow('the store was moved to the second');
    await expect(leaseShard({ store, shards: 4 })).rejects.toThrow('the store was moved to the second');
    expect(await new Interner({ store, readOnly: true }).internMany(STRINGS)).toEqual(ids);
    expect((await journal(to)).map(({ action, by, what }) => [action, by, what])).toEqual([
      ['move', 'test', 'to the second'],
      ['move', 'test', 'from the first'],
    ]);
  });

  it('refuses a second store that is in use, and changes nothing', async () => {
    const { store } = await filled(kind);
    const to = memoryStore();
    await new Interner({ store: to }).intern('theirs');
    await expect(moveStore(store, to, NAMES)).rejects.toThrow('the second store is in use already');
    await new Interner({ store }).intern('new');
    await new Interner({ store: to }).intern('new');
  });

  it('refuses to go back to a store that has what the present one lacks, and changes nothing', async () => {
    const { store, again } = await filled(kind);
    const to = memoryStore();
    await moveStore(store, to, NAMES);
    // As if a backup had been restored in its place that was made when it was still empty.
    const { identity = '' } = (await storeState(to)) ?? {};
    const restored = memoryStore();
    const state = await restored.setting(STATE_SETTING);
    await restored.replaceState(state, JSON.stringify({ identity, generation: 'restored' }));
    const first = await again();
    await expect(moveStore(restored, first, NAMES)).rejects.toThrow(
      'the second store is in use already: it has an entry',
    );
    expect(await storeState(restored)).toEqual({ identity, generation: 'restored' });
    expect((await storeState(first))?.movedTo).toBe(NAMES.to);
    await new Interner({ store: restored }).intern('new');
  });

  it('goes on where it was interrupted, whichever call was the last', async () => {
    const { store } = await filled(kind);
    const identity = (await storeState(store))?.identity;
    for (let calls = 0, isDone = false; !isDone; calls += STEPS[kind.name]) {
      // Each round moves to a new store, and that one is moved back.
      const to = memoryStore();
      for (const isAfter of [true, false]) {
        const n = { left: calls };
        try {
          await moveStore(failingAfter(n, store, isAfter), failingAfter(n, to, isAfter), NAMES);
          isDone = true;
        } catch (error) {
          if (!(error instanceof Interrupted)) throw error;
        }
        const isOther = (await storeState(to))?.identity !== identity;
        expect((await isUsable(store)) && !isOther && (await isUsable(to)), `after ${calls} calls`).toBe(false);
      }
      await moveStore(store, to, NAMES);
      expect(await isUsable(to)).toBe(true);
      expect((await checkStore(to)).strings).toBeGreaterThanOrEqual(100);
      await moveStore(to, store, NAMES);
      expect(await isUsable(store)).toBe(true);
    }
  });

  it('fences the first store again if a process goes on that was held up while the move was taken back', async () => {
    const { store, again } = await filled(kind);
    const to = memoryStore();
    const copying = overriding(to, { restoreCounters: () => Promise.reject(new Interrupted('killed')) });
    await expect(moveStore(store, copying, NAMES)).rejects.toThrow(Interrupted);
    expect((await storeState(store))?.movedTo).toBe(NAMES.to);
    // It has read that the first store is fenced. Then the move is taken back.
    const first = await again();
    let reads = 0;
    const heldUp = overriding(first, {
      async setting(name) {
        const value = await first.setting(name);
        if (reads++ === 0) await moveBack(store, to, NAMES);
        return value;
      },
    });
    await moveStore(heldUp, to, NAMES);
    expect(await isUsable(to)).toBe(true);
    expect(await isUsable(store)).toBe(false);
    await expect(new Interner({ store }).intern('new')).rejects.toThrow('the store was moved to the second');
  });

  it('can be taken back until it is complete, and then cannot be completed', async () => {
    const { store, ids } = await filled(kind);
    for (let calls = 0; ; calls += STEPS[kind.name]) {
      const to = memoryStore();
      const n = { left: calls };
      const first = failingAfter(n, store, true);
      const isDone = await moveStore(first, failingAfter(n, to, true), NAMES).then(
        () => true,
        () => false,
      );
      if (isDone || (await storeState(to))?.incomplete === undefined) {
        if ((await storeState(store))?.movedTo === undefined) continue; // nothing was done yet
        await expect(moveBack(store, to, NAMES)).rejects.toThrow('the move is complete');
        expect(await new Interner({ store: to }).internMany(STRINGS)).toEqual(ids);
        break;
      }
      await moveBack(store, to, NAMES);
      await new Interner({ store }).intern(`after ${calls}`);
      await expect(to.lookup('strings', ['a'])).resolves.toBeDefined(); // the object that took it back may
      expect((await storeState(to))?.incomplete).toBe('a move that was taken back');
    }
  });
});

/** Whether a new client could intern in a store. */
async function isUsable(store: Store): Promise<boolean> {
  const { incomplete, movedTo } = (await storeState(store)) ?? {};
  return incomplete === undefined && movedTo === undefined;
}

describe.each(kinds)('restoring a store in $name', (kind) => {
  it('begins a new generation, and lets nobody mint before its lead', async () => {
    const { store, ids } = await filled(kind);
    const before = await storeState(store);
    const { outcome, resumes } = await restoreStore(store, { leadMs: 60_000, by: 'test' });
    const after = await storeState(store);
    const place = await store.place?.(after?.place);
    expect(after).toEqual({ identity: before?.identity, generation: expect.any(String), place });
    expect(after?.generation).not.toBe(before?.generation);
    expect(outcome).toBe('restored');
    expect(resumes.getTime()).toBeGreaterThan(Date.now() + 50_000);
    expect(await new Interner({ store }).internMany(STRINGS)).toEqual(ids);
    expect(await journal(store)).toMatchObject([{ action: 'restore', by: 'test' }]);
  });

  it('is noticed by interners, generators, leases and types', async () => {
    const { store, again, lease } = await filled(kind);
    const other = await again();
    await restoreStore(other, { leadMs: 0 });
    await expect(new Interner({ store }).intern('string 1')).rejects.toMatchObject({ code: 'ERR_STORE_CONFLICT' });
    await expect(new TypeRegistry({ store }).idOf('Post')).rejects.toMatchObject({ isTransient: false });
    const reason = await lease.lost;
    expect(reason).toMatchObject({ code: 'ERR_LEASE_LOST', cause: { code: 'ERR_STORE_CONFLICT' } });
  });

  it('goes on where it was interrupted, whichever call was the last', async () => {
    const { again } = await filled(kind);
    for (let calls = 0, isDone = false; !isDone; calls += 3) {
      // Each try is that of another process.
      try {
        await restoreStore(failingAfter({ left: calls }, await again(), calls % 2 === 0), { leadMs: 0, types: 1 });
        isDone = true;
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
        await restoreStore(await again(), { leadMs: 0, types: 1 });
      }
      expect(await isUsable(await again())).toBe(true);
    }
  });

  it('refuses a store that was moved away', async () => {
    const { store } = await filled(kind);
    await moveStore(store, memoryStore(), NAMES);
    await expect(restoreStore(store)).rejects.toThrow('the store was moved to the second, and cannot be used again');
  });
});
