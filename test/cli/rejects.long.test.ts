import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';

const NOT_U64 = 'expected a decimal integer from -2^63 to 2^64 - 1';
const route = ['route', '--shards', '7', '--keys', 'u64', '--format', 'shard'];
const shardsOf = (keys: bigint[]) => [...new Router({ shards: 7 }).routeMany(BigUint64Array.from(keys))];

describe('a malformed row ends a command after the rows before it', () => {
  it('also with threads, in a file that they share out', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'keys');
    const keys = Array.from({ length: 1_500_000 }, (_, i) => BigInt(i) * 1_000_003n);
    writeFileSync(path, `${keys.slice(0, 1_400_000).join('\n')}\n-\n${keys.slice(1_400_000).join('\n')}\n`);
    const runs = await Promise.all(['1', '3'].map((threads) => shardbits([...route, path, '--threads', threads])));
    const before = `${shardsOf(keys.slice(0, 1_400_000)).join('\n')}\n`;
    for (const { code, stdout, stderr } of runs) {
      expect([code, stderr]).toEqual([1, `error: ${path}:1400001: ${NOT_U64}, got "-"\n`]);
      expect(stdout.toString() === before).toBe(true);
    }
    const rejects = join(folder, 'rejects');
    const run = await shardbits([...route, path, '--threads', '3', '--rejects', rejects]);
    expect([run.code, run.stderr]).toEqual([0, `1 row rejected: see ${rejects}\n`]);
    expect(readFileSync(rejects, 'utf8')).toBe(`1400001\t${NOT_U64}, got "-"\t-\n`);
    expect(run.stdout.toString() === `${shardsOf(keys).join('\n')}\n`).toBe(true);
  });
});
