import { describe, expect, it } from 'vitest';
import {
  currentMap,
  MapConflictError,
  publishMap,
  ShardMap,
  StoreCorruptError,
  StoreUnavailableError,
  watchMap,
} from '../../src/map/index.js';
import { copyStore, memoryStore, type Store } from '../../src/registry/index.js';
import { everyStore } from './stores.js';

const NODES = ['a', 'b', 'c'].map((name) => ({ name }));

/** The first versions of a map. */
function versions(count: number, weight = 2): ShardMap[] {
  let map = ShardMap.create({ shards: 64, nodes: NODES, replicas: 2 });
  return Array.from({ length: count }, (_, i) => {
    if (i > 0)
      map = map.with({ nodes: map.nodes.map((node, row) => (row === 0 ? { ...node, weight: weight + i } : node)) });
    return map;
  });
}

const [one, two, three, four] = versions(4) as [ShardMap, ShardMap, ShardMap, ShardMap];
const [, otherTwo] = versions(2, 5) as [ShardMap, ShardMap];

async function errorOf(call: Promise<unknown>): Promise<Error & { readonly cause?: unknown }> {
  return call.then(
    () => expect.fail('nothing was thrown'),
    (error) => error,
  );
}

const AGAIN = '. Make the change again from the map of the store';

/** @param kept the map of the store */
async function expectConflict(call: Promise<unknown>, kept: ShardMap | undefined, message: unknown): Promise<void> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(MapConflictError);
  const { version, digest } = kept ?? { version: 0, digest: undefined };
  expect(error).toMatchObject({ name: 'MapConflictError', code: 'ERR_MAP_CONFLICT', version, digest, message });
}

async function expectCurrent(store: Store, map: ShardMap | undefined): Promise<void> {
  expect(JSON.stringify(await currentMap(store))).toBe(JSON.stringify(map));
}

