// What those who use a store have chosen reaches the terminal of its operator as text.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { hasSqlite } from '../support/sqlite.js';
import { expectSeen, HOSTILE, HOSTILE_NAME, wellFormed } from './foreign.js';

const HOUR = 3_600_000;
const OWNER = wellFormed(HOSTILE);

/** A store whose leases, map and journal are of others. */
async function foreignStore(): Promise<{ folder: string; path: string }> {
  const folder = temporaryFolder();
  const path = join(folder, `${wellFormed(HOSTILE).replaceAll('/', '')}.db`);
  const store = await sqliteStore(path);
  const now = Date.now();
  const owner = `${OWNER} 00000000-0000-0000-0000-000000000000`;
  const lease = { strayUntil: 0, ttlMs: HOUR, owner };
  await store.restoreShards([
    { ...lease, shard: 1, token: 1n, expires: now + HOUR, mintedUntil: now },
    { ...lease, shard: 2, token: 1n, expires: 0, mintedUntil: now + 24 * HOUR },
    { ...lease, shard: 3, token: 1n, expires: now + HOUR, mintedUntil: now + 24 * HOUR },
  ]);
  await store.replaceSetting(
    'journal',
    undefined,
    JSON.stringify([{ at: now, by: OWNER, action: OWNER, what: OWNER }]),
  );
  await store.close();
  const map = ShardMap.create({ shards: 8, nodes: [{ name: HOSTILE_NAME }, { name: 'b' }] });
  for (const [name, one] of [
    ['1', map],
    ['2', map.with({ nodes: [{ name: 'b' }] })],
  ] as const) {
    writeFileSync(join(folder, name), JSON.stringify(one));
    await shardbits(['map', 'publish', join(folder, name), '--store', path]);
  }
  return { folder, path };
}

describe.skipIf(!hasSqlite())('a store of others', () => {
  it.each([
    'leases --store STORE',
    'leases --store STORE --format json',
    'leases --store STORE --release 1 --yes',
    'leases --store STORE --reset-mark 2 --yes',
    'leases --store STORE --reset-mark 3 --yes',
    'leases --store STORE --release 9 --yes',
    'store log STORE',
    'store log STORE --format json',
    'store check STORE',
    'store backup STORE STORE',
    'store copy STORE STORE2',
    'store move STORE STORE3',
    'store restore STORE --store STORE4 --yes',
    'store skip-ahead STORE --yes',
    'map history --store STORE',
    'map rollback 1 --store STORE --yes',
    'map publish STORE --store STORE',
    'mint --lease STORE',
  ])('says and lists nothing that a terminal would obey or hide: %s', async (command) => {
    const { path } = await foreignStore();
    const { stdout, stderr } = await shardbits(command.split(' ').map((word) => word.replace('STORE', () => path)));
    expect(stdout.length + stderr.length).toBeGreaterThan(0);
    expectSeen(stdout.toString(), 'standard output');
    expectSeen(stderr, 'standard error');
  });

  it('has in JSON what it has', async () => {
    const { path } = await foreignStore();
    const { stdout } = await shardbits(['leases', '--store', path, '--format', 'json']);
    expect(JSON.parse(stdout.toString().split('\n')[0] ?? '').owner).toBe(OWNER);
  });

  it('says to those who use it where it went', async () => {
    const { path } = await foreignStore();
    expect(await shardbits(['store', 'move', path, `${path}2`])).toMatchObject({ code: 0 });
    const { code, stderr } = await shardbits(['intern', '--store', path], { input: ['a\n'] });
    expect([code, stderr]).toEqual([1, expect.stringContaining(String.raw`\u202e`)]);
    expectSeen(stderr, 'the fence');
  });
});
