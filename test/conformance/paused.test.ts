import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';
import { hasSqlite } from '../support/sqlite.js';

const TTL_MS = 1000;

const STORES = [...(hasSqlite() ? ['ids.db'] : []), 'ids.lmdb'];

it.each(
  STORES,
)('a process that is paused beyond its lease mints nothing any more, and nobody mints what it has: %s', async (store) => {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const mint = (name: string): ChildProcess =>
    spawn(process.execPath, ['test/support/minting-process.mjs', file(store), file(name), String(TTL_MS)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const linesOf = (name: string) =>
    existsSync(file(name)) ? readFileSync(file(name), 'utf8').split('\n').slice(0, -1) : [];
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await setTimeout(20);
  };

  const first = mint('first');
  await until(() => linesOf('first').length > 10_000);
  const second = mint('second'); // has to wait for the lease
  await setTimeout(2 * TTL_MS);
  expect(linesOf('second')).toEqual([]);
  first.kill('SIGSTOP');
  await until(() => linesOf('second').length > 10_000);
  const before = linesOf('first');
  first.kill('SIGCONT');
  await once(first, 'exit');
  const ids = linesOf('first');
  expect(ids.at(-1)).toBe('lost');
  // What was minted before the pause may be written after it, but it is of before the other's.
  expect(ids.length - 1 - before.length).toBeLessThanOrEqual(2000);
  await setTimeout(200);
  second.kill('SIGKILL');
  await once(second, 'exit');
  const all = [...ids.slice(0, -1), ...linesOf('second')];
  expect(new Set(all).size).toBe(all.length);
}, 60_000);
