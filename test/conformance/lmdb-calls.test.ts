import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { newestMeta, newFolder } from './lmdb-stores.js';

// Calls of an open LMDB store, several of them at once.

it('a file is as long as its header says: settings that are replaced at once are written one by one', async () => {
  const path = join(newFolder(), 'ids.lmdb');
  const store = await lmdbStore(path);
  await store.replaceSetting('map', undefined, '0');
  for (let round = 0; round < 20; round++) {
    const before = newestMeta(path);
    // Written together, the second would free pages at the end that the first has taken and not written yet.
    const values = [`${round}`, 'x'.repeat(1000 * (round + 20)), `${round + 1}`];
    const replaced = [0, 1].map((i) => store.replaceSetting('map', values[i], values[i + 1]));
    expect(await Promise.all(replaced)).toEqual([true, true]);
    const { transaction, pages, size } = newestMeta(path);
    expect(transaction).toBe(before.transaction + 2n);
    expect(size).toBeGreaterThanOrEqual(pages * 4096);
  }
  await store.close();
});

it('pieces of entries keep to what fits into memory, and each entry is in one of them', async () => {
  const store = await lmdbStore(join(newFolder(), 'ids.lmdb'));
  const keys = [
    ...Array.from({ length: 25_000 }, (_, i) => `${i}`),
    ...['a', 'b', 'c'].map((c) => c.repeat(3_000_000)),
  ];
  const block = { prefix: 0, base: 0n, max: 100_000n };
  const ids = await store.assign('strings', block, keys);
  const found = new Map<string, bigint>();
  let pieces = 0;
  for await (const piece of store.entries('strings')) {
    pieces++;
    expect(piece.keys.length).toBeLessThanOrEqual(10_000);
    for (const [i, key] of piece.keys.entries()) found.set(key, piece.ids[i]);
    if (pieces === 1) await store.assign('strings', block, ['one that came late']);
  }
  found.delete('one that came late');
  expect([...found.values()]).toEqual([...(ids as BigUint64Array)]);
  expect([...found.keys()]).toEqual(keys);
  expect(pieces).toBeGreaterThan(3);
  await store.close();
});

it('a call that fails leaves those alone that are committed with it', async () => {
  const store = await lmdbStore(join(newFolder(), 'ids.lmdb'));
  await store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['a']);
  const now = Date.now();
  const asked = { owner: 'a', ttlMs: 1000, mintFrom: now, shards: 1 };
  const calls = [
    store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['b']),
    store.acquireLease({ ...asked, mintUntil: now + 9e6 }),
    store.restore('strings', { keys: ['c', 'a'], ids: BigUint64Array.of(7n, 8n) }),
    store.acquireLease({ ...asked, mintUntil: now + 1000 }),
    store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['d']),
  ];
  const states = (await Promise.allSettled(calls)).map(({ status }) => status);
  expect(states).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled']);
  expect(await store.lookup('strings', ['a', 'b', 'c', 'd'])).toEqual(BigUint64Array.of(1n, 2n, 0n, 3n));
  await store.close();
});

it('a closed store refuses what is asked for while it closes', async () => {
  const store = await lmdbStore(join(newFolder(), 'ids.lmdb'));
  await store.replaceSetting('a', undefined, '1');
  const closing = store.close();
  await expect(store.replaceSetting('a', '1', '2')).rejects.toMatchObject({ message: 'the store is closed' });
  await expect(store.setting('a')).rejects.toMatchObject({ message: 'the store is closed', isTransient: false });
  await closing;
});
