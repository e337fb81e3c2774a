import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreConflictError, StoreCorruptError } from '../../src/errors.js';
import { Interner } from '../../src/registry/index.js';
import type { Store } from '../../src/registry/store.js';
import { hashesOf } from '../../src/registry/stores/postgres/keys.js';
import { postgresDdl, postgresStore, type QueryClient } from '../../src/registry/stores/postgres/store.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';
import { expectTime } from '../support/time.js';
import { SIP_HASH_KEY, SIP_HASHES_128, sipHashMessage } from '../vectors/sip-hash.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server?.stop());

const block = (prefix: number) => ({ prefix, base: BigInt(prefix) << 32n, max: 2n ** 32n - 1n });

interface Opened {
  readonly url: string;
  readonly store: Store;
  readonly sql: postgres.Sql;
}

async function open(): Promise<Opened> {
  const url = await server.newSchema();
  const sql = postgres(url, { onnotice: () => {} });
  const store = await postgresStore(url);
  onTestFinished(async () => {
    await store.close();
    await sql.end();
  });
  return { url, store, sql };
}

async function hashKeyOf(sql: postgres.Sql): Promise<string> {
  const [row] = await sql`select value from shardbits_settings where name = 'hashKey'`;
  return row?.value;
}

const hashOf = (key: string, hashKey: string) => hashesOf([key], hashKey).slice(1, -1);

