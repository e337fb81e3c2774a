import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leaseShard } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { describeWith } from '../support/programs.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite, hasSqlite } from '../support/sqlite.js';

/** What standard error gets besides warnings. */
const STORE_LINE = expect.stringMatching(/^store [0-9a-f-]{36}, generation [0-9a-f-]{36}\n$/);

const STORE = 'ids.db';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A store with a shard that is held, one that is free, and one that a wrong clock has marked.
 */
async function storeWithShards(): Promise<{ path: string; folder: string; now: number }> {
  const folder = temporaryFolder();
  const path = join(folder, STORE);
  const store = await sqliteStore(path);
  const now = Date.now();
  const holder = (name: string) => `${name} 00000000-0000-0000-0000-000000000000`;
  const until = now + MINUTE;
  const held = { expires: until, strayUntil: 0, ttlMs: MINUTE, mintedUntil: until };
  const free = { expires: 0, strayUntil: 0, ttlMs: MINUTE };
  await store.restoreShards([
    { shard: 2, owner: holder('web-1 pid 7'), token: 5n, ...held },
    { shard: 3, owner: holder('web\t2'), token: 2n ** 53n + 1n, ...free, mintedUntil: now - DAY },
    { shard: 9, owner: holder('web-3'), token: 1n, ...free, mintedUntil: now + DAY },
  ]);
  await store.close();
  return { path, folder, now };
}

const iso = (ms: number) => new Date(ms).toISOString();

