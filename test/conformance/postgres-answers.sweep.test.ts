import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreConflictError, StoreUnavailableError } from '../../src/errors.js';
import { Interner, TypeRegistry } from '../../src/registry/index.js';
import type { Store } from '../../src/registry/store.js';
import { postgresStore, type QueryClient } from '../../src/registry/stores/postgres/store.js';
import { connectPg, type PgClient, type PostgresServer, startPostgres } from '../support/postgres.js';
import { IS_FULL, scaled } from '../support/scale.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server?.stop());

const NAMES = Array.from({ length: 40 }, (_, i) => `type ${i}`);
const BLOCK = { prefix: 0, base: 0n, max: 65_535n };
const LEASE = { owner: 'a', ttlMs: 600_000, mintUntil: Date.now(), mintFrom: Date.now() };
const HELD = { ...LEASE, shard: 0, token: 1n };

/** What a store must say, or fail. */
const TRUTHS: readonly (readonly [name: string, ask: (store: Store) => Promise<unknown>, truth: unknown])[] = [
  ['types.all()', (store) => new TypeRegistry({ store }).all(), new Map(NAMES.map((name, i) => [name, i + 1]))],
  ['renewLease', (store) => store.renewLease(HELD), true],
  ['setting', (store) => store.setting('prefixBits'), '14'],
  ['lookup', (store) => store.lookup('types', ['type 1', 'none']), BigUint64Array.of(2n, 0n)],
  ['resolve', (store) => store.resolve('types', BigUint64Array.of(3n, 99n)), ['type 2', undefined]],
  ['counter', (store) => store.counter('types', 0), 40n],
  ['count', (store) => store.count('types'), 40],
  ['counters', (store) => store.counters('types'), new Map([[0, 40n]])],
  ['acquireLease', (store) => store.acquireLease({ ...LEASE, shards: 1 }), undefined],
  ['assign', (store) => store.assign('types', BLOCK, ['type 7']), BigUint64Array.of(8n)],
  ['replaceSetting', (store) => store.replaceSetting('prefixBits', undefined, '16'), false],
  ['resetMark', (store) => store.resetMark(0), 'held'],
  ['prefixBits', (store) => new Interner({ store, prefixBits: 16 }).intern('a').catch(whetherRefused), 'refused'],
  [
    'entries',
    async (store) => {
      const keys: string[] = [];
      for await (const entries of store.entries('types')) keys.push(...entries.keys);
      return keys;
    },
    NAMES,
  ],
];

function whetherRefused(error: unknown): string {
  if (error instanceof RangeError) return 'refused';
  throw error;
}

/** A schema with all that {@link TRUTHS} says. */
async function filled(): Promise<string> {
  const url = await server.newSchema();
  const store = await postgresStore(url);
  await store.assign('types', BLOCK, NAMES);
  await store.replaceSetting('prefixBits', undefined, '14');
  await store.acquireLease({ ...LEASE, shards: 1 });
  await store.close();
  return url;
}

/** A client that spoils answers, as postgres.js does after it has reconnected. */
function spoiling(client: PgClient, spoil: (rows: unknown[]) => unknown, isSpoilt: () => boolean): QueryClient {
  return {
    async query(text, params) {
      const { rows } = await client.query(text, params);
      return (isSpoilt() ? spoil(rows) : rows) as unknown[];
    },
  };
}

const SPOILS: readonly (readonly [string, (rows: unknown[]) => unknown])[] = [
  ['empty', () => []],
  ['holes only', ({ length }) => new Array(length)],
  ['a hole before its rows', (rows) => [undefined, ...rows]],
  ['a hole in place of its first row', (rows) => [undefined, ...rows.slice(1)]],
  ['an empty row', () => [{}]],
  [
    'a row that was cut off',
    (rows) => rows.map((row) => ({ answer: (row as { answer: string }).answer.slice(0, -9) })),
  ],
];

describe.each(SPOILS)('an answer of PostgreSQL that comes with %s', (_, spoil) => {
  it('is never believed', async () => {
    const pool = await connectPg(await filled());
    onTestFinished(() => pool.end());
    let isSpoilt = false;
    const store = await postgresStore(spoiling(pool, spoil, () => isSpoilt));
    for (const [, ask, truth] of TRUTHS) expect(await ask(store)).toEqual(truth);
    isSpoilt = true;
    for (const [name, ask] of TRUTHS) {
      if (['types.all()', 'prefixBits'].includes(name)) continue; // which would go on trying
      const error = (await ask(store).catch((thrown) => thrown)) as StoreUnavailableError;
      expect([name, error.constructor, error.isTransient]).toEqual([name, StoreUnavailableError, true]);
      expect(error.message).toBe("the server's answer was incomplete");
    }
    await expect(postgresStore(spoiling(pool, spoil, () => true))).rejects.toThrow(StoreUnavailableError);
  });

  it('is asked for again, where that changes nothing', async () => {
    const pool = await connectPg(await filled());
    onTestFinished(() => pool.end());
    let asked = 0;
    let isCalm = false;
    const store = await postgresStore(spoiling(pool, spoil, () => !isCalm && asked++ % 2 === 0));
    for (const [name, ask, truth] of TRUTHS) {
      const outcome = await ask(store).catch((error) => error);
      const writes = ['renewLease', 'acquireLease', 'assign', 'replaceSetting', 'resetMark'];
      if (writes.includes(name) && outcome instanceof StoreUnavailableError) {
        asked = 1;
        isCalm = true;
        await store.setting('a'); // waits for another commit, because the write is in doubt
        isCalm = false;
      } else expect([name, outcome]).toEqual([name, truth]);
    }
  });
});

it.each([
  ['a URL', async (url: string) => url],
  ['a pool of pg', connectPg],
])(
  'a PostgreSQL store never says what is wrong while its connections are ended: %s',
  async (_, clientOf) => {
    const url = `${await filled()}&application_name=ended`;
    const client = await clientOf(url);
    // postgres.js can lose a query with its connection: that one is given up after timeoutMs.
    const store = await postgresStore(client, { timeoutMs: 2000 });
    const admin = postgres(server.url, { max: 1 });
    onTestFinished(async () => {
      await store.close();
      await admin.end();
      if (typeof client !== 'string') await client.end();
    });
    const outcomes = { right: 0, failed: 0 };
    let isOver = false;
    const asking = Array.from({ length: 6 }, async (_, worker) => {
      for (let turn = worker; !isOver; turn++) {
        const [name, ask, truth] = TRUTHS[turn % TRUTHS.length];
        try {
          expect([name, await ask(store)]).toEqual([name, truth]);
          outcomes.right++;
        } catch (error) {
          if (!(error instanceof StoreUnavailableError || error instanceof StoreConflictError)) throw error;
          if (error instanceof StoreUnavailableError) expect(error.isTransient).toBe(true);
          outcomes.failed++;
        }
      }
    });
    let ended = 0;
    const rounds = scaled(60);
    for (let round = 0; round < rounds; round++) {
      await setTimeout(30 + (round % 7) * 10);
      const [row] = await admin`
        select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity
        where pid <> pg_backend_pid() and backend_type = 'client backend' and query like '%shardbits%'`;
      ended += row?.count;
    }
    isOver = true;
    await Promise.all(asking);
    expect(ended).toBeGreaterThan(IS_FULL ? 60 : 6);
    expect(outcomes.failed).toBeGreaterThan(IS_FULL ? 5 : 0);
    expect(outcomes.right).toBeGreaterThan(IS_FULL ? 100 : 12);
  },
  120_000,
);
