import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  currentMap,
  MapConflictError,
  mapHistory,
  publishMap,
  ShardMap,
  StoreCorruptError,
  StoreUnavailableError,
  watchMap,
} from '../../src/map/index.js';
import { memoryStore, type RegistryEvent, type Store } from '../../src/registry/index.js';
import { MAP_SETTING } from '../../src/registry/store.js';
import { overriding } from '../support/overriding.js';
import { wrong } from '../support/wrong-argument.js';

const one = ShardMap.create({ shards: 16, nodes: [{ name: 'a' }, { name: 'b' }] });
const two = one.with({ nodes: [{ name: 'a' }] });
const three = two.with({ nodes: [{ name: 'a' }, { name: 'c' }] });

/** A store that counts how often it was asked for its map. */
function counting(): { readonly store: Store; readonly asked: () => number } {
  const kept = memoryStore();
  let asked = 0;
  const setting = (name: string) => {
    if (name === MAP_SETTING) asked++;
    return kept.setting(name);
  };
  return { store: overriding(kept, { setting }), asked: () => asked };
}

/** Sets the map of a store without any checks, as a backup that is restored does. */
async function set(store: Store, map: ShardMap): Promise<void> {
  const text = JSON.stringify({ published: 0, map });
  expect(await store.replaceSetting(MAP_SETTING, await store.setting(MAP_SETTING), text)).toBe(true);
}

function versionOf({ value }: IteratorResult<ShardMap>): number | undefined {
  return value?.version;
}

describe('watching a map', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('asks once a second, or as often as one says', async () => {
    for (const [intervalMs, expected] of [
      [undefined, 6],
      [100, 51],
      [10_000, 1],
    ] as const) {
      const { store, asked } = counting();
      const aborting = new AbortController();
      const watching = watchMap(store, { intervalMs, signal: aborting.signal })[Symbol.asyncIterator]();
      expect(asked()).toBe(0);
      const next = watching.next();
      next.catch(() => {});
      await vi.advanceTimersByTimeAsync(5000);
      expect(asked()).toBe(expected);
      aborting.abort();
      await expect(next).rejects.toBe(aborting.signal.reason);
    }
  });

  it('parses a text once', async () => {
    const { store, asked } = counting();
    await publishMap(store, one);
    const from = vi.spyOn(ShardMap, 'from');
    const watching = watchMap(store, { intervalMs: 10 })[Symbol.asyncIterator]();
    expect(versionOf(await watching.next())).toBe(1);
    const next = watching.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked()).toBeGreaterThan(90);
    expect(from).toHaveBeenCalledTimes(1);
    await set(store, two);
    await vi.advanceTimersByTimeAsync(10);
    expect(versionOf(await next)).toBe(2);
    expect(from).toHaveBeenCalledTimes(2);
    await watching.return?.();
  });

  it('skips what was replaced in the meantime, and does not go back', async () => {
    const store = memoryStore();
    await publishMap(store, one);
    const watching = watchMap(store)[Symbol.asyncIterator]();
    expect(versionOf(await watching.next())).toBe(1);
    for (const map of [two, three]) await publishMap(store, map);
    const next = watching.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect(versionOf(await next)).toBe(3);
    // As if the store had been restored from a backup, but with the same generation.
    const last = watching.next();
    await set(store, two);
    await vi.advanceTimersByTimeAsync(2000);
    const other = two.with({ nodes: [{ name: 'a' }, { name: 'd' }] });
    await set(store, other);
    await vi.advanceTimersByTimeAsync(2000);
    await publishMap(store, other.with({}));
    await vi.advanceTimersByTimeAsync(1000);
    expect(versionOf(await last)).toBe(4);
    await watching.return?.();
  });

  it('ends with the reason of its signal, before it begins, while it waits, and while the store does not answer', async () => {
    const { store, asked } = counting();
    await publishMap(store, one);
    const before = asked();
    const aborted = watchMap(store, { signal: AbortSignal.abort('now') })[Symbol.asyncIterator]();
    await expect(aborted.next()).rejects.toBe('now');
    expect(asked()).toBe(before);
    const silent = overriding(store, { setting: () => new Promise(() => {}) });
    for (const from of [store, silent]) {
      const aborting = new AbortController();
      const seen: number[] = [];
      const watching = (async () => {
        for await (const { version } of watchMap(from, { signal: aborting.signal })) seen.push(version);
      })();
      watching.catch(() => {});
      await vi.advanceTimersByTimeAsync(2500);
      const reason = new Error('enough');
      aborting.abort(reason);
      await expect(watching).rejects.toBe(reason);
      expect(seen).toEqual(from === store ? [1] : []);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('asks no more when its loop is left, and leaves no timer', async () => {
    const { store, asked } = counting();
    await publishMap(store, one);
    const before = asked();
    for await (const map of watchMap(store)) {
      expect(map.version).toBe(1);
      break;
    }
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked()).toBe(before + 1);
  });

  /** A store that throws an error as long as there is one. */
  function failing(more: Partial<Store> = {}): { store: Store; fail: (error?: Error) => void; tries: () => number } {
    const kept = memoryStore();
    let failure: Error | undefined;
    let tries = 0;
    const setting = async (name: string) => {
      if (failure === undefined) return kept.setting(name);
      tries++;
      throw failure;
    };
    const fail = (error?: Error) => {
      failure = error;
    };
    return { store: overriding(kept, { setting, ...more }), fail, tries: () => tries };
  }

  it('goes on through outages, however long, and tells of them', async () => {
    const { store, fail } = failing();
    await publishMap(store, one);
    const events: RegistryEvent[] = [];
    const watching = watchMap(store, { onEvent: (event) => events.push(event) })[Symbol.asyncIterator]();
    const away = new StoreUnavailableError('away');
    for (const [version, ms] of [
      [1, 300],
      [2, 60_000],
      [3, 3_600_000],
    ] as const) {
      fail(away);
      const next = watching.next();
      await vi.advanceTimersByTimeAsync(ms);
      fail();
      if (version > 1) await publishMap(store, version === 2 ? two : three);
      await vi.advanceTimersByTimeAsync(2000);
      expect(versionOf(await next)).toBe(version);
      const told = events.splice(0).filter(({ type }) => type === 'unavailable');
      // A round takes 10 to 10.5 s, and a second passes between two.
      expect(told.length).toBeGreaterThanOrEqual(Math.floor(ms / 11_500));
      expect(told.length).toBeLessThanOrEqual(Math.ceil(ms / 11_000));
      for (const event of told) expect(event).toEqual({ type: 'unavailable', error: away });
    }
    await watching.return?.();
  });

  it('asks a store that is away a few times a second, however often it asks otherwise', async () => {
    for (const timeoutMs of [1, undefined]) {
      const { store, fail, tries } = failing({ timeoutMs });
      fail(new StoreUnavailableError('away'));
      const aborting = new AbortController();
      const next = watchMap(store, { intervalMs: 1, signal: aborting.signal })[Symbol.asyncIterator]().next();
      next.catch(() => {});
      await vi.advanceTimersByTimeAsync(100_000);
      expect(tries()).toBeLessThan(600);
      aborting.abort('enough');
      await expect(next).rejects.toBe('enough');
    }
  });

  it('ends with an error that does not pass, such as that of a closed store', async () => {
    const { store, fail } = failing();
    for (const error of [
      new StoreUnavailableError('the store is closed', { isTransient: false }),
      new StoreCorruptError('damaged'),
    ]) {
      fail(error);
      const watching = watchMap(store)[Symbol.asyncIterator]();
      await expect(watching.next()).rejects.toBe(error);
      expect(await watching.next()).toEqual({ value: undefined, done: true });
    }
  });

  it('refuses arguments of the wrong kind or value at once', () => {
    const store = memoryStore();
    expect(() => watchMap(5 as never)).toThrow(wrong('store'));
    expect(() => watchMap(store, { signal: 5 as never })).toThrow(wrong('signal'));
    for (const intervalMs of [0, 2 ** 31, 1.5]) {
      expect(() => watchMap(store, { intervalMs })).toThrow(RangeError);
    }
    expect(() => watchMap(store, { interval: 5 } as never)).toThrow(
      /^"options": expected only signal, intervalMs, onEvent, got/,
    );
  });
});

