import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { commandFor } from '../../src/inspector/decode/keys/command.js';
import { routingsOf } from '../../src/inspector/decode/keys/routing.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { temporaryFolder } from '../support/cli.js';
import { COMMANDS, KEYS, movesOf } from './plans.js';

const SHIM = `#!/bin/sh\nexec "${process.execPath}" "${resolve('dist/cli.js')}" "$@"\n`;

it.each(COMMANDS.filter(([, last]) => last !== ''))('the command for %j does the same', (changes) => {
  const command = commandFor(routingsOf({ ...DEFAULTS, ...changes }));
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'keys.txt'), KEYS.join('\n'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/shardbits'), SHIM, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` };
  const out = execFileSync('sh', ['-ec', `${command} --json`], { cwd: folder, env }).toString();
  const { total, moved, ideal } = JSON.parse(out);
  const moves = movesOf(changes);
  expect({ total, moved }).toEqual({ total: KEYS.length, moved: moves.moved });
  expect(ideal).toBeCloseTo(moves.ideal, 6);
});