describe.each(everyStore())('a shard map in $name', ({ name, open }) => {
  it('is absent at first, then the one that was published last', async () => {
    const { store, again } = await open();
    await expectCurrent(store, undefined);
    for (const map of [one, two, three]) {
      await publishMap(store, map);
      await expectCurrent(store, map);
    }
    await expectCurrent(await again(), three);
  });

  it('is the next version, or it is refused', async () => {
    const { store } = await open();
    const absent = 'the store has no map; version 2 cannot be published, the next one is 1';
    await expectConflict(publishMap(store, two), undefined, absent);
    await expectCurrent(store, undefined);
    for (const map of [one, two]) await publishMap(store, map);
    const refused = (version: number) =>
      `the store has version 2 of the map; version ${version} cannot be published, the next one is 3${AGAIN}`;
    for (const map of [one, otherTwo, four]) await expectConflict(publishMap(store, map), two, refused(map.version));
    await expectCurrent(store, two);
  });

  it('that was made from another map than that of the store is refused, and so is what is made from it', async () => {
    const { store, again } = await open();
    const other = await again();
    await publishMap(store, one);
    await publishMap(store, two);
    const ours = `the next one is 3${AGAIN}`;
    const late = `the store has version 2 of the map; version 2 cannot be published, ${ours}`;
    await expectConflict(publishMap(other, otherTwo), two, late);
    const otherThree = otherTwo.with({});
    const problem =
      `version 3 was made from the map ${otherTwo.digest}, but the store has another one as version 2, ` +
      `${two.digest}${AGAIN}`;
    await expectConflict(publishMap(other, otherThree), two, problem);
    const orphan = ShardMap.from({ ...three.toJSON(), parent: undefined });
    const unknown =
      'version 3 does not say which map it was made from, but the store has another one as version 2, ' +
      `${two.digest}${AGAIN}`;
    await expectConflict(publishMap(other, orphan), two, unknown);
    const sameFromOther = ShardMap.from({ ...two.toJSON(), parent: otherTwo.digest });
    expect(sameFromOther.digest).toBe(two.digest);
    await expectConflict(publishMap(other, sameFromOther), two, late);
    await expectCurrent(store, two);
    await publishMap(other, three);
    await expectConflict(publishMap(store, otherThree), three, expect.stringContaining('the next one is 4'));
  });

  it('that has a parent is refused as the first one', async () => {
    const { store } = await open();
    const first = ShardMap.from({ ...one.toJSON(), parent: two.digest });
    const problem = `version 1 was made from the map ${two.digest}, but the store has no map`;
    await expectConflict(publishMap(store, first), undefined, problem);
    await expectCurrent(store, undefined);
  });

  it('that is there already can be published again', async () => {
    const { store } = await open();
    for (const map of [one, one, two, two]) await publishMap(store, map);
    await expectCurrent(store, two);
    await expect(publishMap(store, one)).rejects.toThrow(MapConflictError);
  });

  it('is that of one of many who publish at once', async () => {
    const { store, again } = await open();
    const stores = [store, await again()];
    await publishMap(store, one);
    const maps = Array.from({ length: 10 }, (_, i) => versions(2, 10 + i)[1]);
    const published = await Promise.allSettled(maps.map((map, i) => publishMap(stores[i % 2], map)));
    const done = maps.filter((_, i) => published[i]?.status === 'fulfilled');
    expect(done.length).toBe(1);
    await expectCurrent(store, done[0]);
    for (const call of published) {
      if (call.status === 'rejected') expect(call.reason).toMatchObject({ code: 'ERR_MAP_CONFLICT', version: 2 });
    }
  });

  it('has as many shards for ever', async () => {
    const { store } = await open();
    await publishMap(store, one);
    const other = ShardMap.create({ shards: 65, nodes: NODES }).with({});
    const error = await errorOf(publishMap(store, other));
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toBe('"map": expected a map of 64 shards, got 65');
    await expectCurrent(store, one);
  });

  it('that is damaged is found out', async () => {
    const whole = JSON.stringify({ published: 0, map: one });
    const faults = ['"replicas":3', '"replicas":2,"ideal":1'].map((fault) => whole.replace('"replicas":2', fault));
    const times = ['-1', '0.5', '9e15', '"0"'].map((time) => whole.replace('"published":0', `"published":${time}`));
    for (const text of ['{"version":1', '[]', '{"published":0}', JSON.stringify(one), ...faults, ...times]) {
      const { store } = await open();
      expect(await store.replaceSetting('map', undefined, text)).toBe(true);
      const watching = watchMap(store)[Symbol.asyncIterator]();
      for (const call of [() => currentMap(store), () => publishMap(store, two), () => watching.next()]) {
        const error = await errorOf(call());
        expect(error).toBeInstanceOf(StoreCorruptError);
        expect(error.cause).toMatchObject({ argument: expect.stringMatching(/^json/) });
      }
      expect(await store.setting('map')).toBe(text);
    }
  });

  it.each([
    ['null', 'json'],
    ['5', 'json'],
    ['[]', 'json'],
    ['{"map":{}}', 'json.published'],
    ['{"published":0}', 'json.map'],
    ['{"published":0,"map":null}', 'json.map'],
    ['{"published":0,"map":[]}', 'json.map'],
  ])('that is %s instead is found out, with what is wrong about it', async (text, argument) => {
    const { store } = await open();
    await store.replaceSetting('map', undefined, text);
    const error = await errorOf(currentMap(store));
    expect(error).toBeInstanceOf(StoreCorruptError);
    expect(error.message).toMatch(`the store's map is not a shard map: "${argument}": expected `);
    expect(error.cause).toMatchObject({ argument });
  });

  it('is seen by those who watch, in ascending versions and none twice', async () => {
    const { store, again } = await open();
    const maps = versions(30);
    const last = maps.at(-1) as ShardMap;
    const watch = async (from: Store) => {
      const seen: ShardMap[] = [];
      for await (const map of watchMap(from, { intervalMs: 1 })) {
        seen.push(map);
        if (map.version === last.version) return seen;
      }
      return [];
    };
    const watching = [watch(store), watch(await again())];
    for (const map of maps) await publishMap(store, map);
    for (const seen of await Promise.all([...watching, watch(store)])) {
      const ascending = [...new Set(seen.map(({ version }) => version))].sort((a, b) => a - b);
      expect(seen.map(({ version }) => version)).toEqual(ascending);
      for (const map of seen) expect(JSON.stringify(map)).toBe(JSON.stringify(maps[map.version - 1]));
    }
  });

  it('is copied to a store that has none', async () => {
    const { store } = await open();
    for (const map of [one, two]) await publishMap(store, map);
    const other = memoryStore();
    await copyStore(store, other);
    await copyStore(store, other); // again changes nothing
    await expectCurrent(other, two);
    await copyStore(other, store);
    await expectCurrent(store, two);
  });

  it('is not copied over another one, be it newer, older or of the same version', async () => {
    const { store } = await open();
    for (const map of [one, two]) await publishMap(store, map);
    for (const maps of [[one], [one, otherTwo], [one, two, three]]) {
      const other = memoryStore();
      for (const map of maps) await publishMap(other, map);
      await expect(copyStore(store, other)).rejects.toMatchObject({
        code: 'ERR_STORE_CONFLICT',
        isTransient: false,
        message: 'the second store is in use already: it has another shard map',
      });
      await expectCurrent(other, maps.at(-1) as ShardMap);
    }
    await expect(copyStore(memoryStore(), store)).rejects.toThrow('it has another shard map');
    await expectCurrent(store, two);
  });

  it('of two megabytes is kept completely, or refused at once', async () => {
    // etcd refuses a request of more than 1.5 MiB in one way, and one of more than 2 MiB in another.
    for (const count of name === 'etcd' ? [3000, 4000] : [4000]) {
      const { store } = await open();
      const nodes = Array.from({ length: count }, (_, i) => ({ name: String(i).padStart(255), zone: 'z'.repeat(255) }));
      const map = ShardMap.create({ shards: 64, nodes });
      expect(JSON.stringify(map).length / count).toBeGreaterThan(540);
      if (name !== 'etcd') {
        await publishMap(store, map);
        await publishMap(store, map.with({}));
        await expectCurrent(store, map.with({}));
        continue;
      }
      const error = await errorOf(publishMap(store, map));
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error).toMatchObject({ isTransient: false });
      expect(error.message).toMatch(/^the request is too large for etcd\. Raise --max-request-bytes/);
      await expectCurrent(store, undefined);
    }
  });
});
