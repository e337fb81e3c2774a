import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../../src/errors.js';
import { leases } from '../../src/registry/leases.js';
import {
  type Block,
  type Entries,
  FLOOR_SETTING,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from '../../src/registry/store.js';
import { scaled } from '../support/scale.js';
import { everyStore } from './stores.js';

const STORES = everyStore();

const HOUR_MS = 3_600_000;

const block = (prefix: number, max = 1000n): Block => ({ prefix, base: BigInt(prefix) << 32n, max });

async function allEntries(store: Store, space: 'strings' | 'types'): Promise<Map<string, bigint>> {
  const all = new Map<string, bigint>();
  for await (const { keys, ids } of store.entries(space)) {
    expect(ids.length).toBe(keys.length);
    for (const [row, key] of keys.entries()) all.set(key, ids[row]);
  }
  return all;
}

describe.each(STORES)('settings of $name', ({ open }) => {
  it('are set when they have the expected value, and only then', async () => {
    const { store, again } = await open();
    expect(await store.setting('a')).toBeUndefined();
    expect(await store.replaceSetting('a', 'x', 'y')).toBe(false);
    expect(await store.setting('a')).toBeUndefined();
    expect(await store.replaceSetting('a', undefined, 'one')).toBe(true);
    expect(await store.replaceSetting('a', undefined, 'two')).toBe(false);
    expect(await store.replaceSetting('a', 'zero', 'two')).toBe(false);
    expect(await store.setting('a')).toBe('one');
    expect(await store.replaceSetting('a', 'one', '')).toBe(true);
    expect(await (await again()).setting('a')).toBe('');
    expect(await store.setting('b')).toBeUndefined();
  });

  it('are set by one of many that ask at once', async () => {
    const { store, again } = await open();
    const other = await again();
    const asked = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).replaceSetting('a', undefined, `${i}`));
    const set = (await Promise.all(asked)).flatMap((done, i) => (done ? [`${i}`] : []));
    expect(set.length).toBe(1);
    expect(await store.setting('a')).toBe(set[0]);
  });
});

describe.each(STORES)('keys of $name', ({ open }) => {
  it('that were unknown when they were looked up have ids when others assigned them since', async () => {
    const { store, again } = await open();
    const other = await again();
    const keys = Array.from({ length: 100 }, (_, i) => `key ${i}`);
    expect(await store.lookup('strings', keys)).toEqual(new BigUint64Array(100));
    const ids = await other.assign('strings', block(1), keys);
    expect(await store.assign('strings', block(2), keys)).toEqual(ids);
    expect(await store.lookup('strings', ['new'])).toEqual(new BigUint64Array(1));
    const [first, second] = await Promise.all(
      [store.assign('strings', block(2), ['new']), store.assign('strings', block(3), ['new'])].map((asked) =>
        asked.catch(() => store.lookup('strings', ['new'])),
      ),
    ); // others may conflict
    expect(first).toEqual(second);
    expect(await store.assign('strings', block(4), ['new'])).toEqual(first);
  });
});

describe.each(STORES)('entries of $name', ({ open }) => {
  it('are counted and listed, each once, the spaces apart', async () => {
    const { store } = await open();
    const keys = Array.from({ length: 300 }, (_, i) => `key ${i}\0é`);
    const first = (await store.assign('strings', block(2 ** 32 - 1), keys.slice(0, 150))) as BigUint64Array;
    const second = (await store.assign('strings', block(3), keys.slice(150))) as BigUint64Array;
    await store.assign('types', block(0), ['a type']);
    expect([await store.count('strings'), await store.count('types')]).toEqual([300, 1]);
    const expected = new Map(keys.map((key, i) => [key, i < 150 ? first[i] : second[i - 150]]));
    const all = await allEntries(store, 'strings');
    expect(all.size).toBe(300);
    expect(all).toEqual(expected);
    expect(await allEntries(store, 'types')).toEqual(new Map([['a type', 1n]]));
    expect(await store.counters('strings')).toEqual(
      new Map([
        [2 ** 32 - 1, 150n],
        [3, 150n],
      ]),
    );
  });

  it('of an empty store are none', async () => {
    const { store } = await open();
    expect(await store.count('strings')).toBe(0);
    expect((await allEntries(store, 'strings')).size).toBe(0);
    expect(await store.counters('types')).toEqual(new Map());
    expect(await store.shards()).toEqual([]);
  });

  it('can be put into another store with their counters, again and again', async () => {
    const { store, again } = await open();
    const entries: Entries = { keys: ['a', 'b\0', ''], ids: BigUint64Array.of(5n, (1n << 63n) + 7n, 6n) };
    for (let round = 0; round < 2; round++) {
      await store.restore('strings', entries);
      await store.restoreCounters('strings', new Map([[0, 6n]]));
    }
    await store.restoreCounters('strings', new Map([[0, 4n]])); // never lowers
    const other = await again();
    expect(await other.lookup('strings', ['', 'b\0', 'a', 'c'])).toEqual(
      BigUint64Array.of(6n, (1n << 63n) + 7n, 5n, 0n),
    );
    expect(await other.resolve('strings', entries.ids)).toEqual(entries.keys);
    const next = await store.assign('strings', { prefix: 0, base: 0n, max: 100n }, ['c', 'a']);
    expect(next).toEqual(BigUint64Array.of(7n, 5n));
    await expect(store.restore('strings', { keys: ['a'], ids: BigUint64Array.of(9n) })).rejects.toThrow(
      StoreConflictError,
    );
    await expect(store.restore('strings', { keys: ['d'], ids: BigUint64Array.of(5n) })).rejects.toThrow(
      StoreConflictError,
    );
    expect(await store.lookup('strings', ['a', 'd'])).toEqual(BigUint64Array.of(5n, 0n));
  });
});

