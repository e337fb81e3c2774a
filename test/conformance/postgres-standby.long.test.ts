import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkStore, copyStore, Interner, memoryStore, type Store } from '../../src/registry/index.js';
import { postgresStore, type QueryClient } from '../../src/registry/stores/postgres/store.js';
import { connectPg, type PostgresServer, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
let admin: postgres.Sql;

beforeAll(async () => {
  server = await startPostgres();
  admin = postgres(`${server.url}?synchronous_commit=on`, { onnotice: () => {} });
});

afterAll(async () => {
  await admin?.end();
  await server?.stop();
});

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 5000; !(await isDone()); ) {
    if (performance.now() > end) throw new Error('nothing has happened for five seconds');
    await setTimeout(5);
  }
}

/** From now on commits wait for a standby that is away, until the test ends. */
async function requireStandby(): Promise<void> {
  onTestFinished(forgetStandby);
  await admin`alter system set synchronous_standby_names = 'away'`;
  await admin`select pg_reload_conf()`;
  let cancelled = 0;
  await until(async () => {
    let isOver = false;
    const commit = admin`select pg_logical_emit_message(true, 'test', '')`.finally(() => {
      isOver = true;
    });
    await until(async () => {
      cancelled = await withWaiting('pg_cancel_backend');
      return cancelled > 0 || isOver;
    });
    await commit;
    return cancelled > 0;
  });
}

/** From now on no commit waits for a standby, and those that waited go on. */
async function forgetStandby(): Promise<void> {
  await admin`alter system reset synchronous_standby_names`;
  await admin`select pg_reload_conf()`;
  await admin`select pg_logical_emit_message(true, 'test', '')`;
}

type Act = 'pg_cancel_backend' | 'pg_terminate_backend' | 'abs';

