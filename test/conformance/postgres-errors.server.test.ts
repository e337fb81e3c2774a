import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../../src/errors.js';
import { postgresStore, type QueryClient } from '../../src/registry/stores/postgres/store.js';
import { connectPg, sharedPostgres } from '../support/postgres.js';

let server: Awaited<ReturnType<typeof sharedPostgres>>;

beforeAll(async () => {
  server = await sharedPostgres();
});

afterAll(() => server?.stop());

const BLOCK = { prefix: 1, base: 1n << 32n, max: 1000n };

const failing = (error: unknown): QueryClient => ({ query: () => Promise.reject(error) });
const errorOf = (fields: object) => Object.assign(new Error('what the server says'), fields);

async function failureOf(client: Parameters<typeof postgresStore>[0]): Promise<StoreUnavailableError> {
  return (await postgresStore(client).catch((error) => error)) as StoreUnavailableError;
}

describe('errors of a PostgreSQL or its client', () => {
  const passing = [
    ...['08000', '08003', '08006', '08P01', '53300', '57P01', '57P02', '57P03', '57P05', '57014', '55P03'],
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND'],
    ...['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ].map((code) => [code, errorOf({ code })] as const);
  const messages = [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ].map((message) => [message, new Error(message)] as const);

  it.each<readonly [string, Error]>([
    ...passing,
    ...messages,
    ['a socket file to come', errorOf({ code: 'ENOENT', syscall: 'connect' })],
    ['all addresses at once', Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })],
  ])('that pass are transient: %s', async (_, cause) => {
    const error = await failureOf(failing(cause));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ isTransient: true, cause });
    expect(error.message).toMatch(/^the server did not answer: ./);
  });

  it('that pass are transient, and say so of a server that only reads', async () => {
    const error = await failureOf(failing(errorOf({ code: '25006' })));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({
      isTransient: true,
      message: 'the server is read-only at the moment: what the server says',
    });
  });

  it.each([
    ['28000', /^the server refuses this user or password: what/],
    ['28P01', /^the server refuses this user or password: what/],
    ['3D000', /^the database does not exist: what/],
    ['42501', /^this user lacks a privilege: what/],
    ['53100', /^the server's disk is full: what/],
    ['CONNECTION_ENDED', /^the client has been closed: what/],
    ['42601', /^the server refused: what/],
    ['XX000', /^the server refused: what/],
    ['ENOENT', /^the server refused: what/],
    ['', /^the server refused: what/],
  ])('that stay are not: %s', async (code, message) => {
    const cause = errorOf(code === '' ? {} : { code });
    const error = await failureOf(failing(cause));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ isTransient: false, cause });
    expect(error.message).toMatch(message);
  });

  it.each([
    ['40001', StoreConflictError],
    ['40P01', StoreConflictError],
    ['XX001', StoreCorruptError],
    ['XX002', StoreCorruptError],
    ['42703', StoreCorruptError],
    ['42P01', StoreCorruptError],
  ])('have a class of their own: %s', async (code, type) => {
    const cause = errorOf({ code });
    const error = await failureOf(failing(cause));
    expect(error).toBeInstanceOf(type);
    expect(error.cause).toBe(cause);
  });

  it.each([
    ...['EPIPE', 'ECONNRESET', 'CONNECTION_CLOSED', '08006', '40003', '57P01', ''].map((code) => [code, true] as const),
    ...['42501', '25006', '53100', '57014', '40001', '23514'].map((code) => [code, false] as const),
  ])('leave it open whether a write was committed, unless the server undid it: %s', async (code, isOpen) => {
    const pool = await connectPg(await server.newSchema());
    onTestFinished(() => pool.end());
    let isFailing = false;
    const store = await postgresStore({
      async query(text, params) {
        const done = await pool.query(text, params);
        if (isFailing) throw errorOf({ code });
        return done;
      },
    });
    isFailing = true;
    await expect(store.replaceSetting('a', undefined, 'b')).rejects.toThrow('what the server says');
    isFailing = false;
    expect(await store.setting('a')).toBe('b');
    expect(await store.setting('barrier')).toBe(isOpen ? '' : undefined);
  });

  it.each([
    ['a text', 'failed'],
    ['nothing', undefined],
  ])('may be anything: %s', async (_, thrown) => {
    const error = await failureOf(failing(thrown));
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.isTransient).toBe(false);
  });

  it('are those of stores when they come from a real server, too', async () => {
    const refused = async (change: (url: URL) => void): Promise<unknown> => {
      const url = new URL(server.url);
      change(url);
      return (await failureOf(url.href)).cause;
    };
    const admin = postgres(server.url, { max: 1 });
    onTestFinished(() => admin.end());
    const name = `limited_${randomUUID().replaceAll('-', '')}`;
    await admin.unsafe(`create user ${name} password '${name}' connection limit 0`);
    expect(await refused((url) => (url.pathname = '/no_such_database'))).toMatchObject({ code: '3D000' });
    expect(await refused((url) => (url.username = url.password = name))).toMatchObject({ code: '53300' });
    expect(await refused((url) => (url.port = '1'))).toMatchObject({ code: 'ECONNREFUSED' });
    expect(await refused((url) => (url.hostname = 'no-such-host.invalid'))).toMatchObject({
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  it('are a RangeError where a URL is none, which does not show what came', async () => {
    const error = await postgresStore('postgres://user:secret@:bad:port').catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    expect(error.message).toMatch(/^"server": expected a URL like postgres:\/\/user:password@host\/database, got text/);
    expect(error.message).not.toContain('secret');
  });

  it('say that tables have gone, that a client was closed, and that a counter is behind', async () => {
    const url = await server.newSchema();
    const pool = await connectPg(url);
    const store = await postgresStore(pool);
    await store.assign('strings', BLOCK, ['a']);
    await pool.query('update shardbits_counters set last = 0');
    const behind = await store.assign('strings', BLOCK, ['b']).catch((error) => error);
    expect(behind).toBeInstanceOf(StoreCorruptError);
    expect(behind.message).toMatch(/^a counter is behind the ids that have been given: duplicate key/);
    await pool.query('alter table shardbits_shards rename column owner to holder');
    await expect(store.shards()).rejects.toThrow(StoreCorruptError);
    await pool.query('drop table shardbits_shards');
    const missing = await store.shards().catch((error) => error);
    expect(missing).toBeInstanceOf(StoreCorruptError);
    expect(missing.message).toMatch(/^a table is missing; restore it: relation /);
    await pool.end();
    const ended = await store.setting('a').catch((error) => error);
    expect(ended).toBeInstanceOf(StoreUnavailableError);
    expect(ended.isTransient).toBe(false);
  });
});
