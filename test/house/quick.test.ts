import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MAX_WAIT_MS } from '../support/quick.js';
import { IS_FULL } from '../support/scale.js';

// test/support/quick.ts guards every file without a suffix, and so this one.

it.skipIf(IS_FULL).each<[what: string, offence: () => unknown]>([
  ['starts a process', () => spawnSync(process.execPath, ['--version'])],
  ['listens', () => createServer().listen(0)],
  ['waits for long', () => setTimeout(MAX_WAIT_MS + 1)],
])('a quick test that %s fails', (_, offence) => {
  expect(offence).toThrow(/quick\.test\.ts .+: what does so is called \.server, \.sweep, \.long or \.release$/);
});
