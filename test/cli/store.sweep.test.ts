import { openSync, readdirSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaseShard, TypeRegistry } from '../../src/registry/index.js';
import { postgresDdl } from '../../src/registry/stores/postgres/store.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite } from '../support/sqlite.js';
import { filledStore, HELD, resolved } from './filled-store.js';

const STORE = 'ids.db';

describeWithSqlite('store check', () => {
  it('prints what a store holds', async () => {
    const { path } = await filledStore();
    const { code, stdout, stderr } = await shardbits(['store', 'check', path]);
    expect([code, stderr, stdout.toString()]).toEqual([0, '', HELD]);
  });

  it('ends with 1 and the reason if a store is damaged', async () => {
    const { path } = await filledStore();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(8192, 0xff), 0, 8192, 4096 * 12);
    const { code, stdout, stderr } = await runHere(['store', 'check', path]);
    expect([code, stdout.length]).toEqual([1, 0]);
    expect(stderr).toMatch(/^error: .*ids\.db: .*\n$/s);
  });

  it('ends with 1 if there is no store, or something else', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `text-${STORE}`), 'x'.repeat(5000));
    const listed = readdirSync(folder);
    for (const path of [STORE, `text-${STORE}`, '.']) {
      const { code, stdout, stderr } = await runHere(['store', 'check', path], { cwd: folder });
      expect([code, stdout.length, stderr]).toEqual([1, 0, expect.stringMatching(/^error: .*\n$/)]);
      expect(readdirSync(folder)).toEqual(listed);
    }
  });
});

describeWithSqlite('store backup', () => {
  it('writes a copy to a new file, and never overwrites one', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const copy = join(folder, `backup-${STORE}`);
    const done = `wrote a backup of ${path} to ${copy}\n`;
    expect(await shardbits(['store', 'backup', path, copy])).toMatchObject({ code: 0, stderr: done });
    expect((await runHere(['store', 'check', copy])).stdout.toString()).toEqual(HELD);
    expect(await resolved(copy, ids)).toBe(strings);
    const bytes = readFileSync(copy);
    const again = await runHere(['store', 'backup', path, copy]);
    const message = `error: ${copy}: the file exists already; a backup never overwrites a file\n`;
    expect([again.code, again.stderr]).toEqual([1, message]);
    expect(readFileSync(copy).equals(bytes)).toBe(true);
    const nowhere = await runHere(['store', 'backup', path, join(folder, 'no', STORE)]);
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/^error: .*\n$/)]);
  });

  it('leaves no file behind if there is no store', async () => {
    const folder = temporaryFolder();
    const run = await runHere(['store', 'backup', STORE, `backup-${STORE}`], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([1, `error: ${STORE}: no such file or directory\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describeWithSqlite('store copy', () => {
  it('copies all entries with their ids, again if it is run again', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const copy = join(folder, 'copy.db');
    for (const run of [shardbits, runHere]) {
      const { code, stdout, stderr } = await run(['store', 'copy', path, copy]);
      const done = `copied ${path} to ${copy}, which is another store: do not use both for the same ids\n`;
      expect([code, stderr, stdout.toString()]).toEqual([0, done, 'strings  3,000\ntypes    2\nshards   1\n']);
    }
    expect(await resolved(copy, ids)).toBe(strings);
    expect((await runHere(['store', 'check', copy])).stdout.toString()).toEqual(HELD);
    const { stdout } = await runHere(['leases', '--store', copy]);
    expect(stdout).toEqual((await runHere(['leases', '--store', path])).stdout);
  });

  it('says so if the other store holds conflicting entries', async () => {
    const { folder, path } = await filledStore();
    const other = join(folder, `other-${STORE}`);
    await runHere(['intern', '--store', other], { input: ['string 7\n'] });
    const { code, stdout, stderr } = await runHere(['store', 'copy', path, other]);
    expect([code, stdout.length]).toEqual([1, 0]);
    expect(stderr).toContain(`error: ${other}: the second store is in use already: it has an entry that the first one`);
    expect(stderr).toMatch(/Take a new store instead\n$/);
  });

  it('ends with 1 if the store was in use', async () => {
    const { folder, path } = await filledStore();
    const store = await sqliteStore(path);
    const lease = await leaseShard({ store, shards: 8, owner: 'web-1' });
    const { code, stderr } = await runHere(['store', 'copy', path, join(folder, `copy-${STORE}`)]);
    expect([code, stderr]).toEqual([
      1,
      `error: ${path} was in use during the copy: shard ${lease.shard} was held by web-1. Ids can be given twice if ` +
        `${join(folder, `copy-${STORE}`)} is used now: stop all processes that use the first store, and copy again.\n`,
    ]);
    await lease.release();
    await store.close();
  });

  it('leaves no file behind if there is no store to copy', async () => {
    const folder = temporaryFolder();
    const run = await runHere(['store', 'copy', `missing-${STORE}`, STORE], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([1, `error: missing-${STORE}: no such file or directory\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused between two names of one store', async () => {
    const { folder, path } = await filledStore();
    const run = await runHere(['store', 'copy', path, join(folder, '.', STORE)]);
    expect([run.code, run.stderr]).toEqual([2, 'error: TO: expected another store than FROM, got the same\n']);
  });
});

describe('store ddl', () => {
  it('prints the SQL of the tables, in a schema if one is given', async () => {
    for (const schema of [undefined, 'ids', 'a "b"']) {
      const args = schema === undefined ? [] : ['--schema', schema];
      const { code, stdout, stderr } = await runHere(['store', 'ddl', ...args]);
      expect([code, stderr, stdout.toString()]).toEqual([0, '', postgresDdl(schema)]);
    }
    const empty = await runHere(['store', 'ddl', '--schema', '']);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringMatching(/^error: --schema: expected .*, got ""\n$/)]);
  });
});

