// A command of each script that threads have. All commands, with more rows: threads.long.test.ts.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';

const file = join(temporaryFolder(afterAll), 'ids.csv');

// 9 MB: more than one thread reads alone.
beforeAll(() => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `"${'a\n'.repeat(40)}",${i % 50_000 === 49_999 ? 'x' : i}\n`);
  writeFileSync(file, `note,id\n${rows.join('')}`);
});

it.each([
  [['route', '--shards', '9', '--keys', 'u64', '--format', 'shard']],
  [['decode', '--layout', 'snowflake']],
])('%j gives the same with one thread and with three', async ([command, ...options]) => {
  const args = [command, file, '--csv', '--key', 'id', ...options, '--rejects', '/dev/null'];
  const [one, three] = await Promise.all([1, 3].map((threads) => shardbits([...args, '--threads', `${threads}`])));
  expect([one.code, one.stderr]).toEqual([0, '2 rows rejected: see /dev/null\n']);
  expect([three.code, three.stderr, three.stdout.equals(one.stdout)]).toEqual([0, one.stderr, true]);
});

describe.skipIf(process.platform === 'win32')('where a process may open few files, threads', () => {
  const rows = [file, '--csv', '--key', 'id', '--shards', '500', '--rejects', '/dev/null'];

  async function written(threads: number, openFiles?: number) {
    const cwd = temporaryFolder();
    const args = ['route', ...rows, '--keys', 'u64', '--out-dir', 'out', '--threads', `${threads}`];
    const { code, stderr } = await shardbits(args, { cwd, ...(openFiles && { openFiles }) });
    const files = readdirSync(join(cwd, 'out')).map((name) => [name, readFileSync(join(cwd, 'out', name), 'utf8')]);
    return { code, stderr, beside: readdirSync(cwd), files };
  }

  it.each([
    ['are not used for more files', 2, 64],
    ['are ended when they have opened too many themselves', 8, 48],
    ['give the same if all can be open', 2, 600],
  ])('%s', async (_, threads, openFiles) => {
    const [one, several] = await Promise.all([written(1), written(threads, openFiles)]);
    expect(one).toMatchObject({ code: 0, beside: ['out'] });
    expect(several).toEqual(one);
  });

  it('that cannot start are left out', () => {
    // Two files are left, and a thread needs more.
    const program = `
      const { openSync, closeSync } = require('node:fs');
      const { Readable, Writable } = require('node:stream');
      const { Router } = require(${JSON.stringify(join(process.cwd(), 'dist/index.cjs'))});
      const { routeFile, WorkerPool } = require(${JSON.stringify(join(process.cwd(), 'dist/node.cjs'))});
      const router = new Router({ shards: 7 });
      const pieces = Array.from({ length: 40 }, () => Buffer.from('key\\n'.repeat(250_000)));
      let bytes = 0;
      const out = new Writable({ write: (chunk, _, done) => { bytes += chunk.length; done(); } });
      router.route('key');
      const open = [];
      try { for (;;) open.push(openSync('/dev/null')); } catch {}
      for (const file of open.slice(-2)) closeSync(file);
      routeFile(Readable.from(pieces), { router, out, format: 'u32', threads: 4 }).then(async ({ keys }) => {
        const pool = new WorkerPool({ threads: 2 });
        await new Promise((done) => setTimeout(done, 200));
        const refused = await pool.routeMany(router, new BigUint64Array(1)).catch((error) => error.message);
        process.stdout.write(JSON.stringify({ keys, bytes, refused }));
      });
    `;
    const limited = ['-c', 'ulimit -n 64 && exec "$@"', 'sh', process.execPath, '-e', program];
    expect(JSON.parse(execFileSync('sh', limited, { encoding: 'utf8' }))).toEqual({
      keys: 10_000_000,
      bytes: 40_000_000,
      refused: expect.stringMatching(/^a worker thread has ended: .*EMFILE/),
    });
  });
});
