import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Interner, leaseShard, type Store, StoreUnavailableError, TypeRegistry } from '../../src/registry/index.js';
import { postgresStore, type QueryClient } from '../../src/registry/stores/postgres/store.js';
import { temporaryFolder } from '../support/cli.js';
import { connectPg, type PostgresServer, startPostgres } from '../support/postgres.js';
import { IS_FULL, scaled } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server?.stop());

async function open(client: string | QueryClient): Promise<Store> {
  const store = await postgresStore(client);
  onTestFinished(() => store.close());
  return store;
}

async function poolOf(url: string): Promise<QueryClient> {
  const pool = await connectPg(url);
  onTestFinished(() => pool.end());
  return pool;
}

function hasOpenssl(): boolean {
  return spawnSync('openssl', ['version']).status === 0;
}

describe('a PostgreSQL store', () => {
  it('gives one id to one string, whichever of several processes asks', async () => {
    const url = await server.newSchema();
    const script = 'test/support/intern-batches.mjs';
    const batches = scaled(40);
    const runs = Array.from({ length: IS_FULL ? 8 : 3 }, (_, seed) =>
      promisify(execFile)(process.execPath, [script, url, String(seed), String(batches)]),
    );
    const keyOf = new Map<string, string>();
    const idOf = new Map<string, string>();
    for (const { stdout } of await Promise.all(runs)) {
      for (const [key, id] of Object.entries<string>(JSON.parse(stdout))) {
        expect([idOf.get(key) ?? id, keyOf.get(id) ?? key]).toEqual([id, key]);
        idOf.set(key, id);
        keyOf.set(id, key);
      }
    }
    expect(idOf.size).toBe(200 * batches);
    const interner = new Interner({ store: await open(url) });
    expect(await interner.resolveMany(Array.from(keyOf.keys(), BigInt))).toEqual([...keyOf.values()]);
  });

  it('numbers types without gaps, however many race for them', async () => {
    const url = await server.newSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const count = scaled(50);
    const registries = Array.from({ length: 16 }, (_, i) => new TypeRegistry({ store: stores[i % 4] }));
    const ids = await Promise.all(
      registries.map(async (types, first) => {
        const named: number[] = [];
        for (let i = 0; i < count; i++) named[(i + first) % count] = await types.idOf(`type ${(i + first) % count}`);
        return named;
      }),
    );
    for (const named of ids) expect(named).toEqual(ids[0]);
    expect([...ids[0]].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  it('leases every shard to one of many that ask at once', async () => {
    const url = await server.newSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const asked = Array.from({ length: 24 }, (_, i) => leaseShard({ store: stores[i % 4], shards: 24 }));
    const leases = await Promise.all(asked);
    expect(leases.map(({ shard }) => shard).sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, i) => i));
    await Promise.all(leases.map((lease) => lease.release()));
  });

  it.each([
    ['a URL', (url: string) => url],
    ['a pool of pg', poolOf],
  ])('keeps what it has acknowledged when the server ends in mid-batch, and goes on: %s', async (_, clientOf) => {
    const store = await open(await clientOf(await server.newSchema()));
    const interner = new Interner({ store, prefixBits: 4 });
    const idOf = new Map<string, bigint>();
    const outcomes = { done: 0, failed: 0 };
    let isOver = false;
    const working = Array.from({ length: 4 }, async (_, worker) => {
      for (let batch = 0; !isOver; batch++) {
        // Every other key is also another worker's.
        const keys = Array.from({ length: 100 }, (_, i) => `${i % 2 ? worker : 'all'} ${batch * 100 + i}`);
        try {
          for (const [i, id] of (await interner.internMany(keys)).entries()) {
            expect(idOf.get(keys[i]) ?? id).toBe(id);
            idOf.set(keys[i], id);
          }
          outcomes.done++;
        } catch (error) {
          expect(error).toBeInstanceOf(StoreUnavailableError);
          outcomes.failed++;
        }
      }
    });
    const crashes = IS_FULL ? 4 : 2;
    for (let crash = 0; crash < crashes; crash++) {
      await setTimeout(300 + 100 * crash);
      await server.crash();
      const before = idOf.size;
      await server.start();
      while (idOf.size === before) await setTimeout(10);
    }
    isOver = true;
    await Promise.all(working);
    expect(outcomes.done).toBeGreaterThan(2 * crashes);
    expect(await interner.lookupMany([...idOf.keys()])).toEqual(BigUint64Array.from(idOf.values()));
    expect(new Set(idOf.values()).size).toBe(idOf.size);
  });

  it('makes its tables once, however many come first', async () => {
    for (let round = 0; round < (IS_FULL ? 5 : 2); round++) {
      const url = await server.newSchema();
      const sql = postgres(url);
      onTestFinished(() => sql.end());
      const clients = [url, await poolOf(url), sql];
      const stores = await Promise.all(Array.from({ length: 9 }, (_, i) => open(clients[i % 3] as string)));
      const ids = await Promise.all(stores.map((store) => new Interner({ store }).intern('a')));
      expect(new Set(ids).size).toBe(1);
    }
  });

  it('can be used by those who may not make tables', async () => {
    const url = await server.newSchema();
    const id = await new Interner({ store: await open(url) }).intern('a');
    const sql = postgres(url);
    onTestFinished(() => sql.end());
    const schema = new URL(url).searchParams.get('search_path') ?? '';
    await sql`create user reader password 'reader'`;
    await sql`grant usage on schema ${sql(schema)} to reader`;
    await sql`grant select, insert, update on all tables in schema ${sql(schema)} to reader`;
    const theirs = new URL(url);
    theirs.username = theirs.password = 'reader';
    expect(await new Interner({ store: await open(theirs.href) }).intern('a')).toBe(id);
  });

  it('works over clients of others, and leaves them open', async () => {
    const url = await server.newSchema();
    const sql = postgres(url, { transform: postgres.camel, types: { bigint: postgres.BigInt } });
    onTestFinished(() => sql.end());
    const keys = ['a', '\0', 'x'.repeat(5000), ''];
    const ids: BigUint64Array[] = [];
    for (const client of [sql, await poolOf(url), sql]) {
      const store = await postgresStore(client);
      const interner = new Interner({ store });
      ids.push(await interner.internMany(keys));
      expect(await interner.resolveMany(ids[0])).toEqual(keys);
      expect(await new TypeRegistry({ store }).idOf('User')).toBe(1);
      const lease = await leaseShard({ store, shards: 1 });
      expect(lease.token).toBe(BigInt(ids.length));
      await lease.release();
      await store.close();
    }
    expect(ids).toEqual([ids[0], ids[0], ids[0]]);
  });

  it('says that the server cannot be reached, or refuses what is none', async () => {
    await expect(postgresStore('postgres://postgres@127.0.0.1:1/postgres')).rejects.toThrow(StoreUnavailableError);
    for (const bad of [undefined, null, 5, {}]) {
      await expect(postgresStore(bad as never)).rejects.toThrow(wrong('server'));
    }
    const failing = { query: () => Promise.reject(new Error('no such column')) };
    await expect(postgresStore(failing)).rejects.toThrow('no such column');
  });

  it('goes to the next host of a URL when one is away', async () => {
    const url = (await server.newSchema()).replace('@127.0.0.1:', '@127.0.0.1:1,127.0.0.1:');
    const store = await open(url);
    const ids = await new Interner({ store }).internMany(['a', 'b']);
    await Promise.all(Array.from({ length: 20 }, () => store.setting('a')));
    expect(await store.resolve('strings', ids)).toEqual(['a', 'b']);
  });

  it.skipIf(!hasOpenssl())('reaches a server by TLS, and checks its certificate if asked', async () => {
    const folder = temporaryFolder();
    const request = '-x509 -newkey rsa:2048 -nodes -days 2 -keyout server.key -out server.crt -subj /CN=other.example';
    execFileSync('openssl', ['req', ...request.split(' ')], { cwd: folder, stdio: 'ignore' });
    const sql = postgres(server.url, { max: 1 });
    onTestFinished(() => sql.end());
    const [data] = await sql`show data_directory`;
    const { uid, gid } = statSync(data?.data_directory);
    for (const name of ['server.key', 'server.crt']) {
      const file = join(data?.data_directory, name);
      copyFileSync(join(folder, name), file);
      chmodSync(file, 0o600);
      chownSync(file, uid, gid);
    }
    await sql`alter system set ssl = on`;
    await sql`select pg_reload_conf()`;
    const url = await server.newSchema();
    const store = await open(`${url}&sslmode=require&application_name=by_tls`);
    await store.replaceSetting('a', undefined, 'b');
    const [row] = await sql`
      select bool_and(ssl) as ssl, count(*)::integer as count
      from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'by_tls'`;
    expect([row?.ssl, (row?.count ?? 0) > 0]).toEqual([true, true]);
    const refused = await postgresStore(`${url}&sslmode=verify-full`).catch((error) => error);
    expect(refused).toBeInstanceOf(StoreUnavailableError);
    expect(refused.isTransient).toBe(false);
  });

  it('says what to install where there is no client for a URL', () => {
    const folder = temporaryFolder();
    cpSync('dist', join(folder, 'node_modules/shardbits/dist'), { recursive: true });
    cpSync('package.json', join(folder, 'node_modules/shardbits/package.json'));
    const use = `postgresStore('postgres://127.0.0.1').catch(({ message }) => console.log(message));`;
    for (const [type, load] of [
      ['module', `const { postgresStore } = await import('shardbits/stores/postgres');`],
      ['commonjs', `const { postgresStore } = require('shardbits/stores/postgres');`],
    ]) {
      const args = [`--input-type=${type}`, '-e', load + use];
      expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).toBe(
        'postgresStore needs the package "postgres" for a URL: npm install postgres\n',
      );
    }
  });
});
