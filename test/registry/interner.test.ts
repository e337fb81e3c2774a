import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  Interner,
  memoryStore,
  type RegistryEvent,
  type Store,
  StoreConflictError,
  StoreUnavailableError,
  TypeRegistry,
} from '../../src/registry/index.js';
import { overriding } from '../support/overriding.js';
import { randomU64s } from '../support/random.js';
import { inAnotherRealm } from '../support/realm.js';
import { wrong } from '../support/wrong-argument.js';

/** A store that counts how many keys it is asked for. */
function counting(store: Store): { store: Store; asked: () => number } {
  let asked = 0;
  const counted = overriding(store, {
    lookup: (space, keys) => {
      asked += keys.length;
      return store.lookup(space, keys);
    },
  });
  return { store: counted, asked: () => asked };
}

describe('an Interner with a cache', () => {
  it('asks for a string once, and gives the ids that one without gives', async () => {
    const memory = memoryStore();
    const { store, asked } = counting(memory);
    const cached = new Interner({ store, cache: 1000 });
    const plain = new Interner({ store: memory });
    const keys = ['a', 'b', 'a', 'c'];
    const ids = await cached.internMany(keys);
    expect(ids).toEqual(await plain.internMany(keys));
    const before = asked();
    expect(await cached.internMany(['c', 'b', 'b'])).toEqual(await plain.internMany(['c', 'b', 'b']));
    expect(await cached.lookupMany(['a'])).toEqual(ids.subarray(0, 1));
    expect(await cached.intern('b')).toBe(ids[1]);
    expect(asked()).toBe(before);
    expect(await cached.internMany(['a', 'new', 'c'])).toEqual(await plain.internMany(['a', 'new', 'c']));
    expect(asked()).toBe(before + 1);
  });

  it('keeps as many strings as there is room for', async () => {
    const { store, asked } = counting(memoryStore());
    const cached = new Interner({ store, cache: 1000 });
    const keys = Array.from({ length: 1000 }, (_, i) => `key ${i}`);
    await cached.internMany(keys);
    const before = asked();
    for (let round = 0; round < 3; round++) await cached.internMany(keys);
    expect(asked()).toBe(before);
    await cached.intern('one more');
    for (const key of keys.slice(500)) await cached.intern(key); // what is used stays
    await cached.internMany(Array.from({ length: 400 }, (_, i) => `another ${i}`));
    const then = asked();
    await cached.internMany(keys.slice(500));
    expect(asked()).toBe(then);
  });

  it('keeps what was used lately, and drops what was not', async () => {
    const memory = memoryStore();
    const asked: string[] = [];
    const store = overriding(memory, {
      lookup(space, keys, seen) {
        asked.push(...keys);
        return memory.lookup(space, keys, seen);
      },
    });
    const strings = new Interner({ store, cache: 4 });
    // The fifth string drops the first one. The second one is used then, so the others are dropped before it.
    for (const key of ['a', 'b', 'c', 'd', 'e', 'b', 'f', 'g', 'b']) await strings.intern(key);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    for (const key of ['c', 'd']) await strings.intern(key);
    expect(asked.slice(-2)).toEqual(['c', 'd']);
  });

  it('does not remember that a string has no id', async () => {
    const store = memoryStore();
    const cached = new Interner({ store, cache: 1000 });
    expect(await cached.lookupMany(['a'])).toEqual(BigUint64Array.of(0n));
    const id = await new Interner({ store }).intern('a');
    expect(await cached.lookupMany(['a'])).toEqual(BigUint64Array.of(id));
  });

  it.each([0, 1, 2, 3, 7, 64])('is exact with room for %i strings, of which none more are kept', async (cache) => {
    const memory = memoryStore();
    const { store, asked } = counting(memory);
    const [cached, plain] = [new Interner({ store, cache }), new Interner({ store: memory })];
    const random = randomU64s(600);
    for (let round = 0; round < 200; round++) {
      const keys = Array.from(random.subarray(3 * round, 3 * round + 3), (number) => `key ${number % 100n}`);
      expect(await cached.internMany(keys)).toEqual(await plain.internMany(keys));
    }
    const all = Array.from({ length: 100 }, (_, i) => `key ${i}`);
    const before = asked();
    await cached.lookupMany(all);
    expect(asked() - before).toBeGreaterThanOrEqual(100 - cache); // the others came from memory
  });

  it('still refuses what is not a string', async () => {
    const cached = new Interner({ store: memoryStore(), cache: 10 });
    await cached.intern('a');
    await expect(cached.internMany(['a', 5 as never])).rejects.toThrow(wrong('keys', 1));
    await expect(cached.internMany('a' as never)).rejects.toThrow(TypeError);
    expect(() => new Interner({ store: memoryStore(), cache: -1 })).toThrow(wrong('cache'));
  });
});

