import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite } from '../support/sqlite.js';
import { leasesOf, mint, startMinting } from './minting.js';

const STORE = 'ids.db';

describeWithSqlite('mint --lease', () => {
  it('with a shard that no other process has at the time', async () => {
    const store = join(temporaryFolder(), STORE);
    const args = ['--lease', store, '--count', '100000000'];
    const all = await Promise.all(Array.from({ length: 4 }, () => startMinting(args)));
    for (const { child } of all) child.kill('SIGINT');
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(Array(4).fill('SIGINT'));
    const shards = all.map(({ ids }) => [...new Set(ids().map((id) => layouts.snowflake.shardOf(id)))]);
    expect(shards.flat().toSorted()).toEqual([0, 1, 2, 3]);
    expect(layouts.snowflake.shardOf((await mint('--lease', store))[0])).toBeLessThan(4);
  });

  it('says which machine and process holds the shard', async () => {
    const store = join(temporaryFolder(), STORE);
    const minting = await startMinting(['--lease', store, '--count', '100000000']);
    const [held] = await leasesOf(store);
    expect(held?.owner).toMatch(new RegExp(`^\\S+ pid ${minting.child.pid}$`));
    expect(Date.parse(held?.heldUntil as string)).toBeGreaterThan(Date.now());
    minting.child.kill('SIGTERM');
    await minting.ended;
  });

  // With few ids a millisecond, as the holders go on minting all the time.
  it.each([
    'timestamp:54,shard:1,sequence:9',
    'timestamp:54,increment:9,sequence:1', // increment counts ids, and sequence is the shard
  ])('says that it waits while all shards are held: %s', async (spec) => {
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

  it('says that it waits for a store that does not answer', async () => {
    const waiting = await startMinting(['--lease', 'etcd://127.0.0.1:9'], { wait: false });
    while (waiting.stderr() === '') await setTimeout(20);
    expect(waiting.stderr()).toBe('waiting for etcd://127.0.0.1:9 to lease one of 1024 shards\n');
    waiting.child.kill('SIGTERM');
    expect(await waiting.ended).toBe('SIGTERM');
  });

  it('says why it stops when the lease is lost', async () => {
    const folder = temporaryFolder();
    const store = join(folder, STORE);
    const hurry = join(folder, 'hurry.mjs'); // renews the lease every half second, not every ten
    writeFileSync(
      hurry,
      'const { setTimeout } = globalThis;' +
        'globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 10_000 ? 500 : ms, ...rest);',
    );
    const minting = await startMinting(['--lease', store, '--count', '100000000'], { node: ['--import', hurry] });
    const { stderr } = await runHere(['leases', '--store', store, '--release', '0', '--yes']);
    expect(stderr).toMatch(/: shard 0 is free now\n$/);
    const message = 'error: the lease of shard 0 has ended: an operator ended it, or another holder has it\n';
    expect([await minting.ended, minting.stderr()]).toEqual([1, message]);
  });
});
