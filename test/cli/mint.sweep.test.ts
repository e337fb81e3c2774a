import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { layouts, parseLayout } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { mint } from './minting.js';

describe('mint', () => {
  it('makes an id of now, or many that ascend, in the layout and of the shard', async () => {
    const before = Date.now();
    const [id] = await mint('--shard', '5');
    expect(layouts.snowflake.shardOf(id)).toBe(5);
    expect(layouts.snowflake.dateOf(id).getTime()).toBeGreaterThanOrEqual(before);
    const ids = await mint('--shard', '378', '--count', '100000', '--layout', 'twitter');
    expect(ids.length).toBe(100_000);
    expect(ids.every((one, i) => i === 0 || one > ids[i - 1])).toBe(true);
    expect(layouts.twitter.unpack(ids[0])).toMatchObject({ datacenter: 11, worker: 26 });
    const own = await mint('--shard', '2', '--layout', 'timestamp:42,shard:4,sequence:14', '--epoch', '2026-01-01');
    expect(parseLayout('timestamp:42,shard:4,sequence:14').shardOf(own[0])).toBe(2);
    expect(await mint('--shard', '5', '--count', '1')).toHaveLength(1);
  });

  it('takes as long as it has to, in a layout with few ids a millisecond', async () => {
    // A clock that goes on to the next timer at once.
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }).setTimerTickMode(
      'nextTimerAsync',
    );
    onTestFinished(() => void vi.useRealTimers());
    const start = Date.now();
    const layout = ['--layout', 'timestamp:41,shard:10,sequence:1'];
    expect(await mint('--shard', '1', '--count', '10500', ...layout)).toHaveLength(10_500);
    expect(Date.now() - start).toBeGreaterThanOrEqual(5249);
  });

  it('--high-water: keeps in a file up to when ids were made, and starts after that', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'minted-until');
    const [first] = await mint('--shard', '5', '--high-water', file);
    const until = Number(readFileSync(file, 'utf8'));
    expect(until).toBe(layouts.snowflake.dateOf(first).getTime() + 1);
    expect(readdirSync(folder)).toEqual(['minted-until']);
    const [second] = await mint('--shard', '5', '--high-water', file);
    expect(second).toBeGreaterThan(first);
    writeFileSync(file, `${Date.now() + 3_600_000}\n`);
    expect(await runHere(['mint', '--shard', '5', '--high-water', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the clock shows .*, but the next id needs /),
    });
    writeFileSync(file, 'soon\n');
    expect(await runHere(['mint', '--shard', '5', '--high-water', file])).toMatchObject({
      code: 1,
      stderr: `error: ${file}: expected a line with Unix milliseconds\n`,
    });
    expect(readdirSync(folder)).toEqual(['minted-until']);
  });

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
    const run = await runHere(args);
    expect([run.code, run.stderr.slice(0, message.length)]).toEqual([code, message]);
  });

  it('leaves no file behind when a layout cannot be minted with, or the store cannot be opened', async () => {
    const folder = temporaryFolder();
    for (const layout of ['pinterest', 'snowflak', 'timestamp:42,sequence']) {
      const run = await runHere(['mint', '--lease', 'ids.db', '--layout', layout], { cwd: folder });
      expect([run.code, readdirSync(folder)]).toEqual([2, []]);
    }
    const run = await runHere(['mint', '--lease', join('no', 'ids.db')], { cwd: folder });
    expect([run.code, readdirSync(folder)]).toEqual([1, []]);
    expect(run.stderr).toMatch(/^error: .*\n$/);
  });
});
