import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ShardMap, watchMap } from '../../src/map/index.js';
import { newState, STATE_SETTING, type StoreState } from '../../src/registry/identity.js';
import { memoryStore, type RegistryEvent, type Store } from '../../src/registry/index.js';
import { MAP_SETTING } from '../../src/registry/store.js';
import { overriding } from '../support/overriding.js';

const one = ShardMap.create({ shards: 16, nodes: [{ name: 'a' }, { name: 'b' }] });
const two = one.with({ nodes: [{ name: 'a' }] });
const otherTwo = one.with({ nodes: [{ name: 'b' }] });
const three = two.with({ nodes: [{ name: 'c' }] });

const restored = (state: StoreState): StoreState => ({ ...state, generation: crypto.randomUUID() });

/** What a watcher sees of a store whose state and map the test sets, as a restore or a move would. */
class Watched {
  state: StoreState | undefined;
  map: ShardMap | undefined;
  /** Runs whenever a setting has been read, before the watcher gets it. */
  onRead: (name: string) => void = () => {};
  /** Versions and digests of the maps that came. */
  readonly seen: (readonly [version: number, digest: string])[] = [];
  readonly events: RegistryEvent[] = [];
  error: unknown;
  readonly #aborting = new AbortController();

  constructor(state: StoreState | undefined, map: ShardMap | undefined) {
    [this.state, this.map] = [state, map];
    const store: Store = overriding(memoryStore(), { setting: (name) => this.#read(name) });
    const watch = async () => {
      const options = { signal: this.#aborting.signal, onEvent: (event: RegistryEvent) => this.events.push(event) };
      for await (const { version, digest } of watchMap(store, options)) this.seen.push([version, digest]);
    };
    watch().catch((error) => {
      this.error = error;
    });
  }

  async #read(name: string): Promise<string | undefined> {
    const value = this.#valueOf(name);
    this.onRead(name);
    return value;
  }

  #valueOf(name: string): string | undefined {
    if (name === STATE_SETTING) return this.state && JSON.stringify(this.state);
    expect(name).toBe(MAP_SETTING);
    return this.map && JSON.stringify({ published: 0, map: this.map });
  }

  /** Lets the watcher ask twice. @returns the maps that came meanwhile */
  async next(): Promise<(readonly [version: number, digest: string])[]> {
    await vi.advanceTimersByTimeAsync(2000);
    return this.seen.splice(0);
  }

  stop(): void {
    this.#aborting.abort();
  }
}

const named = (...maps: readonly ShardMap[]) => maps.map(({ version, digest }) => [version, digest]);

describe('watching the map of a store', () => {
  let watched: Watched | undefined;

  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(async () => {
    watched?.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
  });

  it('yields no older map and none twice within a generation', async () => {
    for (const state of [undefined, newState()]) {
      watched = new Watched(state, two);
      expect(await watched.next()).toEqual(named(two));
      for (const map of [one, otherTwo, two, undefined, two]) {
        watched.map = map;
        expect(await watched.next()).toEqual([]);
      }
      watched.map = three;
      expect(await watched.next()).toEqual(named(three));
      watched.stop();
    }
  });

  it('yields the map of another generation, whatever its version, and then newer ones', async () => {
    for (const map of [one, otherTwo, two, three]) {
      const state = newState();
      watched = new Watched(state, one);
      expect(await watched.next()).toEqual(named(one));
      watched.map = two;
      expect(await watched.next()).toEqual(named(two));
      watched.state = restored(state);
      watched.map = map;
      expect(await watched.next()).toEqual(named(map));
      expect(await watched.next()).toEqual([]);
      const next = map.with({});
      watched.map = next;
      expect(await watched.next()).toEqual(named(next));
      watched.map = map;
      expect(await watched.next()).toEqual([]);
      watched.stop();
    }
  });

  it('waits for the map of a generation that has none yet', async () => {
    const state = newState();
    watched = new Watched(state, three);
    expect(await watched.next()).toEqual(named(three));
    watched.state = restored(state);
    watched.map = undefined;
    expect(await watched.next()).toEqual([]);
    watched.map = one;
    expect(await watched.next()).toEqual(named(one));
  });

  it('ends with an error if another store is in its place', async () => {
    const [state, other] = [newState(), newState()];
    watched = new Watched(state, one);
    expect(await watched.next()).toEqual(named(one));
    watched.state = other;
    watched.map = two;
    expect(await watched.next()).toEqual([]);
    expect(watched.error).toMatchObject({
      code: 'ERR_STORE_CONFLICT',
      isTransient: false,
      message: expect.stringContaining(`${other.identity} instead of ${state.identity}`),
    });
  });

  it('does not take a missing state for another store or generation', async () => {
    const state = newState();
    watched = new Watched(undefined, two);
    expect(await watched.next()).toEqual(named(two));
    watched.state = state; // the store has been made
    expect(await watched.next()).toEqual([]);
    watched.state = undefined;
    expect(await watched.next()).toEqual([]);
    watched.map = three;
    expect(await watched.next()).toEqual(named(three));
    watched.state = restored(state);
    watched.map = one;
    expect(await watched.next()).toEqual(named(one));
    watched.state = newState();
    await watched.next();
    expect(watched.error).toMatchObject({ isTransient: false });
  });

  it('yields the map of a store that has just been made, whatever its version', async () => {
    watched = new Watched(undefined, two);
    expect(await watched.next()).toEqual(named(two));
    watched.state = newState();
    watched.map = one;
    expect(await watched.next()).toEqual(named(one));
    watched.map = otherTwo;
    expect(await watched.next()).toEqual(named(otherTwo));
  });

  it('never counts a map for the wrong generation, whenever it is restored', async () => {
    // The store is restored right after the n-th reading of a setting: with an older map, and then published again.
    for (let reading = 1; reading <= 8; reading++) {
      const state = newState();
      watched = new Watched(state, three);
      const some = watched;
      let readings = 0;
      some.onRead = () => {
        if (++readings !== reading) return;
        some.state = restored(state);
        some.map = one;
      };
      const seen = [...(await some.next()), ...(await some.next())];
      expect(seen.at(-1), `reading ${reading}`).toEqual(named(one)[0]);
      some.map = two;
      expect(await some.next(), `reading ${reading}`).toEqual(named(two));
      expect(seen.length).toBeLessThanOrEqual(2);
      some.stop();
    }
  });

  it('goes on while a store is restored again and again', async () => {
    const state = newState();
    watched = new Watched(state, one);
    const some = watched;
    some.onRead = (name) => {
      if (name === MAP_SETTING) some.state = restored(state);
    };
    await vi.advanceTimersByTimeAsync(120_000);
    expect([some.seen, some.error]).toEqual([[], undefined]);
    expect(some.events.some(({ type }) => type === 'unavailable')).toBe(true);
    some.onRead = () => {};
    expect(await some.next()).toEqual(named(one));
  });
});