describe.each(STORES)('skipped numbers of $name', ({ open }) => {
  it('are never given, whether a prefix has been used before or not', async () => {
    const { store, again } = await open();
    await store.assign('strings', block(1), ['a', 'b']);
    await store.replaceSetting(skippedSetting('strings'), undefined, '100');
    const other = await again();
    expect(await other.assign('strings', block(1), ['c', 'a'])).toEqual(
      BigUint64Array.of((1n << 32n) + 103n, (1n << 32n) + 1n),
    );
    expect(await store.assign('strings', block(2), ['d'])).toEqual(BigUint64Array.of((2n << 32n) + 101n));
    expect(await store.counter('strings', 2)).toBe(101n);
    expect(await store.assign('types', block(0), ['d'])).toEqual(BigUint64Array.of(1n));
    expect(await store.assign('strings', block(2, 101n), ['e'])).toBeUndefined();
    expect(await store.assign('strings', block(2, 10n), ['c', 'a'])).toEqual(
      BigUint64Array.of((1n << 32n) + 103n, (1n << 32n) + 1n),
    );
    expect(await store.assign('strings', block(2, 102n), ['e'])).toEqual(BigUint64Array.of((2n << 32n) + 102n));
    expect(await store.counters('strings')).toEqual(
      new Map([
        [1, 3n],
        [2, 2n],
      ]),
    );
  });
});