describeWithSqlite('store move', () => {
  it('moves a store, fences the first one, and keeps a log', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const moved = join(folder, `moved-${STORE}`);
    const run = await runHere(['store', 'move', path, moved]);
    const done = `moved ${path} to ${moved}: use that one from now on. ${path} gives nothing new any more\n`;
    expect([run.code, run.stderr]).toEqual([0, done]);
    expect(run.stdout.toString()).toMatch(
      /^strings +3,000\ntypes +2\nshards +1\nidentity +\S{36}\ngeneration +\S{36}\n$/,
    );
    expect(await resolved(moved, ids)).toBe(strings);
    expect(await resolved(path, ids)).toBe(strings);
    const refused = await runHere(['intern', '--store', path], { input: ['new\n'] });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`the store was moved to ${moved}`)]);
    expect((await runHere(['intern', '--store', moved], { input: ['new\n'] })).code).toBe(0);
    const log = (await runHere(['store', 'log', moved])).stdout.toString();
    expect(log).toMatch(/^time\tby\taction\twhat\n\S+Z\t\S+@\S+\tmove\tto .*\n\S+Z\t\S+@\S+\tmove\tfrom .*\n$/);
    const back = await runHere(['store', 'move', path, moved, '--back']);
    expect([back.code, back.stderr]).toEqual([1, expect.stringContaining('the move is complete')]);
    expect(back.stderr).toMatch(`The command is: shardbits store move ${moved} ${path}\n`);
    const again = await runHere(['store', 'move', path, moved]);
    const nothing = `${path} was moved to ${moved} already, and that one can be used; nothing was changed\n`;
    expect([again.code, again.stderr]).toEqual([0, nothing]);
  });

  it('says where a store went that was moved away, whatever is done with it, and backs up none', async () => {
    const { folder, path } = await filledStore();
    const moved = join(folder, `moved-${STORE}`);
    await runHere(['store', 'move', path, moved]);
    const check = await runHere(['store', 'check', path]);
    expect([check.code, check.stdout.toString()]).toEqual([0, expect.stringMatching(/\nmoved to +.*moved-ids\.db\n$/)]);
    expect((await runHere(['leases', '--store', path])).stderr).toContain(`, moved to ${moved}: it gives no leases`);
    const lost = `If that store is lost, take this one back: shardbits store restore --store ${path} --lost\n`;
    for (const args of [
      ['store', 'backup', path, join(folder, 'backup.db')],
      ['store', 'restore', '--store', path, '--yes'],
      ['store', 'skip-ahead', path, '--yes'],
      ['store', 'move', path, join(folder, 'other.db')],
      ['leases', '--store', path, '--release', '0', '--yes'],
      ['leases', '--store', path, '--reset-mark', '0', '--yes'],
    ]) {
      const run = await runHere(args);
      expect([args, run.code, run.stderr]).toEqual([args, 1, expect.stringContaining(`was moved to ${moved}`)]);
      expect(run.stderr.endsWith(lost)).toBe(true);
    }
    expect(readdirSync(folder).sort()).toEqual(['ids.db', 'moved-ids.db']);
  });

  it('to a store that is lost is taken back, with what was given until then', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const moved = join(folder, `moved-${STORE}`);
    await runHere(['store', 'move', path, moved]);
    await runHere(['intern', '--store', moved], { input: ['since\n'] });
    renameSync(moved, join(folder, 'lost.db'));
    const restore = ['store', 'restore', '--store', path, '--lost', '--lead', '0', '--yes'];
    expect(await runHere(restore)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^took back .*ids\.db \(.*\), which can be used again; minting resumes at /),
    });
    expect(await resolved(path, ids)).toBe(strings);
    expect((await runHere(['store', 'log', path])).stdout.toString()).toContain(
      `taken back, because ${moved} is lost; `,
    );
    const again = await runHere(restore);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('was not moved away')]);
    for (const both of [
      [path, join(folder, 'lost.db')],
      [join(folder, 'lost.db'), path],
    ]) {
      const run = await runHere(['store', 'move', ...both]);
      expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('was given up as lost')]);
    }
    const withFile = await runHere(['store', 'restore', join(folder, 'lost.db'), '--store', path, '--lost', '--yes']);
    expect([withFile.code, withFile.stderr]).toEqual([
      2,
      expect.stringContaining('FILE cannot be combined with --lost'),
    ]);
  });
});

