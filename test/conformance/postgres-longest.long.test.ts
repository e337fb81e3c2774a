import { expect, it, onTestFinished } from 'vitest';
import { postgresStore } from '../../src/registry/stores/postgres.js';
import { startPostgres } from '../support/postgres.js';

it('a PostgreSQL store keeps strings of 64 MiB', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const store = await postgresStore(server.url);
  onTestFinished(() => store.close());
  const longest = 'x'.repeat(2 ** 26);
  const ids = (await store.assign('strings', { prefix: 0, base: 0n, max: 9n }, [longest])) as BigUint64Array;
  expect(ids).toEqual(BigUint64Array.of(1n));
  const [resolved] = await store.resolve('strings', ids);
  expect(resolved === longest).toBe(true); // a difference would be printed
}, 120_000);
