import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  leaseShard,
  leases,
  memoryStore,
  moveStore,
  restoreStore,
  StoreCorruptError,
  skipAhead,
  storeState,
} from '../../src/registry/index.js';

const EPOCH = Date.UTC(2025, 0);
const HALF = EPOCH + 2 ** 41; // of 139 years

beforeEach(() => {
  vi.useFakeTimers({ now: HALF });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a restored store', () => {
  it('goes on at the part of all numbers that the time since 2025 is of 139 years, or further on', async () => {
    const store = memoryStore();
    await restoreStore(store);
    expect(await store.counter('strings', 7)).toBe(2n ** 49n);
    expect(await store.counter('types', 0)).toBe(64n);
    const lease = await leaseShard({ store, shards: 1, ttlMs: 1000 });
    expect(lease.token).toBe(2n ** 41n + 1n);
    await lease.release();
    await restoreStore(store);
    expect(await store.counter('strings', 7)).toBe(2n ** 49n + 2n ** 40n);
    expect(await store.counter('types', 0)).toBe(128n);
    expect((await leaseShard({ store, shards: 1, ttlMs: 1000 })).token).toBe(2n ** 41n + 3n);
  });

  it('skips what it is told to, from the last number and token on', async () => {
    const store = memoryStore();
    for (let i = 0; i < 3; i++) await (await leaseShard({ store, shards: 1, ttlMs: 1000 })).release();
    const { resumes } = await skipAhead(store, { strings: 10, types: 3, tokens: 5, leadMs: 2000 });
    expect(resumes).toEqual(new Date(HALF + 2000));
    expect([await store.counter('strings', 7), await store.counter('types', 0)]).toEqual([10n, 3n]);
    const leasing = leaseShard({ store, shards: 1, ttlMs: 1000 });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await leasing).toMatchObject({ token: 9n, notBefore: HALF + 2000 });
  });

  it('does not take marks for too far ahead that are before its lead', async () => {
    const store = memoryStore();
    const record = { owner: 'a', token: 1n, expires: 0, strayUntil: 0, ttlMs: 1000 };
    await store.restoreShards([{ shard: 0, mintedUntil: HALF + 2 * 3_600_000, ...record }]);
    expect((await leases(store))[0]?.isMarkTooFarAhead).toBe(true);
    await skipAhead(store, { leadMs: 3 * 3_600_000 });
    expect((await leases(store))[0]?.isMarkTooFarAhead).toBe(false);
  });

  it('cannot be used from the first check on', async () => {
    const store = memoryStore();
    const entries = store.entries.bind(store);
    const seen = new Set<string | undefined>();
    vi.spyOn(store, 'entries').mockImplementation(async function* (space) {
      seen.add((await storeState(store))?.incomplete);
      yield* entries(space);
    });
    await restoreStore(store);
    expect([...seen]).toEqual(['a restore']);
  });

  it('that is damaged is not changed', async () => {
    const store = memoryStore();
    await store.restore('strings', { keys: ['a'], ids: BigUint64Array.of(5n) }); // without its counter
    const before = await storeState(store);
    for (const restore of [restoreStore, skipAhead]) {
      await expect(restore(store)).rejects.toThrow(StoreCorruptError);
      expect(await storeState(store)).toEqual(before);
      expect(await store.counter('strings', 0)).toBe(0n);
    }
  });

  it('is not one that was moved away, and trying again does not help', async () => {
    const store = memoryStore();
    await moveStore(store, memoryStore(), { to: 'there' });
    await expect(restoreStore(store)).rejects.toMatchObject({
      code: 'ERR_STORE_CONFLICT',
      isTransient: false,
      reason: 'moved',
      message: 'the store was moved to there, and cannot be used again unless that store is lost',
    });
  });
});
