import { beforeAll, describe, expect, it } from 'vitest';
import {
  currentMap,
  MapConflictError,
  mapHistory,
  publishMap,
  rollbackMap,
  ShardMap,
  StoreCorruptError,
  StoreUnavailableError,
} from '../../src/map/index.js';
import { byteLength, publish, publishedText } from '../../src/map/publish.js';
import { copyStore, journal, memoryStore, type Store } from '../../src/registry/index.js';
import { MAP_HISTORY_SETTING, MAP_SETTING, mapSlotSetting } from '../../src/registry/store.js';
import { overriding } from '../support/overriding.js';
import { everyStore } from './stores.js';

const first = ShardMap.create({ shards: 16, nodes: [{ name: 'a' }, { name: 'b' }], replicas: 2 });

/** A map whose assignment no other version has. */
function nextOf(map: ShardMap, weight = map.version): ShardMap {
  return map.with({ nodes: [{ name: 'a', weight }, { name: 'b' }, { name: 'c', weight: 1000 }] });
}

const known = [first];

/** The maps up to a version, each made from the one before it. */
function mapsUpTo(version: number): ShardMap[] {
  while (known.length < version) known.push(nextOf(known.at(-1) as ShardMap));
  return known.slice(0, version);
}

/** Publishes as many versions as there have to be, one after the other. @returns all of them */
async function publishUpTo(store: Store, version: number): Promise<ShardMap[]> {
  const maps = mapsUpTo(version);
  for (const map of maps) await publishMap(store, map);
  return maps;
}

/** Nodes of which each takes more than 510 bytes of JSON. */
function nodesOf(count: number) {
  return Array.from({ length: count }, (_, i) => ({ name: String(i).padStart(255), zone: 'z'.repeat(255) }));
}

/** A store with the settings of another one, which is left as it is. */
function forkOf(store: Store): Store {
  const changed = new Map<string, string>();
  const setting = async (name: string) => changed.get(name) ?? (await store.setting(name));
  return overriding(store, {
    setting,
    async replaceSetting(name, expected, next) {
      const isAsExpected = (await setting(name)) === expected;
      if (isAsExpected) changed.set(name, next);
      return isAsExpected;
    },
  });
}

/** Expects that a store keeps these versions, and that each can be had back. */
async function expectKept(store: Store, maps: readonly ShardMap[]): Promise<void> {
  const history = await mapHistory(store);
  expect(history.map(({ version, digest }) => [version, digest])).toEqual(
    maps.map(({ version, digest }) => [version, digest]),
  );
  for (const map of maps.slice(0, -1)) {
    const slot = JSON.parse((await store.setting(mapSlotSetting(map.version))) ?? '');
    expect(JSON.stringify(slot.map)).toBe(JSON.stringify(map));
  }
}

/** A store that fails at its n-th change, before or after the change has taken effect. */
function failingAt(store: Store, change: number, when: 'before' | 'after'): Store {
  let changes = 0;
  return overriding(store, {
    async replaceSetting(...call) {
      const fails = ++changes >= change;
      if (fails && (when === 'before' || changes > change))
        throw new StoreUnavailableError('cut', { isTransient: false });
      const replaced = await store.replaceSetting(...call);
      if (fails) throw new StoreUnavailableError('cut', { isTransient: false });
      return replaced;
    },
  });
}

