import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { describeWithSqlite } from '../support/sqlite.js';

const TTL_MS = 1000;

describeWithSqlite.concurrent('a process that is paused beyond its lease', () => {
  it('mints nothing any more, and nobody mints what it has', async ({ onTestFinished }) => {
    const folder = temporaryFolder(onTestFinished);
    const file = (name: string) => join(folder, name);
    const mint = (name: string): ChildProcess & { stdout: Readable } => {
      const args = ['test/support/minting-process.mjs', file('ids.db'), file(name), String(TTL_MS)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.resume();
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const linesOf = (name: string) =>
      existsSync(file(name)) ? readFileSync(file(name), 'utf8').split('\n').slice(0, -1) : [];
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await setTimeout(20);
    };

    const first = mint('first');
    await until(() => linesOf('first').length > 1000);
    const second = mint('second'); // has to wait for the lease
    await setTimeout(2 * TTL_MS);
    expect(linesOf('second')).toEqual([]);
    // While it renews its lease it can hold the lock of the file, which a paused process would keep.
    await once(first.stdout, 'data');
    await setTimeout(TTL_MS / 10);
    first.kill('SIGSTOP');
    await until(() => linesOf('second').length > 1000);
    const before = linesOf('first');
    first.kill('SIGCONT');
    await once(first, 'exit');
    const ids = linesOf('first');
    expect(ids.at(-1)).toBe('lost');
    // What was minted before the pause may be written after it, but it is of before the other's.
    expect(ids.length - 1 - before.length).toBeLessThanOrEqual(200);
    await setTimeout(200);
    second.kill('SIGKILL');
    await once(second, 'exit');
    const all = [...ids.slice(0, -1), ...linesOf('second')];
    expect(new Set(all).size).toBe(all.length);
  }, 60_000);
});
