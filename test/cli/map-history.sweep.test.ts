import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { describeWith } from '../support/programs.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite, hasSqlite } from '../support/sqlite.js';
import { folderWith, map, next } from './maps.js';

const STORE = 'ids.db';

/** A folder with a store that has two versions. */
async function folderWithStore(): Promise<string> {
  const cwd = folderWith({ '1.json': map, '2.json': next });
  for (const name of ['1.json', '2.json']) await run(cwd, 'publish', name, '--store', STORE);
  return cwd;
}

async function run(cwd: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runHere(['map', ...args], { cwd, input: [] });
  return { code, stdout: stdout.toString(), stderr };
}

/** The lines that say what a rollback from the second version to the first one does. */
function changes(): string {
  const moves = next.movesTo(map);
  const counts = next.nodes.map(({ name }) => {
    const [gets, drops] = [moves.filter(({ to }) => to === name), moves.filter(({ from }) => from === name)];
    return [name, gets.length, drops.length] as const;
  });
  const rows = counts.filter(([, gets, drops]) => gets + drops > 0);
  return [
    `version 3, as version 1: ${moves.length} of 1024 copies move, ${next.primaryChangesTo(map).length} primaries change without a copy`,
    ...rows.map(([name, gets, drops]) => `  ${name}: gets ${gets}, drops ${drops}`),
    '',
  ].join('\n');
}

describeWithSqlite('map history', () => {
  it('lists the versions of a store', async () => {
    const cwd = await folderWithStore();
    const { code, stdout, stderr } = await run(cwd, 'history', '--store', STORE);
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.split('\n').map((line) => line.split('\t'));
    expect(rows.map(([version, digest]) => [version, digest])).toEqual([
      ['version', 'digest'],
      ['1', map.digest],
      ['2', next.digest],
      ['', undefined],
    ]);
    for (const [, , published = ''] of rows.slice(1, 3)) {
      expect(new Date(published).toISOString()).toBe(published);
      expect(Math.abs(Date.parse(published) - Date.now())).toBeLessThan(600_000);
    }
    const inJson = await run(cwd, 'history', '--store', STORE, '--format', 'json');
    const objects = inJson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(objects).toEqual(
      rows.slice(1, 3).map(([version, digest, published]) => ({ version: Number(version), digest, published })),
    );
  });

  it('says that there is no store, no map or no --store', async () => {
    const cwd = folderWith({});
    const missing = { code: 1, stdout: '', stderr: `error: ${STORE}: no such file or directory\n` };
    expect(await run(cwd, 'history', '--store', STORE)).toEqual(missing);
    expect(await run(cwd, 'rollback', '1', '--store', STORE, '--yes')).toEqual(missing);
    await runHere(['intern', '--store', STORE], { cwd, input: ['a\n'] });
    const none = { code: 1, stdout: '', stderr: `error: ${STORE}: no map has been published there\n` };
    expect(await run(cwd, 'history', '--store', STORE)).toEqual(none);
    const required = { code: 2, stderr: 'error: --store is required\n' };
    expect(await run(cwd, 'history')).toMatchObject(required);
    expect(await run(cwd, 'rollback', '1')).toMatchObject(required);
  });
});

describeWithSqlite('map rollback', () => {
  it('publishes an earlier version again, and says what moves', async () => {
    const cwd = await folderWithStore();
    expect(await run(cwd, 'rollback', '1', '--store', STORE, '--yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: `${changes()}published version 3 in ids.db\n`,
    });
    const { stdout } = await run(cwd, 'get', '--store', STORE);
    const rolled = ShardMap.from({ ...map.toJSON(), version: 3, parent: next.digest });
    expect(stdout).toBe(`${JSON.stringify(rolled)}\n`);
  });

  it('refuses what the store does not have, and what is not a version', async () => {
    const cwd = await folderWithStore();
    for (const version of ['3', '9007199254740991']) {
      const problem = `error: ${STORE}: expected a version of the store's history, 1 to 2, got ${version}\n`;
      expect(await run(cwd, 'rollback', version, '--store', STORE, '--yes')).toMatchObject({
        code: 1,
        stderr: problem,
      });
    }
    for (const version of ['one', '-1', '1.5', '']) {
      expect(await run(cwd, 'rollback', '--store', STORE, '--yes', '--', version)).toMatchObject({ code: 2 });
    }
    expect((await run(cwd, 'rollback', '0', '--store', STORE, '--yes')).code).not.toBe(0);
    const { stdout } = await run(cwd, 'get', '--store', STORE);
    expect(stdout).toBe(`${JSON.stringify(next)}\n`);
  });

  it('changes nothing where nobody can be asked', async () => {
    const cwd = await folderWithStore();
    expect(await run(cwd, 'rollback', '1', '--store', STORE)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: map rollback asks for confirmation, and standard input is not a terminal; ' +
        'add --yes to go ahead without being asked\n',
    });
    const { stdout } = await run(cwd, 'get', '--store', STORE);
    expect(stdout).toBe(`${JSON.stringify(next)}\n`);
  });
});

describeWith(
  'script',
  '-qec',
  'true',
  '/dev/null',
)('map rollback at a terminal', () => {
  it.skipIf(!hasSqlite())('asks first, and says what can happen', async () => {
    const cwd = await folderWithStore();
    const args = ['map', 'rollback', '1', '--store', join(cwd, STORE)];
    const answered = (answer: string): [string, number | null] => {
      const command = [process.execPath, 'dist/cli.js', ...args].map((word) => `'${word}'`).join(' ');
      const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
        input: answer,
        encoding: 'utf8',
        timeout: 30_000,
      });
      return [stdout.replaceAll('\r', ''), status];
    };
    expect(answered('n\n')).toEqual([expect.stringMatching(/error: not confirmed; nothing was changed/), 1]);
    const [shown, status] = answered('y\n');
    expect(shown).toContain(changes());
    expect(shown).toContain('All processes that watch the store use the new version at once.');
    expect([shown, status]).toEqual([expect.stringMatching(/published version 3 in .*\n$/), 0]);
  });
});
