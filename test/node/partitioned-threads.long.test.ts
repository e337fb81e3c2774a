import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeFile } from 'shardbits/node';
import { type Partitioner, partitioner } from 'shardbits/partitioners';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

// What has threads is tested as it is shipped: a thread needs its script.

const ROWS = 150_000;

const words = Array.from(randomU64s(ROWS), (value, i) => `${i % 3 ? 'é' : '{'}${value % 100_000n}`);
const int32s = new Int32Array(randomU64s(ROWS / 2).buffer);
const int64s = new BigInt64Array(randomU64s(ROWS).buffer);

const kafka = partitioner('kafka', { partitions: 12 });
const byInt32 = partitioner('spark', { partitions: 200, key: 'int32' });
const byInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });

function file(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, content);
  return path;
}

const linesOf = (keys: Iterable<unknown>): string => Array.from(keys, (key) => `${key}\n`).join('');

describe('routeFile on two threads', () => {
  it.each<[kind: string, by: Partitioner, keys: string[] | Int32Array | BigInt64Array]>([
    ['text', kafka, words],
    ['int32', byInt32, int32s],
    ['int64', byInt64, int64s],
  ])('gives the shards of a partitioner: %s', async (_, by, keys) => {
    // A thread takes four megabytes at a time.
    const path = file(
      linesOf(keys)
        .padEnd(6 * 1024 * 1024, `${keys[0]}\n`)
        .replace(/\n[^\n]*$/, '\n'),
    );
    const out = join(temporaryFolder(), 'out');
    const progress = await routeFile(path, { router: by, out, format: 'u32', threads: 2 });
    const shards = by.routeMany(keys);
    const first = new Uint32Array(progress.keys).fill(shards[0]);
    first.set(shards);
    expect(readFileSync(out).equals(Buffer.from(first.buffer))).toBe(true);
  });

  it('gives the shards of NDJSON', async () => {
    const rows = { format: 'ndjson', key: 'a.b' } as const;
    const record = (key: bigint) => `{"text":"${'x'.repeat(40)}","a":{"b":${key}}`;
    const keys = int64s.subarray(0, 60_000);
    const out = join(temporaryFolder(), 'out');
    await routeFile(file(linesOf(Array.from(keys, (key) => `${record(key)}}`))), {
      router: byInt64,
      out,
      records: rows,
      threads: 2,
    });
    const shards = byInt64.routeMany(keys);
    const expected = linesOf(Array.from(keys, (key, i) => `${record(key)},"shard":${shards[i]}}`));
    expect(readFileSync(out, 'utf8') === expected).toBe(true);
  });

  it('names the file and the line of a malformed key, and leaves nothing', async () => {
    const good = '-1234567890123456789\n'.repeat(210_000); // more than four megabytes
    const [path, folder] = [file(`${good}${good}9223372036854775808\n${good}x\n`), temporaryFolder()];
    for (const threads of [1, 2]) {
      const running = routeFile(path, { router: byInt64, out: join(folder, 'out'), threads });
      await expect(running).rejects.toMatchObject({
        name: 'RangeError',
        code: 'ERR_OUT_OF_RANGE',
        message: `${path}:420001: expected a decimal integer from -2^63 to 2^63 - 1, got "9223372036854775808"`,
        file: path,
        line: 420_001,
      });
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
