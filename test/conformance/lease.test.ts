import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LeaseLostError, layouts, SnowflakeGenerator } from '../../src/index.js';
import { leaseShard, type Store } from '../../src/registry/index.js';
import { overriding, STORES } from './stores.js';

describe.each(STORES)('leases over $name', ({ open, leases: { ttlMs, lateMs } }) => {
  const lease = (store: Store, shards: number, ttlMs = 5000) => leaseShard({ store, shards, ttlMs });

  it('are of different shards, and their tokens grow with every holder', async () => {
    const { store, again } = await open();
    const other = await again();
    const leases = await Promise.all([lease(store, 4), lease(other, 4), lease(store, 4), lease(other, 4)]);
    expect(leases.map(({ shard }) => shard).sort()).toEqual([0, 1, 2, 3]);
    expect(leases.map(({ token }) => token)).toEqual([1n, 1n, 1n, 1n]);
    const { shard } = leases[2] as (typeof leases)[0];
    await leases[2]?.release();
    const next = await lease(other, 4);
    expect([next.shard, next.token]).toEqual([shard, 2n]);
    await Promise.all([...leases, next].map((held) => held.release()));
  });

  it('wait for a shard when all are taken, and can be given up', async () => {
    const { store } = await open();
    const held = await lease(store, 1, 300);
    await expect(leaseShard({ store, shards: 1, ttlMs: 300, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const waiting = lease(store, 1, 300);
    await setTimeout(150);
    await held.release();
    const next = await waiting;
    expect(next.token).toBe(2n);
    await next.release();
  });

  it('are prolonged for as long as they are held', async () => {
    const { store } = await open();
    const held = await lease(store, 1, 300);
    const until = held.validUntil();
    await setTimeout(800);
    expect(held.validUntil()).toBeGreaterThan(until);
    await held.release();
  });

  it('that are released or taken are lost, and say so', async () => {
    const { store } = await open();
    const held = await lease(store, 1);
    await held.release();
    expect(held.validUntil()).toBe(Number.NEGATIVE_INFINITY);
    expect(await held.lost).toBeInstanceOf(LeaseLostError);
    await held.release();
  });

  it('end by themselves where the store cannot be asked', async () => {
    const { store } = await open();
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
    expect((await held.lost).message).toBe('the lease of shard 0 has ended: it could not be prolonged in time');
    expect(held.validUntil()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('of holders that are gone go to others when they have run out, but not by anybody else', async () => {
    const { store } = await open();
    const request = { owner: 'gone', ttlMs, mintUntil: Date.now() + ttlMs };
    const gone = await store.acquireLease({ ...request, shards: 1, mintFrom: Date.now() });
    const holder = { shard: 0, token: 1n };
    expect(gone).toMatchObject(holder);
    expect(await store.renewLease({ ...request, ...holder, owner: 'other' })).toBe(false);
    expect(await store.renewLease({ ...request, ...holder, token: 2n })).toBe(false);
    await store.releaseLease({ ...holder, owner: 'other' });
    expect(await store.acquireLease({ ...request, shards: 1, mintFrom: Date.now() })).toBeUndefined();
    expect(await store.renewLease({ ...request, ...holder })).toBe(true);
    await setTimeout(ttlMs + lateMs);
    expect(await store.renewLease({ ...request, ...holder })).toBe(false);
    const next = await lease(store, 1);
    expect(next.token).toBe(2n);
    await next.release();
  });

  it('begin where the holder before may have minted up to, and other shards go first', async () => {
    const { store } = await open();
    const now = Date.now();
    const far = { owner: 'a', ttlMs: 200, mintUntil: now + 60_000 };
    const grant = await store.acquireLease({ ...far, shards: 2, mintFrom: now });
    await store.releaseLease({ ...far, ...(grant as { shard: number; token: bigint }) });
    const [one, two] = [await lease(store, 2), await lease(store, 2)];
    expect([one.shard, two.shard].map((shard) => shard === grant?.shard)).toEqual([false, true]);
    expect(two.notBefore).toBe(now + 60_000);
    expect(one.notBefore).toBe(0);
    await Promise.all([one.release(), two.release()]);
  });

  it('hand on what ids may have been minted up to, also when prolonged, and never less than before', async () => {
    const { store } = await open();
    const now = Date.now();
    const request = { owner: 'a', ttlMs: 5000, shards: 1, mintFrom: now };
    const one = { ...request, shard: 0, token: 1n };
    expect(await store.acquireLease({ ...request, mintUntil: now + 100 })).toMatchObject({ mintedUntil: 0 });
    expect(await store.renewLease({ ...one, mintUntil: now + 300 })).toBe(true);
    expect(await store.renewLease({ ...one, mintUntil: now + 200 })).toBe(true);
    await store.releaseLease(one);
    expect(await store.acquireLease({ ...request, mintUntil: now })).toMatchObject({ mintedUntil: now + 300 });
    await store.releaseLease({ ...one, token: 2n });
    const third = await store.acquireLease({ ...request, mintUntil: now });
    expect(third).toEqual({ shard: 0, token: 3n, mintedUntil: now + 300 });
  });

  it('keep two holders of a shard from minting an id twice, whatever their clocks show', async () => {
    const { store } = await open();
    const all: bigint[] = [];
    for (let round = 0; round < 5; round++) {
      const held = await lease(store, 1, 1000);
      const generator = new SnowflakeGenerator({
        shard: held,
        onSequenceExhausted: 'borrow',
        onClockBackwards: 'wait',
      });
      all.push(...(await generator.nextManyAsync(5000)));
      await held.release();
      expect(() => generator.next()).toThrow(LeaseLostError);
    }
    expect(new Set(all).size).toBe(25_000);
    expect(new Set(all.map((id) => layouts.snowflake.shardOf(id)))).toEqual(new Set([0]));
  });

  it('are refused for options of the wrong kind or value', async () => {
    const { store } = await open();
    for (const shards of [0, 1.5, 2 ** 20 + 1])
      await expect(leaseShard({ store, shards })).rejects.toThrow(/^"shards": /);
    for (const ttlMs of [0, 99, Number.NaN])
      await expect(leaseShard({ store, shards: 1, ttlMs })).rejects.toThrow(/^"ttlMs": /);
    await expect(leaseShard({ shards: 1 } as never)).rejects.toThrow(/^"store": /);
    await expect(leaseShard({ store, shards: 1, owner: 5 as never })).rejects.toThrow(/^"owner": /);
    await expect(leaseShard({ store, shards: 1, signal: 5 as never })).rejects.toThrow(/^"signal": /);
  });
});