describeWithSqlite('store restore', () => {
  it('puts a backup in the place of a store, whose log it removes', async () => {
    const { folder, path, ids, strings } = await filledStore();
    const backup = join(folder, 'backup.db');
    await runHere(['store', 'backup', path, backup]);
    await runHere(['intern', '--store', path], { input: ['since\n'] });
    writeFileSync(`${path}-wal`, 'left over');
    const run = await runHere(['store', 'restore', backup, '--store', path, '--lead', '0', '--yes']);
    expect([run.code, run.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^restored .*ids\.db \(strings: 3,000, types: 2, leased shards: 1\); the file that was there is now .*\/ids\.db\.replaced; minting resumes at 20\S+Z\. Left: /,
      ),
    ]);
    expect(readdirSync(folder).sort()).toEqual(['backup.db', 'ids.db', 'ids.db.replaced']);
    expect(await resolved(path, ids)).toBe(strings);
    expect((await runHere(['store', 'check', path])).stdout.toString()).toEqual(HELD);
    expect((await runHere(['store', 'log', path])).stdout.toString()).toMatch(/\trestore\tminting resumes at /);
  });

  it('refuses a store that is in use, and another store than that of the backup', async () => {
    const { folder, path } = await filledStore();
    const backup = join(folder, 'backup.db');
    await runHere(['store', 'backup', path, backup]);
    const store = await sqliteStore(path);
    await store.count('strings');
    const restore = ['store', 'restore', backup, '--store', path, '--yes'];
    expect((await runHere(restore)).stderr).toContain('other processes use the store. Stop them first');
    await store.close();
    const other = await filledStore();
    const run = await runHere(['store', 'restore', backup, '--store', other.path, '--yes']);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('is another store than the backup')]);
    expect((await runHere(restore)).code).toBe(0);
  });

  it('makes a store that was restored by other tools a new generation', async () => {
    const { path, ids, strings } = await filledStore();
    const before = (await runHere(['store', 'check', path])).stdout.toString();
    const run = await runHere(['store', 'restore', '--store', path, '--lead', '0', '--yes']);
    expect([run.code, run.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^restored .*ids\.db \(strings: 3,000, types: 2, leased shards: 1\); minting resumes at 20\S+Z\. Left: /,
      ),
    ]);
    const after = (await runHere(['store', 'check', path])).stdout.toString();
    expect(after).toEqual(HELD);
    const [identities, generations] = ['identity', 'generation'].map((name) =>
      [before, after].map((text) => text.match(new RegExp(`^${name} +(.*)$`, 'm'))?.[1]),
    );
    expect(identities[0]).toBe(identities[1]);
    expect(generations[0]).not.toBe(generations[1]);
    expect(await resolved(path, ids)).toBe(strings);
  });
});

