import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TIMED } from '../support/kinds.js';
import { MAX_WAIT_MS } from '../support/quick.js';
import { IS_FULL } from '../support/scale.js';
import { sourcesIn } from './sources.js';

// test/support/quick.ts guards every file without a suffix, and so this one.

it.skipIf(IS_FULL).each<[what: string, offence: () => unknown]>([
  ['starts a process', () => spawnSync(process.execPath, ['--version'])],
  ['listens', () => createServer().listen(0)],
  ['waits for long', () => setTimeout(MAX_WAIT_MS + 1)],
])('a quick test that %s fails', (_, offence) => {
  expect(offence).toThrow(/quick\.test\.ts .+: what does so is called \.server, \.sweep, \.long or \.release$/);
});

it('only files that run on their own expect answers within a time', () => {
  const timed = TIMED.map((glob) => {
    const pattern = glob.replaceAll('.', '\\.').replace(/\{(.*?)\}/g, (_, some) => `(${some.replaceAll(',', '|')})`);
    return new RegExp(`^${pattern}$`);
  });
  const measuring = sourcesIn('test').filter(({ text }) => /from '.*\/support\/time\.js'/.test(text));
  expect(measuring.length).toBeGreaterThan(5);
  const others = measuring.filter(({ path }) => !timed.some((pattern) => pattern.test(path)));
  expect(others.map(({ path }) => path)).toEqual([]);
});