describe('the hashes of a PostgreSQL store', () => {
  it('have a random key, made once by whoever writes first, however many do', async () => {
    const all: string[] = [];
    for (let round = 0; round < 5; round++) {
      const { url, sql } = await open();
      expect(await hashKeyOf(sql)).toBeUndefined();
      const stores = await Promise.all(Array.from({ length: 6 }, () => postgresStore(url)));
      const ids = await Promise.all(stores.map((store) => new Interner({ store }).internMany(['a', 'b'])));
      expect(new Set(ids.map(String)).size).toBe(1);
      const hashKey = await hashKeyOf(sql);
      expect(hashKey).toMatch(/^[0-9a-f]{32}$/);
      all.push(hashKey.slice(0, 16), hashKey.slice(16));
      await Promise.all(stores.map((store) => store.close()));
    }
    expect(new Set(all).size).toBe(10);
  });

  it('are SipHash-2-4 of the string in 128 bits', async () => {
    const { store, sql } = await open();
    await store.assign('strings', block(1), ['abc']);
    const [row] = await sql`select hash from shardbits_strings`;
    expect(row?.hash.replaceAll('-', '')).toBe(hashOf('abc', await hashKeyOf(sql)));
    const digits = Buffer.from(SIP_HASH_KEY).toString('hex');
    for (const [i, hash] of SIP_HASHES_128.entries()) expect(hashOf(sipHashMessage(i), digits)).toBe(hash);
  });

  it('that two strings share are an error, never the id of the other string', async () => {
    const { store, sql } = await open();
    const [id] = (await store.assign('strings', block(1), ['a'])) as BigUint64Array;
    await sql`update shardbits_strings set hash = ${hashOf('b', await hashKeyOf(sql))}`;
    for (const call of [
      () => store.lookup('strings', ['x', 'b']),
      () => store.assign('strings', block(1), ['x', 'b']),
      () => store.assign('strings', block(2), ['b']),
      () => store.restore('strings', { keys: ['x', 'b'], ids: BigUint64Array.of(5n, 6n) }),
      () => store.restore('strings', { keys: ['b'], ids: BigUint64Array.of(id) }),
    ]) {
      const error = await call().catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreCorruptError);
      expect(error.message).toBe(
        'another string has the same 128-bit hash as "b", so it cannot get an id in this store',
      );
    }
    expect(await store.count('strings')).toBe(1);
    expect(await store.counter('strings', 1)).toBe(1n);
    expect(await store.resolve('strings', BigUint64Array.of(id))).toEqual(['a']);
  });

  it('that two strings of one batch share are an error, too', async () => {
    const { url, sql } = await open();
    // Makes every hash the first one of its batch.
    const client: QueryClient = {
      query: (text, params) =>
        sql.unsafe(
          text,
          params.map((param) =>
            /^\{[0-9a-f]{32}/.test(param) ? `{${param.slice(1, -1).split(',').fill(param.slice(1, 33))}}` : param,
          ),
        ),
    };
    const store = await postgresStore(client);
    await expect(store.assign('strings', block(1), ['a', 'b'])).rejects.toThrow(StoreCorruptError);
    const entries = { keys: ['c', 'd'], ids: BigUint64Array.of(1n, 2n) };
    await expect(store.restore('strings', entries)).rejects.toThrow(StoreCorruptError);
    await (await postgresStore(url)).close();
  });

  it('cannot do without the key that they were made with', async () => {
    const { url, store, sql } = await open();
    await store.assign('strings', block(1), ['a']);
    await sql`delete from shardbits_settings where name = 'hashKey'`;
    const other = await postgresStore(url);
    onTestFinished(() => other.close());
    for (const call of [() => other.lookup('strings', ['a']), () => other.assign('strings', block(1), ['b'])]) {
      await expect(call()).rejects.toThrow(StoreCorruptError);
    }
    await expect(store.lookup('strings', ['a'])).rejects.toThrow(StoreConflictError);
    await expect(store.lookup('strings', ['a'])).rejects.toThrow(/^shardbits_settings has lost "hashKey"/);
    expect(await store.count('strings')).toBe(1);
  });

  it('are refused if their key is damaged', async () => {
    const { url, sql } = await open();
    await sql`insert into shardbits_settings values ('hashKey', 'a secret')`;
    const store = await postgresStore(url);
    for (const call of [
      () => store.lookup('strings', ['a']),
      () => store.assign('types', block(1), ['a']),
      () => store.restore('strings', { keys: ['a'], ids: BigUint64Array.of(1n) }),
    ]) {
      const error = await call().catch((thrown) => thrown);
      expect(error).toBeInstanceOf(StoreCorruptError);
      expect(error.message).toBe("the key of the store's hashes is damaged: expected 32 hexadecimal digits");
    }
    await store.close();
    expect(await sql`select from shardbits_strings`).toHaveLength(0);
  });

  it('are made again with another key, when the tables have been emptied and used by others', async () => {
    const { url, store, sql } = await open();
    const interner = new Interner({ store });
    await interner.internMany(['a', 'b']);
    await sql.unsafe('truncate shardbits_strings, shardbits_settings, shardbits_counters');
    await expect(postgresStore(url)).rejects.toThrow(/shardbits_settings has lost "store"; restore it from a backup$/);
    await sql.unsafe(postgresDdl());
    const others = new Interner({ store: await postgresStore(url) });
    onTestFinished(() => others.close());
    const ids = await others.internMany(['a', 'b', 'c']);
    expect(await others.lookupMany(['c', 'b', 'a'])).toEqual(ids.slice().reverse());
    // It is another store than the one that this interner was opened with.
    for (const call of [() => interner.lookupMany(['c']), () => interner.intern('d')]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_STORE_CONFLICT', isTransient: false });
    }
  });
});