describeWithSqlite('store skip-ahead', () => {
  it('leaves out ids, so that those given since a backup are not given again', async () => {
    const { path } = await filledStore();
    const skip = ['store', 'skip-ahead', path, '--types', '100', '--tokens', '1000', '--lead', '0', '--yes'];
    const run = await shardbits(skip);
    const done = expect.stringMatching(
      /^skipped numbers of .*; minting resumes at 20..-..-..T\S+Z\. Left: .* ids of strings, 65,433 numbers of types\n$/,
    );
    expect([run.code, run.stdout.length, run.stderr]).toEqual([0, 0, done]);
    const store = await sqliteStore(path);
    expect(await new TypeRegistry({ store }).idOf('plant')).toBe(103);
    await store.close();
    await runHere(['mint', '--lease', path]);
    const { stdout } = await runHere(['leases', '--store', path, '--format', 'json']);
    expect(JSON.parse(stdout.toString()).token).toBe('1002');
  });

  it('says when minting resumes, as do those who try before', async () => {
    const { path } = await filledStore();
    const began = Date.now();
    const { stderr } = await runHere(['store', 'skip-ahead', path, '--yes']);
    const resumes = /minting resumes at (\S+)\./.exec(stderr)?.[1] ?? '';
    expect(Date.parse(resumes)).toBeGreaterThanOrEqual(began + 3_600_000);
    const early = await runHere(['mint', '--lease', path]);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining(`the next id needs ${resumes} or later`)]);
    expect((await runHere(['leases', '--store', path])).stderr).toMatch(`no id is minted before ${resumes}: `);
  });

  it('checks the store first, and changes nothing if it is damaged', async () => {
    const { path } = await filledStore();
    const store = await sqliteStore(path);
    await store.restore('types', { keys: ['beyond'], ids: BigUint64Array.of(9n) });
    await store.close();
    const run = await runHere(['store', 'skip-ahead', path, '--yes']);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringContaining('types: number 9 of prefix 0 is in use, its counter is at 2'),
    ]);
    expect((await runHere(['leases', '--store', path])).stderr).not.toContain('no id is minted');
  });

  it('names the option that is out of range, before it asks, and changes nothing', async () => {
    const { folder, path } = await filledStore();
    const [bytes, listed] = [readFileSync(path), readdirSync(folder)];
    for (const [option, most] of [
      ['--types', 65_535],
      ['--lead', 2_147_483_647],
    ] as const) {
      for (const yes of [[], ['--yes']]) {
        const run = await runHere(['store', 'skip-ahead', path, option, String(most + 1), ...yes]);
        const message = `error: ${option}: expected an integer from 0 to ${most}, got ${most + 1}\n`;
        expect([run.code, run.stderr]).toEqual([2, message]);
      }
    }
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(listed);
  });

  it('is refused if it would leave no numbers, with the largest count that can be', async () => {
    const { path } = await filledStore();
    const run = await runHere(['store', 'skip-ahead', path, '--types', '65535', '--yes']);
    const problem = '--types: expected an integer from 0 to 65532, so that a number is left, got 65535';
    expect([run.code, run.stderr]).toEqual([1, `error: ${path}: ${problem}; nothing was changed\n`]);
  });

  it('is of no use without a store', async () => {
    const folder = temporaryFolder();
    const run = await runHere(['store', 'skip-ahead', STORE, '--yes'], { cwd: folder });
    expect([run.code, run.stderr]).toEqual([1, `error: ${STORE}: no such file or directory\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
