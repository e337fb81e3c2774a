// Settings and records that somebody has damaged are a StoreCorruptError that names them, never an error of a parser.
import { describe, expect, it } from 'vitest';
import { currentMap, mapHistory, publishMap, ShardMap } from '../../src/map/index.js';
import { checkStore, Interner, journal, leases, type Store } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';
import { everyStore } from './stores.js';

const GARBAGE = ['', 'garbage', '{}', '[1]', 'null', '-1', '1.5', '9'.repeat(25)];
const LEASE = { owner: 'o', ttlMs: 2000, shards: 1, mintFrom: Date.now(), mintUntil: Date.now() };

type Read = (store: Store) => Promise<unknown>;

/** What reads which settings. */
const READERS: readonly (readonly [name: string, read: Read])[] = [
  ['prefixBits', (store) => new Interner({ store }).intern('new')],
  ['prefixBits', (store) => checkStore(store)],
  ['skipped:strings', (store) => store.assign('strings', { prefix: 0, base: 0n, max: 9n }, ['new'])],
  ['skipped:types', (store) => store.counter('types', 0)],
  ['tokens', (store) => store.acquireLease(LEASE)],
  ['floor', (store) => store.acquireLease(LEASE)],
  ...['skipped:strings', 'skipped:types', 'tokens', 'floor'].map((name) => [name, checkStore] as const),
  ['journal', (store) => journal(store)],
  ['map', (store) => currentMap(store)],
  ['map:history', (store) => mapHistory(store)],
];

async function expectNamed(call: Promise<unknown>, name: string): Promise<void> {
  await expect(call).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT', message: expect.stringContaining(name) });
}

describe.each(everyStore())('a setting of a store in $name that is damaged', (kind) => {
  it.each(READERS)('is named by what reads it: %s', async (name, read) => {
    const { store, again } = await kind.open();
    await publishMap(store, ShardMap.create({ shards: 4, nodes: [{ name: 'a' }] }));
    // A map that is empty is one that is being copied.
    for (const garbage of name.startsWith('map') ? GARBAGE.slice(1) : GARBAGE) {
      expect(await store.replaceSetting(name, await store.setting(name), garbage)).toBe(true);
      await expectNamed(read(await again()), name);
    }
  });

  it.each(GARBAGE)('is named by every call if it is the state: %o', async (garbage) => {
    const { store, again } = await kind.open();
    await store.replaceSetting('made', undefined, '');
    await store.replaceState(await store.setting('store'), garbage).catch(() => {});
    await expectNamed(
      again().then((opened) => opened.lookup('strings', ['a'])),
      'the setting "store"',
    );
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
    ] as readonly [string, string, Read][]) {
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
