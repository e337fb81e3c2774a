// Settings and records that somebody has damaged are a StoreCorruptError that names them, never an error of a parser.
import { describe, expect, it } from 'vitest';
import { currentMap, mapHistory, publishMap, ShardMap } from '../../src/map/index.js';
import { checkStore, Interner, journal, leases, type Store } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';
import { everyStore } from './stores.js';

const GARBAGE = ['', 'garbage', '{}', '[1]', 'null', '-1', '1.5', '9'.repeat(25)];
const LEASE = { owner: 'o', ttlMs: 2000, shards: 1, mintFrom: Date.now(), mintUntil: Date.now() };

/** What reads which settings. */
const READERS: readonly (readonly [name: string, read: (store: Store) => Promise<unknown>, also?: readonly string[]])[] = [
  ['prefixBits', (store) => new Interner({ store }).intern('new')],
  ['prefixBits', (store) => checkStore(store)],
  ['skipped:strings', (store) => store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['new'])],
  ['skipped:types', (store) => store.counter('types', 0)],
  ['tokens', (store) => store.acquireLease(LEASE)],
  ['floor', (store) => store.acquireLease(LEASE)],
  ['journal', (store) => journal(store)],
  ['map', (store) => currentMap(store), ['']],
  ['map:history', (store) => mapHistory(store), ['']],
  ['store', (store) => store.lookup('strings', ['a'])],
];

async function expectNamed(call: Promise<unknown>, name: string): Promise<void> {
  await expect(call).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT', message: expect.stringContaining(name) });
}

describe.each(everyStore())('a setting of a store in $name that is damaged', (kind) => {
  it.each(READERS)('is named by what reads it: %s', async (name, read, valid = []) => {
    const { store, again } = await kind.open();
    const map = ShardMap.create({ shards: 4, nodes: [{ name: 'a' }] });
    await publishMap(store, map);
    for (const garbage of GARBAGE.filter((text) => !valid.includes(text))) {
      const kept = await store.setting(name);
      const set = name === 'store' ? 'replaceState' : 'replaceSetting';
      if (name === 'store') {
        const failing = await store.replaceState(kept, garbage).catch((error) => error);
        if (failing !== true) expect(failing).toMatchObject({ code: 'ERR_STORE_CORRUPT' });
      } else expect(await store[set](name, kept, garbage)).toBe(true);
      await expectNamed(read(await again()), name === 'map' ? 'map' : name);
    }
  });
});

describe.skipIf(!hasSqlite())('a value of SQLite of another kind than its column', () => {
  it('is named', async () => {
    for (const [change, name, read] of [
      [`update shardbits_counters set last = 'x'`, 'the counter of prefix', (store) => store.counters('strings')],
      [`update shardbits_counters set last = -5`, 'the counter of prefix', (store) => store.counters('strings')],
      [`update shardbits_shards set token = 'x'`, 'the record of shard 0', (store) => store.acquireLease(LEASE)],
      [`update shardbits_shards set expires = 'x'`, 'the record of shard 0', (store) => leases(store)],
      [`update shardbits_shards set minted_until = x'00'`, 'the record of shard 0', (store) => store.shards()],
    ] as readonly [string, string, (store: Store) => Promise<unknown>][]) {
      const database = openSqlite(':memory:');
      const store = await sqliteStore(database);
      await new Interner({ store }).intern('a');
      await store.acquireLease(LEASE);
      database.exec(change);
      await expectNamed(read(store), name);
      database.close();
    }
  });
});
