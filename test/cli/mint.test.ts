import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { layouts, parseLayout } from '../../src/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';

const STORES = hasSqlite() ? ['ids.db', 'ids.lmdb'] : ['ids.lmdb'];
const [STORE = ''] = STORES;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function mint(...args: string[]): Promise<bigint[]> {
  const { code, stdout, stderr } = await shardbits(['mint', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString().trimEnd().split('\n').map(BigInt);
}

interface Leased {
  shard: number;
  owner: string;
  heldUntil: string | null;
  mintedUntil: string;
}

async function leasesOf(store: string): Promise<Leased[]> {
  const { stdout } = await shardbits(['leases', '--store', store, '--format', 'json']);
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

interface Minting {
  child: ChildProcess;
  /** What it has written so far, in full lines. */
  ids(): bigint[];
  stderr(): string;
  /** How it ended: an exit code or a signal. */
  ended: Promise<number | string>;
}

/** A process that mints; it has written ids when this resolves, unless it is not to be waited for. */
async function startMinting(args: string[], { wait = true, node = [] as string[] } = {}): Promise<Minting> {
  const child = spawn(process.execPath, [...node, 'dist/cli.js', 'mint', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => pieces.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  if (wait) await once(child.stdout, 'data');
  return {
    child,
    ids: () => Buffer.concat(pieces).toString().split('\n').slice(0, -1).map(BigInt),
    stderr: () => stderr,
    ended,
  };
}

describe('mint', () => {
  it('makes an id of now, or many that ascend, in the layout and of the shard', async () => {
    const before = Date.now();
    const [id] = await mint('--shard', '5');
    expect(layouts.snowflake.shardOf(id as bigint)).toBe(5);
    expect(layouts.snowflake.dateOf(id as bigint).getTime()).toBeGreaterThanOrEqual(before);
    const ids = await mint('--shard', '378', '--count', '100000', '--layout', 'twitter');
    expect(ids.length).toBe(100_000);
    expect(ids.every((one, i) => i === 0 || one > (ids[i - 1] as bigint))).toBe(true);
    expect(layouts.twitter.unpack(ids[0] as bigint)).toMatchObject({ datacenter: 11, worker: 26 });
    const own = await mint('--shard', '2', '--layout', 'timestamp:42,shard:4,sequence:14', '--epoch', '2026-01-01');
    expect(parseLayout('timestamp:42,shard:4,sequence:14').shardOf(own[0] as bigint)).toBe(2);
    expect(await mint('--shard', '5', '--count', '1')).toHaveLength(1);
  });

  it('takes as long as it has to, in a layout with few ids a millisecond', async () => {
    const layout = ['--layout', 'timestamp:41,shard:10,sequence:1'];
    expect(await mint('--shard', '1', '--count', '10500', ...layout)).toHaveLength(10_500); // of 5.25 s
  });

  it('--high-water: keeps in a file up to when ids were made, and starts after that', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'minted-until');
    const [first] = await mint('--shard', '5', '--high-water', file);
    const until = Number(readFileSync(file, 'utf8'));
    expect(until).toBe(layouts.snowflake.dateOf(first as bigint).getTime() + 1);
    expect(readdirSync(folder)).toEqual(['minted-until']);
    const [second] = await mint('--shard', '5', '--high-water', file);
    expect(second).toBeGreaterThan(first as bigint);
    writeFileSync(file, `${Date.now() + 3_600_000}\n`);
    expect(await shardbits(['mint', '--shard', '5', '--high-water', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the clock shows .*, but the next id needs /),
    });
    writeFileSync(file, 'soon\n');
    expect(await shardbits(['mint', '--shard', '5', '--high-water', file])).toMatchObject({
      code: 1,
      stderr: `error: ${file}: expected Unix milliseconds on a line of their own\n`,
    });
    expect(readdirSync(folder)).toEqual(['minted-until']);
  });

  it.each(SIGNALS)('--high-water: gives the mark up when %s ends it', async (signal) => {
    const folder = temporaryFolder();
    const file = join(folder, 'minted-until');
    const minting = await startMinting(['--shard', '5', '--count', '100000000', '--high-water', file]);
    minting.child.kill(signal);
    expect([await minting.ended, minting.stderr()]).toEqual([signal, '']);
    expect(readdirSync(folder)).toEqual(['minted-until']);
    expect(Number(readFileSync(file, 'utf8'))).toBeLessThanOrEqual(Date.now() + 1);
  });

  it.each(STORES)('--lease: with a shard that no other process has at the time: %s', async (file) => {
    const store = join(temporaryFolder(), file);
    const count = ['--count', '100000000'];
    const all = await Promise.all(Array.from({ length: 4 }, () => startMinting(['--lease', store, ...count])));
    for (const { child } of all) child.kill('SIGINT');
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(Array(4).fill('SIGINT'));
    const shards = all.map(({ ids }) => [...new Set(ids().map((id) => layouts.snowflake.shardOf(id)))]);
    expect(shards.flat().toSorted()).toEqual([0, 1, 2, 3]);
    expect(layouts.snowflake.shardOf((await mint('--lease', store))[0] as bigint)).toBeLessThan(4);
  });

  it('--lease: says which machine and process holds the shard', async () => {
    const store = join(temporaryFolder(), STORE);
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    const [held] = await leasesOf(store);
    expect(held?.owner).toMatch(new RegExp(`^\\S+ pid ${minting.child.pid}$`));
    expect(Date.parse(held?.heldUntil as string)).toBeGreaterThan(Date.now());
    minting.child.kill('SIGTERM');
    await minting.ended;
  });

  it.each([
    'timestamp:42,shard:1,sequence:14',
    'timestamp:42,increment:14,sequence:1', // increment counts ids, and sequence is the shard
  ])('--lease: says that it waits while all shards are held: %s', async (spec) => {
    const store = join(temporaryFolder(), STORE);
    const layout = ['--layout', spec];
    const holders = await Promise.all(
      [1, 2].map(() => startMinting(['--lease', store, ...layout, '--count', '1000000000'])),
    );
    const waiting = await startMinting(['--lease', store, ...layout], { wait: false });
    while (waiting.stderr() === '') await setTimeout(20);
    expect(waiting.stderr()).toBe(`waiting for ${store} to lease one of 2 shards\n`);
    for (const { child } of [waiting, ...holders]) child.kill('SIGTERM');
    expect(await Promise.all([waiting, ...holders].map(({ ended }) => ended))).toEqual(Array(3).fill('SIGTERM'));
    expect((await leasesOf(store)).map(({ heldUntil }) => heldUntil)).toEqual([null, null]);
  });

  it('--lease: says that it waits for a store that does not answer', async () => {
    const waiting = await startMinting(['--lease', 'etcd://127.0.0.1:9'], { wait: false });
    while (waiting.stderr() === '') await setTimeout(20);
    expect(waiting.stderr()).toBe('waiting for etcd://127.0.0.1:9 to lease one of 1024 shards\n');
    waiting.child.kill('SIGTERM');
    expect(await waiting.ended).toBe('SIGTERM');
  });

  it('--lease: says why it stops when the lease is lost', async () => {
    const folder = temporaryFolder();
    const store = join(folder, STORE);
    const hurry = join(folder, 'hurry.mjs'); // prolongs the lease every half second, not every ten
    writeFileSync(
      hurry,
      'const { setTimeout } = globalThis;' +
        'globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 10_000 ? 500 : ms, ...rest);',
    );
    const minting = await startMinting(['--lease', store, '--count', '100000000'], { node: ['--import', hurry] });
    const { stderr } = await shardbits(['leases', '--store', store, '--release', '0', '--yes']);
    expect(stderr).toBe('shard 0 is free now\n');
    const message = 'error: the lease of shard 0 has ended: an operator ended it, or another holder has it\n';
    expect([await minting.ended, minting.stderr()]).toEqual([1, message]);
  });

  it.each(
    STORES.flatMap((file) => SIGNALS.map((signal) => [signal, file] as const)),
  )('--lease: frees the shard when %s ends it, for others to go on at once: %s', async (signal, file) => {
    const store = join(temporaryFolder(), file);
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    minting.child.kill(signal);
    const before = Date.now();
    expect([await minting.ended, minting.stderr()]).toEqual([signal, '']);
    const [lease, ...others] = await leasesOf(store);
    expect([lease?.shard, lease?.heldUntil, others]).toEqual([0, null, []]);
    expect(Math.abs(Date.parse(lease?.mintedUntil as string) - before)).toBeLessThan(2000);
    const first = minting.ids();
    const second = await mint('--lease', store, '--count', '1000');
    expect(second.map((id) => layouts.snowflake.shardOf(id))).toEqual(Array(1000).fill(0));
    const last = first.at(-1) as bigint;
    expect(second.every((id) => id > last)).toBe(true);
  });

  it('--lease: frees the shard when whoever reads the ids has had enough', async () => {
    const store = join(temporaryFolder(), STORE);
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    minting.child.stdout?.destroy();
    expect([await minting.ended, minting.stderr()]).toEqual([0, '']);
    expect((await leasesOf(store)).map(({ heldUntil }) => heldUntil)).toEqual([null]);
  });

  it('--lease: frees the shard when it is interrupted while nobody reads the ids', async () => {
    const store = join(temporaryFolder(), STORE);
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    minting.child.stdout?.pause();
    await setTimeout(500);
    minting.child.kill('SIGINT');
    const [[, signal]] = await Promise.all([once(minting.child, 'exit')]);
    expect(signal).toBe('SIGINT');
    expect((await leasesOf(store)).map(({ heldUntil }) => heldUntil)).toEqual([null]);
  });

  it('--lease: ends by the signal, although the store does not answer; a second one ends it at once', async () => {
    const connections = new Set<{ destroy(): void }>();
    const server = createServer((socket) => connections.add(socket.on('error', () => {})));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const store = `postgres://user:secret@127.0.0.1:${port}/database`;
    try {
      for (const [signals, least, most] of [
        [1, 0, 5000],
        [2, 300, 1500],
      ] as const) {
        const minting = await startMinting(['--lease', store], { wait: false });
        while (connections.size === 0) await setTimeout(20);
        connections.clear();
        const start = performance.now();
        for (let sent = 0; sent < signals; sent++) {
          if (sent > 0) await setTimeout(least);
          minting.child.kill('SIGINT');
        }
        expect([await minting.ended, minting.stderr()]).toEqual(['SIGINT', expect.not.stringContaining('secret')]);
        expect(performance.now() - start).toBeLessThan(most);
      }
    } finally {
      server.close();
    }
  });

  it.skipIf(!hasSqlite())(
    '--lease: ends by the signal, although another program keeps the store to itself',
    async () => {
      const store = join(temporaryFolder(), 'ids.db');
      const minting = await startMinting(['--lease', store, '--count', '100000000']);
      const database = openSqlite(store);
      database.exec('begin immediate');
      const start = performance.now();
      minting.child.kill('SIGTERM');
      expect(await minting.ended).toBe('SIGTERM');
      expect(performance.now() - start).toBeLessThan(6000);
      database.exec('rollback');
      database.close();
    },
  );

  it.each<[args: string[], code: number, message: string]>([
    [['mint'], 2, 'error: expected one of --shard and --lease, got neither\n'],
    [['mint', '--shard', '1', '--lease', 'x'], 2, 'error: expected one of --shard and --lease, got both\n'],
    [['mint', '--lease', 'mysql://host'], 2, 'error: --lease: expected a path such as ids.db (SQLite), '],
    [['mint', '--shard', '1024'], 2, 'error: --shard: expected an integer from 0 to 1023, got 1024\n'],
    [['mint', '--shard', '0', '--layout', 'uidGenerator'], 1, "error: the layout's timestamps end before "],
    [
      ['mint', '--shard', '0', '--layout', 'pinterest'],
      2,
      'error: --layout: expected a timestamp field, and below it ',
    ],
  ])('says what is wrong: %j', async (args, code, message) => {
    const run = await shardbits(args);
    expect([run.code, run.stderr.slice(0, message.length)]).toEqual([code, message]);
  });

  it.each(STORES)('leaves no file behind when a layout cannot be minted with: %s', async (store) => {
    const folder = temporaryFolder();
    for (const layout of ['pinterest', 'snowflak', 'timestamp:42,sequence']) {
      const run = await shardbits(['mint', '--lease', store, '--layout', layout], { cwd: folder });
      expect([run.code, readdirSync(folder)]).toEqual([2, []]);
    }
    const run = await shardbits(['mint', '--lease', join('no', store)], { cwd: folder });
    expect([run.code, readdirSync(folder)]).toEqual([1, []]);
    expect(run.stderr).toMatch(/^error: .*\n$/);
  });
});