describe.each(STORES)('shards of $name', ({ open, leases: { ttlMs } }) => {
  const request = (owner = 'a') => ({ owner, ttlMs, mintUntil: Date.now() + ttlMs, mintFrom: Date.now() });

  it('are listed with who leased them last', async () => {
    const { store } = await open();
    const before = Date.now();
    const asked = request();
    await store.acquireLease({ ...asked, shards: 1 });
    const second = await store.acquireLease({ ...request('b'), shards: 2 });
    await store.releaseLease({ shard: 1, token: 1n, owner: 'b', mintedUntil: 1234 });
    expect(second).toEqual({ shard: 1, token: 1n, mintedUntil: 0 });
    const [first, last, ...others] = await store.shards();
    expect(first).toMatchObject({ shard: 0, owner: 'a', token: 1n, mintedUntil: asked.mintUntil });
    expect(first?.expires).toBeGreaterThan(before);
    expect(last).toMatchObject({ shard: 1, token: 1n, mintedUntil: 1234 });
    expect(last?.expires).toBeLessThanOrEqual(Date.now());
    expect(others).toEqual([]);
  });

  it('that are given back begin where was really minted, and only their holder can give them back', async () => {
    const { store } = await open();
    const asked = request();
    await store.acquireLease({ ...asked, shards: 1 });
    await store.releaseLease({ shard: 0, token: 1n, owner: 'b', mintedUntil: 5 });
    await store.releaseLease({ shard: 0, token: 2n, owner: 'a', mintedUntil: 5 });
    expect(await store.acquireLease({ ...request(), shards: 1 })).toBeUndefined();
    const mintedUntil = asked.mintFrom - 10;
    await store.releaseLease({ shard: 0, token: 1n, owner: 'a', mintedUntil });
    await store.releaseLease({ shard: 0, token: 1n, owner: 'a', mintedUntil });
    expect(await store.acquireLease({ ...request('b'), shards: 1 })).toEqual({ shard: 0, token: 2n, mintedUntil });
  });

  it('can be freed by an operator, and keep their mark', async () => {
    const { store } = await open();
    const asked = request();
    expect(await store.freeShard(0)).toBe(false);
    await store.acquireLease({ ...asked, shards: 1 });
    expect(await store.freeShard(0)).toBe(true);
    expect(await store.freeShard(0)).toBe(false);
    expect(await store.renewLease({ ...asked, shard: 0, token: 1n })).toBe(false);
    const next = await store.acquireLease({ ...request('b'), shards: 1 });
    expect(next).toEqual({ shard: 0, token: 2n, mintedUntil: asked.mintUntil });
  });

  it('whose mark is too far ahead are passed over, until an operator resets it', async () => {
    const { store } = await open();
    const far = Date.now() + 10 * HOUR_MS;
    const free = { owner: 'a', token: 7n, expires: 0, strayUntil: 0, ttlMs };
    await store.restoreShards([{ shard: 0, ...free, mintedUntil: far }]);
    expect(await store.acquireLease({ ...request(), shards: 2 })).toMatchObject({ shard: 1 });
    await store.restoreShards([{ shard: 1, ...free, mintedUntil: far }]);
    const refused = store.acquireLease({ ...request(), shards: 2 });
    await expect(refused).rejects.toThrow(StoreCorruptError);
    await expect(refused).rejects.toThrow(/shardbits leases --store STORE --reset-mark SHARD/);
    expect(await store.resetMark(5)).toBe('absent');
    const before = Date.now();
    expect(await store.resetMark(0)).toBe('reset');
    const [record] = await store.shards();
    expect(record?.mintedUntil).toBeGreaterThanOrEqual(before - 1000);
    expect(record?.mintedUntil).toBeLessThanOrEqual(Date.now() + 1000);
    expect(await store.acquireLease({ ...request(), shards: 1 })).toMatchObject({ shard: 0, token: 8n });
    expect(await store.resetMark(0)).toBe('held');
  });

  it('keep a mark up to which a holder may still mint, though an operator has ended its lease', async () => {
    const { store } = await open();
    const asked = request();
    await store.acquireLease({ ...asked, shards: 1 });
    await store.freeShard(0);
    expect(await store.resetMark(0)).toBe('near');
    const free = { shard: 0, owner: 'a', token: 1n, expires: 0, ttlMs };
    const hour = Date.now() + HOUR_MS;
    await store.restoreShards([{ ...free, strayUntil: 0, mintedUntil: hour }]);
    expect(await store.resetMark(0)).toBe('near');
    expect((await store.shards())[0]).toMatchObject({ mintedUntil: hour });
    // The mark of a wrong clock, whose holder may still be there.
    const far = Date.now() + 10 * HOUR_MS;
    await store.restoreShards([{ ...free, shard: 1, strayUntil: Date.now() + 60_000, mintedUntil: far }]);
    expect(await store.resetMark(1)).toBe('alive');
    await store.restoreShards([{ ...free, shard: 2, strayUntil: Date.now() - 60_000, mintedUntil: far }]);
    expect(await store.resetMark(2)).toBe('reset');
  });

  it('keep a mark that is near for the ttlMs of its own lease', async () => {
    const { store } = await open();
    const long = { ...request(), ttlMs: 3 * HOUR_MS, mintUntil: Date.now() + 3 * HOUR_MS };
    await store.acquireLease({ ...long, shards: 1 });
    await store.freeShard(0);
    expect(await store.resetMark(0)).toBe('near');
    // Others can lease the shard, and begin at the mark. The holder of before may still mint up to it.
    const next = await store.acquireLease({ ...request('b'), shards: 1 });
    expect(next).toMatchObject({ token: 2n, mintedUntil: long.mintUntil });
    expect(await store.renewLease({ ...request('b'), shard: 0, token: 2n })).toBe(true);
    await store.releaseLease({ shard: 0, token: 2n, owner: 'b', mintedUntil: long.mintUntil });
    expect(await store.resetMark(0)).toBe('near');
    expect((await leases(store))[0]?.isMarkTooFarAhead).toBe(false);
    await store.acquireLease({ ...request('c'), shards: 1 });
    await store.freeShard(0);
    expect(await store.resetMark(0)).toBe('near');
    expect((await store.shards())[0]?.strayUntil).toBeGreaterThan(Date.now() + 2 * HOUR_MS);
  });

  it('may be held by somebody until its ttlMs has passed, though the clock was set back', async () => {
    const { store } = await open();
    const ahead = Date.now() + 5 * HOUR_MS;
    const held = { owner: 'a', token: 1n, expires: ahead, strayUntil: 0, ttlMs, mintedUntil: ahead };
    await store.restoreShards([{ shard: 0, ...held }]);
    expect(await store.freeShard(0)).toBe(true);
    const [record] = await store.shards();
    expect(record).toMatchObject({ expires: 0, mintedUntil: ahead });
    expect(record?.strayUntil).toBeGreaterThan(Date.now());
    expect(record?.strayUntil).toBeLessThanOrEqual(Date.now() + ttlMs + 1000);
  });

  it('begin after an instant that is set for all', async () => {
    const { store } = await open();
    const floor = Date.now() + 5 * HOUR_MS;
    await store.replaceSetting(FLOOR_SETTING, undefined, String(floor));
    for (const shard of [0, 1])
      expect(await store.acquireLease({ ...request(), shards: 2 })).toEqual({ shard, token: 1n, mintedUntil: floor });
    for (const shard of [0, 1]) await store.releaseLease({ shard, token: 1n, owner: 'a', mintedUntil: floor });
    expect(await store.acquireLease({ ...request(), shards: 2 })).toMatchObject({ token: 2n, mintedUntil: floor });
  });

  it('are merged with what a copy brings: the later lease, and the later mark', async () => {
    const { store } = await open();
    const free = { expires: 0, strayUntil: 0, ttlMs };
    const late = { owner: 'late', token: 3n, ...free, mintedUntil: 1000 };
    const early = { owner: 'early', token: 2n, ...free, ttlMs: 1, mintedUntil: 2000 };
    await store.restoreShards([
      { shard: 0, ...late },
      { shard: 1, ...early },
    ]);
    await store.restoreShards([
      { shard: 0, ...early },
      { shard: 1, ...late },
    ]);
    const merged = { ...late, ttlMs, mintedUntil: 2000 };
    for (const record of await store.shards()) expect(record).toMatchObject(merged);
    await store.restoreShards([
      { shard: 2, ...early },
      { shard: 2, ...late },
    ]);
    expect((await store.shards())[2]).toMatchObject({ ...late, mintedUntil: 2000 });
  });

  it('are not marked too far ahead', async () => {
    const { store } = await open();
    const far = Date.now() + ttlMs + 2 * HOUR_MS;
    const asked = request();
    const wrongClock = { ...asked, mintFrom: asked.mintFrom, mintUntil: far, shards: 1 };
    await expect(store.acquireLease(wrongClock)).rejects.toThrow(/^"clock": expected at most an hour ahead/);
    await store.acquireLease({ ...asked, shards: 1 });
    await expect(store.renewLease({ ...asked, shard: 0, token: 1n, mintUntil: far })).rejects.toThrow(RangeError);
    expect((await store.shards())[0]?.mintedUntil).toBe(asked.mintUntil);
  });

  it('get larger tokens than any that may have been given', async () => {
    const { store } = await open();
    await store.restoreShards([{ shard: 0, owner: 'a', token: 50n, expires: 0, strayUntil: 0, ttlMs, mintedUntil: 0 }]);
    await store.replaceSetting(TOKENS_SETTING, undefined, '20');
    expect(await store.acquireLease({ ...request(), shards: 1 })).toMatchObject({ shard: 0, token: 51n });
    expect(await store.acquireLease({ ...request(), shards: 2 })).toMatchObject({ shard: 1, token: 21n });
  });
});

