import { describe, expect, it } from 'vitest';
import { memoryStore, StoreConflictError, storeState } from '../../src/registry/index.js';
import { Memory, MemoryStore } from '../../src/registry/stores/memory.js';

describe('a store in memory', () => {
  it('lists shards in ascending order, in whatever order they came', async () => {
    const store = memoryStore();
    const record = { owner: 'a', expires: 0, strayUntil: 0, ttlMs: 1000, mintedUntil: 0 };
    await store.restoreShards([7, 2, 11, 0].map((shard) => ({ shard, token: 1n, ...record })));
    expect((await store.shards()).map(({ shard }) => shard)).toEqual([0, 2, 7, 11]);
  });

  it('restores all entries of a call or none', async () => {
    const store = memoryStore();
    await store.restore('strings', { keys: ['a'], ids: BigUint64Array.of(1n) });
    const refused = store.restore('strings', { keys: ['b', 'a'], ids: BigUint64Array.of(2n, 3n) });
    await expect(refused).rejects.toThrow(StoreConflictError);
    await expect(refused).rejects.toMatchObject({ isTransient: false });
    expect(await store.lookup('strings', ['a', 'b'])).toEqual(BigUint64Array.of(1n, 0n));
    expect(await store.count('strings')).toBe(1);
  });

  it('is closed at the end of its scope', async () => {
    const store = memoryStore();
    await store[Symbol.asyncDispose]();
    await expect(store.count('strings')).rejects.toThrow('the store is closed');
  });

  it('whose state has gone is not used as if it were the one that was opened', async () => {
    const memory = new Memory();
    const store = new MemoryStore(memory);
    const identity = (await storeState(store))?.identity;
    memory.settings.delete('store');
    const message = `an empty store has taken the place of the store ${identity} since it was opened`;
    for (const call of [() => store.count('strings'), () => store.replaceSetting('a', undefined, 'b')]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_STORE_CONFLICT', isTransient: false, message });
    }
    expect(memory.settings.size).toBe(0);
  });
});
