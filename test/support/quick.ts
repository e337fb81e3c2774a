import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timers from 'node:timers/promises';
import { IS_FULL } from './scale.js';

// A file of tests without a suffix is quick: it starts no process, serves nothing and waits for at most 50 ms. So Node's
// functions refuse that while such a file runs in the quick run. In the others, some of these files try all stores.

export const MAX_WAIT_MS = 50;

function refuse(what: string): void {
  // What `expect` knows is the last test, also while the next file is read.
  const { filepath = '' } = (globalThis as { __vitest_worker__?: { filepath?: string } }).__vitest_worker__ ?? {};
  if (!/\/[^/.]+\.test\.ts$/.test(filepath)) return;
  throw new Error(`${filepath} ${what}: what does so is called .server, .sweep, .long or .release`);
}

const isGuarded = Symbol.for('shardbits: quick tests are guarded');

/** Has a function refuse its calls. */
function guard<T>(owner: T, name: keyof T, check: (...args: any[]) => void): void {
  const own = owner[name] as (...args: unknown[]) => unknown;
  const guarded = function (this: unknown, ...args: unknown[]) {
    check(...args);
    return own.apply(this, args);
  };
  owner[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(own)) as T[keyof T];
}

if (!IS_FULL && !(isGuarded in globalThis)) {
  Object.assign(globalThis, { [isGuarded]: true });
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const) {
    guard(child, name, (program) => refuse(`starts ${program}`));
  }
  guard(net.Server.prototype, 'listen', () => refuse('listens'));
  guard(timers, 'setTimeout', (ms) => ms > MAX_WAIT_MS && refuse(`waits for ${ms} ms`));
  syncBuiltinESMExports();
}