describe('a read-only Interner', () => {
  it('gives ids that there are, and names the first string that has none', async () => {
    const store = memoryStore();
    const id = await new Interner({ store, prefixBits: 20 }).intern('a');
    const reader = new Interner({
      store: overriding(store, { assign: forbidden, replaceSetting: forbidden }),
      readOnly: true,
    });
    expect(await reader.intern('a')).toBe(id);
    expect(reader.prefixBits).toBe(20); // the store's
    expect(await reader.resolve(id)).toBe('a');
    await expect(reader.internMany(['a', 'a', 'b', 'c'])).rejects.toThrow(
      /^"keys" row 2: expected strings that have ids, because the interner is read-only, got "b"$/,
    );
    expect(await reader.lookupMany(['b'])).toEqual(BigUint64Array.of(0n));
    const other = new Interner({ store, readOnly: true, prefixBits: 14 });
    await expect(other.intern('a')).rejects.toThrow(/^"prefixBits": expected the store's 20, got 14$/);
    expect(() => new Interner({ store, readOnly: 'yes' as never })).toThrow(wrong('readOnly'));
  });

  it('reads an empty store', async () => {
    const reader = new Interner({ store: overriding(memoryStore(), { replaceSetting: forbidden }), readOnly: true });
    expect(await reader.lookupMany(['a'])).toEqual(BigUint64Array.of(0n));
    expect(await reader.count()).toBe(0);
  });
});

async function forbidden(): Promise<never> {
  throw new Error('written to');
}

describe('an Interner', () => {
  it('writes nothing to look up, not even its prefix bits', async () => {
    const strings = new Interner({ store: overriding(memoryStore(), { replaceSetting: forbidden }) });
    expect(await strings.lookupMany(['a'])).toEqual(BigUint64Array.of(0n));
    expect(await strings.resolve(5n)).toBeUndefined();
  });

  it.each([0, 10])('goes by the keys as they were at the call, with a cache of %i', async (cache) => {
    const store = memoryStore();
    const strings = new Interner({ store, cache });
    const ids = await strings.internMany(['a', 'b', 'c']);
    const [a = 0n, b = 0n, c = 0n] = ids;
    const keys = ['c', 'a', 'c', 'b'];
    const other = new Interner({ store, cache });
    const waiting = [other.internMany(keys), other.lookupMany(keys)];
    keys.splice(0, 4, 'b', 'new');
    for (const found of await Promise.all(waiting)) expect(found).toEqual(BigUint64Array.of(c, a, c, b));
    expect(await strings.lookupMany(['new'])).toEqual(BigUint64Array.of(0n));

    const missing = ['a', 'missing'];
    const refused = new Interner({ store, cache, readOnly: true }).internMany(missing);
    missing.reverse();
    await expect(refused).rejects.toThrow(wrong('keys', 1));
  });

  it('counts and lists its strings', async () => {
    const store = memoryStore();
    const strings = new Interner({ store });
    const keys = Array.from({ length: 25_000 }, (_, i) => `key ${i}`);
    const ids = await strings.internMany(keys);
    await new TypeRegistry({ store }).idOf('a type');
    expect(await strings.count()).toBe(25_000);
    const all = new Map<string, bigint>();
    for await (const [key, id] of strings.entries()) all.set(key, id);
    expect(all).toEqual(new Map(keys.map((key, i) => [key, ids[i]])));
  });

  it('ends a call when its signal is aborted, although the store does not answer', async () => {
    const silent = overriding(memoryStore(), {
      lookup: () => new Promise(() => {}),
      count: () => new Promise(() => {}),
    });
    const strings = new Interner({ store: silent });
    const types = new TypeRegistry({ store: silent });
    const calls = [
      (signal: AbortSignal) => strings.internMany(['a'], { signal }),
      (signal: AbortSignal) => strings.intern('a', { signal }),
      (signal: AbortSignal) => strings.lookupMany(['a'], { signal }),
      (signal: AbortSignal) => strings.count({ signal }),
      (signal: AbortSignal) => types.idOf('a', { signal }),
    ];
    for (const call of calls) {
      await expect(call(AbortSignal.timeout(10))).rejects.toMatchObject({ name: 'TimeoutError' });
      await expect(call(AbortSignal.abort(new Error('not now')))).rejects.toThrow('not now');
    }
    await expect(strings.intern('a', { signal: 5 as never })).rejects.toThrow(wrong('signal'));
    await expect(strings.intern('a', { timeout: 5 } as never)).rejects.toThrow(wrong('options'));
  });

  it('stops trying again when its signal is aborted', async () => {
    let tries = 0;
    const away = overriding(memoryStore(), {
      lookup: async () => {
        tries++;
        throw new StoreUnavailableError('away');
      },
    });
    const controller = new AbortController();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const waiting = new Interner({ store: away }).intern('a', { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(30);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const made = tries;
    await vi.advanceTimersByTimeAsync(300);
    expect(tries).toBe(made);
  });

  it('tries again for as long as its store waits for a server, however fast that refuses', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const began = performance.now();
    const away = overriding(memoryStore(), {
      timeoutMs: 1000,
      lookup: async () => {
        throw new StoreUnavailableError('connection refused');
      },
    });
    let ended = 0;
    const interned = new Interner({ store: away }).intern('a').finally(() => {
      ended = performance.now();
    });
    await Promise.all([expect(interned).rejects.toThrow('connection refused'), vi.advanceTimersByTimeAsync(3000)]);
    expect(ended - began).toBeGreaterThan(990);
    expect(ended - began).toBeLessThan(3000);
  });

  it('takes columns of other realms, and names the row of what is not an id', async () => {
    const strings = new Interner({ store: memoryStore() });
    const id = await strings.intern('a');
    const column = inAnotherRealm(`BigUint64Array.of(${id}n, 5n)`) as BigUint64Array;
    expect(await strings.resolveMany(column)).toEqual(['a', undefined]);
    await expect(strings.resolveMany([1n, -1n])).rejects.toMatchObject({ name: 'RangeError', row: 1 });
    await expect(strings.resolveMany([1n, 2n, 5 as never])).rejects.toMatchObject({ name: 'TypeError', row: 2 });
    await expect(strings.resolveMany('a' as never)).rejects.toThrow(wrong('ids'));
  });

  it('knows the errors of another copy of this package, such as the CommonJS one', async () => {
    class StoreConflictError extends Error {
      readonly code = 'ERR_STORE_CONFLICT';
      readonly isTransient = true;
    }
    class StoreUnavailableError extends Error {
      readonly code = 'ERR_STORE_UNAVAILABLE';
      readonly isTransient = true;
    }
    const memory = memoryStore();
    const failures = [new StoreConflictError('others were faster'), new StoreUnavailableError('away')];
    const store = overriding(memory, {
      assign: async (space, block, keys) => {
        const failure = failures.shift();
        if (failure) throw failure;
        return memory.assign(space, block, keys);
      },
    });
    const reasons: unknown[] = [];
    const onEvent = (event: RegistryEvent) => event.type === 'retry' && reasons.push(event.reason);
    expect(await new Interner({ store, onEvent }).intern('a')).toBeGreaterThan(0n);
    expect(reasons).toEqual(['conflict', 'unavailable']);
  });

  it('does not try again what cannot pass', async () => {
    let tries = 0;
    const full = overriding(memoryStore(), {
      assign: async () => {
        tries++;
        throw new StoreUnavailableError('no space left', { isTransient: false });
      },
    });
    await expect(new Interner({ store: full }).intern('a')).rejects.toThrow('no space left');
    expect(tries).toBe(1);
  });

  it('tells of retries, commits, full prefixes and the room that is left', async () => {
    const events: RegistryEvent[] = [];
    const memory = memoryStore();
    let conflicts = 2;
    let full = 1;
    const store = overriding(memory, {
      assign: async (space, block, keys) => {
        if (conflicts-- > 0) throw new StoreConflictError('others were faster');
        if (full-- > 0) return undefined;
        return memory.assign(space, block, keys);
      },
    });
    const strings = new Interner({ store, prefixBits: 32, onEvent: (event) => events.push(event) });
    await strings.internMany(['a', 'b', 'c']);
    expect(events).toEqual([
      { type: 'retry', reason: 'conflict', tries: 1 },
      { type: 'retry', reason: 'conflict', tries: 2 },
      { type: 'full', prefix: expect.any(Number) },
      { type: 'commit', ms: expect.any(Number), keys: 3, room: 2n ** 32n - 1n - 3n },
    ]);
    await strings.internMany(['a', 'b']);
    expect(events.length).toBe(4);
    const types = new TypeRegistry({ store: memory, onEvent: (event) => events.push(event) });
    const asked = performance.now();
    await types.idOf('User');
    expect(events.at(-1)).toEqual({ type: 'commit', ms: expect.any(Number), keys: 1, room: 65_534n });
    expect((events.at(-1) as { ms: number }).ms).toBeLessThanOrEqual(performance.now() - asked);
    expect(() => new Interner({ store, onEvent: 5 as never })).toThrow(wrong('onEvent'));
  });

  it('tells of all the room of a prefix if others gave all ids, from other prefixes', async () => {
    for (const id of [5n, 2n ** 64n - 1n]) {
      const events: RegistryEvent[] = [];
      const store = overriding(memoryStore(), { assign: async () => BigUint64Array.of(id) });
      vi.spyOn(crypto, 'getRandomValues').mockImplementationOnce((array) => {
        (array as unknown as Uint32Array)[0] = 2 ** 31;
        return array;
      });
      await new Interner({ store, prefixBits: 32, onEvent: (event) => events.push(event) }).intern('a');
      vi.restoreAllMocks();
      expect(events).toEqual([{ type: 'commit', ms: expect.any(Number), keys: 1, room: 2n ** 32n - 1n }]);
    }
  });
});
