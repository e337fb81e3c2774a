import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreConflictError } from '../../src/errors.js';
import type { LeaseGrant, Store } from '../../src/registry/store.js';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import { sharedPostgres } from '../support/postgres.js';
import { scaled } from '../support/scale.js';

let server: Awaited<ReturnType<typeof sharedPostgres>>;

beforeAll(async () => {
  server = await sharedPostgres();
});

afterAll(() => server?.stop());

async function open(url: string): Promise<Store> {
  const store = await postgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

const TEXTS = [
  '',
  'plain',
  'back\\slash',
  '\\u0041',
  'NUL\0',
  'é',
  '漢字',
  '\u{1f600}',
  '\ud800',
  "'; drop table x",
  '\n',
];

describe.each(['UTF8', 'LATIN1', 'SQL_ASCII'])('a PostgreSQL database in %s', (encoding) => {
  it('keeps names, values, owners and keys of all characters', async () => {
    const sql = postgres(server.url, { max: 1 });
    onTestFinished(() => sql.end());
    const database = `in_${encoding.toLowerCase()}`;
    await sql.unsafe(`create database ${database} encoding '${encoding}' locale 'C' template template0`);
    const store = await open(Object.assign(new URL(server.url), { pathname: `/${database}` }).href);
    for (const text of TEXTS) {
      expect(await store.replaceSetting(`name ${text}`, undefined, text)).toBe(true);
      expect(await store.replaceSetting(`name ${text}`, `${text}.`, 'other')).toBe(false);
      expect(await store.setting(`name ${text}`)).toBe(text);
      expect(await store.replaceSetting(`name ${text}`, text, `${text}${text}`)).toBe(true);
      expect(await store.setting(`name ${text}`)).toBe(`${text}${text}`);
    }
    const records = TEXTS.map((owner, shard) => ({
      shard,
      owner,
      token: 2n ** 62n,
      expires: 0.5,
      strayUntil: 0.25,
      ttlMs: 100,
      mintedUntil: 1.25e12 + 0.001,
    }));
    await store.restoreShards(records);
    expect(await store.shards()).toEqual(records);
    const request = { owner: 'é\0', ttlMs: 10_000, mintUntil: Date.now(), mintFrom: Date.now(), shards: 100 };
    const grant = (await store.acquireLease(request)) as LeaseGrant;
    expect(grant).toEqual({ shard: 0, token: 2n ** 62n + 1n, mintedUntil: 1.25e12 + 0.001 });
    expect(await store.renewLease({ ...request, ...grant })).toBe(true);
    expect((await store.shards())[0]).toMatchObject({ owner: 'é\0' });
    const keys = TEXTS.filter((text) => text !== '\ud800');
    const ids = (await store.assign('strings', { prefix: 0, base: 0n, max: 100n }, keys)) as BigUint64Array;
    expect(await store.resolve('strings', ids)).toEqual(keys);
    expect(await store.lookup('strings', keys)).toEqual(ids);
  });
});

it.each(['strings', 'types'] as const)('damage is not taken for a race after one, in %s', async (space) => {
  const store = await open(await server.newSchema());
  const block = { prefix: 0, base: 0n, max: 100n };
  await store.assign(space, block, ['a']);
  await store.assign(space, block, ['a', 'b']); // some are known, which is how a race looks
  await store.replaceSetting(`skipped:${space}`, undefined, 'garbage');
  await expect(store.assign(space, block, ['c'])).rejects.toMatchObject({
    code: 'ERR_STORE_CORRUPT',
    message: expect.stringContaining(`skipped:${space}`),
  });
});

describe('shards of a PostgreSQL store', () => {
  it('are leased to many that ask at once, without many tries', async () => {
    const url = await server.newSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const request = { owner: 'a', ttlMs: 60_000, mintUntil: Date.now(), mintFrom: Date.now(), shards: 5000 };
    const asked = Array.from({ length: 40 }, (_, i) => stores[i % 4].acquireLease(request));
    const outcomes = await Promise.allSettled(asked);
    const grants = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value as LeaseGrant] : []));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(new Set(grants.map(({ shard }) => shard)).size).toBe(grants.length);
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreConflictError);
    expect(failures.length).toBeLessThan(3);
    // One that asks alone gets the first that is free.
    await stores[0]?.freeShard(0);
    expect(await stores[0]?.acquireLease(request)).toMatchObject({ shard: 0, token: 2n });
  });

  it('are never given with a mark that has been raised since it was read', async () => {
    const url = await server.newSchema();
    const store = await open(url);
    const sql = postgres(url, { max: 1 });
    onTestFinished(() => sql.end());
    const now = Date.now();
    const free = { expires: 0, strayUntil: 0, ttlMs: 1000 };
    await store.restoreShards([{ shard: 0, owner: 'a', token: 1n, ...free, mintedUntil: now - 1000 }]);
    // Another transaction holds the record while the statement waits for it, and raises the mark.
    const request = { owner: 'b', ttlMs: 1000, mintUntil: now, mintFrom: now, shards: 1 };
    const waiting = await sql.begin(async (tx) => {
      await tx`update shardbits_shards set minted_until = ${now - 500}`;
      const asked = store.acquireLease(request);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { asked };
    });
    expect(await waiting.asked).toEqual({ shard: 0, token: 2n, mintedUntil: now - 500 });
  });

  it('are listed and restored in pieces, however many there are', async () => {
    const store = await open(await server.newSchema());
    const records = Array.from({ length: scaled(60_000) }, (_, shard) => ({
      shard,
      owner: `owner ${shard}`,
      token: BigInt(shard + 1),
      expires: 0,
      strayUntil: 0,
      ttlMs: 1000,
      mintedUntil: shard,
    }));
    await store.restoreShards(records);
    await store.restoreShards([]);
    expect(await store.shards()).toEqual(records);
    const counters = new Map(records.map(({ shard }) => [2 ** 32 - 1 - shard, BigInt(shard) << 30n]));
    await store.restoreCounters('strings', counters);
    expect(await store.counters('strings')).toEqual(counters);
  });
});