describe.each(STORES)('a closed store of $name', ({ open }) => {
  it('says so to a call that is under way', async () => {
    const keys = Array.from({ length: scaled(30_000) }, (_, i) => `key ${i}`);
    for (const ms of [0, 4, 8, 16]) {
      const { store } = await open();
      const calls = [
        store.lookup('strings', keys),
        store.assign('strings', block(1, 1n << 31n), keys.slice(0, scaled(5000))),
      ];
      const ended = Promise.allSettled(calls);
      await setTimeout(ms);
      await store.close();
      for (const outcome of await ended) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' });
      }
    }
  });

  it('says so', async () => {
    const { store } = await open();
    await store.assign('strings', block(1), ['a']);
    await store.close();
    const calls: (() => Promise<unknown>)[] = [
      () => store.lookup('strings', ['a']),
      () => store.resolve('strings', BigUint64Array.of(1n)),
      () => store.assign('strings', block(1), ['b']),
      () => store.counter('strings', 1),
      () => store.setting('a'),
      () => store.replaceSetting('a', undefined, 'b'),
      () => store.shards(),
      () => store.count('strings'),
      () => allEntries(store, 'strings'),
    ];
    for (const call of calls) {
      const error = await call().catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({
        message: 'the store is closed',
        isTransient: false,
        code: 'ERR_STORE_UNAVAILABLE',
      });
    }
    await store.close();
    await store[Symbol.asyncDispose]();
  });
});
