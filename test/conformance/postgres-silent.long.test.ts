import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailableError } from '../../src/errors.js';
import type { Store } from '../../src/registry/store.js';
import { postgresStore } from '../../src/registry/stores/postgres/store.js';
import {
  connectPg,
  type PostgresServer,
  type SilentProxy,
  startPostgres,
  startSilentProxy,
} from '../support/postgres.js';
import { IS_WHOLE } from '../support/scale.js';
import { expectTime } from '../support/time.js';
import { wrong } from '../support/wrong-argument.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(() => server?.stop());

const TIMEOUT_MS = 1000;
/** How late a call may fail, and opening, closing and a process may end. Except before a release, others keep the machine busy. */
const LATE_MS = IS_WHOLE ? { call: 400, end: 1500, process: 2500 } : { call: 4000, end: 4000, process: 8000 };
const BLOCK = { prefix: 1, base: 1n << 32n, max: 1000n };

/** A way to a new schema with tables, so that nothing that takes long is left to do. */
async function newProxy(onFinished: typeof onTestFinished): Promise<SilentProxy> {
  const url = await server.newSchema();
  await (await postgresStore(url)).close();
  const proxy = await startSilentProxy(url);
  onFinished(() => proxy.stop());
  return proxy;
}

/** How something ended, and after how many milliseconds. */
async function timed<T>(work: Promise<T>): Promise<{ outcome: T | Error; ms: number }> {
  const begin = performance.now();
  const outcome = await work.catch((error: Error) => error);
  return { outcome, ms: performance.now() - begin };
}

const CALLS: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ['lookup', (store) => store.lookup('strings', ['a'])],
  ['assign', (store) => store.assign('strings', BLOCK, ['b'])],
  ['resolve', (store) => store.resolve('strings', BigUint64Array.of(1n))],
  ['setting', (store) => store.setting('a')],
  ['renewLease', (store) => store.renewLease({ owner: 'a', shard: 0, token: 1n, ttlMs: 1000, mintUntil: Date.now() })],
  ['shards', (store) => store.shards()],
  ['count', (store) => store.count('types')],
];

describe.concurrent('a PostgreSQL that falls silent', () => {
  it('fails calls in time, and is used again when it answers: a URL', async ({ onTestFinished }) => {
    const proxy = await newProxy(onTestFinished);
    const store = await postgresStore(proxy.url, { timeoutMs: TIMEOUT_MS });
    const ids = await store.assign('strings', BLOCK, ['a']);
    for (let round = 0; round < 3; round++) {
      proxy.silence();
      // More than there are connections, so that some wait for one.
      const calls = Array.from({ length: 5 }, () => CALLS).flat();
      for (const { outcome, ms } of await Promise.all(calls.map(([, call]) => timed(call(store))))) {
        expect(outcome).toBeInstanceOf(StoreUnavailableError);
        expect(outcome).toMatchObject({ isTransient: true });
        expectTime(ms, TIMEOUT_MS + LATE_MS.call);
      }
      // Connections that are new are silent, too.
      const { outcome, ms } = await timed(store.lookup('strings', ['a']));
      expect(outcome).toMatchObject({
        isTransient: true,
        message: `the server did not answer within ${TIMEOUT_MS} ms`,
      });
      expectTime(ms, TIMEOUT_MS + LATE_MS.call);
      proxy.speak();
      expect(await store.lookup('strings', ['a'])).toEqual(ids);
    }
    await store.close();
  });

  it('fails calls in time, and is used again when it answers: a pool of pg', async ({ onTestFinished }) => {
    const proxy = await newProxy(onTestFinished);
    const pool = await connectPg(proxy.url);
    const store = await postgresStore(pool, { timeoutMs: TIMEOUT_MS });
    const ids = await store.assign('strings', BLOCK, ['a']);
    proxy.silence();
    const { outcome, ms } = await timed(store.lookup('strings', ['a']));
    expect(outcome).toMatchObject({ name: 'StoreUnavailableError', isTransient: true });
    expectTime(ms, TIMEOUT_MS + LATE_MS.call);
    proxy.speak();
    expect(await store.lookup('strings', ['a'])).toEqual(ids); // the pool makes a new connection beside the silent one
    await store.close();
  });

  it('can be left: close() ends, with and without calls that wait, and again', async ({ onTestFinished }) => {
    for (const waiting of [0, 30]) {
      const proxy = await newProxy(onTestFinished);
      const store = await postgresStore(proxy.url, { timeoutMs: TIMEOUT_MS });
      await Promise.all(Array.from({ length: 20 }, () => store.setting('a'))); // opens connections
      proxy.silence();
      const calls = Array.from({ length: waiting }, () => timed(store.setting('a')));
      const { outcome, ms } = await timed(store.close());
      expect(outcome).toBeUndefined();
      expectTime(ms, TIMEOUT_MS + LATE_MS.end);
      for (const call of await Promise.all(calls)) expect(call.outcome).toMatchObject({ isTransient: true });
      await store[Symbol.asyncDispose]();
      const after = await store.setting('a').catch((error) => error);
      expect(after).toMatchObject({ message: 'the store is closed', isTransient: false });
    }
  });

  it('is not waited for when it is opened', async ({ onTestFinished }) => {
    const proxy = await newProxy(onTestFinished);
    proxy.silence();
    const { outcome, ms } = await timed(postgresStore(proxy.url, { timeoutMs: TIMEOUT_MS }));
    expect(outcome).toMatchObject({ name: 'StoreUnavailableError', isTransient: true });
    expectTime(ms, TIMEOUT_MS + LATE_MS.end);
  });

  it('does not keep a process alive that has closed its store', async ({ onTestFinished }) => {
    const proxy = await newProxy(onTestFinished);
    const script = `
      import { postgresStore } from 'shardbits/stores/postgres';
      const store = await postgresStore(process.argv[1], { timeoutMs: ${TIMEOUT_MS} });
      process.stdout.write('open');
      process.stdin.once('data', async () => {
        for (const name of ['a', 'b']) { // the second one is silent from the start
          process.stdout.write(' ' + (await store.setting(name).catch((error) => error.name)));
        }
        await store.close();
        process.stdout.write(' closed');
        process.stdin.destroy();
      });`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, proxy.url]);
    await new Promise((resolve) => run.child.stdout?.once('data', resolve));
    proxy.silence();
    run.child.stdin?.write('go\n');
    const { ms } = await timed(run);
    expect((await run).stdout).toBe('open StoreUnavailableError StoreUnavailableError closed');
    expectTime(ms, 2 * TIMEOUT_MS + LATE_MS.process);
  });

  it('is told from a slow one by timeoutMs, which is a number of milliseconds', async () => {
    const url = await server.newSchema();
    for (const timeoutMs of [0, -1, 1.5, Number.NaN, 2 ** 31]) {
      await expect(postgresStore(url, { timeoutMs })).rejects.toThrow(wrong('timeoutMs'));
    }
    await expect(postgresStore(url, { timeoutMs: '5' as never })).rejects.toThrow(TypeError);
  });
});

describe('a PostgreSQL that is silent because this process is busy', () => {
  it('is not given up: the process reads what came', async () => {
    const store = await postgresStore(await server.newSchema(), { timeoutMs: TIMEOUT_MS });
    onTestFinished(() => store.close());
    await store.setting('a');
    const asked = store.setting('a');
    await setTimeout(0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * TIMEOUT_MS);
    expect(await asked).toBeUndefined();
  });
});
