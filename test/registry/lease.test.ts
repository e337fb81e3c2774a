import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineLayout, SnowflakeGenerator } from '../../src/index.js';
import { pause } from '../../src/registry/calls.js';
import {
  journal,
  leaseShard,
  leases,
  memoryStore,
  type RegistryEvent,
  releaseShard,
  type Store,
  StoreConflictError,
  StoreUnavailableError,
} from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';

afterEach(() => {
  vi.restoreAllMocks();
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

/** Lets fake timers run until a promise resolves. */
async function advancedUntil<T>(promise: Promise<T>): Promise<T> {
  let isDone = false;
  void promise.finally(() => {
    isDone = true;
  });
  while (!isDone) await vi.advanceTimersByTimeAsync(20);
  return promise;
}

/** A store that takes 20 ms for each lease, one after the other. */
function slowStore(): Store {
  const store = memoryStore();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(() => pause(20)).then(work);
    last = done.catch(() => {});
    return done;
  };
  return overriding(store, { acquireLease: (request) => inTurn(() => store.acquireLease(request)) });
}

it('100 leases that are asked for at once are alive when they come, however slow the store is', async () => {
  vi.useFakeTimers();
  const store = slowStore();
  const left: number[] = [];
  const waiting = Promise.all(
    Array.from({ length: 100 }, async () => {
      const lease = await leaseShard({ store, shards: 1024, ttlMs: 1000 });
      left.push(lease.validUntil() - Date.now());
      return lease;
    }),
  );
  const all = await advancedUntil(waiting);
  expect(Math.min(...left)).toBeGreaterThan(500);
  expect(all.filter(({ lossReason }) => lossReason !== undefined)).toEqual([]); // the first ones were renewed meanwhile
  for (const lease of all) await lease.release();
});

it('a lease that has ended before it comes is not given, but asked for again', async () => {
  vi.useFakeTimers();
  const store = memoryStore();
  const delays = [950, 0];
  const late = overriding(store, {
    acquireLease: async (request) => {
      const grant = await store.acquireLease(request);
      await pause(delays.shift() ?? 0);
      return grant;
    },
  });
  const events: RegistryEvent[] = [];
  const waiting = leaseShard({ store: late, shards: 8, ttlMs: 1000, onEvent: (event) => events.push(event) });
  const lease = await advancedUntil(waiting);
  expect(lease.validUntil()).toBeGreaterThan(Date.now());
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['lost', 'lease']));
  await lease.release();
});

it('leases that wait for others fail with them when the store is unavailable, and not one after the other', async () => {
  vi.useFakeTimers();
  const silent = overriding(memoryStore(), {
    async acquireLease() {
      await pause(30_000);
      throw new StoreUnavailableError('no answer');
    },
  });
  const waiting = Promise.allSettled(
    Array.from({ length: 100 }, () => leaseShard({ store: silent, shards: 1024, ttlMs: 1000 })),
  );
  const began = Date.now();
  const ended = await advancedUntil(waiting);
  expect(Date.now() - began).toBeLessThan(35_000);
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
});

it('leases that wait for others for long do not fail with one of them that the store answers again at once', async () => {
  vi.useFakeTimers();
  const store = memoryStore();
  let calls = 0;
  const slow = overriding(store, {
    async acquireLease(request) {
      if (++calls === 111) throw new StoreUnavailableError('cut'); // when the last ones have waited for eleven seconds
      await pause(1000);
      return store.acquireLease(request);
    },
  });
  const waiting = Promise.all(Array.from({ length: 130 }, () => leaseShard({ store: slow, shards: 1024 })));
  const all = await advancedUntil(waiting);
  for (const lease of all) await lease.release();
});

