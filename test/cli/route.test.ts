import * as zlib from 'node:zlib';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { keysIn } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { runHere } from '../support/run-here.js';
import { file, router, tsv, words } from './keys.js';
import { readsCompressed, takesLines } from './line-inputs.js';

describe('route takes a line as a key', () => {
  takesLines(1, { fromFile: () => runHere, fromPipe: runHere });

  it('or as a decimal u64, with --keys u64: its 8 bytes are hashed, unless --hash none', async () => {
    const keys = randomU64s(5000);
    const path = file(keys.join('\n'));
    const run = (...more: string[]) =>
      runHere(['route', path, '--shards', '77', '--keys', 'u64', '--format', 'shard', ...more]);
    expect((await run()).stdout.toString()).toBe(`${new Router({ shards: 77 }).routeMany(keys).join('\n')}\n`);
    const plain = new Router({ shards: 77, hash: 'none', strategy: 'modulo' });
    const none = await run('--hash', 'none', '--strategy', 'modulo');
    expect(none.stdout.toString()).toBe(`${plain.routeMany(keys).join('\n')}\n`);
  });
});

describe('route reads what is compressed', () => {
  readsCompressed({ fromFile: runHere, small: runHere, large: runHere });

  it('and says so when it is cut short', async () => {
    const cut = file(gzipSync(words).subarray(0, 10_000));
    expect(await runHere(['route', cut, '--shards', '3', '--format', 'u32'])).toMatchObject({
      code: 1,
      stderr: `error: ${cut}: unexpected end of file\n`,
    });
    const piped = { input: [gzipSync(words).subarray(0, 10_000)] };
    expect(await runHere(['route', '--shards', '3', '--format', 'u32'], piped)).toMatchObject({
      code: 1,
      stderr: 'error: -: unexpected end of file\n',
    });
  });

  it('zstd too, where Node.js can; elsewhere it says what to do', async () => {
    const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Buffer) => Buffer };
    const bytes = zstdCompressSync?.(words) ?? Buffer.from('28b52ffd0400', 'hex');
    const run = await runHere(['route', file(bytes), '--shards', '1024']);
    if (zstdCompressSync) expect(run.stdout.equals(tsv(words))).toBe(true);
    else
      expect(run).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/zstd needs Node.js 22.15, 23.8 or later, .* zstd -dc$/m),
      });
  });

  it('but no key for what it is not: lines that only begin like it', async () => {
    for (const bytes of [
      Buffer.of(0x1f),
      Buffer.of(0x1f, 0x8b),
      Buffer.of(0x1f, 0x8b, 0x0a),
      Buffer.of(0x28, 0xb5, 0x0a),
    ]) {
      expect((await runHere(['route', '--shards', '1024'], { input: [bytes] })).stdout).toEqual(tsv(bytes));
      expect((await runHere(['route', '--shards', '1024', file(bytes)])).stdout).toEqual(tsv(bytes));
    }
  });
});

describe('route routes', () => {
  it.each([
    [['--shards', '1'], new Router({ shards: 1 })],
    [['--shards', '100000'], new Router({ shards: 100000 })],
    [['--shards', '2147483647'], new Router({ shards: 2147483647 })],
    [['--shards', '10', '--strategy', 'fastrange'], new Router({ shards: 10, strategy: 'fastrange' })],
    [
      ['--shards', '10', '--strategy', 'modulo', '--seed', '7'],
      new Router({ shards: 10, strategy: 'modulo', seed: 7n }),
    ],
    [['--shards', '10', '--seed=-1'], new Router({ shards: 10, seed: 2n ** 64n - 1n })],
    [['--shards', '10', '--seed', '0xffffffffffffffff'], new Router({ shards: 10, seed: -1n })],
    [['--shards', '10', '--down', '3,7'], new Router({ shards: 10, down: [3, 7] })],
  ])('with %j', async (options, by) => {
    const { stdout } = await runHere(['route', ...options], { input: [words] });
    expect(stdout.equals(tsv(words, by))).toBe(true);
  });
});

describe('route writes', () => {
  const shards = router.routeMany(keysIn(words).map((key) => Buffer.from(key).toString()));

  it('--format shard: one decimal a line; u32: little-endian binary', async () => {
    const text = await runHere(['route', '--shards', '1024', '--format', 'shard'], { input: [words] });
    expect(text.stdout.toString()).toBe(`${shards.join('\n')}\n`);
    const binary = await runHere(['route', '--shards', '1024', '--format', 'u32'], { input: [words] });
    expect(binary.stdout.equals(Buffer.from(shards.buffer))).toBe(true);
  });

  it('--summary: keys, throughput and balance', async () => {
    const { stdout } = await runHere(['route', '--shards', '4', '--down', '1', '--summary'], { input: [words] });
    const text = stdout.toString();
    expect(text).toMatch(/^keys +20,000\nthroughput +[0-9.]+ [Mk] keys\/s \([0-9.]+ m?s\)\nshards +3 up, 1 down\n/);
    const counts = [0, 0, 0, 0];
    const by = new Router({ shards: 4, down: [1] });
    for (const key of keysIn(words)) counts[by.route(key)] = counts[by.route(key)] + 1;
    for (const [shard, count] of counts.entries()) {
      expect(text).toMatch(new RegExp(`shard ${shard}(?: \\(down\\))? +${count.toLocaleString('en')}\\b`));
    }
  });

  it('--summary: a histogram that counts every shard once, where there are many', async () => {
    const { stdout } = await runHere(['route', '--shards', '1000', '--summary'], { input: [words] });
    const bins = [...stdout.toString().matchAll(/^ +[0-9,]+(?: to [0-9,]+)? +([0-9,]+)(?: █+)?$/gm)];
    expect(bins.reduce((sum, [, shards]) => sum + Number(shards), 0)).toBe(1000);
  });
});