describeWithSqlite('leases', () => {
  it('lists who holds which shard until when, and flags marks of wrong clocks', async () => {
    const { path, now } = await storeWithShards();
    const { code, stdout, stderr } = await shardbits(['leases', '--store', path]);
    expect(stdout.toString().split('\n')).toEqual([
      'shard\towner\theld until\tminted until\ttoken',
      `2\tweb-1 pid 7\t${iso(now + MINUTE)}\t${iso(now + MINUTE)}\t5`,
      `3\tweb\\t2\tfree\t${iso(now - DAY)}\t9007199254740993`,
      `9\tweb-3\tfree\t${iso(now + DAY)}\t1`,
      '',
    ]);
    expect([code, stderr.replace(/store \S+, generation \S+\n$/, '')]).toEqual([
      0,
      `shard 9: the mark ${iso(now + DAY)} is too far ahead: a clock was wrong. Nobody can lease the shard for now. ` +
        `Check the clocks, then reset the mark with: shardbits leases --store ${path} --reset-mark 9\n`,
    ]);
  });

  it('lists the same as JSON', async () => {
    const { path, now } = await storeWithShards();
    const { stdout } = await runHere(['leases', '--store', path, '--format', 'json']);
    const [held, free, wrong] = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const until = iso(now + MINUTE);
    const common = { shard: 2, owner: 'web-1 pid 7', token: '5', strayUntil: null, isMarkTooFarAhead: false };
    expect(held).toEqual({ ...common, heldUntil: until, mintedUntil: until });
    expect(free).toMatchObject({ owner: 'web\t2', heldUntil: null, token: '9007199254740993' });
    expect(wrong).toMatchObject({ shard: 9, isMarkTooFarAhead: true });
  });

  it('does not make a store, whatever it is asked', async () => {
    const folder = temporaryFolder();
    for (const args of [[], ['--release', '1', '--yes'], ['--reset-mark', '1', '--yes']]) {
      const run = await runHere(['leases', '--store', STORE, ...args], { cwd: folder });
      expect([run.code, run.stderr]).toEqual([1, `error: ${STORE}: no such file or directory\n`]);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('--release: ends a lease and leaves the mark', async () => {
    const { path, now } = await storeWithShards();
    const release = ['leases', '--store', path, '--release'];
    expect(await runHere([...release, '2', '--yes'])).toMatchObject({
      code: 0,
      stderr: `${path}: shard 2 is free now\n`,
    });
    expect(await runHere([...release, '2', '--yes'])).toMatchObject({
      code: 0,
      stderr: `${path}: shard 2 was free already; nothing was changed\n`,
    });
    const { stdout } = await runHere(['leases', '--store', path]);
    expect(stdout.toString()).toContain(`\n2\tweb-1 pid 7\tfree\t${iso(now + MINUTE)}\t5\n`);
    const reset = await runHere(['leases', '--store', path, '--reset-mark', '2', '--yes']);
    expect([reset.code, reset.stderr]).toEqual([
      1,
      `error: ${path}: ids may still be minted with shard 2 up to its mark, ${iso(now + MINUTE)}, which correct clocks can have ` +
        'set. Wait until then: the shard can be leased, and its ids begin at the mark\n',
    ]);
    const never = await runHere([...release, '1', '--yes']);
    expect([never.code, never.stderr]).toEqual([
      1,
      `error: ${path}: shard 1 has never been leased; nothing was changed\n`,
    ]);
  });

  it('--reset-mark: sets a mark to now, unless the shard is held', async () => {
    const { path, now } = await storeWithShards();
    const reset = ['leases', '--store', path, '--reset-mark'];
    const held = await runHere([...reset, '2', '--yes']);
    const how = `shardbits leases --store ${path} --release 2`;
    expect([held.code, held.stderr]).toEqual([
      1,
      `error: shard 2 is held by web-1 pid 7: release it first, with: ${how}\n`,
    ]);
    expect(await runHere([...reset, '9', '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        new RegExp(
          `^${path}: set the mark of shard 9, ${iso(now + DAY)}, to the store's clock, ${iso(now).slice(0, 13)}.*Z\\n$`,
        ),
      ),
    });
    const { stdout, stderr } = await runHere(['leases', '--store', path, '--format', 'json']);
    const mark = Date.parse(JSON.parse(stdout.toString().trimEnd().split('\n').at(-1) as string).mintedUntil);
    expect([stderr, mark >= now && mark <= Date.now()]).toEqual([STORE_LINE, true]);
  });

  it('advises nothing that can repeat ids, whatever the ttlMs of the holder is', async () => {
    const { path } = await storeWithShards();
    const store = await sqliteStore(path);
    const lease = await leaseShard({ store, shards: 1, ttlMs: 2 * HOUR, owner: 'worker' });
    expect((await runHere(['leases', '--store', path, '--release', '0', '--yes'])).code).toBe(0);
    expect(lease.validUntil()).toBeGreaterThan(Date.now() + HOUR); // the holder goes on
    const { stderr } = await runHere(['leases', '--store', path]);
    expect(stderr).toMatch(/^shard 9: .*\nstore \S+, generation \S+\n$/);
    expect(await runHere(['leases', '--store', path, '--reset-mark', '0', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: .*ids\.db: ids may still be minted with shard 0 up to its mark, /),
    });
    await lease.release();
    await store.close();
  });

  it('says when a mark of a wrong clock can be reset, while a holder may be alive', async () => {
    const { path, now } = await storeWithShards();
    const store = await sqliteStore(path);
    const alive = { expires: 0, strayUntil: now + MINUTE, ttlMs: MINUTE, mintedUntil: now + DAY };
    await store.restoreShards([{ shard: 4, owner: 'web-4', token: 1n, ...alive }]);
    await store.close();
    const { stderr } = await runHere(['leases', '--store', path]);
    expect(stderr).toContain(
      `Check the clocks, then, after ${iso(now + MINUTE)}, when no holder is left, reset the mark with: `,
    );
    expect(await runHere(['leases', '--store', path, '--reset-mark', '4', '--yes'])).toMatchObject({
      code: 1,
      stderr: `error: ${path}: a holder of shard 4 whose lease was ended may mint until ${iso(now + MINUTE)}. Reset the mark after that\n`,
    });
  });

  it('--release and --reset-mark change nothing where nobody can be asked', async () => {
    const { path, now } = await storeWithShards();
    for (const [option, shard] of [
      ['--release', '2'],
      ['--reset-mark', '9'],
    ] as const) {
      const run = await runHere(['leases', '--store', path, option, shard], { input: ['y\n'] });
      expect([run.code, run.stderr]).toEqual([
        2,
        `error: ${option} asks for confirmation, and standard input is not a terminal; ` +
          'add --yes to go ahead without being asked\n',
      ]);
    }
    const { stdout } = await runHere(['leases', '--store', path]);
    const until = iso(now + MINUTE);
    expect(stdout.toString()).toContain(`\n2\tweb-1 pid 7\t${until}\t${until}\t5\n`);
    expect(stdout.toString()).toContain(`\n9\tweb-3\tfree\t${iso(now + DAY)}\t1\n`);
  });
});

describeWith(
  'script',
  '-qec',
  'true',
  '/dev/null',
)('leases at a terminal', () => {
  /** What the terminal shows, and the exit code. (`script` waits two seconds for an answer to be read.) */
  function answered(answer: string, args: string[]): [string, number | null] {
    const command = [process.execPath, 'dist/cli.js', ...args].map((word) => `'${word}'`).join(' ');
    const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
      input: answer,
      encoding: 'utf8',
      timeout: 30_000,
    });
    return [stdout.replaceAll('\r', ''), status];
  }

  it.skipIf(!hasSqlite())('asks before it releases a shard, and says what can happen', async () => {
    const { path, now } = await storeWithShards();
    const args = ['leases', '--store', path, '--release', '2'];
    for (const answer of ['n\n', '\n', 'yess\n', '\x04']) {
      const [shown, status] = answered(answer, args);
      expect([shown, status]).toEqual([expect.stringMatching(/error: not confirmed; nothing was changed/), 1]);
    }
    const [shown, status] = answered('y\n', args);
    expect(shown).toContain(`Shard 2 is held by web-1 pid 7 until ${iso(now + MINUTE)}.`);
    expect(shown).toContain('A holder that still runs goes on minting');
    expect([shown, status]).toEqual([expect.stringMatching(/shard 2 is free now\n$/), 0]);
  });

  it.skipIf(!hasSqlite())('asks before it resets a mark, and says what can happen', async () => {
    const { path, now } = await storeWithShards();
    const [shown, status] = answered('yes\n', ['leases', '--store', path, '--reset-mark', '9']);
    expect(shown).toContain(`--reset-mark sets the mark of shard 9, ${iso(now + DAY)}, to the store's clock, `);
    expect(shown).toContain('can be minted again');
    expect([shown, status]).toEqual([expect.stringMatching(/set the mark of shard 9, .*Z\n$/), 0]);
    expect(answered('', ['leases', '--store', path, '--reset-mark', '2'])).toEqual([
      expect.stringMatching(/^error: shard 2 is held by web-1 pid 7: release it first/m),
      1,
    ]);
  });
});