describe('large calls of a PostgreSQL store', () => {
  const keys = Array.from(randomU64s(IS_WHOLE ? 200_000 : 50_000), (n, i) => `key ${n} ${i}`);

  it('use the indexes, whatever their size and before anybody has analyzed the tables', async () => {
    const { store, sql } = await open();
    await sql`alter table shardbits_strings set (autovacuum_enabled = false)`;
    const ids = new BigUint64Array(keys.length);
    const half = keys.slice(0, keys.length / 2);
    await store.assign('strings', block(0), ['first']);
    const scans = async () => {
      await sql`select pg_stat_force_next_flush()`;
      await sql`select pg_stat_clear_snapshot()`;
      const [row] = await sql`
        select seq_scan::integer as scans, idx_scan::integer as looks, last_analyze, last_autoanalyze
        from pg_stat_user_tables
        where relname = 'shardbits_strings' and schemaname = current_schema()`;
      expect([row?.last_analyze, row?.last_autoanalyze]).toEqual([null, null]);
      return { scans: row?.scans as number, looks: row?.looks as number };
    };
    // Statistics come when a connection is idle for a moment.
    const settled = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1200));
      await store.setting('a');
      return scans();
    };
    const before = await settled();
    ids.set((await store.assign('strings', block(1), half)) as BigUint64Array);
    expect(ids.slice(0, half.length)).toEqual(BigUint64Array.from(half, (_, i) => (1n << 32n) + BigInt(i + 1)));
    ids.set((await store.assign('strings', block(2), keys)) as BigUint64Array);
    for (const size of [1, 10, 100, 1000, 10_000, keys.length]) {
      expect(await store.lookup('strings', keys.slice(-size))).toEqual(ids.slice(-size));
      expect(await store.resolve('strings', ids.slice(-size))).toEqual(keys.slice(-size));
    }
    await store.restore('strings', { keys, ids });
    const after = await settled();
    expect(after.scans - before.scans).toBe(0);
    expect(after.looks - before.looks).toBeGreaterThan(4 * keys.length);

    // Entries come in pieces, each once.
    let count = 0;
    for await (const piece of store.entries('strings')) {
      expect(piece.keys.length).toBeLessThanOrEqual(10_000);
      count += piece.keys.length;
    }
    expect([count, await store.count('strings')]).toEqual([keys.length + 1, keys.length + 1]);
  });

  it('are made of statements that are answered soon', async () => {
    const { url, store } = await open();
    const sql = postgres(url);
    let longest = 0;
    const client: QueryClient = {
      async query(text, params) {
        const begin = performance.now();
        const rows = await sql.unsafe(text, params);
        longest = Math.max(longest, performance.now() - begin);
        return rows;
      },
    };
    const timed = await postgresStore(client);
    await timed.assign('strings', block(1), keys);
    await timed.lookup('strings', keys);
    await sql.end();
    expect(await store.count('strings')).toBe(keys.length);
    expectTime(longest, 3000);
  });

  it('do nothing where there is no room for all, and all where there is', async () => {
    const { store } = await open();
    const some = keys.slice(0, 12_000);
    expect(await store.assign('strings', { ...block(1), max: 11_999n }, some)).toBeUndefined();
    expect(await store.count('strings')).toBe(0);
    expect(await store.counter('strings', 1)).toBe(0n);
    await store.assign('strings', block(2), some.slice(11_000)); // now there is room for the others
    const ids = (await store.assign('strings', { ...block(1), max: 11_000n }, some)) as BigUint64Array;
    expect([ids[0], ids[10_999], ids[11_000]]).toEqual([(1n << 32n) + 1n, (1n << 32n) + 11_000n, (2n << 32n) + 1n]);
    expect(await store.assign('strings', { ...block(1), max: 11_000n }, ['one more'])).toBeUndefined();
  });

  it('carry strings of all lengths, and refuse those that are too long', async () => {
    const { store } = await open();
    const long = Array.from({ length: 20 }, (_, i) => `${i}é`.repeat(1_000_000));
    const ids = (await store.assign('strings', block(1), ['', ...long, 'a'])) as BigUint64Array;
    expect((await store.resolve('strings', ids)).map((key) => key?.length)).toEqual([
      0,
      ...long.map((key) => key.length),
      1,
    ]);
    const pieces: number[] = [];
    for await (const piece of store.entries('strings')) {
      pieces.push(piece.keys.length);
      for (const [row, key] of piece.keys.entries())
        expect(key).toBe(['', ...long, 'a'][Number(piece.ids[row]) - 2 ** 32 - 1]);
    }
    expect(pieces.length).toBeGreaterThan(5); // so that they fit into memory
    const most = 'x'.repeat(2 ** 26);
    const [id] = (await store.assign('strings', block(2), [most])) as BigUint64Array;
    expect((await store.resolve('strings', BigUint64Array.of(id)))[0] === most).toBe(true);
    for (const key of [`${most}x`, 'é'.repeat(2 ** 25 + 1)]) {
      await expect(store.assign('strings', block(3), ['b', key])).rejects.toThrow(
        /^"keys" row 1: expected strings of at most 67108864 bytes, got 6710886\d$/,
      );
    }
    const found = await store.lookup('strings', [`${most}x`, 'b', 'a', 'x'.repeat(2 ** 28)]);
    expect(found).toEqual(BigUint64Array.of(0n, 0n, ids[21], 0n));
  });
});
