// What a bundler makes one program of, for servers: threads, which need a script of their own, and SQLite, which is built in
// or a package. SCRIPT=none: there is no such script.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { getBackend, Router } from 'shardbits';
import { routeFile, WorkerPool } from 'shardbits/node';
import { Interner } from 'shardbits/registry';
import { sqliteStore } from 'shardbits/stores/sqlite';
import { Checks, type Outcome } from './checks.js';
import { report } from './report.js';

const ROWS = 600_000; // 11 MB: above 8, files are worked on by threads

async function server(): Promise<Outcome> {
  const checks = new Checks();
  const folder = mkdtempSync(join(tmpdir(), 'bundled-'));
  const router = new Router({ shards: 16 });
  const input = join(folder, 'keys.txt');
  writeFileSync(input, Array.from({ length: ROWS }, (_, i) => `user:${i}:${'x'.repeat(8)}\n`).join(''));
  const routed = async (threads: number) => {
    const out = join(folder, `${threads}.tsv`);
    await routeFile(input, { router, out, threads });
    return readFileSync(out);
  };
  const one = await routed(1);
  const [zipped, out] = [join(folder, 'keys.gz'), join(folder, 'rows.gz')];
  writeFileSync(zipped, gzipSync(readFileSync(input)));
  await routeFile(zipped, { router, out, compress: 'gzip', threads: 1 });
  checks.same('compressed files, read and written', gunzipSync(readFileSync(out)).equals(one), true);
  const keys = BigUint64Array.from({ length: 1000 }, (_, i) => BigInt(i));
  if (process.env.SCRIPT === 'none') {
    const said = await routed(2).catch(({ message }) => message);
    checks.same(
      'the error without the script',
      /^threads need shardbits-worker.cjs, .* or use one thread$/.test(said),
      true,
    );
  } else {
    checks.same('the rows of two threads', one.equals(await routed(2)), true);
    const pool = new WorkerPool({ threads: 2 });
    checks.same('a pool', [...(await pool.routeMany(router, keys))], [...router.routeMany(keys)]);
    await pool.close();
  }
  const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined;
  const interned = async () => {
    const store = await sqliteStore(join(folder, 'ids.db'));
    const interner = new Interner({ store });
    const text = await interner.resolve(await interner.intern('alice'));
    await store.close();
    return text;
  };
  checks.same(
    'SQLite',
    await interned().catch(({ message }) => message.replace(/.*(npm install better-sqlite3)/, '$1')),
    hasSqlite ? 'alice' : 'npm install better-sqlite3',
  );
  rmSync(folder, { recursive: true });
  return { version: process.version, backend: getBackend(), checks: checks.count, failures: checks.failures };
}

report(server);
