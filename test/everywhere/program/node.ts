import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Router } from 'shardbits';
import { planLines, routeFile, WorkerPool } from 'shardbits/node';
import { partitioner } from 'shardbits/partitioners';
import type { Checks } from './checks.js';
import { columns, texts } from './inputs.js';

/** Files, threads and the command line. */
export async function files(checks: Checks): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  try {
    const router = new Router({ shards: 1024 });
    const keys = Array.from({ length: 50 }, texts).flat();
    const [input, out] = [join(folder, 'keys.txt'), join(folder, 'keys.u32')];
    writeFileSync(input, keys.join('\n'));
    const expected = Uint8Array.from(new Uint8Array(router.routeMany(keys).buffer));
    for (const threads of [1, 2]) {
      const { keys: count } = await routeFile(input, { router, out, format: 'u32', threads });
      checks.same(`keys in a file, by ${threads} threads`, count, keys.length);
      checks.same(`a file, routed by ${threads} threads`, Uint8Array.from(readFileSync(out)), expected);
    }
    const { moved } = await planLines(input, router, router.with({ shards: 1025 }));
    checks.same('a few keys of a file move', moved > 0 && moved < keys.length / 500, true);
    const column = columns().at(-1) as BigUint64Array;
    const pool = new WorkerPool({ threads: 2 });
    checks.same('a column, routed by two threads', await pool.routeMany(router, column), router.routeMany(column));
    const kafka = partitioner('kafka', { partitions: 12, key: 'int64' });
    const ids = new BigInt64Array(column.buffer);
    checks.same('a column, placed by two threads', await pool.routeMany(kafka, ids), kafka.routeMany(ids));
    writeFileSync(input, ids.join('\n'));
    const placed = Uint8Array.from(new Uint8Array(kafka.routeMany(ids).buffer));
    for (const threads of [1, 2]) {
      await routeFile(input, { router: kafka, out, format: 'u32', threads });
      checks.same(`a file, placed by ${threads} threads`, Uint8Array.from(readFileSync(out)), placed);
    }
    await pool.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The command line as it is installed. */
export function commandLine(checks: Checks, ...runtime: string[]): void {
  const [program = process.execPath, ...options] = runtime;
  const run = (input: string, ...args: string[]) => {
    const cli = join('node_modules', 'shardbits', 'dist', 'cli.js');
    const { stdout, stderr, status } = spawnSync(program, [...options, cli, ...args], { input, encoding: 'utf8' });
    return { stdout, stderr, status };
  };
  checks.same('shardbits hash', run('abc', 'hash'), { stdout: '44bc2cf5ad770999\n', stderr: '', status: 0 });
  const routed = run('user:42\nuser:43\n', 'route', '--shards', '1024');
  checks.same('shardbits route', routed, { stdout: '717\tuser:42\n360\tuser:43\n', stderr: '', status: 0 });
  const slots = run('foo\n', 'route', '--as', 'redis');
  checks.same('shardbits route --as', slots, { stdout: '12182\tfoo\n', stderr: '', status: 0 });
  const decoded = run('', 'decode', '67109888', '--layout', 'ragedb', '--json');
  checks.same('shardbits decode', JSON.parse(decoded.stdout), { id: '67109888', local: 1, type: 1, shard: 0 });
  checks.same('shardbits, misused', run('', 'rout').status, 2);
}