describe.each(everyStore())('the history of a map in $name', ({ open }) => {
  it('has all versions with their digests and times, ascending, with the current one', async () => {
    const { store, again } = await open();
    expect(await mapHistory(store)).toEqual([]);
    const began = Math.floor(await store.now());
    const maps = await publishUpTo(store, 5);
    await expectKept(await again(), maps);
    let last = began;
    for (const { published } of await mapHistory(store)) {
      expect(published.getTime()).toBeGreaterThanOrEqual(last);
      last = published.getTime();
    }
    expect(last).toBeLessThanOrEqual(await store.now());
    await publishMap(store, maps[4] as ShardMap); // the same again
    await expectKept(store, maps);
  });

  it('is that of those who won, if many publish at once', async () => {
    const { store, again } = await open();
    const stores = [store, await again()];
    let map = first;
    const maps = [first];
    await publishMap(store, first);
    for (let round = 0; round < 3; round++) {
      const tries = Array.from({ length: 6 }, (_, i) => nextOf(map, 10 * (round + 1) + i));
      const done = await Promise.allSettled(tries.map((one, i) => publishMap(stores[i % 2] as Store, one)));
      const won = tries.filter((_, i) => done[i]?.status === 'fulfilled');
      expect(won).toHaveLength(1);
      const lost = done.filter((one) => one.status === 'rejected');
      for (const { reason } of lost) expect(reason).toBeInstanceOf(MapConflictError);
      const [late] = tries.filter((one) => one !== won[0]);
      await expect(publishMap(store, (late as ShardMap).with({}))).rejects.toThrow(/was made from the map/);
      map = won[0] as ShardMap;
      maps.push(map);
    }
    await expectKept(store, maps);
  });

  it('takes a store back to an earlier version, as a new one', async () => {
    const { store, again } = await open();
    const maps = await publishUpTo(store, 4);
    const rolled = await rollbackMap(await again(), 2);
    expect([rolled.version, rolled.parent, rolled.digest]).toEqual([5, maps[3]?.digest, maps[1]?.digest]);
    const { copies, nodes } = maps[1]?.toJSON() as ReturnType<ShardMap['toJSON']>;
    expect(rolled.toJSON()).toMatchObject({ copies, nodes });
    expect(JSON.stringify(await currentMap(store))).toBe(JSON.stringify(rolled));
    const same = await rollbackMap(store, 5); // as `with` without changes
    expect([same.version, same.digest]).toEqual([6, rolled.digest]);
    await expectKept(store, [...maps, rolled, same]);
    const before = await mapHistory(store);
    for (const [version, kept] of [
      [7, '1 to 6'],
      [100, '1 to 6'],
    ] as const) {
      await expect(rollbackMap(store, version)).rejects.toMatchObject({
        code: 'ERR_OUT_OF_RANGE',
        argument: 'version',
        message: `"version": expected a version of the store's history, ${kept}, got ${version}`,
      });
    }
    expect(await mapHistory(store)).toEqual(before);
  });

  it('is copied with the map, also if the copy had been interrupted', async () => {
    const { store } = await open();
    const from = memoryStore();
    const maps = await publishUpTo(from, 5);
    for (const change of [1, 2, 1, 1]) {
      await expect(copyStore(from, failingAt(store, change, 'after'))).rejects.toThrow('cut');
    }
    await copyStore(from, store);
    await expectKept(store, maps);
    expect(await mapHistory(store)).toEqual(await mapHistory(from));
    await copyStore(from, store); // again changes nothing
    await expectKept(store, maps);
    const next = nextOf(maps[4] as ShardMap);
    await publishMap(store, next);
    await expectKept(store, [...maps, next]);
  });
});

