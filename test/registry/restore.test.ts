import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  checkStore,
  Interner,
  journal,
  leaseShard,
  leases,
  memoryStore,
  moveBack,
  moveStore,
  resetMark,
  restoreStore,
  type Store,
  StoreCorruptError,
  skipAhead,
  storeState,
  TypeRegistry,
} from '../../src/registry/index.js';
import { FLOOR_SETTING, TOKENS_SETTING } from '../../src/registry/store.js';
import { overriding } from '../support/overriding.js';

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
    const next = await leaseShard({ store, shards: 1, ttlMs: 1000 });
    expect(next.token).toBe(2n ** 41n + 3n);
    await next.release();
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

describe('a clock that is wrong', () => {
  const steps = {
    restoreStore,
    skipAhead,
    resetMark: (store: Store) => resetMark(store, 0),
  };

  it.each([
    ['of a machine without a battery', 0],
    ['a millisecond before 2025', EPOCH - 1],
    ['after the last year', EPOCH + 2 ** 42],
  ])('is refused before anything is changed: %s', async (_, now) => {
    for (const step of Object.values(steps)) {
      const store = await storeWithMark();
      const before = [await storeState(store), await store.shards()];
      vi.setSystemTime(now);
      await expect(step(store)).rejects.toMatchObject({
        argument: 'clock',
        expected: "the store's clock to be a time from 2025 to 2164",
        got: new Date(now).toISOString(),
      });
      expect([await storeState(store), await store.shards()]).toEqual(before);
      expect([await store.counter('strings', 0), await journal(store)]).toEqual([0n, []]);
      vi.setSystemTime(HALF);
    }
  });

  it.each([-1, 1])('is refused if a server and this machine differ by more than an hour: %i', async (sign) => {
    for (const step of Object.values(steps)) {
      const store = await storeWithMark();
      const away = overriding(store, { now: async () => Date.now() + sign * 3_600_001 });
      await expect(step(away)).rejects.toMatchObject({
        argument: 'clock',
        got: new Date(HALF + sign * 3_600_001).toJSON(),
      });
      expect(await journal(store)).toEqual([]);
    }
    const near = overriding(memoryStore(), { now: async () => Date.now() + sign * 3_600_000 });
    expect(await restoreStore(near)).toMatchObject({ outcome: 'restored' });
  });

  it('may be at its first and at its last millisecond', async () => {
    for (const now of [EPOCH, EPOCH + 2 ** 42 - 1]) {
      vi.setSystemTime(now);
      expect(await skipAhead(memoryStore(), { leadMs: 0 })).toMatchObject({ resumes: new Date(now) });
    }
  });
});

/** A store with a mark that only a wrong clock can have set. */
async function storeWithMark(): Promise<Store> {
  const store = memoryStore();
  const record = { owner: 'a', token: 1n, expires: 0, strayUntil: 0, ttlMs: 1000 };
  await store.restoreShards([{ shard: 0, mintedUntil: HALF + 5 * 3_600_000, ...record }]);
  return store;
}

describe('a skip that would leave no numbers', () => {
  it('is refused at the restore that cannot be, and not before; a store goes on after each', async () => {
    const store = memoryStore();
    let restores = 0;
    let refusal: unknown;
    while (refusal === undefined && restores < 200) {
      vi.setSystemTime(HALF + 0.9 * 2 ** 36 + restores * 60_000); // when a restore adds nearly a 64th
      refusal = await restoreStore(store, { types: 0, leadMs: 0 }).then(
        ({ room }) => {
          expect(room.strings).toBeGreaterThan(0n);
          restores++;
        },
        (error) => error,
      );
      await new Interner({ store }).intern(`after restore ${restores}`);
    }
    expect(restores).toBeGreaterThan(30); // from the half of all numbers on
    expect(refusal).toMatchObject({ code: 'ERR_STORE_CONFLICT', reason: 'exhausted', isTransient: false });
    const before = await storeState(store);
    const { room } = await checkStore(store);
    await expect(restoreStore(store, { types: 0 })).rejects.toMatchObject({ reason: 'exhausted' });
    expect([await storeState(store), (await checkStore(store)).room]).toEqual([before, room]);
    expect(await restoreStore(store, { types: 0, strings: 1_000_000 })).toMatchObject({ outcome: 'restored' });
  });

  it.each([
    ['strings', Number.MAX_SAFE_INTEGER, 2n ** 50n - 1n - 1n],
    ['types', 65_535, 65_534n],
  ] as const)('is refused with the largest count that can be: %s', async (name, count, most) => {
    for (const step of [restoreStore, skipAhead]) {
      const store = memoryStore();
      const before = await storeState(store);
      await expect(step(store, { [name]: count })).rejects.toMatchObject({
        argument: name,
        expected: `an integer from 0 to ${most}, so that a number is left`,
        got: count,
      });
      expect([await storeState(store), await journal(store), await store.setting(FLOOR_SETTING)]).toEqual([
        before,
        [],
        undefined,
      ]);
      const { room } = await step(store, { [name]: Number(most) });
      expect(room[name]).toBe(name === 'types' ? 1 : 2n ** 14n);
      if (name === 'types') expect(await new TypeRegistry({ store }).idOf('the last')).toBe(65_535);
      else await new Interner({ store }).intern('one of the last');
    }
  });

  it('is refused for types by default, too, but a store without numbers of types can be restored', async () => {
    const store = memoryStore();
    await skipAhead(store, { types: 65_500 });
    await expect(restoreStore(store)).rejects.toMatchObject({ reason: 'exhausted' });
    await skipAhead(store, { types: 34 });
    await new TypeRegistry({ store }).idOf('the last');
    await expect(restoreStore(store, { types: 1 })).rejects.toMatchObject({ argument: 'types' });
    expect(await restoreStore(store, { types: 0 })).toMatchObject({ outcome: 'restored', room: { types: 0 } });
  });

  it('is refused for tokens, which a database keeps in 63 bits', async () => {
    const store = memoryStore();
    await store.replaceSetting(TOKENS_SETTING, undefined, String(2n ** 63n - 10n));
    await expect(restoreStore(store, { tokens: 9 })).rejects.toMatchObject({ argument: 'tokens' });
    expect(await restoreStore(store, { tokens: 8 })).toMatchObject({ room: { tokens: 1n } });
  });
});

