import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { defineLayout, LeaseLostError, layouts, SnowflakeGenerator } from '../../src/index.js';
import {
  type LeaseGrant,
  leaseShard,
  leases,
  releaseShard,
  resetMark,
  type Store,
  StoreUnavailableError,
} from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';
import { wrong } from '../support/wrong-argument.js';
import { everyStore } from './stores.js';

describe.each(everyStore())('leases over $name', ({ open }) => {
  const lease = (store: Store, shards: number, ttlMs = 5000) => leaseShard({ store, shards, ttlMs });

  it('are of different shards, and their tokens grow with every holder', async () => {
    const { store, again } = await open();
    const other = await again();
    const leases = await Promise.all([lease(store, 4), lease(other, 4), lease(store, 4), lease(other, 4)]);
    expect(leases.map(({ shard }) => shard).sort()).toEqual([0, 1, 2, 3]);
    expect(leases.map(({ token }) => token)).toEqual([1n, 1n, 1n, 1n]);
    const { shard } = leases[2];
    await leases[2]?.release();
    const next = await lease(other, 4);
    expect([next.shard, next.token]).toEqual([shard, 2n]);
    await Promise.all([...leases, next].map((held) => held.release()));
  });

  it('that are released or taken are lost, and say so', async () => {
    const { store } = await open();
    const held = await lease(store, 1);
    await held.release();
    expect(held.validUntil()).toBe(Number.NEGATIVE_INFINITY);
    expect(await held.lost).toBeInstanceOf(LeaseLostError);
    await held.release();
  });

  it('begin where the holder before may have minted up to, and other shards go first', async () => {
    const { store } = await open();
    const now = Date.now();
    const far = { owner: 'a', ttlMs: 200, mintUntil: now + 60_000 };
    const grant = await store.acquireLease({ ...far, shards: 2, mintFrom: now });
    await store.releaseLease({ ...far, ...(grant as LeaseGrant), mintedUntil: now + 60_000 });
    const [one, two] = [await lease(store, 2), await lease(store, 2)];
    expect([one.shard, two.shard].map((shard) => shard === grant?.shard)).toEqual([false, true]);
    expect(two.notBefore).toBe(now + 60_000);
    expect(one.notBefore).toBe(0);
    await Promise.all([one.release(), two.release()]);
  });

  it('hand on what ids may have been minted up to, also when renewed, and never less than before', async () => {
    const { store } = await open();
    const now = Date.now();
    const request = { owner: 'a', ttlMs: 5000, shards: 1, mintFrom: now };
    const one = { ...request, shard: 0, token: 1n };
    expect(await store.acquireLease({ ...request, mintUntil: now + 100 })).toMatchObject({ mintedUntil: 0 });
    expect(await store.renewLease({ ...one, mintUntil: now + 300 })).toBe(true);
    expect(await store.renewLease({ ...one, mintUntil: now + 200 })).toBe(true);
    expect((await store.shards())[0]?.mintedUntil).toBe(now + 300);
    await store.releaseLease({ ...one, mintedUntil: now + 250 });
    expect(await store.acquireLease({ ...request, mintUntil: now })).toMatchObject({ mintedUntil: now + 250 });
    await store.freeShard(0);
    const third = await store.acquireLease({ ...request, mintUntil: now });
    expect(third).toEqual({ shard: 0, token: 3n, mintedUntil: now + 250 });
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

  it('that are given back leave no wait to a quick restart, whatever was minted', async () => {
    const { store } = await open();
    const minted = new Set<bigint>();
    for (let restart = 0; restart < 20; restart++) {
      const held = await lease(store, 1, 30_000);
      expect(held.notBefore).toBeLessThanOrEqual(Date.now() + 2);
      const generator = new SnowflakeGenerator({ shard: held, onClockBackwards: 'wait', maxWaitMs: 10 });
      for (const id of restart % 3 === 0 ? [] : await generator.nextManyAsync(restart * 300)) minted.add(id);
      await held.release();
    }
    expect(minted.size).toBe(Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 0 : i * 300)).reduce((a, b) => a + b));
  });

  it.each(['ms', '10ms'] as const)('that are given back can be minted with at once, in units of %s', async (unit) => {
    const { store } = await open();
    const layout = defineLayout({ timestamp: { bits: 41, epoch: Date.UTC(2024, 0), unit }, shard: 10, sequence: 12 });
    const minted = new Set<bigint>();
    for (const onClockBackwards of ['throw', 'wait', 'borrow', 'throw', 'throw'] as const) {
      const held = await lease(store, 1, 30_000);
      minted.add(new SnowflakeGenerator({ layout, shard: held, onClockBackwards }).next());
      await held.release();
    }
    expect(minted.size).toBe(5);
  });

  it('serve two generators, in turns or one after the other, without repeating an id', async () => {
    const { store } = await open();
    const held = await lease(store, 1, 30_000);
    const policies = { shard: held, onClockBackwards: 'wait', onSequenceExhausted: 'wait' } as const;
    const generators = [new SnowflakeGenerator(policies), new SnowflakeGenerator(policies)];
    const all: bigint[] = [];
    for (let turn = 0; turn < 50; turn++) all.push(...generators[turn % 2].nextMany(100));
    all.push(...new SnowflakeGenerator(policies).nextMany(100));
    expect(new Set(all).size).toBe(5100);
    await held.release();
  });

  it('which come while they are given up are given back before the caller closes the store', async () => {
    const { store } = await open();
    const slow = overriding(store, {
      acquireLease: async (request: Parameters<Store['acquireLease']>[0]) => {
        const grant = await store.acquireLease(request);
        await setTimeout(50);
        return grant;
      },
    });
    const waiting = leaseShard({ store: slow, shards: 1, signal: AbortSignal.timeout(30) });
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await leases(store)).map(({ expires }) => expires.getTime())).toEqual([0]);
  });

  it('are given back as soon as a store that was away is there again', async () => {
    const { store } = await open();
    let failures = 3;
    const away = overriding(store, {
      releaseLease: async (holder: Parameters<Store['releaseLease']>[0]) => {
        if (failures-- > 0) throw new StoreUnavailableError('connection lost');
        return store.releaseLease(holder);
      },
    });
    const held = await lease(away, 1, 30_000);
    await Promise.all([held.release(), held.release()]);
    expect(failures).toBe(-1);
    const next = await lease(store, 1, 30_000);
    expect(next.token).toBe(2n);
    await next.release();
  });

  it('are refused to a machine whose clock is more than an hour ahead of the others', async () => {
    const { store } = await open();
    const held = await lease(store, 2);
    await held.release();
    const real = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => real + 3 * 3_600_000);
    const wrong = await leaseShard({ store, shards: 2 }).catch((error: Error) => error);
    vi.restoreAllMocks();
    if (wrong instanceof Error)
      expect(wrong.message).toMatch(/^"clock": expected at most an hour ahead of the store's/);
    else {
      await releaseShard(store, wrong.shard); // a store without a clock of its own cannot know
      await wrong.release();
    }
    // In either case the other machines go on at once, one mark or none being out of the way.
    const next = await leaseShard({ store, shards: 2, signal: AbortSignal.timeout(5000) });
    expect(next.notBefore).toBeLessThanOrEqual(Date.now());
    await next.release();
  });

  it('are listed, ended and reset for operators', async () => {
    const { store } = await open();
    const held = await leaseShard({ store, shards: 1, owner: 'web 3' });
    const [listed] = await leases(store);
    expect(listed).toMatchObject({ shard: 0, owner: 'web 3', token: 1n });
    expect(listed?.expires.getTime()).toBeGreaterThan(Date.now());
    expect(listed?.mintedUntil.getTime()).toBe(held.validUntil());
    expect(listed?.isMarkTooFarAhead).toBe(false);
    await expect(resetMark(store, 0)).rejects.toThrow('shard 0 is held: release it first');
    expect(await releaseShard(store, 0)).toEqual({ outcome: 'released' });
    expect(await releaseShard(store, 0)).toEqual({ outcome: 'free already' });
    await expect(resetMark(store, 0)).rejects.toThrow(/^ids may still be minted with shard 0 up to its mark/);
    const far = { expires: 0, strayUntil: 0, ttlMs: 30_000, mintedUntil: Date.now() + 7_200_000 };
    await store.restoreShards([{ shard: 1, owner: 'web 3', token: 1n, ...far }]);
    expect((await leases(store))[1]?.isMarkTooFarAhead).toBe(true);
    expect(await resetMark(store, 1)).toMatchObject({ outcome: 'reset', from: new Date(far.mintedUntil) });
    expect(await resetMark(store, 2)).toEqual({ outcome: 'never leased' });
    const [ended, reset] = await leases(store);
    expect(ended?.expires.getTime()).toBeLessThanOrEqual(Date.now());
    expect(reset?.mintedUntil.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
    for (const shard of [-1, 1.5, 2 ** 20]) {
      await expect(releaseShard(store, shard)).rejects.toThrow(wrong('shard'));
      await expect(resetMark(store, shard)).rejects.toThrow(wrong('shard'));
    }
    for (const call of [leases, (none: never) => releaseShard(none, 0), (none: never) => resetMark(none, 0)]) {
      await expect(call(5 as never)).rejects.toThrow(wrong('store'));
    }
    await held.release();
  });

  it('are refused for options of the wrong kind or value', async () => {
    const { store } = await open();
    for (const shards of [0, 1.5, 2 ** 20 + 1])
      await expect(leaseShard({ store, shards })).rejects.toThrow(wrong('shards'));
    for (const ttlMs of [0, 99, Number.NaN])
      await expect(leaseShard({ store, shards: 1, ttlMs })).rejects.toThrow(wrong('ttlMs'));
    await expect(leaseShard({ shards: 1 } as never)).rejects.toThrow(wrong('store'));
    await expect(leaseShard({ store, shards: 1, owner: 5 as never })).rejects.toThrow(wrong('owner'));
    await expect(leaseShard({ store, shards: 1, signal: 5 as never })).rejects.toThrow(wrong('signal'));
  });
});
