import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  leaseShard,
  type RegistryEvent,
  releaseShard,
  type Store,
  StoreUnavailableError,
} from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';
import { everyStore } from './stores.js';

// Leases that are waited for, renewed or run out. The tests run concurrently because they do little but wait.

describe.concurrent.each(everyStore())('leases over $name', ({ open, leases: { ttlMs, lateMs } }) => {
  const lease = (store: Store, shards: number, ttlMs = 5000) => leaseShard({ store, shards, ttlMs });

  it('wait for a shard when all are taken, and can be given up', async ({ onTestFinished }) => {
    const { store } = await open(onTestFinished);
    const held = await lease(store, 1);
    await expect(leaseShard({ store, shards: 1, ttlMs: 300, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const waiting = lease(store, 1, 300);
    await setTimeout(150);
    await held.release();
    const next = await waiting;
    // On a busy machine a lease of 300 ms may have ended when it is given, and another one is asked for.
    expect(next.token).toBeGreaterThan(held.token);
    await next.release();
  });

  it('are renewed for as long as they are held', async ({ onTestFinished }) => {
    const { store } = await open(onTestFinished);
    const held = await lease(store, 1, 3000);
    const until = held.validUntil();
    await setTimeout(4000);
    expect(held.validUntil()).toBeGreaterThan(until);
    await held.release();
  });

  it('end by themselves where the store cannot be asked', async ({ onTestFinished }) => {
    const { store } = await open(onTestFinished);
    const unreachable = overriding(store, {
      // Timers count from when the event loop last looked at the clock: what is busy before makes them early.
      acquireLease: async (request: Parameters<Store['acquireLease']>[0]) => {
        const grant = await store.acquireLease(request);
        for (const end = performance.now() + 20; performance.now() < end; );
        return grant;
      },
      renewLease: async () => {
        throw new Error('connection lost');
      },
    });
    const held = await lease(unreachable, 1, 300);
    expect((await held.lost).message).toBe('the lease of shard 0 has ended: it could not be renewed in time');
    expect(held.validUntil()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('of holders that are gone go to others when they have run out, but not by anybody else', async ({
    onTestFinished,
  }) => {
    const { store } = await open(onTestFinished);
    const request = { owner: 'gone', ttlMs, mintUntil: Date.now() + ttlMs };
    const gone = await store.acquireLease({ ...request, shards: 1, mintFrom: Date.now() });
    const holder = { shard: 0, token: 1n };
    expect(gone).toMatchObject(holder);
    expect(await store.renewLease({ ...request, ...holder, owner: 'other' })).toBe(false);
    expect(await store.renewLease({ ...request, ...holder, token: 2n })).toBe(false);
    await store.releaseLease({ ...holder, owner: 'other', mintedUntil: 0 });
    expect(await store.acquireLease({ ...request, shards: 1, mintFrom: Date.now() })).toBeUndefined();
    expect(await store.renewLease({ ...request, ...holder })).toBe(true);
    await setTimeout(ttlMs + lateMs);
    expect(await store.renewLease({ ...request, ...holder })).toBe(false);
    const next = await lease(store, 1);
    expect(next.token).toBe(2n);
    await next.release();
  });

  it('are renewed although the store fails now and then, or does not answer once', async ({ onTestFinished }) => {
    const { store } = await open(onTestFinished);
    let asked = 0;
    const unsteady = overriding(store, {
      renewLease: async (request: Parameters<Store['renewLease']>[0]) => {
        asked++;
        if (asked % 3 === 1) throw new StoreUnavailableError('connection lost');
        if (asked % 3 === 2) return new Promise(() => {});
        return store.renewLease(request);
      },
    });
    const held = await leaseShard({ store: unsteady, shards: 1, ttlMs: 4000 });
    for (const end = performance.now() + 6000; performance.now() < end; ) {
      await setTimeout(10);
      expect(held.validUntil()).toBeGreaterThan(0);
    }
    await held.release();
  });

  it('can be given up while the store does not answer, and what it gives too late is given back', async ({
    onTestFinished,
  }) => {
    const { store } = await open(onTestFinished);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow = overriding(store, {
      acquireLease: async (request: Parameters<Store['acquireLease']>[0]) => {
        await answered;
        return store.acquireLease(request);
      },
    });
    const waiting = leaseShard({ store: slow, shards: 1, ttlMs: 30_000, signal: AbortSignal.timeout(30) });
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
    answer();
    const next = await leaseShard({ store, shards: 1, ttlMs, signal: AbortSignal.timeout(10_000) });
    await next.release();
    const aborted = AbortSignal.abort(new Error('not now'));
    await expect(leaseShard({ store, shards: 1, signal: aborted })).rejects.toThrow('not now');
  });

  it('of which an operator has ended one begin after all that its holder may still mint, and are waited for', async ({
    onTestFinished,
  }) => {
    const { store } = await open(onTestFinished);
    const held = await leaseShard({ store, shards: 1, ttlMs });
    const minted = held.validUntil();
    await releaseShard(store, 0);
    const next = await leaseShard({ store, shards: 1, ttlMs: 12_000 });
    expect(next.notBefore).toBeGreaterThanOrEqual(minted);
    expect(Date.now()).toBeGreaterThanOrEqual(next.notBefore);
    await next.release();
  });

  it('tell how close renewals come to the end', async ({ onTestFinished }) => {
    const { store } = await open(onTestFinished);
    const events: RegistryEvent[] = [];
    let failures = 1;
    const away = overriding(store, {
      renewLease: async (request: Parameters<Store['renewLease']>[0]) => {
        if (failures-- > 0) throw new StoreUnavailableError('connection lost');
        return store.renewLease(request);
      },
    });
    const held = await leaseShard({ store: away, shards: 1, ttlMs: 2000, onEvent: (event) => events.push(event) });
    for (const end = performance.now() + 4000; performance.now() < end && events.length < 3; ) await setTimeout(5);
    await held.release();
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(['lease', 'renewal-failed', 'lease']);
    expect(events[2]).toMatchObject({ shard: 0, marginMs: expect.any(Number) });
    await store.releaseLease({ shard: 0, token: 1n, owner: '', mintedUntil: 0 });
  });
});
