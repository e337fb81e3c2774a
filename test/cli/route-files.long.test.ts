import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { IS_WHOLE } from '../support/scale.js';
import { file, words } from './keys.js';

describe('route leaves nothing half-written', () => {
  const args = ['route', '--shards', '10', '--keys', 'u64'];

  it('when it is interrupted', async () => {
    const folder = temporaryFolder();
    function* endless() {
      for (;;) yield '1\n'.repeat(10_000);
    }
    for (const option of ['--out', '--out-dir']) {
      const out = join(folder, 'out');
      const begun = () => readdirSync(folder).length > 0;
      const run = await shardbits([...args, option, out], { input: endless(), interruptWhen: begun });
      expect(run).toMatchObject({ code: 'SIGINT', stderr: '' });
      expect(existsSync(out)).toBe(false);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['--out', '--out-dir'])('when it is killed: what is there under its name is whole: %s', async (option) => {
    const folder = temporaryFolder();
    const path = file(Buffer.concat(Array.from({ length: IS_WHOLE ? 250 : 50 }, () => words)));
    const start = (name: string) =>
      spawn(process.execPath, ['dist/cli.js', 'route', path, '--shards', '500', option, join(folder, name)]);
    const bytesIn = (name: string): number => {
      const at = join(folder, name);
      if (!statSync(at).isDirectory()) return statSync(at).size;
      return readdirSync(at).reduce((sum, shard) => sum + statSync(join(at, shard)).size, 0);
    };
    await once(start('whole'), 'exit');
    let unfinished = 0;
    for (const ms of [0, 10, 40, 160]) {
      const child = start('killed');
      const ended = once(child, 'exit');
      while (readdirSync(folder).length === 1 + unfinished) await setTimeout(1); // it has not begun to write
      await setTimeout(ms);
      child.kill('SIGKILL');
      await ended;
      if (existsSync(join(folder, 'killed'))) expect(bytesIn('killed')).toBe(bytesIn('whole'));
      rmSync(join(folder, 'killed'), { recursive: true, force: true });
      unfinished = readdirSync(folder).length - 1;
    }
    expect(unfinished).toBeGreaterThan(0); // it was killed while it wrote
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toHaveLength(unfinished);
  });

  it('when it is interrupted while it waits for a pipe that nobody opens', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    let polls = 0;
    const waiting = () => ++polls > 30; // 20 ms each
    const reading = await shardbits([...args, pipe], { interruptWhen: waiting });
    expect(reading).toMatchObject({ code: 'SIGINT' });
    polls = 0;
    const writing = await shardbits([...args, '--out', pipe], { input: ['1\n'], interruptWhen: waiting });
    expect(writing).toMatchObject({ code: 'SIGINT' });
    polls = 0;
    const out = join(folder, 'out');
    const both = await shardbits([...args, pipe, '--out', out], { interruptWhen: waiting });
    expect(both).toMatchObject({ code: 'SIGINT' });
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  it('when the reader has had enough, it ends quietly', () => {
    const path = file(Buffer.concat(Array.from({ length: 125 }, () => words)));
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" dist/cli.js route --shards 10 "${path}" | head -n 1`],
      { encoding: 'utf8' },
    );
    expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
  });
});
