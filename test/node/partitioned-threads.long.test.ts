import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeFile } from 'shardbits/node';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { byInt32, byInt64, file, givesTheShards, int32s, int64s, kafka, linesOf, words } from './thread-samples.js';

// What has threads is tested as it is shipped: a thread needs its script.

describe('routeFile on two threads', () => {
  givesTheShards([
    ['text', kafka, words],
    ['int32', byInt32, int32s],
    ['int64', byInt64, int64s],
  ]);

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
