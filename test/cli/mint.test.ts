import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layouts, parseLayout } from '../../src/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';

async function mint(...args: string[]): Promise<bigint[]> {
  const { code, stdout, stderr } = await shardbits(['mint', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString().trimEnd().split('\n').map(BigInt);
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

  it('--high-water: keeps in a file up to when ids were made, and waits for it', async () => {
    const file = join(temporaryFolder(), 'minted-until');
    const [first] = await mint('--shard', '5', '--high-water', file);
    const until = Number.parseInt(readFileSync(file, 'utf8'), 10); // a tag may follow
    const [second] = await mint('--shard', '5', '--high-water', file);
    expect(second).toBeGreaterThan(first as bigint);
    expect(layouts.snowflake.dateOf(second as bigint).getTime()).toBeGreaterThanOrEqual(until);
    writeFileSync(file, `${Date.now() + 3_600_000}\n`);
    expect(await shardbits(['mint', '--shard', '5', '--high-water', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the clock shows .*, ids may be of /),
    });
    writeFileSync(file, 'soon\n');
    expect(await shardbits(['mint', '--shard', '5', '--high-water', file])).toMatchObject({
      code: 1,
      stderr: `error: ${file}: expected Unix milliseconds on a line of their own\n`,
    });
  });

  it('--lease: with a shard that no other process has at the time', async () => {
    const store = join(temporaryFolder(), 'ids.lmdb');
    const runs = await Promise.all(Array.from({ length: 4 }, () => mint('--lease', store, '--count', '200000')));
    const all = runs.flat();
    expect(new Set(all).size).toBe(800_000);
    expect(new Set(all.map((id) => layouts.snowflake.shardOf(id))).size).toBe(4);
    expect(layouts.snowflake.shardOf((await mint('--lease', store))[0] as bigint)).toBeLessThan(5);
  });

  it.each<[args: string[], code: number, message: string]>([
    [['mint'], 2, 'error: expected one of --shard and --lease, got none\n'],
    [['mint', '--shard', '1', '--lease', 'x'], 2, 'error: expected one of --shard and --lease, got both\n'],
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
});
