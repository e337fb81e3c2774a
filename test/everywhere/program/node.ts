import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep, toNamespacedPath } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Router } from 'shardbits';
import { highWaterFile, matchingFiles, planLines, routeFile, routeToDirectory, WorkerPool } from 'shardbits/node';
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

/** Opens files and folders, says so, and closes them after a moment. */
const HOLDER = `
  const { closeSync, openSync, opendirSync, statSync } = require('node:fs');
  const { files, folders, flag } = require('node:worker_threads').workerData;
  const open = [
    ...files.map((file) => openSync(file, 'r')),
    ...folders.map((folder) => opendirSync(folder)),
  ];
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  setTimeout(() => {
    for (const each of open) typeof each === 'number' ? closeSync(each) : each.closeSync();
  }, 200);`;

/** What another program has open, Windows neither replaces nor removes. */
export async function filesInUse(checks: Checks): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  const holders: Worker[] = [];
  /** Does something while files and folders are open elsewhere. */
  const meanwhile = (files: string[], folders: string[], action: () => void) => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    holders.push(new Worker(HOLDER, { eval: true, workerData: { files, folders, flag } }));
    Atomics.wait(flag, 0, 0, 10_000);
    action();
  };
  try {
    const path = join(folder, 'high-water');
    const first = highWaterFile(path);
    first.load();
    const holderFolder = () => readdirSync(folder).filter((name) => name.endsWith('.holder'));
    meanwhile([path], [], () => first.save(1000));
    const second = highWaterFile(path);
    meanwhile(
      [path],
      holderFolder().map((name) => join(folder, name)),
      () => second.load(),
    );
    meanwhile(
      [],
      holderFolder().map((name) => join(folder, name)),
      () => second.close?.(2000),
    );
    checks.same('a high-water mark in use', [readFileSync(path, 'latin1'), holderFolder()], ['2000\n', []]);
    const keys = join(folder, 'keys.txt');
    const out = join(folder, 'out.txt');
    for (const file of [keys, out]) writeFileSync(file, 'a\n');
    const { ino } = statSync(out, { bigint: true });
    const routing = new Promise<void>((resolve, reject) => {
      meanwhile([out], [], () => {
        routeFile(keys, { router: new Router({ shards: 1 }), out }).then(() => resolve(), reject);
      });
    });
    await routing;
    checks.same('an output in use', readFileSync(out, 'utf8'), '0\ta\n');
    checks.same('an output in use is replaced', statSync(out, { bigint: true }).ino === ino, false);
  } finally {
    await Promise.all(holders.map((holder) => holder.terminate()));
    rmSync(folder, { recursive: true });
  }
}

/** Long paths, patterns, and names that only some systems have. */
export async function namesOfFiles(checks: Checks): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-'));
  const router = new Router({ shards: 2 });
  try {
    // Longer than the 260 characters that Windows takes from programs that do not ask for more.
    const long = join(folder, ...Array.from({ length: 6 }, (_, i) => `${i}`.repeat(50)));
    mkdirSync(long, { recursive: true });
    const keys = join(long, 'keys.txt');
    writeFileSync(keys, 'a\nb\nc\n');
    for (const [what, path] of [
      ['a long path', keys],
      ['a path as Windows calls it', toNamespacedPath(keys)],
    ] as const) {
      const { keys: count } = await routeFile(path, { router, out: `${path}.out` });
      checks.same(what, count, 3);
    }
    await routeToDirectory(keys, { router, directory: join(long, 'shards') });
    checks.same('long paths of shards', readdirSync(join(long, 'shards')).sort(), ['0.txt', '1.txt']);
    checks.same('a pattern', matchingFiles([`${folder}${sep}**${sep}k*[!t].txt`]), [keys]);
    const isWindows = sep === '\\';
    for (const [i, name] of ['CON', 'nul.x', 'lpt1', 'db:5432', 'a?', 'a*', 'a<b', 'com', 'con-1', 'a.b'].entries()) {
      const directory = join(folder, `${i}`);
      const placement = { routing: router, labels: [name, 'b'], labelOf: (shard: number) => [name, 'b'][shard] ?? '' };
      const made = await routeToDirectory(keys, { placement, directory }).then(
        () => readdirSync(directory).includes(`${name}.txt`),
        ({ code, argument }) => ({ code, argument, left: existsSync(directory) }),
      );
      const refused = { code: 'ERR_OUT_OF_RANGE', argument: 'placement.labels', left: false };
      checks.same(`a shard called ${name}`, made, isWindows && i < 7 ? refused : true);
    }
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