it('a lease that has ended before it comes is given back', async () => {
  vi.useFakeTimers();
  const store = memoryStore();
  const delays = [54_001, 0];
  const late = overriding(store, {
    acquireLease: async (request) => {
      const grant = await store.acquireLease(request);
      await pause(delays.shift() ?? 0);
      return grant;
    },
  });
  const began = Date.now();
  const lease = await advancedUntil(leaseShard({ store: late, shards: 1, ttlMs: 60_000 }));
  expect(lease).toMatchObject({ token: 2n, notBefore: 0 });
  expect(Date.now() - began).toBeLessThan(56_000);
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

const restored = new StoreConflictError('the store has been restored', { isTransient: false });

describe('why a lease was lost', () => {
  it.each<[how: string, renewLease: Store['renewLease'], cause: unknown]>([
    ['an operator has ended it', async () => false, undefined],
    ['the store was away', () => Promise.reject(new StoreUnavailableError('away')), { message: 'away' }],
    ['the store does not answer', () => new Promise(() => {}), undefined],
  ])('is the cause of what its generator throws: %s', async (_, renewLease, cause) => {
    vi.useFakeTimers();
    const lease = await leaseShard({ store: overriding(memoryStore(), { renewLease }), shards: 1, ttlMs: 3000 });
    const generator = new SnowflakeGenerator({ shard: lease });
    generator.next();
    expect(lease.lossReason).toBe(undefined);
    await vi.advanceTimersByTimeAsync(3000);
    expect(lease.lossReason).toBe(await lease.lost);
    expect(lease.lossReason).toMatchObject({ code: 'ERR_LEASE_LOST', ...(cause ? { cause } : {}) });
    await expect(generator.nextAsync()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST', cause: lease.lossReason });
  });

  it('is known when a process wakes up before its timers have run', async () => {
    vi.useFakeTimers();
    const lease = await leaseShard({ store: memoryStore(), shards: 1, ttlMs: 3000 });
    const generator = new SnowflakeGenerator({ shard: lease });
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await expect(generator.nextAsync()).rejects.toMatchObject({
      cause: { message: 'the lease of shard 0 has ended: it could not be renewed in time' },
    });
  });

  it('is its release, after that', async () => {
    const lease = await leaseShard({ store: memoryStore(), shards: 1 });
    await lease.release();
    expect(lease.lossReason).toMatchObject({ message: 'the lease of shard 0 has ended: it was released' });
  });

  it('may be a conflict that does not pass: then it is lost at once, and not renewed again', async () => {
    vi.useFakeTimers();
    const renewLease = vi.fn(() => Promise.reject(restored));
    const events: RegistryEvent[] = [];
    const onEvent = (event: RegistryEvent) => void events.push(event);
    const store = overriding(memoryStore(), { renewLease });
    const lease = await leaseShard({ store, shards: 1, ttlMs: 3000, onEvent });
    const generator = new SnowflakeGenerator({ shard: lease });
    await vi.advanceTimersByTimeAsync(1000);
    const error = await lease.lost;
    expect(error).toMatchObject({
      code: 'ERR_LEASE_LOST',
      message: 'the lease of shard 0 has ended: the store has been restored',
      cause: restored,
    });
    expect(() => generator.next()).toThrow('the lease of shard 0 has ended');
    expect(events.slice(1)).toEqual([{ type: 'lost', shard: 0, error }]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(renewLease).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not a conflict that passes: then it is renewed again', async () => {
    vi.useFakeTimers();
    const memory = memoryStore();
    let tries = 0;
    const store = overriding(memory, {
      renewLease: async (request) => {
        if (++tries === 1) throw new StoreConflictError('others were faster');
        return memory.renewLease(request);
      },
    });
    const lease = await leaseShard({ store, shards: 1, ttlMs: 3000 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([tries > 5, lease.lossReason]).toEqual([true, undefined]);
    await lease.release();
  });
});

it('a conflict that does not pass is thrown at once by leaseShard', async () => {
  const acquireLease = vi.fn(() => Promise.reject(restored));
  await expect(leaseShard({ store: overriding(memoryStore(), { acquireLease }), shards: 1 })).rejects.toBe(restored);
  expect(acquireLease).toHaveBeenCalledTimes(1);
});

describe('a release', () => {
  it('that fails is reported, and can be made again', async () => {
    const memory = memoryStore();
    let isAway = true;
    const store = overriding(memory, {
      releaseLease: async (holder) => {
        if (isAway) throw new StoreUnavailableError('away', { isTransient: false });
        return memory.releaseLease(holder);
      },
    });
    const lease = await leaseShard({ store, shards: 1 });
    await expect(lease.release()).rejects.toThrow('away');
    expect((await leases(memory))[0]?.expires.getTime()).toBeGreaterThan(Date.now());
    isAway = false;
    await lease.release();
    expect((await leases(memory))[0]?.expires).toEqual(new Date(0));
  });

  it('of a lease that is lost asks the store for nothing', async () => {
    vi.useFakeTimers();
    const releaseLease = vi.fn(async () => {});
    const store = overriding(memoryStore(), { releaseLease, renewLease: async () => false });
    const lease = await leaseShard({ store, shards: 1, ttlMs: 3000 });
    await vi.advanceTimersByTimeAsync(3000);
    await lease.release();
    expect(releaseLease).not.toHaveBeenCalled();
  });
});

it('what an operator has released is in the journal, although the answer was lost', async () => {
  const store = memoryStore();
  const lease = await leaseShard({ store, shards: 1 });
  let calls = 0;
  const losing = overriding(store, {
    async freeShard(shard) {
      const wasHeld = await store.freeShard(shard);
      if (++calls === 1) throw new StoreUnavailableError('cut');
      return wasHeld;
    },
  });
  expect(await releaseShard(losing, 0)).toEqual({ outcome: 'released' });
  expect(await journal(store)).toMatchObject([{ action: 'release' }]);
  await lease.release();
});

it('what nobody holds is not released, and not in the journal', async () => {
  const store = memoryStore();
  await (await leaseShard({ store, shards: 1 })).release();
  expect(await releaseShard(store, 0)).toEqual({ outcome: 'free already' });
  expect(await journal(store)).toEqual([]);
});