describe('a store whose second one is lost', () => {
  async function moved() {
    const [first, second] = [memoryStore(), memoryStore()];
    const before = await new Interner({ store: first }).internMany(['a', 'b']);
    await moveStore(first, second, { to: 'the new disk' });
    const since = await new Interner({ store: second }).internMany(['c', 'd']);
    return { first, second, before, since };
  }

  it('is taken back only on demand, at the price of a restore, which the journal tells', async () => {
    const { first, second, before, since } = await moved();
    const next = (await storeState(second))?.generation;
    await expect(restoreStore(first)).rejects.toMatchObject({ reason: 'moved' });
    const done = await restoreStore(first, { isTargetLost: true, by: 'helene' });
    expect(done).toMatchObject({ outcome: 'taken back', strings: 2, resumes: new Date(HALF + 3_600_000) });
    expect(done.movedTo).toBeUndefined();
    expect(await storeState(first)).toEqual({
      identity: (await storeState(second))?.identity,
      generation: done.generation,
      lost: [next],
    });
    const interner = new Interner({ store: first });
    expect(await interner.internMany(['a', 'b'])).toEqual(before);
    expect(await interner.lookupMany(['c', 'd'])).toEqual(BigUint64Array.of(0n, 0n));
    const again = await interner.internMany(['c', 'd', 'e']);
    for (const id of again) expect([...before, ...since]).not.toContain(id);
    const lease = await leaseShard({ store: first, shards: 1 });
    expect(lease.notBefore).toBe(HALF + 3_600_000);
    await lease.release();
    const { action, by, what } = (await journal(first)).at(-1) ?? {};
    expect([action, by]).toEqual(['restore', 'helene']);
    expect(what).toMatch(/^taken back, because the new disk is lost; minting resumes at /);
  });

  it('is never the successor or the target of the one that was lost, also after more moves', async () => {
    const { first, second } = await moved();
    await restoreStore(first, { isTargetLost: true });
    const third = memoryStore();
    const refused = { code: 'ERR_STORE_CONFLICT', reason: 'given up' };
    for (const store of [first, third]) {
      if (store === third) await moveStore(first, third);
      await expect(moveStore(store, second)).rejects.toMatchObject(refused);
      await expect(moveStore(second, store)).rejects.toMatchObject(refused);
      await expect(moveBack(store, second)).rejects.toMatchObject({ reason: 'not moving' });
    }
    await expect(moveStore(second, first)).rejects.toMatchObject(refused);
  });

  it('does not open a second store whose move is still at work', async () => {
    const [first, second] = [memoryStore(), memoryStore()];
    const slow = overriding(second, {
      async restoreShards(records) {
        await restoreStore(first, { isTargetLost: true });
        return second.restoreShards(records);
      },
    });
    await expect(moveStore(first, slow)).rejects.toThrow(/restored or moved since it was opened|taken for lost/);
    expect((await storeState(second))?.incomplete).toBeDefined();
  });

  it('is not one that was not moved', async () => {
    await expect(restoreStore(memoryStore(), { isTargetLost: true })).rejects.toMatchObject({ reason: 'not moved' });
  });

  it('goes on being taken back if that was interrupted, with the same option', async () => {
    const { first, second } = await moved();
    const next = (await storeState(second))?.generation;
    const failing = overriding(first, { replaceSetting: () => Promise.reject(new Error('killed')) });
    await expect(restoreStore(failing, { isTargetLost: true })).rejects.toThrow('killed');
    await expect(restoreStore(first)).rejects.toMatchObject({ reason: 'moved' });
    expect(await restoreStore(first, { isTargetLost: true })).toMatchObject({ outcome: 'taken back' });
    expect((await storeState(first))?.lost).toEqual([next]);
  });
});
