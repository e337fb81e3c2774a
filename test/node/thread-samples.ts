// Keys of which threads take several tasks, with partitioners of the built package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeFile } from 'shardbits/node';
import { type Partitioner, partitioner } from 'shardbits/partitioners';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

export const ROWS = 150_000; // more than two tasks of a pool

export const words = Array.from(randomU64s(ROWS), (value, i) => `${i % 3 ? 'é' : '{'}${value % 100_000n}}`);
export const int32s = new Int32Array(randomU64s(ROWS / 2).buffer);
export const int64s = new BigInt64Array(randomU64s(ROWS).buffer);

export const kafka = partitioner('kafka', { partitions: 12 });
export const byInt32 = partitioner('spark', { partitions: 200, key: 'int32' });
export const byInt64 = partitioner('kafka', { partitions: 12, key: 'int64' });

export function file(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, content);
  return path;
}

export const linesOf = (keys: Iterable<unknown>): string => Array.from(keys, (key) => `${key}\n`).join('');

/** Tests that threads give the shards of partitioners. */
export function givesTheShards(
  samples: readonly (readonly [kind: string, by: Partitioner, keys: string[] | Int32Array | BigInt64Array])[],
): void {
  it.each(samples)('gives the shards of a partitioner: %s', async (_, by, keys) => {
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
}
