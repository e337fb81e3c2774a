import { afterEach, expect, it, vi } from 'vitest';
import { leaseShard, memoryStore, releaseShard } from '../../src/registry/index.js';

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
