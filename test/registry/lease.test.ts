import { afterEach, expect, it, vi } from 'vitest';
import { defineLayout, SnowflakeGenerator } from '../../src/index.js';
import { leaseShard, memoryStore, releaseShard, type Store } from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';

afterEach(() => {
  vi.useRealTimers();
});

it('a lease after one that an operator has ended is waited for, although it begins half a minute later', async () => {
  vi.useFakeTimers();
  const store = memoryStore();
  await leaseShard({ store, shards: 1 });
  await releaseShard(store, 0);
  let isThere = false;
  const waiting = leaseShard({ store, shards: 1 }).finally(() => {
    isThere = true;
  });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(isThere).toBe(false);
  await vi.advanceTimersByTimeAsync(2000);
  const lease = await waiting;
  expect(lease.notBefore).toBeLessThanOrEqual(Date.now());
  await lease.release();
});

const SECONDS = defineLayout({ timestamp: { bits: 32, epoch: 0, unit: 's' }, shard: 10, sequence: 22 });

it.each([100, 500, 1000, 3000])('a lease of %i ms is enough for ids whose unit is a second', async (ttlMs) => {
  vi.useFakeTimers({ now: 1_700_000_000_250 });
  const store = memoryStore();
  const minted = new Set<bigint>();
  for (let holder = 0; holder < 3; holder++) {
    const waiting = leaseShard({ store, shards: 1, ttlMs });
    await vi.advanceTimersByTimeAsync(1000); // a unit of which the holder before has ids
    const lease = await waiting;
    const generator = new SnowflakeGenerator({ layout: SECONDS, shard: lease });
    for (let call = 0; call < 300; call++) {
      await vi.advanceTimersByTimeAsync(5);
      minted.add(generator.next());
    }
    await lease.release();
  }
  expect(minted.size).toBe(900);
});

it('the next holder of a short lease begins after all that the one before may have minted in units of a second', async () => {
  vi.useFakeTimers({ now: 1_700_000_000_250 });
  const store = memoryStore();
  let isAway = false;
  const losing: Store = overriding(store, {
    renewLease: (request) => (isAway ? new Promise(() => {}) : store.renewLease(request)),
  });
  const minted: bigint[] = [];
  const mint = (generator: SnowflakeGenerator | undefined) => {
    try {
      if (generator) minted.push(generator.next());
    } catch {} // its lease is lost
  };
  const generators: SnowflakeGenerator[] = [];
  for (const from of [losing, store]) {
    void leaseShard({ store: from, shards: 1, ttlMs: 500 }).then((shard) => {
      generators.push(new SnowflakeGenerator({ layout: SECONDS, shard }));
    });
  }
  for (let ms = 0; ms < 4000; ms += 10) {
    isAway = ms >= 1000;
    await vi.advanceTimersByTimeAsync(10);
    generators.forEach(mint);
  }
  expect(generators.length).toBe(2);
  expect(minted.length).toBeGreaterThan(200);
  expect(new Set(minted).size).toBe(minted.length);
});