/** Does something to the backends that wait for the standby. @returns how many there are */
async function withWaiting(act: Act): Promise<number> {
  const rows = await admin.unsafe(`select ${act}(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
  return rows.length;
}

/** Does something to the backends that wait for the standby, as soon as there are any. */
const whenWaiting = (act: Act) => until(async () => (await withWaiting(act)) > 0);

const TIMEOUT_MS = 400;
const BLOCK = { prefix: 1, base: 1n << 32n, max: 1000n };
const PATIENT = { timeoutMs: 10_000 };
const UNAVAILABLE = { code: 'ERR_STORE_UNAVAILABLE', isTransient: true };
const NOT_WAITED = {
  ...UNAVAILABLE,
  message: expect.stringMatching(/^the server stopped waiting for its synchronous/),
};

type Connect = (url: string) => Promise<string | QueryClient>;

const pg = (kind: 'Pool' | 'Client') => async (url: string) => {
  const client = await connectPg(url, kind);
  onTestFinished(() => client.end());
  return client;
};

const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  ['a URL', async (url) => url],
  ['a pool of pg', pg('Pool')],
  ['a client of pg', pg('Client')],
];

/** Repeats what should work, because a busy machine may take longer than {@link TIMEOUT_MS}. */
async function atLast<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}

async function open(client: string | QueryClient, options = { timeoutMs: TIMEOUT_MS }): Promise<Store> {
  const store = await atLast(() => postgresStore(client, options));
  onTestFinished(() => store.close());
  return store;
}

/** An interner whose store has everything that is written first, which may take longer. */
async function interning(client: string | QueryClient): Promise<Interner> {
  await new Interner({ store: await open(client, PATIENT) }).intern('first');
  return new Interner({ store: await open(client) });
}

describe.each(CLIENTS)('a commit that does not wait for the standby: %s', (_, connect) => {
  it('is not acknowledged, and its string only after a commit that did wait', async () => {
    const url = await server.newSchema();
    const interner = await interning(await connect(url));
    await requireStandby();
    const call = expect(interner.intern('a')).rejects.toMatchObject(UNAVAILABLE);
    await whenWaiting('pg_cancel_backend');
    await call;
    await expect(interner.intern('a')).rejects.toMatchObject(UNAVAILABLE);
    const [committed] = await (await open(url, PATIENT)).lookup('strings', ['a']);
    expect(committed).toBeGreaterThan(0n);
    await forgetStandby();
    expect(await atLast(() => interner.intern('a'))).toBe(committed);
  });

  it('is not acknowledged if its connection is ended', async () => {
    const store = await open(await connect(await server.newSchema()), PATIENT);
    await store.assign('strings', BLOCK, ['first']);
    await requireStandby();
    const call = expect(store.assign('strings', BLOCK, ['a'])).rejects.toMatchObject(UNAVAILABLE);
    await whenWaiting('pg_terminate_backend');
    await call;
  });

  it('says so at once, even if the client is to be told of errors only', async () => {
    const url = await server.newSchema();
    const store = await open(await connect(url), PATIENT);
    await store.assign('strings', BLOCK, ['first']);
    const [{ role }] = (await admin`select current_user as role`) as unknown as [{ role: string }];
    await admin.unsafe(`alter role ${role} set client_min_messages = error`);
    onTestFinished(() => admin.unsafe(`alter role ${role} reset client_min_messages`).then(() => {}));
    const silent = await open(await connect(url), PATIENT);
    await requireStandby();
    for (const [i, each] of [store, silent].entries()) {
      const call = expect(each.assign('strings', BLOCK, [`key ${i}`])).rejects.toMatchObject(NOT_WAITED);
      await whenWaiting('pg_cancel_backend');
      await call;
    }
  });
});

describe('a store in a PostgreSQL with a synchronous standby', () => {
  it('acknowledges nothing that was committed before the server crashed, until the standby has it', async () => {
    const interner = await interning(await server.newSchema());
    await requireStandby();
    const call = expect(interner.intern('a')).rejects.toMatchObject(UNAVAILABLE);
    await whenWaiting('abs');
    await server.crash();
    await call;
    await server.start();
    await expect(interner.intern('a')).rejects.toMatchObject(UNAVAILABLE);
    await forgetStandby();
    expect(await atLast(() => interner.intern('a'))).toBeGreaterThan(0n);
  });

  it('commits once more for all calls that come after a commit in doubt, and then never again', async () => {
    const url = await server.newSchema();
    const settings = `${new URL(url).searchParams.get('search_path')}.shardbits_settings`;
    const store = await open(url, PATIENT);
    await store.replaceSetting('prefixBits', undefined, '32');
    await store.assign('strings', BLOCK, ['first']);
    const versions = async () => {
      const rows = await admin.unsafe(`select xmin::text from ${settings} where name = 'barrier'`);
      return rows.map(({ xmin }) => xmin);
    };
    expect(await versions()).toEqual([]);
    await requireStandby();
    const call = expect(store.assign('strings', BLOCK, ['a', 'b'])).rejects.toMatchObject(NOT_WAITED);
    await whenWaiting('pg_cancel_backend');
    await call;
    await forgetStandby();
    const ask = () => Promise.all(Array.from({ length: 20 }, () => store.lookup('strings', ['a', 'b'])));
    await ask();
    const [made, ...others] = await versions();
    expect([typeof made, others]).toEqual(['string', []]);
    await ask();
    expect(await versions()).toEqual([made]);
    expect(await checkStore(store)).toMatchObject({ strings: await store.count('strings') });
    const copy = memoryStore();
    await copyStore(store, copy);
    expect(await copy.setting('barrier')).toBeUndefined();
  });

  it('is not opened with a client that keeps warnings to itself', async () => {
    const url = await server.newSchema();
    const sql = postgres(url);
    onTestFinished(() => sql.end());
    const query: QueryClient = { query: (text, params) => sql.unsafe(text, params) };
    for (const client of [sql, query]) await (await postgresStore(client)).close();
    await requireStandby();
    for (const client of [sql, query]) {
      await expect(postgresStore(client)).rejects.toMatchObject({
        code: 'ERR_STORE_UNAVAILABLE',
        isTransient: false,
        message: expect.stringContaining('give postgresStore a URL'),
      });
    }
    await (await postgresStore(url)).close();
  });

  it('needs no commit if it only reads, whatever others do with the same pool', async () => {
    const url = await server.newSchema();
    const schema = new URL(url).searchParams.get('search_path');
    await interning(url);
    await admin.unsafe(`create user reader_of_${schema} password 'reader'`);
    await admin.unsafe(`grant usage, create on schema ${schema} to reader_of_${schema}`);
    await admin.unsafe(`grant select on all tables in schema ${schema} to reader_of_${schema}`);
    const theirs = Object.assign(new URL(url), { username: `reader_of_${schema}`, password: 'reader' });
    const pool = await connectPg(theirs.href);
    onTestFinished(() => pool.end());
    const store = await open(pool, PATIENT);
    await requireStandby();
    const other = pool.query(`set synchronous_commit = on; create table ${schema}.theirs ()`);
    await whenWaiting('pg_cancel_backend');
    await other;
    expect(await store.lookup('strings', ['first'])).not.toEqual(BigUint64Array.of(0n));
  });
});
