import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { operator } from '../../src/cli/options/store.js';
import { cleanUpWhenInterrupted } from '../../src/cli/signals.js';
import { openOutput } from '../../src/node/index.js';
import { newFile } from '../node/high-water-files.js';
import { onWindows } from '../support/other-systems.js';

it('a console that is closed on Windows, which sends no SIGHUP, ends the process once files are removed', () => {
  onWindows();
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('the process has ended');
  });
  try {
    const path = newFile();
    openOutput(path);
    cleanUpWhenInterrupted();
    expect(readdirSync(join(path, '..'))).toHaveLength(1);
    expect(() => process.emit('SIGHUP', 'SIGHUP')).toThrow('the process has ended');
    expect([kill.mock.lastCall, exit.mock.lastCall]).toEqual([undefined, [129]]);
    expect([process.listenerCount('SIGHUP'), readdirSync(join(path, '..'))]).toEqual([0, []]);
  } finally {
    kill.mockRestore();
    exit.mockRestore();
  }
});

it.each([
  [{ SUDO_USER: 'a', USER: 'b', LOGNAME: 'c', USERNAME: 'd' }, 'a'],
  [{ USER: 'b', LOGNAME: 'c', USERNAME: 'd' }, 'b'],
  [{ LOGNAME: 'c', USERNAME: 'd' }, 'c'],
  [{ USERNAME: 'd' }, 'd'], // on Windows
  [{}, `${process.getuid?.()}`],
])('who runs a command is named by %o', (environment, name) => {
  for (const each of ['SUDO_USER', 'USER', 'LOGNAME', 'USERNAME']) vi.stubEnv(each, undefined);
  for (const [each, value] of Object.entries(environment)) vi.stubEnv(each, value);
  try {
    expect(operator()).toBe(`${name}@${hostname()}`);
  } finally {
    vi.unstubAllEnvs();
  }
});
