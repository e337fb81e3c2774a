import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  Interner,
  leaseShard,
  memoryStore,
  type OnEvent,
  type RegistryEvent,
  StoreUnavailableError,
  TypeRegistry,
} from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

// Vitest fails the run for what a timer throws and for rejections that nobody handles.
describe.each<[what: string, fail: () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('the metrics are broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('the metrics are away'))],
])('an onEvent that %s', (_, fail) => {
  let types: RegistryEvent['type'][];
  const onEvent: OnEvent = ({ type }) => {
    types.push(type);
    return fail();
  };

  beforeEach(() => {
    types = [];
  });

  it('does not disturb the giving of ids', async () => {
    const memory = memoryStore();
    let tries = 0;
    const store = overriding(memory, {
      assign: async (space, block, keys) => {
        tries++;
        if (tries === 1) throw new StoreUnavailableError('away');
        return tries === 2 ? undefined : memory.assign(space, block, keys);
      },
    });
    const ids = new Interner({ store, onEvent }).internMany(['a', 'b']);
    await vi.advanceTimersByTimeAsync(10);
    expect((await ids).length).toBe(2);
    expect(types).toEqual(['retry', 'full', 'commit']);
    expect(await new TypeRegistry({ store, onEvent }).idOf('User')).toBe(1);
    expect(types.at(-1)).toBe('commit');
  });

  it('does not disturb a lease, which is still renewed and released', async () => {
    const memory = memoryStore();
    let renewals = 0;
    const store = overriding(memory, {
      renewLease: async (request) => {
        if (++renewals === 2) throw new StoreUnavailableError('away');
        return memory.renewLease(request);
      },
    });
    const lease = await leaseShard({ store, shards: 1, ttlMs: 3000, onEvent });
    await vi.advanceTimersByTimeAsync(2500);
    expect(types).toEqual(['lease', 'lease', 'renewal-failed', 'lease']);
    expect(lease.validUntil()).toBeGreaterThan(Date.now());
    await lease.release();
    const next = await leaseShard({ store, shards: 1 }); // nobody renews the one that was released
    const made = renewals;
    await next.release();
    await vi.advanceTimersByTimeAsync(5000);
    expect(renewals).toBe(made);
  });

  it('does not disturb the end of a lease', async () => {
    const store = overriding(memoryStore(), { renewLease: async () => false });
    const lease = await leaseShard({ store, shards: 1, ttlMs: 3000, onEvent });
    await vi.advanceTimersByTimeAsync(1000);
    expect(types).toEqual(['lease', 'lost']);
    expect(await lease.lost).toMatchObject({ code: 'ERR_LEASE_LOST' });
  });
});