describe('the history of a map', () => {
  it('has at most 100 versions', async () => {
    const store = memoryStore();
    const maps = await publishUpTo(store, 230);
    await expectKept(store, maps.slice(-100));
    await expect(rollbackMap(store, 130)).rejects.toThrow("a version of the store's history, 131 to 230, got 130");
    const rolled = await rollbackMap(store, 131);
    expect(rolled.digest).toBe(maps[130]?.digest);
    await expectKept(store, [...maps.slice(-99), rolled]);
  });

  it('has at most so much JSON, with the current version, and leaves nothing else behind', async () => {
    const nodes = Array.from({ length: 3 }, (_, i) => ({ name: String(i).padStart(255), zone: 'é'.repeat(255) }));
    const maps = [ShardMap.create({ shards: 16, nodes })];
    for (let weight = 2; weight <= 12; weight++) {
      maps.push((maps.at(-1) as ShardMap).with({ nodes: nodes.map((node) => ({ ...node, weight })) }));
    }
    const lastFive = maps.slice(-5).reduce((sum, map) => sum + byteLength(publishedText(map, Date.now())), 0);
    for (const [maxBytes, most] of [
      [lastFive, 5],
      [lastFive - 1, 4],
    ] as const) {
      const store = memoryStore();
      for (const map of maps) await publish(store, map, maxBytes);
      const history = await mapHistory(store);
      expect(history.map(({ version }) => version)).toEqual(Array.from({ length: most }, (_, i) => 13 - most + i));
      for (let version = 1; version < 12; version++) {
        expect((await store.setting(mapSlotSetting(version))) === '').toBe(version < 13 - most);
      }
    }
  });

  it('has at most 16 MB of JSON by default', async () => {
    const [, second, third] = mapsUpTo(3) as [ShardMap, ShardMap, ShardMap];
    const others = [second, third].reduce((sum, map) => sum + byteLength(publishedText(map, Date.now())), 0);
    for (const [bytes, kept] of [
      [16_000_000 - others, [1, 2, 3]],
      [16_000_001 - others, [2, 3]],
    ] as const) {
      const store = memoryStore();
      await publishUpTo(store, 2);
      const text = (await store.setting(MAP_HISTORY_SETTING)) as string;
      await store.replaceSetting(MAP_HISTORY_SETTING, text, text.replace(/"bytes":\d+/, `"bytes":${bytes}`));
      await publishMap(store, third);
      expect((await mapHistory(store)).map(({ version }) => version)).toEqual(kept);
    }
  });

  it('has only the current version if that has more than may be kept', async () => {
    const store = memoryStore();
    await publishUpTo(store, 2);
    const maxBytes = 1000;
    const map = (await currentMap(store))?.with({ nodes: nodesOf(2) }) as ShardMap;
    await publish(store, map, maxBytes);
    await publish(store, map.with({}), maxBytes);
    expect((await mapHistory(store)).map(({ version }) => version)).toEqual([4]);
    for (const version of [1, 2, 3]) expect((await store.setting(mapSlotSetting(version))) || '').toBe('');
  });

  it('has at most so much JSON, also if a publisher was cut off and a larger map than its own follows', async () => {
    const store = memoryStore();
    const maxBytes = 16_000;
    const map = ShardMap.create({ shards: 1, nodes: nodesOf(9) });
    const second = map.with({});
    for (const one of [map, second]) await publish(store, one, maxBytes);
    await expect(publish(failingAt(store, 3, 'before'), second.with({}), maxBytes)).rejects.toThrow('cut');
    await publish(store, second.with({ nodes: nodesOf(15) }), maxBytes);
    expect((await mapHistory(store)).map(({ version }) => version)).toEqual([2, 3]);
    expect(await store.setting(mapSlotSetting(1))).toBe('');
  });

  /** Stores with so many published versions. */
  const stores = new Map<number, Store>();

  beforeAll(async () => {
    let store = memoryStore();
    for (const [i, map] of mapsUpTo(205).entries()) {
      await publishMap(store, map);
      if (![1, 2, 99, 100, 101, 205].includes(i + 1)) continue;
      stores.set(i + 1, store);
      store = forkOf(store);
    }
  });

  // A publisher whose 100th version fills a slot that has been used, makes up to six changes.
  it.each(
    Array.from({ length: 6 }, (_, i) => i + 1),
  )('loses nothing if a publisher ends at its change %i', async (change) => {
    for (const when of ['before', 'after'] as const) {
      for (const [versions, before] of stores) {
        const store = forkOf(before);
        const maps = mapsUpTo(versions);
        const next = nextOf(maps.at(-1) as ShardMap);
        await publishMap(failingAt(store, change, when), next).catch(() => {});
        const isPublished = (await currentMap(store))?.version === next.version;
        const kept = isPublished ? [...maps, next] : maps;
        const history = await mapHistory(store);
        expect(history.at(-1)?.digest).toBe(kept.at(-1)?.digest);
        expect(history.length).toBeGreaterThanOrEqual(Math.min(kept.length, 99));
        await expectKept(store, kept.slice(-history.length));
        // Another publisher goes on, with another map if the first one was not published.
        const other = nextOf(kept.at(-1) as ShardMap, 7777);
        await publishMap(store, other);
        await expectKept(store, [...kept, other].slice(-100));
      }
    }
  });

  it('is not changed by a publisher that is late', async () => {
    for (const laps of [1, 2, 100, 101]) {
      for (const at of [MAP_SETTING, MAP_HISTORY_SETTING, mapSlotSetting(3), 'change']) {
        const store = memoryStore();
        const maps = await publishUpTo(store, 3);
        let isLate = false;
        const overtake = async () => {
          if (isLate) return;
          isLate = true;
          for (let lap = 0; lap < laps; lap++) {
            maps.push(mapsUpTo(maps.length + 1).at(-1) as ShardMap);
            await publishMap(store, maps.at(-1) as ShardMap);
          }
        };
        const late = overriding(store, {
          async setting(name) {
            const value = await store.setting(name);
            if (name === at) await overtake();
            return value;
          },
          async replaceSetting(...call) {
            if (at === 'change') await overtake();
            return store.replaceSetting(...call);
          },
        });
        await expect(publishMap(late, nextOf(maps[2] as ShardMap, 555))).rejects.toThrow(MapConflictError);
        expect(isLate).toBe(true);
        await expectKept(store, maps.slice(-100));
      }
    }
  });

  it('is not rolled back to if another process publishes meanwhile', async () => {
    const kept = memoryStore();
    const maps = await publishUpTo(kept, 3);
    const next = nextOf(maps[2] as ShardMap);
    const store = overriding(kept, {
      async setting(name) {
        const value = await kept.setting(name);
        if (name === mapSlotSetting(1)) await publishMap(kept, next);
        return value;
      },
    });
    await expect(rollbackMap(store, 1)).rejects.toMatchObject({
      code: 'ERR_MAP_CONFLICT',
      version: 4,
      digest: next.digest,
    });
    await expectKept(kept, [...maps, next]);
  });

  it('is not rolled back to if another process drops the version meanwhile', async () => {
    const kept = memoryStore();
    const maps = await publishUpTo(kept, 100);
    let isDropped = false;
    const store = overriding(kept, {
      async setting(name) {
        const value = await kept.setting(name);
        if (name === MAP_HISTORY_SETTING && !isDropped) {
          isDropped = true;
          await publishMap(kept, nextOf(maps[99] as ShardMap));
        }
        return value;
      },
    });
    await expect(rollbackMap(store, 1)).rejects.toThrow("a version of the store's history, 2 to 101, got 1");
    expect(await kept.setting(mapSlotSetting(1))).toBe('');
  });

  it('goes on in a copy, which has no slots of versions that were dropped', async () => {
    const from = memoryStore();
    const maps = await publishUpTo(from, 101);
    const store = memoryStore();
    await copyStore(from, store);
    expect(await store.setting(mapSlotSetting(1))).toBeUndefined();
    maps.push(nextOf(maps[100] as ShardMap));
    await publishMap(store, maps[101] as ShardMap);
    await expectKept(store, maps.slice(-100));
  });

  it('has versions that change nothing, too', async () => {
    const store = memoryStore();
    const maps = [first, first.with({})];
    maps.push((maps[1] as ShardMap).with({}));
    for (const map of maps) await publishMap(store, map);
    await expectKept(store, maps);
  });

  it('is rolled back by somebody, who is in the journal', async () => {
    const store = memoryStore();
    await publishUpTo(store, 3);
    await rollbackMap(store, 1);
    await rollbackMap(store, 2, { by: 'helene' });
    const entries = await journal(store);
    expect(entries.map(({ by, action, what }) => [by, action, what])).toEqual([
      ['shardbits', 'rollback', 'published version 1 of the map again, as version 4'],
      ['helene', 'rollback', 'published version 2 of the map again, as version 5'],
    ]);
  });

  it('that is damaged is found out', async () => {
    for (const text of [
      '{',
      '[]',
      '{}',
      '{"versions":[{"version":1}],"dropped":[]}',
      '{"versions":[{"version":"1","digest":"a","published":0,"bytes":1}],"dropped":[]}',
      '{"versions":[{"version":1,"digest":"a","published":"0","bytes":1}],"dropped":[]}',
      '{"versions":[{"version":1,"digest":"a","published":0,"bytes":0.5}],"dropped":[]}',
      '{"versions":[],"dropped":["1"]}',
    ]) {
      const store = memoryStore();
      const maps = await publishUpTo(store, 3);
      await store.replaceSetting(MAP_HISTORY_SETTING, await store.setting(MAP_HISTORY_SETTING), text);
      for (const call of [mapHistory(store), rollbackMap(store, 1), publishMap(store, nextOf(maps[2] as ShardMap))]) {
        await expect(call).rejects.toThrow(StoreCorruptError);
      }
      expect((await currentMap(store))?.version).toBe(3);
    }
    const store = memoryStore();
    const maps = await publishUpTo(store, 3);
    const other = JSON.stringify({ published: 0, map: ShardMap.from({ ...first.toJSON(), version: 2 }) });
    for (const slot of ['', 'x', other]) {
      await store.replaceSetting(mapSlotSetting(2), await store.setting(mapSlotSetting(2)), slot);
      await expect(rollbackMap(store, 2)).rejects.toThrow(StoreCorruptError);
    }
    expect((await currentMap(store))?.digest).toBe(maps[2]?.digest);
  });
});
