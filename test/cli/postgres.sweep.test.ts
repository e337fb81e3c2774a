import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StoreConflictError } from '../../src/errors.js';
import { Connection } from '../../src/registry/stores/postgres/connection.js';
import { shardbits } from '../support/cli.js';
import { sharedPostgres } from '../support/postgres.js';
import { runHere } from '../support/run-here.js';
import { hasSqlite } from '../support/sqlite.js';
import { filledStore, HELD, resolved } from './filled-store.js';

const STORE = 'ids.db';
const START_MS = 60_000; // on a machine that has other work; otherwise one or two seconds

let server: Awaited<ReturnType<typeof sharedPostgres>>;

beforeAll(async () => {
  server = await sharedPostgres();
}, START_MS);

afterAll(() => server?.stop(), START_MS);

const lines = (stdout: Buffer) => stdout.toString().split('\n').slice(0, -1);

describe('a store in PostgreSQL', () => {
  it('with two names is noticed by every step with two stores, and stays as it is', async () => {
    const { port } = new URL(server.url);
    const url = await server.newSchema(); // by the search path
    const schema = /search_path(?:=|%3D|%253D)([a-z0-9_-]+)/i.exec(url)?.[1] ?? '';
    const names = [
      `${server.url}?schema=${schema}`,
      url.replace(`127.0.0.1:${port}`, `localhost:${port}`),
      `${server.url}?schema=${schema}&application_name=other`,
    ];
    const checked = async () => (await runHere(['store', 'check', url])).stdout.toString();
    for (const content of ['', 'a\nb\n']) {
      await runHere(['intern', '--store', url], { input: [content || '\n'] });
      const before = await checked();
      for (const [first, second] of [...names.map((name) => [url, name]), ...names.map((name) => [name, url])]) {
        for (const step of [['copy'], ['move'], ['move', '--back']]) {
          const run = await runHere(['store', ...step, first ?? '', second ?? '']);
          const message = expect.stringContaining(': both names lead to one store\n');
          expect([step, first, second, run.code, run.stderr]).toEqual([step, first, second, 1, message]);
        }
      }
      expect(await checked()).toBe(before);
    }
  });

  it('takes strings, also in a schema that the URL names, where mint leases its shards as well', async () => {
    for (const url of [server.url, `${server.url}?schema=other&application_name=ids`]) {
      const first = await shardbits(['intern', '--store', url], { input: ['a\nb\na\n'] });
      expect([first.code, first.stderr]).toEqual([0, '']);
      const ids = lines(first.stdout);
      expect([ids.length, ids[2]]).toEqual([3, ids[0]]);
      const back = await runHere(['intern', '--store', url, '--resolve'], { input: [first.stdout] });
      expect(back.stdout.toString()).toBe('a\nb\na\n');
      const minted = await runHere(['mint', '--lease', url, '--count', '2']);
      expect([minted.code, minted.stderr, lines(minted.stdout).length]).toEqual([0, '', 2]);
      const listed = await runHere(['leases', '--store', url]);
      expect([listed.stderr, lines(listed.stdout).length]).toEqual([
        expect.stringMatching(/^store \S+, generation \S+\n$/),
        2,
      ]);
    }
    const missing = await runHere(['intern', '--store', `${server.url}?schema=none`, '--resolve'], { input: [] });
    expect([missing.code, missing.stdout.length]).toEqual([1, 0]);
    expect(missing.stderr).toMatch(/^error: .*none/);
  });

  it.skipIf(!hasSqlite())('is copied to and back, with no wrong advice when others are faster', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const schema = `${server.url}?schema=ids`;
    const none = await runHere(['store', 'copy', schema, join(folder, `none-${STORE}`)]);
    expect([none.code, readdirSync(folder).filter((name) => name.startsWith('none'))]).toEqual([1, []]);
    const copied = { code: 0, stderr: expect.stringMatching(/^copied \S+ to \S+, which is another store/) };
    expect(await shardbits(['store', 'copy', path, schema])).toMatchObject(copied);
    expect(await resolved(schema, ids)).toBe(strings);
    expect((await runHere(['store', 'check', schema])).stdout.toString()).toEqual(HELD);
    const back = join(folder, `back-${STORE}`);
    expect(await runHere(['store', 'copy', schema, back])).toMatchObject(copied);
    expect(await resolved(back, ids)).toBe(strings);
    // A minute of conflicts, in no time.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const faster = new StoreConflictError('others were faster');
    const { ask } = Connection.prototype;
    vi.spyOn(Connection.prototype, 'ask').mockImplementation(function (this: Connection, statement, ...values) {
      if (statement.text.includes('json_to_recordset') && statement.text.includes('shardbits_shards')) throw faster;
      return ask.call(this, statement, ...values) as Promise<never>;
    });
    const undone = await runHere(['store', 'copy', path, schema]);
    vi.restoreAllMocks();
    expect([undone.code, undone.stderr]).toEqual([1, 'error: others were faster\n']);
  });
});