describe('publishing a map', () => {
  it('has succeeded if only its answer was lost', async () => {
    const kept = memoryStore();
    let lost = 0;
    const store = overriding(kept, {
      async replaceSetting(...call) {
        await kept.replaceSetting(...call);
        if (call[0] === MAP_SETTING) lost++;
        throw new StoreUnavailableError('the answer is lost');
      },
    });
    for (const map of [one, two]) await publishMap(store, map);
    expect(lost).toBe(2);
    expect((await currentMap(kept))?.version).toBe(2);
  });

  it('says which version others have published between its reading and its writing', async () => {
    const kept = memoryStore();
    await publishMap(kept, one);
    const other = one.with({ nodes: [{ name: 'other' }] });
    const store = overriding(kept, {
      async replaceSetting(...call) {
        await publishMap(kept, other);
        return kept.replaceSetting(...call);
      },
    });
    const error = await publishMap(store, two).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(MapConflictError);
    expect(error.version).toBe(2);
    expect(error.digest).toBe(other.digest);
    expect(JSON.stringify(await currentMap(kept))).toBe(JSON.stringify(other));
    expect((await mapHistory(kept)).map(({ version }) => version)).toEqual([1, 2]);
  });

  it('refuses what is no store and no map', async () => {
    const store = memoryStore();
    await expect(publishMap(5 as never, one)).rejects.toThrow(wrong('store'));
    await expect(currentMap(undefined as never)).rejects.toThrow(wrong('store'));
    for (const map of [undefined, '{}', one.toJSON()]) {
      await expect(publishMap(store, map as never)).rejects.toThrow(wrong('map'));
    }
    expect(await store.setting('map')).toBeUndefined();
  });
});
