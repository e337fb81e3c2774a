import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { describeWithSqlite } from '../support/sqlite.js';
import { leasesOf, mint, SIGNALS, startMinting } from './minting.js';

describe('mint --high-water', () => {
  it.each(SIGNALS)('gives the mark up when %s ends it', async (signal) => {
    const folder = temporaryFolder();
    const file = join(folder, 'minted-until');
    const minting = await startMinting(['--shard', '5', '--count', '100000000', '--high-water', file]);
    minting.child.kill(signal);
    expect([await minting.ended, minting.stderr()]).toEqual([signal, '']);
    expect(readdirSync(folder)).toEqual(['minted-until']);
    expect(Number(readFileSync(file, 'utf8'))).toBeLessThanOrEqual(Date.now() + 1);
  });
});

describeWithSqlite('mint --lease', () => {
  it.each(SIGNALS)('frees the shard when %s ends it, for others to go on at once', async (signal) => {
    const store = join(temporaryFolder(), 'ids.db');
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    minting.child.kill(signal);
    const before = Date.now();
    expect([await minting.ended, minting.stderr()]).toEqual([signal, '']);
    const [lease, ...others] = await leasesOf(store);
    expect([lease?.shard, lease?.heldUntil, others]).toEqual([0, null, []]);
    expect(Math.abs(Date.parse(lease?.mintedUntil) - before)).toBeLessThan(2000);
    const first = minting.ids();
    const second = await mint('--lease', store, '--count', '1000');
    expect(second.map((id) => layouts.snowflake.shardOf(id))).toEqual(Array(1000).fill(0));
    const last = first.at(-1) as bigint;
    expect(second.every((id) => id > last)).toBe(true);
  });

  it('frees the shard when whoever reads the ids has had enough', async () => {
    const store = join(temporaryFolder(), 'ids.db');
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    minting.child.stdout?.destroy();
    expect([await minting.ended, minting.stderr()]).toEqual([0, '']);
    expect((await leasesOf(store)).map(({ heldUntil }) => heldUntil)).toEqual([null]);
  });

  it('frees the shard when it is interrupted while nobody reads the ids', async () => {
    const store = join(temporaryFolder(), 'ids.db');
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    minting.child.stdout?.pause();
    await setTimeout(500);
    minting.child.kill('SIGINT');
    const [[, signal]] = await Promise.all([once(minting.child, 'exit')]);
    expect(signal).toBe('SIGINT');
    expect((await leasesOf(store)).map(({ heldUntil }) => heldUntil)).toEqual([null]);
  });
});
